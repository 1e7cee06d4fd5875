"""The request body of Responses.

Invariant: nothing is stored at the provider (`store: false`), so everything that the next turn needs goes
along: encrypted reasoning items and items of hosted tools are echoed as they came. Any messages give a legal
list of items.

State to echo: `ReasoningPart.opaque` is the item itself, `{"item": ...}`, or its members `id` and
`encrypted_content`; `ToolActivityPart.opaque` is the item itself or `{"item": ...}`.

Source: OpenAI API reference, Create a model response, and its reasoning guide (encrypted items); seen
2026-11.
"""

from collections.abc import Mapping
from typing import assert_never

from chatui.core.attachments import data_url, image_url, quoted_file, text_of_file
from chatui.core.body_members import Body, finish_body, set_member
from chatui.core.legal_messages import has_text, legal_messages, sound_text
from chatui.core.messages import (
    FilePart,
    ImagePart,
    Message,
    Part,
    ReasoningPart,
    RefusalPart,
    Role,
    TextPart,
    ToolActivityPart,
    ToolCallPart,
    ToolResultPart,
)
from chatui.core.request import ChatRequest, Sampling, ToolSpec
from chatui.core.wire import Dialect

ENCRYPTED_REASONING = "reasoning.encrypted_content"
NO_OUTPUT = "(no output)"


def build_body(request: ChatRequest, dialect: Dialect) -> Body:
    """The JSON body of a request."""
    items = _items(request, dialect)
    body: Body = {"model": request.model, "input": items, "stream": request.is_streaming, "store": False}
    if has_text(request.system) and not dialect.system_role:
        body["instructions"] = sound_text(request.system)
    if _reasons(request, dialect, items):
        body["include"] = [ENCRYPTED_REASONING]
    _put_sampling(body, request.sampling, dialect)
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
        if request.tool_choice is not None:
            body["tool_choice"] = _tool_choice(request)
    return finish_body(body, dialect, request.sampling.extra)


def _reasons(request: ChatRequest, dialect: Dialect, items: list[Body]) -> bool:
    """Whether encrypted reasoning may be asked for: models that do not reason answer 400 to it."""
    return (
        request.sampling.reasoning_effort is not None
        or dialect.is_reasoning_model(request.model)
        or any("encrypted_content" in item for item in items)
    )


def _put_sampling(body: Body, sampling: Sampling, dialect: Dialect) -> None:
    limit = sampling.max_output_tokens or dialect.default_max_output_tokens
    if limit is not None:
        body[dialect.max_tokens_field or "max_output_tokens"] = limit
    if sampling.temperature is not None:
        body["temperature"] = sampling.temperature
    if sampling.top_p is not None:
        body["top_p"] = sampling.top_p
    if sampling.reasoning_effort is not None:
        set_member(body, dialect.reasoning_effort_field or "reasoning.effort", sampling.reasoning_effort)
    if sampling.thinking_budget_tokens is not None and dialect.thinking_budget_field:
        set_member(body, dialect.thinking_budget_field, sampling.thinking_budget_tokens)


def _items(request: ChatRequest, dialect: Dialect) -> list[Body]:
    items: list[Body] = []
    instruction_role = dialect.system_role or "developer"
    if has_text(request.system) and dialect.system_role:
        items.append(_message(instruction_role, [_input_text(sound_text(request.system))]))
    custom_calls: set[str] = set()
    for message in legal_messages(request.messages):
        match message.role:
            case Role.SYSTEM:
                items.append(_message(instruction_role, [_input_part(part) for part in message.parts]))
            case Role.USER:
                items.append(_message("user", [_input_part(part) for part in message.parts]))
            case Role.ASSISTANT:
                items += _output_items(message, dialect)
                custom_calls |= {
                    part.call_id
                    for part in message.parts
                    if isinstance(part, ToolCallPart) and part.is_free_text
                }
            case Role.TOOL:
                items += [
                    _call_output(part, part.call_id in custom_calls)
                    for part in message.parts
                    if isinstance(part, ToolResultPart)
                ]
            case _:
                assert_never(message.role)
    return items


def _message(role: str, content: list[Body]) -> Body:
    return {"type": "message", "role": role, "content": content}


