"""Cost grows with the bytes, not with their square: counted in joins, events and parses, never in seconds."""

from __future__ import annotations

import json

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
