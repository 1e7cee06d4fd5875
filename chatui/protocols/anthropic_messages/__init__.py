"""Anthropic Messages."""

from chatui.core.late_protocol import LateProtocol, ProtocolParts
from chatui.core.wire import WireProtocol


def _headers(api_key: str | None) -> dict[str, str]:
    version = {"anthropic-version": "2023-06-01"}
    return {**version, "x-api-key": api_key} if api_key else version


def _parts() -> ProtocolParts:
    from chatui.protocols.anthropic_messages.request import build_body
    from chatui.protocols.anthropic_messages.stream import MessagesInterpreter

    return ProtocolParts(build_body, MessagesInterpreter)


PROTOCOL: WireProtocol = LateProtocol("anthropic_messages", "/messages", _headers, _parts)
