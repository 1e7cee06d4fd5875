"""Anthropic Messages."""

from chatui.core.late_protocol import LateProtocol, ProtocolParts
from chatui.core.wire import FileLimits, WireProtocol


def _headers(api_key: str | None) -> dict[str, str]:
    version = {"anthropic-version": "2023-06-01"}
    return {**version, "x-api-key": api_key} if api_key else version


def _parts() -> ProtocolParts:
    from chatui.protocols.anthropic_messages.request import build_body
    from chatui.protocols.anthropic_messages.stream import MessagesInterpreter

    return ProtocolParts(build_body, MessagesInterpreter)


_FILE_LIMITS = FileLimits(
    request_bytes=32 * 1024 * 1024,
    image_bytes=5 * 1024 * 1024,
    image_pixels=8000,
)
"""Source: the vision and PDF pages of Anthropic's documentation."""

PROTOCOL: WireProtocol = LateProtocol("anthropic_messages", "/messages", _headers, _parts, _FILE_LIMITS)
