"""OpenAI Chat Completions and everything that calls itself compatible with it."""

from chatui.core.late_protocol import LateProtocol, ProtocolParts, bearer
from chatui.core.wire import WireProtocol


def _parts() -> ProtocolParts:
    from chatui.protocols.chat_completions.request import build_body
    from chatui.protocols.chat_completions.stream import ChatInterpreter

    return ProtocolParts(build_body, ChatInterpreter)


PROTOCOL: WireProtocol = LateProtocol("chat_completions", "/chat/completions", bearer, _parts)
