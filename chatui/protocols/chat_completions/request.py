"""The request body of Chat Completions.

Invariant: any messages give a body that the protocol allows; what is not set is left out, never sent as null.
State to echo: `ReasoningPart.opaque["reasoning_details"]` and `ToolCallPart.opaque["extra_content"]` go back
as they came; plain reasoning goes back as `reasoning_content` only where the dialect wants it.

Source: OpenAI API reference, Create chat completion; OpenRouter's reasoning guide; DeepSeek's and Moonshot's
thinking guides; Gemini's thought signatures under OpenAI compatibility (all seen 2026-11).
"""

import hashlib
import re
from typing import assert_never

from chatui.core.attachments import data_url, image_url, quoted_file, text_of_file
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
    ToolCallPart,
    ToolResultPart,
)
from chatui.core.request import ChatRequest, Sampling, ToolSpec
from chatui.core.wire import Dialect

NO_OUTPUT = "(no output)"


def build_body(request: ChatRequest, dialect: Dialect) -> Body:
    """The JSON body of a request."""
    body: Body = {
        "model": request.model,
        "messages": _messages(request, dialect),
        "stream": request.is_streaming,
    }
    if request.is_streaming and dialect.sends_usage_option:
        body["stream_options"] = {"include_usage": True}
    _put_sampling(body, request.sampling, dialect)
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
        if request.tool_choice is not None:
            body["tool_choice"] = _tool_choice(request)
    return finish_body(body, dialect, request.sampling.extra)


def _put_sampling(body: Body, sampling: Sampling, dialect: Dialect) -> None:
    limit = sampling.max_output_tokens or dialect.default_max_output_tokens
    if limit is not None:
        body[dialect.max_tokens_field or "max_tokens"] = limit
    for name in ("temperature", "top_p", "seed"):
        value = getattr(sampling, name)
        if value is not None:
            body[name] = value
    if sampling.stop:
        body["stop"] = list(sampling.stop)
    if sampling.reasoning_effort is not None:
        set_member(body, dialect.reasoning_effort_field or "reasoning_effort", sampling.reasoning_effort)
    if sampling.thinking_budget_tokens is not None and dialect.thinking_budget_field:
        set_member(body, dialect.thinking_budget_field, sampling.thinking_budget_tokens)


def _messages(request: ChatRequest, dialect: Dialect) -> list[object]:
    system_role = dialect.system_role or "system"
    messages = legal_messages(request.messages)
    if dialect.tool_call_id_length is not None:
        length = dialect.tool_call_id_length
        messages = with_call_ids(messages, lambda call_id, number: _short_id(call_id, number, length))
    written: list[object] = []
    if has_text(request.system):
        written.append({"role": system_role, "content": sound_text(request.system)})
    for message in messages:
        match message.role:
            case Role.SYSTEM:
                written.append({"role": system_role, "content": _joined(message, "\n\n")})
            case Role.USER:
                written.append({"role": "user", "content": _user_content(message)})
            case Role.ASSISTANT:
                answer = _assistant(message, dialect)
                if answer["content"] or "tool_calls" in answer:
                    written.append(answer)
            case Role.TOOL:
                written += [_tool_result(part) for part in message.parts if isinstance(part, ToolResultPart)]
            case _:
                assert_never(message.role)
    return written


def _user_content(message: Message) -> object:
    """A plain string where that is enough: many servers know nothing else."""
    contents = [_content_part(part) for part in message.parts]
    texts = [content.get("text") for content in contents]
    if all(isinstance(text, str) for text in texts):
        return "\n\n".join(str(text) for text in texts)
    return contents


def _content_part(part: Part) -> Body:
    match part:
        case ImagePart():
            return {"type": "image_url", "image_url": {"url": image_url(part)}}
        case FilePart():
            text = text_of_file(part)
            if text is not None:
                return {"type": "text", "text": quoted_file(part.name, text)}
            file = {"filename": part.name, "file_data": data_url(part.media_type, part.data_base64)}
            return {"type": "file", "file": file}
        case TextPart():
            return {"type": "text", "text": part.text}
        case _:
            return {"type": "text", "text": ""}


def _assistant(message: Message, dialect: Dialect) -> Body:
    written: Body = {"role": "assistant"}
    text = "".join(part.text for part in message.parts if isinstance(part, TextPart | RefusalPart))
    calls = [_tool_call(part) for part in message.parts if isinstance(part, ToolCallPart)]
    written["content"] = text if text or not calls else None
    reasoning = [part for part in message.parts if isinstance(part, ReasoningPart)]
    details = [
        detail
        for part in reasoning
        if isinstance(found := part.opaque.get("reasoning_details"), list)
        for detail in found
    ]
    if dialect.is_reasoning_echoed and details:
        written["reasoning_details"] = details
    elif dialect.is_reasoning_echoed and reasoning:
        written["reasoning_content"] = "".join(part.text for part in reasoning)
    if calls:
        written["tool_calls"] = calls
    return written


def _tool_call(part: ToolCallPart) -> Body:
    call: Body = {"id": part.call_id}
    if part.is_free_text:
        call |= {"type": "custom", "custom": {"name": part.name, "input": part.arguments_raw}}
    else:
        call |= {"type": "function", "function": {"name": part.name, "arguments": part.arguments_raw}}
    if "extra_content" in part.opaque:
        call["extra_content"] = part.opaque["extra_content"]
    return call


def _tool_result(part: ToolResultPart) -> Body:
    return {"role": "tool", "tool_call_id": part.call_id, "content": part.text or NO_OUTPUT}


def _tool(tool: ToolSpec) -> Body:
    if tool.is_free_text:
        return {"type": "custom", "custom": {"name": tool.name, "description": tool.description}}
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}


def _tool_choice(request: ChatRequest) -> object:
    choice = request.tool_choice
    if choice in ("auto", "none", "required"):
        return choice
    if any(tool.name == choice and tool.is_free_text for tool in request.tools):
        return {"type": "custom", "custom": {"name": choice}}
    return {"type": "function", "function": {"name": choice}}


def _joined(message: Message, between: str) -> str:
    return between.join(part.text for part in message.parts if isinstance(part, TextPart))


def _short_id(call_id: str, number: int, length: int) -> str:
    if re.fullmatch(rf"[A-Za-z0-9]{{{length}}}", call_id):
        return call_id
    return hashlib.sha256(f"{number}:{call_id}".encode()).hexdigest()[:length]
