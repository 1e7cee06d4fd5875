"""OpenAI Responses."""

from collections.abc import Mapping

from chatui.core.errors import Failure
from chatui.core.http_failure import http_failure
from chatui.core.request import ChatRequest
from chatui.core.wire import Dialect, StreamDecoder, WireProtocol
from chatui.protocols.responses.request import build_body
from chatui.protocols.responses.stream import decoder


class Responses:
    """The protocol, as the engine sees it."""

    name = "responses"
    path = "/responses"

    def headers(self, api_key: str | None) -> dict[str, str]:
        """Headers that authenticate a request."""
        return {"authorization": f"Bearer {api_key}"} if api_key else {}

    def body(self, request: ChatRequest, dialect: Dialect) -> dict[str, object]:
        """The JSON body of a request."""
        return build_body(request, dialect)

    def stream_decoder(self, dialect: Dialect) -> StreamDecoder:
        """A decoder of an event stream."""
        return decoder(dialect, is_body=False)

    def body_decoder(self, dialect: Dialect) -> StreamDecoder:
        """A decoder of a whole body."""
        return decoder(dialect, is_body=True)

    def http_failure(self, status: int, headers: Mapping[str, str], body: bytes) -> Failure:
        """The failure that an error response tells."""
        return http_failure(status, headers, body)


PROTOCOL: WireProtocol = Responses()
