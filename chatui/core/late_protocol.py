"""A protocol whose parts are loaded with its first request.

Invariant: to name a protocol, and to ask for its headers, loads nothing of how it is spoken; the first paint
does not wait for requests and decoders that no one has asked for.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from chatui.core.errors import Failure
from chatui.core.request import ChatRequest
from chatui.core.values import frozen
from chatui.core.wire import Dialect, FileLimits, StreamDecoder

if TYPE_CHECKING:
    from chatui.core.response_decoder import Interpret


@frozen
class ProtocolParts:
    """How a protocol is spoken."""

    build_body: Callable[[ChatRequest, Dialect], dict[str, object]]
    interpret: "Interpret"


class LateProtocol:
    """A `WireProtocol`, as the engine sees it.

    Args:
        name: Of its package.
        path: Endpoint below the base URL.
        headers: Headers that authenticate and version a request, made of the key.
        parts: Loads the rest.
        file_limits: What the vendor's own servers take of files.
    """

    def __init__(
        self,
        name: str,
        path: str,
        headers: Callable[[str | None], dict[str, str]],
        parts: Callable[[], ProtocolParts],
        file_limits: FileLimits,
    ) -> None:
        self.name = name
        self.path = path
        self.file_limits = file_limits
        self._headers = headers
        self._parts = parts

    def headers(self, api_key: str | None) -> dict[str, str]:
        """Headers that authenticate and version a request."""
        return self._headers(api_key)

    def body(self, request: ChatRequest, dialect: Dialect) -> dict[str, object]:
        """The JSON body of a request."""
        return self._parts().build_body(request, dialect)

    def stream_decoder(self, dialect: Dialect) -> StreamDecoder:
        """A decoder of an event stream."""
        return self._decoder(dialect, is_body=False)

    def body_decoder(self, dialect: Dialect) -> StreamDecoder:
        """A decoder of a whole body."""
        return self._decoder(dialect, is_body=True)

    def http_failure(self, status: int, headers: Mapping[str, str], body: bytes) -> Failure:
        """The failure that an error response tells."""
        from chatui.core.http_failure import http_failure

        return http_failure(status, headers, body)

    def _decoder(self, dialect: Dialect, *, is_body: bool) -> StreamDecoder:
        from chatui.core.response_decoder import decoder_of

        return decoder_of(self._parts().interpret, dialect, is_body=is_body)


def bearer(api_key: str | None) -> dict[str, str]:
    """The key as a bearer token, where there is one."""
    return {"authorization": f"Bearer {api_key}"} if api_key else {}
