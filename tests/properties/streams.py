"""Random answers, and how each protocol says them: streamed and as a body."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from hypothesis import strategies as st

from chatui.core.errors import Failure
from chatui.core.turn import Turn
from chatui.core.turn_builder import TurnBuilder
from chatui.core.wire import Dialect, StreamDecoder
from chatui.protocols.anthropic_messages.stream import decoder as messages_decoder
from chatui.protocols.chat_completions.stream import decoder as chat_decoder
from chatui.protocols.responses.stream import decoder as responses_decoder

DECODERS = {
    "chat_completions": chat_decoder,
    "responses": responses_decoder,
    "anthropic_messages": messages_decoder,
}

words = st.text(
    alphabet=st.one_of(
        st.sampled_from('abc <>/`~\n\t"\\{}[]:,é日本🌍👩‍🚀\u2028\u0085\ufeff\x1b\x00'),
        st.characters(exclude_categories=("Cs",)),
    ),
    min_size=1,
    max_size=12,
)
json_texts = st.dictionaries(words, st.one_of(words, st.integers(-9, 10**12), st.none()), max_size=3).map(
    lambda value: json.dumps(value)
)
names = st.text(alphabet="abcdefghij_", min_size=1, max_size=12)


@dataclass(frozen=True)
class Call:
    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Answer:
    reasoning: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    finish: str = "whole"
    usage: tuple[int, int] = (3, 5)


@st.composite
def answers(draw: st.DrawFn) -> Answer:
    numbers = range(draw(st.integers(0, 3)))
    return Answer(
        draw(st.lists(words, max_size=4)),
        draw(st.lists(words, max_size=8)),
        draw(st.lists(words, max_size=2)),
        [Call(f"call_{number}", draw(names), draw(json_texts)) for number in numbers],
        draw(st.sampled_from(["whole", "length"])),
        (draw(st.integers(0, 10**9)), draw(st.integers(0, 10**9))),
    )


def pieces_of(text: str) -> list[str]:
    size = max(5, len(text) // 20_000)
    return [text[at : at + size] for at in range(0, len(text), size)]


def sse(events: list[dict], *, has_names: bool, end: str = "\n") -> bytes:
    blocks = []
    for event in events:
        name = f"event: {event['type']}{end}" if has_names else ""
        blocks.append(f"{name}data: {json.dumps(event)}{end}{end}")
    return "".join(blocks).encode()


def chat_stream(answer: Answer) -> bytes:
    def chunk(delta: dict, finish: str | None = None) -> dict:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {
            "id": "c1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": [choice],
        }

    events = [chunk({"role": "assistant", "content": ""})]
    events += [chunk({"reasoning_content": text}) for text in answer.reasoning]
    events += [chunk({"content": text}) for text in answer.text]
    events += [chunk({"refusal": text}) for text in answer.refusal]
    for index, call in enumerate(answer.calls):
        start = {"index": index, "id": call.call_id, "type": "function"}
        events.append(chunk({"tool_calls": [{**start, "function": {"name": call.name, "arguments": ""}}]}))
        for piece in pieces_of(call.arguments):
            events.append(chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}))
    events.append(chunk({}, chat_finish(answer)))
    events.append({"id": "c1", "model": "m", "choices": [], "usage": chat_usage(answer)})
    return sse(events, has_names=False) + b"data: [DONE]\n\n"


def chat_finish(answer: Answer) -> str:
    return "length" if answer.finish == "length" else "tool_calls" if answer.calls else "stop"


def chat_usage(answer: Answer) -> dict:
    return {
        "prompt_tokens": answer.usage[0],
        "completion_tokens": answer.usage[1],
        "total_tokens": sum(answer.usage),
        "prompt_tokens_details": {"cached_tokens": 0},
    }


def chat_body(answer: Answer) -> bytes:
    message = {
        "role": "assistant",
        "content": "".join(answer.text) or None,
        "reasoning_content": "".join(answer.reasoning) or None,
        "refusal": "".join(answer.refusal) or None,
        "tool_calls": [
            {
                "id": call.call_id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in answer.calls
        ],
    }
    choice = {"index": 0, "message": message, "finish_reason": chat_finish(answer), "logprobs": None}
    body = {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return json.dumps({**body, "usage": chat_usage(answer)}).encode()


def response_items(answer: Answer) -> list[dict]:
    items: list[dict] = []
    if answer.reasoning:
        content = [{"type": "reasoning_text", "text": "".join(answer.reasoning)}]
        items.append({"id": "rs", "type": "reasoning", "summary": [], "content": content})
    content = []
    if answer.text:
        content.append({"type": "output_text", "text": "".join(answer.text), "annotations": []})
    if answer.refusal:
        content.append({"type": "refusal", "refusal": "".join(answer.refusal)})
    if content:
        items.append({"id": "m", "type": "message", "role": "assistant", "content": content})
    for call in answer.calls:
        fields = {"id": f"fc_{call.call_id}", "type": "function_call", "call_id": call.call_id}
        items.append({**fields, "name": call.name, "arguments": call.arguments, "status": "completed"})
    return items


def response_of(answer: Answer) -> dict:
    is_cut = answer.finish == "length"
    return {
        "id": "r1",
        "object": "response",
        "model": "m",
        "status": "incomplete" if is_cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if is_cut else None,
        "error": None,
        "output": response_items(answer),
        "usage": {
            "input_tokens": answer.usage[0],
            "output_tokens": answer.usage[1],
            "total_tokens": sum(answer.usage),
        },
    }


def responses_stream(answer: Answer) -> bytes:
    start = {"id": "r1", "object": "response", "model": "m", "status": "in_progress", "output": []}
    events: list[dict] = [{"type": "response.created", "response": start}]
    for index, item in enumerate(response_items(answer)):
        place = {"item_id": item["id"], "output_index": index}
        bare = {**item, **({"content": []} if "content" in item else {"arguments": ""})}
        events.append({"type": "response.output_item.added", "output_index": index, "item": bare})
        match item["type"]:
            case "reasoning":
                for text in answer.reasoning:
                    events.append(
                        {"type": "response.reasoning_text.delta", **place, "content_index": 0, "delta": text}
                    )
            case "message":
                for text in answer.text:
                    events.append(
                        {"type": "response.output_text.delta", **place, "content_index": 0, "delta": text}
                    )
                at = 1 if answer.text else 0
                for text in answer.refusal:
                    events.append(
                        {"type": "response.refusal.delta", **place, "content_index": at, "delta": text}
                    )
            case _:
                for text in pieces_of(item["arguments"]):
                    events.append({"type": "response.function_call_arguments.delta", **place, "delta": text})
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    end = "response.incomplete" if answer.finish == "length" else "response.completed"
    events.append({"type": end, "response": response_of(answer)})
    numbered = [{**event, "sequence_number": number} for number, event in enumerate(events)]
    return sse(numbered, has_names=True)


def responses_body(answer: Answer) -> bytes:
    return json.dumps(response_of(answer)).encode()


def message_blocks(answer: Answer) -> list[dict]:
    blocks: list[dict] = []
    if answer.reasoning:
        blocks.append({"type": "thinking", "thinking": "".join(answer.reasoning), "signature": "c2ln"})
    if answer.text:
        blocks.append({"type": "text", "text": "".join(answer.text)})
    for call in answer.calls:
        arguments = json.loads(call.arguments)
        blocks.append({"type": "tool_use", "id": call.call_id, "name": call.name, "input": arguments})
    return blocks


def message_stop(answer: Answer) -> str:
    return "max_tokens" if answer.finish == "length" else "tool_use" if answer.calls else "end_turn"


def messages_stream(answer: Answer) -> bytes:
    usage = {"input_tokens": answer.usage[0], "output_tokens": 1}
    message = {"id": "m1", "type": "message", "role": "assistant", "model": "m", "content": []}
    events: list[dict] = [{"type": "message_start", "message": {**message, "usage": usage}}]
    for index, block in enumerate(message_blocks(answer)):
        match block["type"]:
            case "thinking":
                bare: dict = {"type": "thinking", "thinking": "", "signature": ""}
                deltas = [{"type": "thinking_delta", "thinking": text} for text in answer.reasoning]
                deltas.append({"type": "signature_delta", "signature": "c2ln"})
            case "text":
                bare = {"type": "text", "text": ""}
                deltas = [{"type": "text_delta", "text": text} for text in answer.text]
            case _:
                bare = {**block, "input": {}}
                arguments = json.dumps(block["input"], ensure_ascii=False)
                deltas = [{"type": "input_json_delta", "partial_json": text} for text in pieces_of(arguments)]
                if block["input"] == {}:
                    deltas = []
        events.append({"type": "content_block_start", "index": index, "content_block": bare})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": message_stop(answer), "stop_sequence": None}
    usage = {"input_tokens": answer.usage[0], "output_tokens": answer.usage[1]}
    events.append({"type": "message_delta", "delta": delta, "usage": usage})
    events.append({"type": "message_stop"})
    return sse(events, has_names=True)


def messages_body(answer: Answer) -> bytes:
    message = {"id": "m1", "type": "message", "role": "assistant", "model": "m"}
    usage = {"input_tokens": answer.usage[0], "output_tokens": answer.usage[1]}
    stop = {"stop_reason": message_stop(answer), "stop_sequence": None}
    return json.dumps({**message, "content": message_blocks(answer), **stop, "usage": usage}).encode()


STREAMS = {
    "chat_completions": chat_stream,
    "responses": responses_stream,
    "anthropic_messages": messages_stream,
}
BODIES = {"chat_completions": chat_body, "responses": responses_body, "anthropic_messages": messages_body}


def make(protocol: str, *, is_body: bool = False, has_fast_path: bool = True) -> StreamDecoder:
    return DECODERS[protocol](Dialect(), is_body=is_body, has_fast_path=has_fast_path)


def turn_of(decoder: StreamDecoder, chunks: list[bytes], cut: Failure | None = None) -> Turn:
    builder = TurnBuilder()
    for chunk in chunks:
        builder.apply_all(decoder.feed(chunk))
    builder.apply_all(decoder.close(cut))
    return builder.snapshot()


def cut_at(data: bytes, places: list[int]) -> list[bytes]:
    places = sorted({place % (len(data) + 1) for place in places})
    return [data[start:end] for start, end in zip([0, *places], [*places, len(data)], strict=True)]
