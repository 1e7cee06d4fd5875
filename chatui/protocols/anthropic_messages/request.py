"""The request body of Messages.

Invariant: roles alternate and begin with the person; results stand first in the message behind their calls;
no text block is empty; thinking goes back exactly as it came, with its signature, or not at all.

State to echo: `ReasoningPart.opaque["signature"]`, `["data"]` of redacted thinking; `ToolActivityPart.opaque`
holds blocks as they came (`{"block": ..., "result": ...}` or `{"blocks": [...]}`).

Source: Anthropic API reference, Create a Message; guides on thinking, effort and tool use (seen 2026-11).
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import assert_never

from chatui.core.attachments import text_of_file
from chatui.core.body_members import Body, finish_body, set_member
from chatui.core.legal_messages import has_text, legal_messages, sound_text, with_call_ids
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

DEFAULT_MAX_TOKENS = 8192
"""The protocol demands a limit; every model since 2024-06 allows this one."""

MIN_THINKING_BUDGET = 1024
FREE_TEXT_INPUT = "input"
"""Name of the only argument of a tool that takes free text, which this protocol does not know."""

FIRST_WORDS = "(The conversation begins with an answer.)"


def build_body(request: ChatRequest, dialect: Dialect) -> Body:
    """The JSON body of a request."""
    messages = with_call_ids(legal_messages(request.messages), _CallIds().rename)
    body: Body = {
        "model": request.model,
        "messages": _alternating(messages),
        "max_tokens": request.sampling.max_output_tokens
        or dialect.default_max_output_tokens
        or DEFAULT_MAX_TOKENS,
        "stream": request.is_streaming,
    }
    system = _system(request, messages)
    if system:
        body["system"] = system
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
        if request.tool_choice is not None:
            body["tool_choice"] = _tool_choice(request.tool_choice)
    _put_sampling(body, request, dialect)
    return finish_body(body, dialect, request.sampling.extra)


def _put_sampling(body: Body, request: ChatRequest, dialect: Dialect) -> None:
    sampling = request.sampling
    if sampling.stop:
        body["stop_sequences"] = [word for word in sampling.stop if has_text(word)]
    is_adaptive = dialect.is_reasoning_model(request.model)
    if sampling.reasoning_effort is not None:
        field = dialect.reasoning_effort_field or "output_config.effort"
        set_member(body, field, sampling.reasoning_effort)
    thinking = None if _is_forced(request) else _thinking(body, sampling, is_adaptive)
    if thinking is not None:
        body["thinking"] = thinking
        return  # with thinking, any temperature or top_p is refused
    if sampling.temperature is not None:
        # Other protocols allow up to 2.
        body["temperature"] = min(sampling.temperature, 1.0)
    if sampling.top_p is not None:
        body["top_p"] = sampling.top_p


def _thinking(body: Body, sampling: Sampling, is_adaptive: bool) -> Body | None:
    """How the model shall think: by its own measure where it knows that, otherwise within a budget."""
    budget = sampling.thinking_budget_tokens
    if budget == 0:
        return None if is_adaptive else {"type": "disabled"}
    if is_adaptive and (budget is not None or sampling.reasoning_effort is not None):
        return {"type": "adaptive", "display": "summarized"}
    if budget is None:
        return None
    if _is_in_a_loop_without_thinking(body["messages"]):
        return None
    budget = max(budget, MIN_THINKING_BUDGET)
    limit = body["max_tokens"]
    if isinstance(limit, int) and limit <= budget:
        # The limit counts thinking too and must be above the budget; the answer keeps the room asked for.
        body["max_tokens"] = budget + limit
    return {"type": "enabled", "budget_tokens": budget}


def _is_in_a_loop_without_thinking(messages: object) -> bool:
    """Results are being answered whose calls did not begin with thinking: so it may not begin now."""
    if not isinstance(messages, list) or len(messages) < 2:
        return False
    calls, results = messages[-2]["content"], messages[-1]["content"]
    return results[0]["type"] == "tool_result" and calls[0]["type"] not in ("thinking", "redacted_thinking")


def _is_forced(request: ChatRequest) -> bool:
    """A forced tool call and thinking exclude each other."""
    return bool(request.tools) and request.tool_choice not in (None, "auto", "none")


def _system(request: ChatRequest, messages: tuple[Message, ...]) -> str:
    """All system texts: the protocol knows them only at the top."""
    texts = [sound_text(request.system)] if has_text(request.system) else []
    texts += [
        part.text
        for message in messages
        if message.role is Role.SYSTEM
        for part in message.parts
        if isinstance(part, TextPart)
    ]
    return "\n\n".join(texts)


def _alternating(messages: tuple[Message, ...]) -> list[Body]:
    written: list[Body] = []
    content: list[Body] = []
    for message in messages:
        is_last = message is messages[-1]
        match message.role:
            case Role.SYSTEM:
                continue
            case Role.USER | Role.TOOL:
                role, blocks = "user", [block for part in message.parts for block in _user_blocks(part)]
            case Role.ASSISTANT:
                role, blocks = (
                    "assistant",
                    [block for part in message.parts for block in _assistant_blocks(part, is_last)],
                )
            case _:
                assert_never(message.role)
        if not blocks:
            continue
        if not written and role == "assistant":
            written.append({"role": "user", "content": [_text(FIRST_WORDS)]})
        if written and written[-1]["role"] == role:
            content += blocks
        else:
            content = blocks
            written.append({"role": role, "content": content})
    _trim_prefill(written)
    return written


def _trim_prefill(written: list[Body]) -> None:
    """An answer that stands last is continued by the model, and may not end in white space."""
    if written and written[-1]["role"] == "assistant":
        content = written[-1]["content"]
        last = content[-1] if isinstance(content, list) and content else {}
        if last.get("type") == "text":
            last["text"] = str(last["text"]).rstrip()


def _text(text: str) -> Body:
    return {"type": "text", "text": text}


def _user_blocks(part: Part) -> Iterator[Body]:
    match part:
        case TextPart():
            yield _text(part.text)
        case ImagePart():
            yield {"type": "image", "source": _image_source(part)}
        case FilePart():
            yield {"type": "document", "source": _document_source(part), "title": part.name or "file"}
        case ToolResultPart():
            result: Body = {"type": "tool_result", "tool_use_id": part.call_id}
            if has_text(part.text):
                result["content"] = part.text
            if part.is_error:
                result["is_error"] = True
            yield result
        case _:
            return


def _image_source(part: ImagePart) -> Body:
    if part.url and not part.data_base64:
        return {"type": "url", "url": part.url}
    return {"type": "base64", "media_type": part.media_type, "data": part.data_base64}


def _document_source(part: FilePart) -> Body:
    text = text_of_file(part)
    if text is not None:
        return {"type": "text", "media_type": "text/plain", "data": text}
    return {"type": "base64", "media_type": part.media_type, "data": part.data_base64}


def _assistant_blocks(part: Part, is_last: bool) -> Iterator[Body]:
    match part:
        case TextPart() | RefusalPart():
            yield _text(part.text)
        case ReasoningPart():
            signature, data = part.opaque.get("signature"), part.opaque.get("data")
            if part.is_redacted and isinstance(data, str) and data:
                yield {"type": "redacted_thinking", "data": data}
            elif isinstance(signature, str) and signature:
                yield {"type": "thinking", "thinking": part.text, "signature": signature}
        case ToolCallPart():
            given: object = {FREE_TEXT_INPUT: part.arguments_raw}
            if not part.is_free_text:
                given = json.loads(part.arguments_raw)
            yield {"type": "tool_use", "id": part.call_id, "name": part.name, "input": given}
        case ToolActivityPart():
            blocks = list(_echoed_blocks(part.opaque))
            # A hosted call without its result may stand only where the model shall go on (`pause_turn`).
            if is_last or any(str(block["type"]).endswith("_result") for block in blocks):
                yield from blocks
        case _:
            return


def _echoed_blocks(opaque: Mapping[str, object]) -> Iterator[Body]:
    for name in ("block", "result", "blocks"):
        value = opaque.get(name)
        for block in value if isinstance(value, list | tuple) else (value,):
            if isinstance(block, Mapping) and isinstance(block.get("type"), str):
                yield dict(block)


def _tool(tool: ToolSpec) -> Body:
    schema: Body = dict(tool.parameters)
    if tool.is_free_text:
        schema = {
            "type": "object",
            "properties": {FREE_TEXT_INPUT: {"type": "string"}},
            "required": [FREE_TEXT_INPUT],
        }
    schema.setdefault("type", "object")
    return {"name": tool.name, "description": tool.description, "input_schema": schema}


def _tool_choice(choice: str) -> Body:
    match choice:
        case "auto" | "none":
            return {"type": choice}
        case "required":
            return {"type": "any"}
        case _:
            return {"type": "tool", "name": choice}


class _CallIds:
    """Ids in the letters that the protocol allows, each once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def rename(self, call_id: str, number: int) -> str:
        name = re.sub(r"[^a-zA-Z0-9_-]", "_", call_id) or "call"
        if name in self._taken:
            name = f"{name}_{number}"
        self._taken.add(name)
        return name
