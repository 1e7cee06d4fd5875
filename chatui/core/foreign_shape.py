"""Tells a response in the shape of another protocol than the one it was asked in.

Invariant: only what no server of the own protocol sends counts. Source: OpenAI and Anthropic API references.
"""

from typing import Final

from chatui.core.json_access import JsonObject, as_text

_MESSAGE_EVENTS: Final = frozenset(
    {
        "message_start",
        "content_block_start",
        "content_block_delta",
        "message_delta",
        "message_stop",
        "message",
    }
)
_NAMES: Final = {
    "chat_completions": "Chat Completions",
    "responses": "Responses",
    "anthropic_messages": "Anthropic Messages",
}


def foreign_shape(value: JsonObject) -> str:
    """What an event or body that the own protocol does not know looks like, with what to do; or empty."""
    kind = as_text(value.get("type"))
    if "choices" in value:
        protocol = "chat_completions"
    elif kind.startswith("response.") or value.get("object") == "response":
        protocol = "responses"
    elif kind in _MESSAGE_EVENTS:
        protocol = "anthropic_messages"
    elif "message" in value and "done" in value:
        return "in the shape of Ollama's own API: use its /v1 address as base URL"
    else:
        return ""
    return f"in the shape of {_NAMES[protocol]}: set the protocol to {protocol}"
