"""Cost grows with the bytes, not with their square: counted in joins, events and parses, never in seconds."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from types import FrameType

import pytest
from properties.streams import STREAMS, Answer, Call, make, turn_of

from chatui.core import learned_shapes, line_shape, part_buffers, value_reader
from chatui.core.events import TextDelta
from chatui.core.turn import Phase
from chatui.core.turn_builder import TurnBuilder

protocols = pytest.mark.parametrize("protocol", sorted(STREAMS))


def reads(data: bytes, size: int = 16_384) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


@protocols
def test_twenty_thousand_deltas_in_large_reads_make_few_events(protocol: str) -> None:
    pieces = reads(STREAMS[protocol](Answer(text=[f"w{number} " for number in range(20_000)])))
    decoder = make(protocol)
    events = [event for piece in pieces for event in decoder.feed(piece)] + decoder.close()
    builder = TurnBuilder()
    builder.apply_all(events)
    turn = builder.snapshot()
    assert turn.phase is Phase.COMPLETED
    assert turn.delta_count == 20_000
    assert turn.text == "".join(f"w{number} " for number in range(20_000))
    assert len([event for event in events if isinstance(event, TextDelta)]) <= len(pieces) + 4


@protocols
def test_nearly_every_line_of_a_long_stream_is_read_without_a_full_parse(
    protocol: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    parses = [0]
    parse_at = value_reader.parse_at

    def counted(text: str, start: int) -> tuple[object, int]:
        parses[0] += 1
        return parse_at(text, start)

    monkeypatch.setattr(value_reader, "parse_at", counted)
    turn = turn_of(make(protocol), reads(STREAMS[protocol](Answer(text=["é\n"] * 20_000))))
    assert turn.text == "é\n" * 20_000
    assert parses[0] < 100


def test_shapes_are_learned_ever_more_rarely_when_they_never_come_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    learned = [0]
    learn = line_shape.learn_shape

    def counted(line: str, value: object, holes: line_shape.Holes) -> line_shape.LineShape | None:
        learned[0] += 1
        return learn(line, value, holes)

    monkeypatch.setattr(learned_shapes, "learn_shape", counted)
    lines = [
        {"id": f"c{number}", "choices": [{"index": 0, "delta": {"content": "x"}}]} for number in range(5_000)
    ]
    data = "".join(f"data: {json.dumps(line)}\n\n" for line in lines).encode()
    assert turn_of(make("chat_completions"), reads(data)).text == "x" * 5_000
    assert learned[0] < 20


@protocols
def test_a_delta_of_two_megabytes_arrives_whole_in_any_reads(protocol: str) -> None:
    text = "0123456789abcdef" * 131_072
    data = STREAMS[protocol](Answer(text=[text]))
    for size in (4_096, 65_536):
        assert turn_of(make(protocol), reads(data, size)).text == text


@protocols
def test_a_megabyte_of_arguments_is_parsed_once_not_at_every_delta(
    protocol: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks = [0]
    is_object_text = part_buffers.is_object_text

    def counted(text: str) -> bool:
        checks[0] += 1
        return is_object_text(text)

    monkeypatch.setattr(part_buffers, "is_object_text", counted)
    arguments = json.dumps({"body": "lorem ipsum " * 87_000})
    decoder = make(protocol)
    builder = TurnBuilder()
    snapshots = 0
    for piece in reads(STREAMS[protocol](Answer(calls=[Call("c1", "write", arguments)])), 65_536):
        builder.apply_all(decoder.feed(piece))
        builder.snapshot()
        snapshots += 1
    builder.apply_all(decoder.close())
    (part,) = builder.snapshot().parts
    assert json.loads(part.arguments_raw) == json.loads(arguments)  # type: ignore[union-attr] # a tool call
    assert checks[0] <= 2
    assert snapshots > 50


def chunk(index: int = 0, finish: str | None = None, more: dict | None = None, **delta: object) -> dict:
    return {"choices": [{"index": index, "delta": delta, "finish_reason": finish}], **(more or {})}


def call(number: int, **place: int) -> dict:
    function = {"name": "f", "arguments": "{}"}
    return chunk(tool_calls=[{"id": f"c{number}", "function": function, **place}])


def item(number: int, **more: object) -> dict:
    content = [{"type": "output_text", "text": "a"}]
    return {"type": "message", "id": f"m{number}", "content": content, **more}


def activity(number: int) -> dict:
    block = {"type": "server_tool_use", "id": f"s{number}", "name": "w", "input": {}}
    return {"type": "content_block_start", "index": number, "content_block": block}


def done(*items: dict) -> dict:
    return {"type": "response.completed", "response": {"status": "completed", "output": list(items)}}


STOP = [chunk(finish="stop")]
MESSAGE_ENDS = [{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}, {"type": "message_stop"}]
FLOODS: dict[str, tuple[str, Callable[[int], list[dict]]]] = {
    "choices that end": ("chat_completions", lambda n: [chunk(at, "stop", content="a") for at in range(n)]),
    "choices that do not": ("chat_completions", lambda n: [chunk(at, content="a") for at in range(n)] + STOP),
    "calls without index": ("chat_completions", lambda n: [*map(call, range(n)), *STOP]),
    "calls at one index": ("chat_completions", lambda n: [call(at, index=0) for at in range(n)] + STOP),
    "sources": (
        "chat_completions",
        lambda n: [chunk(content="a", more={"citations": [f"https://e/{at}"]}) for at in range(n)] + STOP,
    ),
    "items": (
        "responses",
        lambda n: [{"type": "response.output_item.done", "item": item(at)} for at in range(n)] + [done()],
    ),
    "items of the end": ("responses", lambda n: [done(*(item(at, id="") for at in range(n)))]),
    "hosted tools": ("anthropic_messages", lambda n: [*map(activity, range(n)), *MESSAGE_ENDS]),
}


@pytest.mark.parametrize("flood", FLOODS)
def test_a_flood_of_parts_costs_each_of_them_alike(flood: str) -> None:
    protocol, events_of = FLOODS[flood]

    def calls(count: int) -> int:
        made = [0]

        def counted(frame: FrameType, event: str, arg: object) -> None:
            made[0] += event == "call"

        lines = [f"data: {json.dumps(event)}\n\n".encode() for event in events_of(count)]
        decoder, builder = make(protocol), TurnBuilder()
        sys.setprofile(counted)
        try:
            for line in lines:
                builder.apply_all(decoder.feed(line))
                assert decoder.has_proof in (True, False)
            builder.apply_all(decoder.close())
            builder.snapshot()
        finally:
            sys.setprofile(None)
        assert builder.phase is Phase.COMPLETED
        return made[0]

    assert calls(400) < 5 * calls(100)
