"""OpenAI messages: the shown path as one list, as Chat Completions takes it and fine-tuning files have it.

Invariant: each line or list is valid input of an OpenAI-compatible server; what the form cannot carry
(reasoning, branches, usage) is left out.
"""

import json
from collections.abc import Iterable
from typing import Any

from chatui.core.conversation import Conversation
from chatui.core.messages import (
    AudioPart,
    FilePart,
    ImagePart,
    Message,
    Part,
    RefusalPart,
    Role,
    TextPart,
    ToolCallPart,
    ToolCallState,
    ToolResultPart,
)
from chatui.core.safe_text import safe_json
from chatui.history.portable import Portable


def export_messages(portable: Portable) -> str:
    """One JSON list of messages."""
    return _dump(messages_of(portable.conversation), indent=1) + "\n"


def export_lines(portables: Iterable[Portable]) -> str:
    """JSON lines: an object with `messages` for each conversation."""
    return "".join(_dump({"messages": messages_of(portable.conversation)}) + "\n" for portable in portables)


def messages_of(conversation: Conversation) -> list[dict[str, Any]]:
    """The messages of the shown path."""
    written: list[dict[str, Any]] = []
    if conversation.system:
        written.append({"role": "system", "content": conversation.system})
    for turn in conversation.path():
        for message in turn.input:
            written += _said(message)
        answer = _answer(turn.parts)
        if answer:
            written.append(answer)
    return written


def _said(message: Message) -> list[dict[str, Any]]:
    results = [
        {"role": "tool", "tool_call_id": part.call_id, "content": part.text}
        for part in message.parts
        if isinstance(part, ToolResultPart)
    ]
    others = tuple(part for part in message.parts if not isinstance(part, ToolResultPart))
    if message.role is Role.ASSISTANT:
        answer = _answer(others)
        return [*results, answer] if answer else results
    content = _content(others)
    role = "system" if message.role is Role.SYSTEM else "user"
    return [*results, {"role": role, "content": content}] if content else results


def _answer(parts: tuple[Part, ...]) -> dict[str, Any]:
    text = "".join(part.text for part in parts if isinstance(part, TextPart))
    refusal = "".join(part.text for part in parts if isinstance(part, RefusalPart))
    spoken = "".join(part.transcript for part in parts if isinstance(part, AudioPart))
    calls = [
        _call(part) for part in parts if isinstance(part, ToolCallPart) and part.state is ToolCallState.WHOLE
    ]
    content = text or spoken
    if not (content or refusal or calls):
        return {}
    answer: dict[str, Any] = {"role": "assistant", "content": content or None}
    if refusal:
        answer["refusal"] = refusal
    if calls:
        answer["tool_calls"] = calls
    return answer


def _call(part: ToolCallPart) -> dict[str, Any]:
    if part.is_free_text:
        custom = {"name": part.name, "input": part.arguments_raw}
        return {"id": part.call_id, "type": "custom", "custom": custom}
    function = {"name": part.name, "arguments": part.arguments_raw}
    return {"id": part.call_id, "type": "function", "function": function}


def _content(parts: tuple[Part, ...]) -> str | list[dict[str, Any]]:
    """Plain text where there is only text."""
    if all(isinstance(part, TextPart) for part in parts):
        return "\n".join(part.text for part in parts if isinstance(part, TextPart))
    return [piece for part in parts if (piece := _piece(part))]


def _piece(part: Part) -> dict[str, Any]:
    match part:
        case TextPart(text=text) if text:
            return {"type": "text", "text": text}
        case ImagePart(media_type=media, data_base64=data, url=url):
            return {"type": "image_url", "image_url": {"url": f"data:{media};base64,{data}" if data else url}}
        case FilePart(name=name, media_type=media, data_base64=data):
            return {"type": "file", "file": {"filename": name, "file_data": f"data:{media};base64,{data}"}}
        case _:
            return {}


def _dump(value: object, indent: int | None = None) -> str:
    return safe_json(json.dumps(value, ensure_ascii=False, indent=indent))
