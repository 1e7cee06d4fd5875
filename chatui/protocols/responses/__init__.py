"""OpenAI Responses."""

from collections.abc import Mapping

from chatui.core.errors import Failure
from chatui.core.request import ChatRequest
from chatui.core.wire import Dialect, StreamDecoder, WireProtocol


class Responses:
    """The protocol, as the engine sees it; its parts are loaded with the first request."""

    name = "responses"
    path = "/responses"

    def headers(self, api_key: str | None) -> dict[str, str]:
        """Headers that authenticate a request."""
        return {"authorization": f"Bearer {api_key}"} if api_key else {}

    def body(self, request: ChatRequest, dialect: Dialect) -> dict[str, object]:
        """The JSON body of a request."""
        from chatui.protocols.responses.request import build_body

        return build_body(request, dialect)

    def stream_decoder(self, dialect: Dialect) -> StreamDecoder:
        """A decoder of an event stream."""
        from chatui.protocols.responses.stream import decoder

        return decoder(dialect, is_body=False)

    def body_decoder(self, dialect: Dialect) -> StreamDecoder:
        """A decoder of a whole body."""
        from chatui.protocols.responses.stream import decoder

        return decoder(dialect, is_body=True)

    def http_failure(self, status: int, headers: Mapping[str, str], body: bytes) -> Failure:
        """The failure that an error response tells."""
        from chatui.core.http_failure import http_failure

        return http_failure(status, headers, body)


PROTOCOL: WireProtocol = Responses()
