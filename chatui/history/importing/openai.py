"""OpenAI messages (one list, an object with `messages`, JSON lines) and ShareGPT.

Source: Chat Completions, request messages (fine-tuning files have the same form); ShareGPT data sets
(`conversations` of `from` and `value`).
"""

import json
from collections import Counter
from typing import Any

from chatui.core.attachments import image_at, in_data_url
from chatui.core.messages import (
    AudioPart,
    FilePart,
    Part,
    ReasoningPart,
    RefusalPart,
    Role,
    TextPart,
    ToolCallPart,
    ToolCallState,
    ToolResultPart,
)
from chatui.history.importing.foreign_values import (
    as_json_text,
    fingerprint,
    list_of,
    object_of,
    role_of,
    seconds,
    text_of,
    without,
)
from chatui.history.importing.messages import Node, Source, build, last_of
from chatui.history.portable import Portable

_MESSAGE_MEMBERS = (
    "role",
    "content",
    "tool_calls",
    "tool_call_id",
    "name",
    "refusal",
    "reasoning_content",
    "reasoning",
    "function_call",
)


def is_messages(value: object) -> bool:
    """Whether a value is a list of messages."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(message, dict) and "role" in message for message in value)
    )


def import_messages(value: dict[str, Any], unmapped: Counter[str]) -> Portable:
    """An object with `messages`, as one line of a JSON-lines file has it."""
    messages = list_of(value.get("messages"))
    names: dict[str, str] = {}
    nodes: list[Node] = []
    root = fingerprint(messages)
    for index, entry in enumerate(messages):
        message = object_of(entry)
        role = role_of(message.get("role"), unmapped)
        nodes.append(
            Node(
                node_id=f"{root}-{index}",
                parent_id=last_of(nodes),
                role=role,
                parts=_parts(message, role, names, unmapped),
                model=text_of(message.get("model")) or text_of(value.get("model")),
                at_epoch_s=seconds(message.get("created_at") or message.get("timestamp")),
                extra=without(message, *_MESSAGE_MEMBERS, "model", "created_at", "timestamp"),
            )
        )
    source = Source(
        program="OpenAI messages",
        source_id=f"openai:{root}",
        title=text_of(value.get("title")),
        nodes=nodes,
        created_at_epoch_s=seconds(value.get("created_at") or value.get("created")),
        extra=without(value, "messages", "title", "model", "created_at", "created"),
    )
    return build(source, unmapped)


def _parts(
    message: dict[str, Any], role: Role, names: dict[str, str], unmapped: Counter[str]
) -> tuple[Part, ...]:
    if role is Role.TOOL:
        call_id = text_of(message.get("tool_call_id"))
        name = text_of(message.get("name")) or names.get(call_id, "")
        content = _content(message.get("content"), unmapped)
        text = "".join(part.text for part in content if isinstance(part, TextPart))
        return (ToolResultPart(call_id, name, text),)
    parts: list[Part] = []
    reasoning = text_of(message.get("reasoning_content")) or text_of(message.get("reasoning"))
    if reasoning:
        parts.append(ReasoningPart(reasoning))
    parts += _content(message.get("content"), unmapped)
    if refusal := text_of(message.get("refusal")):
        parts.append(RefusalPart(refusal))
    calls = list_of(message.get("tool_calls"))
    if legacy := object_of(message.get("function_call")):
        calls = [{"id": text_of(legacy.get("name")), "function": legacy}, *calls]
    for call in calls:
        part = _call(object_of(call))
        names[part.call_id] = part.name
        parts.append(part)
    return tuple(parts)


def _content(content: object, unmapped: Counter[str]) -> list[Part]:
    if isinstance(content, str):
        return [TextPart(content)] if content else []
    parts: list[Part] = []
    for entry in list_of(content):
        part = object_of(entry)
        kind = part.get("type")
        if isinstance(entry, str):
            parts.append(TextPart(entry))
        elif kind in ("text", "input_text", "output_text"):
            parts.append(TextPart(text_of(part.get("text"))))
        elif kind == "refusal":
            parts.append(RefusalPart(text_of(part.get("refusal"))))
        elif kind in ("image_url", "input_image"):
            address = part.get("image_url")
            parts.append(image_at(text_of(object_of(address).get("url")) or text_of(address)))
        elif kind == "file":
            file = object_of(part.get("file"))
            media, data = in_data_url(text_of(file.get("file_data")))
            parts.append(FilePart(text_of(file.get("filename")), media, data or text_of(file.get("file_id"))))
        elif kind == "input_audio":
            parts.append(AudioPart("", "", text_of(object_of(part.get("input_audio")).get("data"))))
        else:
            parts.append(as_json_text(entry, kind, "parts", unmapped))
    return parts


def _call(call: dict[str, Any]) -> ToolCallPart:
    function = object_of(call.get("function")) or object_of(call.get("custom"))
    is_free_text = call.get("type") == "custom"
    arguments = function.get("input" if is_free_text else "arguments")
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
    state = ToolCallState.WHOLE if is_free_text or _is_object(raw) else ToolCallState.UNPARSABLE
    return ToolCallPart(text_of(call.get("id")), text_of(function.get("name")), raw, state, is_free_text)


def _is_object(raw: str) -> bool:
    try:
        return isinstance(json.loads(raw), dict)
    except (ValueError, RecursionError):
        return False


def is_sharegpt(value: object) -> bool:
    """Whether an object is a conversation of ShareGPT."""
    turns = list_of(object_of(value).get("conversations"))
    return bool(turns) and all(
        isinstance(turn, dict) and "from" in turn and "value" in turn for turn in turns
    )


def import_sharegpt(value: dict[str, Any], unmapped: Counter[str]) -> Portable:
    """One conversation of ShareGPT."""
    root = text_of(value.get("id")) or fingerprint(value.get("conversations"))
    nodes: list[Node] = []
    if system := text_of(value.get("system")):
        nodes.append(
            Node(node_id=f"{root}-system", parent_id=None, role=Role.SYSTEM, parts=(TextPart(system),))
        )
    for index, turn in enumerate(list_of(value.get("conversations"))):
        text = turn.get("value")
        text = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
        role = role_of(turn.get("from"), unmapped)
        part: Part = ToolResultPart("", "", text) if role is Role.TOOL else TextPart(text)
        nodes.append(
            Node(
                node_id=f"{root}-{index}",
                parent_id=last_of(nodes),
                role=role,
                parts=(part,) if text else (),
                model=text_of(value.get("model")),
                extra=without(turn, "from", "value"),
            )
        )
    return build(
        Source(
            program="ShareGPT",
            source_id=f"sharegpt:{root}",
            title=text_of(value.get("title")),
            nodes=nodes,
            extra=without(value, "id", "conversations", "system", "title", "model"),
        ),
        unmapped,
    )
