"""What hosted tools are asked and do, where it is streamed: code, arguments, commands, changes, states.

Invariant: none of it is a call for the client to run. Source: OpenAI API reference "Streaming events" of
Responses (seen 2026-11), with the older names that gateways still send.
"""

from typing import Final

from chatui.core.json_access import JsonObject, as_text
from chatui.core.late_pattern import late_pattern
from chatui.protocols.responses.items import Items

_STATE: Final = late_pattern(r"response\.((?:\w+_call)|mcp_list_tools)\.(\w+)")
_TEXTS: Final = {
    "response.code_interpreter_call_code": ("code_interpreter_call", "code"),
    "response.code_interpreter_call.code": ("code_interpreter_call", "code"),
    "response.mcp_call_arguments": ("mcp_call", "arguments"),
    "response.mcp_call.arguments": ("mcp_call", "arguments"),
    "response.apply_patch_call_operation_diff": ("apply_patch_call", "diff"),
    "response.shell_call_command": ("shell_call", "command"),
}
"""Beginnings of the names of events: the kind of the item, and the member of the `done` event."""


def took_hosted_delta(items: Items, kind: str, value: JsonObject, text: str) -> bool:
    """A `.delta` event; False if it is of no hosted tool."""
    found = _TEXTS.get(kind.removesuffix(".delta"))
    if found is not None:
        items.parts.activity(items.find(value, found[0]), detail=text)
    return found is not None


def took_hosted(items: Items, kind: str, value: JsonObject) -> bool:
    """Any other event; False if it is of no hosted tool."""
    asked = _TEXTS.get(kind.removesuffix(".done")) if kind.endswith(".done") else None
    if asked is not None:
        items.parts.asked(items.find(value, asked[0]), as_text(value.get(asked[1])))
        return True
    state = _STATE.fullmatch(kind)
    if state is not None:
        items.parts.activity(items.find(value, state[1]), status=state[2])
    return state is not None
