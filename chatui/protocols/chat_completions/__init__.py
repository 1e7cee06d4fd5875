"""OpenAI Chat Completions and everything that calls itself compatible with it."""

from chatui.core.late_protocol import LateProtocol, ProtocolParts, bearer
from chatui.core.wire import FileLimits, WireProtocol


def _parts() -> ProtocolParts:
    from chatui.protocols.chat_completions.request import build_body
    from chatui.protocols.chat_completions.stream import ChatInterpreter

    return ProtocolParts(build_body, ChatInterpreter)


_FILE_LIMITS = FileLimits(takes_moving_pictures=False)
"""Source: the images and file pages of OpenAI's documentation."""

PROTOCOL: WireProtocol = LateProtocol("chat_completions", "/chat/completions", bearer, _parts, _FILE_LIMITS)
