"""Server-sent events: the grammar, and what servers send beyond it."""

import pytest

from chatui.core.sse import STRAY, SseDecoder


def read(*pieces: bytes, limit_bytes: int = 1 << 20) -> list[tuple[str, str]]:
    decoder = SseDecoder(limit_bytes=limit_bytes)
    events = [event for piece in pieces for event in decoder.feed(piece)]
    return events + decoder.close()


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data: YHOO\ndata: +2\ndata: 10\n\n", [("", "YHOO\n+2\n10")]),
        (
            b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
            [("", "first event"), ("", "second event"), ("", " third event")],
        ),
        (b"data\n\ndata\ndata\n\ndata:", [("", ""), ("", "\n"), ("", "")]),
        (b"data:test\n\ndata: test\n\n", [("", "test"), ("", "test")]),
        (
            b"event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\n",
            [("add", "73857293"), ("remove", "2153")],
        ),
        (b"event: lost\n\ndata: plain\n\n", [("", "plain")]),
        (b"data: x\nevent: late\n\n", [("late", "x")]),
        (b"\n\n\r\n\r\ndata: a\n\n\n\n", [("", "a")]),
        (b"foo: bar\nretry: 5000\nid: 7\ndata: a\n\n", [("", "a")]),
        (b"\xef\xbb\xbfdata: a\n\n", [("", "a")]),
        (b"data: a\xef\xbb\xbf\n\n", [("", "a\ufeff")]),
    ],
)
def test_the_grammar_of_the_standard_is_followed(stream: bytes, events: list[tuple[str, str]]) -> None:
    assert read(stream) == events
    assert read(*[bytes([byte]) for byte in stream]) == events
    for end in (b"\r\n", b"\r"):
        other = stream.replace(b"\r\n", b"\n").replace(b"\n", end)
        assert read(other) == events
        assert read(*[bytes([byte]) for byte in other]) == events


def test_an_event_is_given_as_soon_as_its_blank_line_is_there_also_after_a_bare_cr() -> None:
    decoder = SseDecoder()
    assert decoder.feed(b"data: a\r\r") == [("", "a")]
    assert decoder.feed(b"\ndata: b\n\n") == [("", "b")]


def test_the_last_event_counts_without_its_blank_line_or_line_end() -> None:
    assert read(b"data: [DONE]") == [("", "[DONE]")]
    assert read(b"event: end\ndata: x\n") == [("end", "x")]


def test_line_separators_of_unicode_are_no_line_ends() -> None:
    text = "a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg"
    assert read(f"data: {text}\n\n".encode()) == [("", text)]


def test_a_byte_that_is_no_text_is_handed_on_as_it_is_and_its_neighbours_stay() -> None:
    # What becomes of it is decided where the deltas of a part meet: it may be a piece of a character.
    assert read(b"data: bad\xff\xc3(byte\n\n") == [("", "bad\udcff\udcc3(byte")]


def test_a_character_cut_between_reads_is_whole() -> None:
    data = "data: 台🌍é\n\n".encode()
    for at in range(len(data)):
        assert read(data[:at], data[at:]) == [("", "台🌍é")]


def test_events_that_a_server_did_not_separate_are_told_apart_when_they_are_json() -> None:
    assert read(b'data: {"a":1}\ndata: {"b":2}\ndata: [DONE]\n\n') == [
        ("", '{"a":1}'),
        ("", '{"b":2}'),
        ("", "[DONE]"),
    ]
    assert read(b'event: x\ndata: {"a":1}\nevent: y\ndata: {"b":2}\n\n') == [
        ("x", '{"a":1}'),
        ("y", '{"b":2}'),
    ]


def test_json_over_many_data_lines_stays_one_event() -> None:
    assert read(b'data: {\ndata:  "a": {"b": 1}\ndata: }\n\n') == [("", '{\n "a": {"b": 1}\n}')]


def test_an_error_without_its_data_field_is_not_swallowed() -> None:
    events = read(b'data: {"a":1}\n\n{"error":"gone"}\n<html>\nx-trace: 1\n')
    assert events == [("", '{"a":1}'), (STRAY, '{"error":"gone"}'), (STRAY, "<html>")]


def test_what_a_server_said_instead_of_a_stream_is_remembered() -> None:
    decoder = SseDecoder()
    decoder.feed(b"Service is down\nfor maintenance\n")
    assert decoder.first_unknown == "Service is down"


@pytest.mark.parametrize("piece", [b"data: " + b"x" * 200, b"data: " + b"x" * 40 + b"\n"])
def test_an_event_without_end_stops_at_the_limit(piece: bytes) -> None:
    decoder = SseDecoder(limit_bytes=100)
    assert decoder.feed(b"data: before\n\n") == [("", "before")]
    for _ in range(9):
        assert decoder.feed(piece) == []
    assert decoder.exceeded is not None
    assert decoder.close() == []


def test_many_small_reads_of_one_long_line_are_joined_once() -> None:
    decoder = SseDecoder()
    for _ in range(50_000):
        decoder.feed(b"x")
    assert len(decoder._pieces) == 50_000
    assert decoder.feed(b"\n\n") == []
    assert decoder._pieces == []


def test_a_line_that_begins_with_error_is_an_error() -> None:
    assert read(b'data: {"a":1}\n\nerror: {"message":"gone"}\n\n') == [
        ("", '{"a":1}'),
        ("error", '{"message":"gone"}'),
    ]
