"""OpenAI Responses."""

from chatui.core.late_protocol import LateProtocol, ProtocolParts, bearer
from chatui.core.wire import FileLimits, WireProtocol


def _parts() -> ProtocolParts:
    from chatui.protocols.responses.request import build_body
    from chatui.protocols.responses.stream import ResponsesInterpreter

    return ProtocolParts(build_body, ResponsesInterpreter)


_FILE_LIMITS = FileLimits(takes_moving_pictures=False)
"""Source: the images and file pages of OpenAI's documentation."""

PROTOCOL: WireProtocol = LateProtocol("responses", "/responses", bearer, _parts, _FILE_LIMITS)