def _input_text(text: str) -> Body:
    return {"type": "input_text", "text": text}


def _input_part(part: Part) -> Body:
    match part:
        case ImagePart():
            return {"type": "input_image", "image_url": image_url(part), "detail": "auto"}
        case FilePart():
            text = text_of_file(part)
            if text is not None:
                return _input_text(quoted_file(part.name, text))
            data = data_url(part.media_type, part.data_base64)
            return {"type": "input_file", "filename": part.name, "file_data": data}
        case TextPart():
            return _input_text(part.text)
        case _:
            return _input_text("")


def _output_items(message: Message, dialect: Dialect) -> list[Body]:
    """The items of an answer in their order; neighbouring texts share one message."""
    items: list[Body] = []
    seen_reasoning: set[object] = set()
    texts: list[Body] = []

    def close_texts() -> None:
        if texts:
            items.append(_message("assistant", list(texts)))
            texts.clear()

    for part in message.parts:
        match part:
            case TextPart():
                texts.append({"type": "output_text", "text": part.text, "annotations": []})
            case RefusalPart():
                texts.append({"type": "refusal", "refusal": part.text})
            case ReasoningPart():
                item = _reasoning_item(part, dialect)
                identity = item.get("id") or item.get("encrypted_content") if item else None
                if item and (identity is None or identity not in seen_reasoning):
                    seen_reasoning.add(identity)
                    close_texts()
                    items.append(item)
            case ToolCallPart():
                close_texts()
                items.append(_call(part))
            case ToolActivityPart():
                if echoed := _echoed_item(part.opaque):
                    close_texts()
                    items.append(echoed)
            case _:
                pass  # `legal_messages` lets nothing else through
    close_texts()
    while items and items[-1]["type"] == "reasoning":
        items.pop()  # the API refuses a reasoning item that nothing follows
    return items


def _reasoning_item(part: ReasoningPart, dialect: Dialect) -> Body | None:
    item = _echoed_item(part.opaque)
    if item is not None:
        return item if item.get("encrypted_content") else None
    encrypted = part.opaque.get("encrypted_content")
    if isinstance(encrypted, str) and encrypted:
        summary = [{"type": "summary_text", "text": part.text}] if part.is_summary and part.text else []
        rebuilt: Body = {"type": "reasoning", "summary": summary, "encrypted_content": encrypted}
        if isinstance(part.opaque.get("id"), str):
            rebuilt["id"] = part.opaque["id"]
        return rebuilt
    if dialect.is_reasoning_echoed and part.text:
        return {
            "type": "reasoning",
            "summary": [],
            "content": [{"type": "reasoning_text", "text": part.text}],
        }
    return None


def _echoed_item(opaque: Mapping[str, object]) -> Body | None:
    """The item that a provider wants back, without members that are null or only tell its progress."""
    inner = opaque.get("item")
    item = inner if isinstance(inner, Mapping) else opaque
    if not isinstance(item.get("type"), str):
        return None
    is_reasoning = item["type"] == "reasoning"
    return {
        name: value
        for name, value in item.items()
        if value is not None and not (is_reasoning and name == "status")
    }


def _call(part: ToolCallPart) -> Body:
    if part.is_free_text:
        return {
            "type": "custom_tool_call",
            "call_id": part.call_id,
            "name": part.name,
            "input": part.arguments_raw,
        }
    return {
        "type": "function_call",
        "call_id": part.call_id,
        "name": part.name,
        "arguments": part.arguments_raw,
    }


def _call_output(part: ToolResultPart, is_custom: bool) -> Body:
    kind = "custom_tool_call_output" if is_custom else "function_call_output"
    return {"type": kind, "call_id": part.call_id, "output": part.text or NO_OUTPUT}


def _tool(tool: ToolSpec) -> Body:
    if tool.is_free_text:
        return {"type": "custom", "name": tool.name, "description": tool.description}
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
        # The API's own default is strict, which refuses every schema that leaves something optional.
        "strict": False,
    }


def _tool_choice(request: ChatRequest) -> object:
    choice = request.tool_choice
    if choice in ("auto", "none", "required"):
        return choice
    is_custom = any(tool.name == choice and tool.is_free_text for tool in request.tools)
    return {"type": "custom" if is_custom else "function", "name": choice}
