"""Streams with tool calls in the three protocols, written after their documentation (seen 2026-11)."""

import json
from dataclasses import dataclass
from typing import Any

from support.acted_tools import call_chunk
from support.scripted_server import DONE, ReceivedRequest, Step, chat_answer, chat_chunk, head

PROTOCOLS = ("chat_completions", "responses", "anthropic_messages")


@dataclass(frozen=True, slots=True)
class Call:
    """A call that the server makes."""

    call_id: str
    name: str
    arguments: str

    @property
    def halves(self) -> tuple[str, str]:
        """The arguments as they are streamed."""
        middle = len(self.arguments) // 2
        return self.arguments[:middle], self.arguments[middle:]


def calls(protocol: str, *made: Call) -> tuple[Step, ...]:
    """A whole answer that consists of calls."""
    match protocol:
        case "chat_completions":
            chunks = [
                chunk
                for index, call in enumerate(made)
                for chunk in (
                    call_chunk(call.halves[0], call.name, call.call_id, index),
                    call_chunk(call.halves[1], None, None, index),
                )
            ]
            return (head(), *chunks, chat_chunk({}, "tool_calls"), DONE)
        case "responses":
            return (head(), *_responses_calls(made))
        case _:
            return (head(), *_messages_calls(made))


def text(protocol: str, words: str) -> tuple[Step, ...]:
    """A whole answer of text."""
    match protocol:
        case "chat_completions":
            return chat_answer(words)
        case "responses":
            item = {"type": "message", "id": "m1", "role": "assistant", "status": "completed"}
            part = {"type": "output_text", "text": words, "annotations": []}
            place = {"item_id": "m1", "output_index": 0, "content_index": 0}
            return (
                head(),
                _event("response.created", response=_response("in_progress")),
                _event("response.output_item.added", output_index=0, item={**item, "content": []}),
                _event("response.content_part.added", **place, part={**part, "text": ""}),
                _event("response.output_text.delta", **place, delta=words),
                _event("response.output_text.done", **place, text=words),
                _event("response.output_item.done", output_index=0, item={**item, "content": [part]}),
                _event("response.completed", response=_response("completed", {**item, "content": [part]})),
            )
        case _:
            return (
                head(),
                _event("message_start", message=_message()),
                _event("content_block_start", index=0, content_block={"type": "text", "text": ""}),
                _event("content_block_delta", index=0, delta={"type": "text_delta", "text": words}),
                _event("content_block_stop", index=0),
                _event("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 3}),
                _event("message_stop"),
            )


def _responses_calls(made: tuple[Call, ...]) -> list[bytes]:
    events = [_event("response.created", response=_response("in_progress"))]
    items = []
    for index, call in enumerate(made):
        item = {"type": "function_call", "id": f"fc_{index}", "call_id": call.call_id, "name": call.name}
        whole = {**item, "arguments": call.arguments, "status": "completed"}
        items.append(whole)
        place = {"item_id": f"fc_{index}", "output_index": index}
        events.append(
            _event("response.output_item.added", output_index=index, item={**item, "arguments": ""})
        )
        events += [
            _event("response.function_call_arguments.delta", **place, delta=half) for half in call.halves
        ]
        events.append(_event("response.function_call_arguments.done", **place, arguments=call.arguments))
        events.append(_event("response.output_item.done", output_index=index, item=whole))
    return [*events, _event("response.completed", response=_response("completed", *items))]


def _messages_calls(made: tuple[Call, ...]) -> list[bytes]:
    events = [_event("message_start", message=_message())]
    for index, call in enumerate(made):
        block = {"type": "tool_use", "id": call.call_id, "name": call.name, "input": {}}
        events.append(_event("content_block_start", index=index, content_block=block))
        events += [
            _event(
                "content_block_delta", index=index, delta={"type": "input_json_delta", "partial_json": half}
            )
            for half in call.halves
        ]
        events.append(_event("content_block_stop", index=index))
    events.append(_event("message_delta", delta={"stop_reason": "tool_use"}, usage={"output_tokens": 9}))
    return [*events, _event("message_stop")]


def _event(name: str, **members: Any) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name, **members})}\n\n".encode()


def _response(status: str, *output: dict[str, Any]) -> dict[str, Any]:
    return {"id": "r1", "object": "response", "model": "scripted", "status": status, "output": list(output)}


def _message() -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": [],
        "usage": {"input_tokens": 1, "output_tokens": 0},
    }


def results(protocol: str, request: ReceivedRequest) -> list[tuple[str, str]]:
    """Ids and texts of the results in a request, after a look that each stands where it has to."""
    body: dict[str, Any] = request.json
    match protocol:
        case "chat_completions":
            return _chat_results(body["messages"])
        case "responses":
            return _responses_results(body["input"])
        case _:
            return _messages_results(body["messages"])


def _chat_results(messages: list[dict[str, Any]]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] == waiting.pop(0)
            found.append((message["tool_call_id"], message["content"]))
            continue
        assert waiting == [], "a call without a result right behind it"
        waiting = [call["id"] for call in message.get("tool_calls", ())]
        for call in message.get("tool_calls", ()):
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
    assert waiting == []
    return found


def _responses_results(items: list[dict[str, Any]]) -> list[tuple[str, str]]:
    made = [item["call_id"] for item in items if item["type"] == "function_call"]
    given = [(item["call_id"], item["output"]) for item in items if item["type"] == "function_call_output"]
    assert made == [call_id for call_id, _ in given]
    return given


def _messages_results(messages: list[dict[str, Any]]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    waiting: list[str] = []
    for message in messages:
        content = message["content"]
        blocks = content if isinstance(content, list) else []
        kinds = [block["type"] for block in blocks]
        given = [block for block in blocks if block["type"] == "tool_result"]
        assert [block["tool_use_id"] for block in given] == waiting
        assert kinds[: len(given)] == ["tool_result"] * len(given), "results stand first"
        for block in given:
            assert block.get("is_error", False) in (True, False)
            found.append((block["tool_use_id"], block.get("content", "")))
        waiting = [block["id"] for block in blocks if block["type"] == "tool_use"]
    assert waiting == []
    return found
