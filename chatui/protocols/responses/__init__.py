"""OpenAI Responses."""

from chatui.core.late_protocol import LateProtocol, ProtocolParts, bearer
from chatui.core.wire import WireProtocol


def _parts() -> ProtocolParts:
    from chatui.protocols.responses.request import build_body
    from chatui.protocols.responses.stream import ResponsesInterpreter

    return ProtocolParts(build_body, ResponsesInterpreter)


PROTOCOL: WireProtocol = LateProtocol("responses", "/responses", bearer, _parts)
