"""What holds for every stream of every protocol, however its bytes arrive."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import cycle, pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from properties.streams import BODIES, STREAMS, Answer, answers, cut_at, make, turn_of

from chatui.core.errors import Failure, FailureReason
from chatui.core.events import StreamCompleted, StreamFailed
from chatui.core.messages import ReasoningPart, RefusalPart, TextPart, ToolCallPart, ToolCallState
from chatui.core.turn import Phase
from chatui.history.codec import encode_turn

protocols = pytest.mark.parametrize("protocol", sorted(STREAMS))
cuts = st.lists(st.integers(0, 100_000), max_size=30)
ends = st.sampled_from(["\n", "\r\n", "\r"])


@protocols
@given(answer=answers(), places=cuts, end=ends)
def test_the_bytes_may_be_split_anywhere(protocol: str, answer: Answer, places: list[int], end: str) -> None:
    data = STREAMS[protocol](answer).replace(b"\n", end.encode())
    assert turn_of(make(protocol), cut_at(data, places)) == turn_of(make(protocol), [data])


@protocols
@given(answer=answers())
def test_nothing_of_an_answer_is_lost_doubled_or_mislabelled(protocol: str, answer: Answer) -> None:
    # Tags are tested by themselves: here they would be taken for what they are.
    answer = replace(
        answer, text=["-", *answer.text], refusal=[] if protocol == "anthropic_messages" else answer.refusal
    )
    turn = turn_of(make(protocol), [STREAMS[protocol](answer)])
    said = "".join(answer.text)
    assert turn.text == said
    kinds = {ReasoningPart: answer.reasoning, RefusalPart: answer.refusal}
    for kind, texts in kinds.items():
        assert "".join(part.text for part in turn.parts if isinstance(part, kind)) == "".join(texts)
    calls = [part for part in turn.parts if isinstance(part, ToolCallPart)]
    assert [(part.call_id, part.name) for part in calls] == [(c.call_id, c.name) for c in answer.calls]
    for part, call in zip(calls, answer.calls, strict=True):
        assert json.loads(part.arguments_raw or "{}") == json.loads(call.arguments)
    is_whole = answer.finish == "whole"
    assert turn.phase is (Phase.COMPLETED if is_whole else Phase.FAILED)
    state = ToolCallState.WHOLE if is_whole else ToolCallState.UNFINISHED
    assert all(part.state is state for part in calls)
    if answer.usage == (0, 0):
        assert turn.usage is None or not turn.usage.input_tokens
    else:
        assert turn.usage is not None
        assert turn.usage[:2] == answer.usage or 0 in answer.usage


@protocols
@given(answer=answers())
def test_a_body_and_the_same_answer_streamed_give_equal_turns(protocol: str, answer: Answer) -> None:
    streamed = turn_of(make(protocol), [STREAMS[protocol](answer)])
    whole = turn_of(make(protocol, is_body=True), [BODIES[protocol](answer)])
    assert replace(whole, delta_count=0) == replace(streamed, delta_count=0)


@protocols
@given(answer=answers(), places=cuts)
def test_a_body_is_recognised_whatever_was_asked_for(
    protocol: str, answer: Answer, places: list[int]
) -> None:
    data = BODIES[protocol](answer)
    assert turn_of(make(protocol), cut_at(data, places)) == turn_of(make(protocol, is_body=True), [data])
    stream = STREAMS[protocol](answer)
    assert turn_of(make(protocol, is_body=True), cut_at(stream, places)) == turn_of(make(protocol), [stream])


@protocols
@given(answer=answers(), places=cuts, at=st.integers(0, 100_000))
def test_json_lines_are_read_as_they_come_and_keep_what_arrived_before_a_cut(
    protocol: str, answer: Answer, places: list[int], at: int
) -> None:
    stream = STREAMS[protocol](answer).replace(b"data: [DONE]", b"")
    lines = [line[6:] for line in stream.split(b"\n") if line.startswith(b"data: ")]
    assume(len(lines) > 1)
    data = b"\n".join(lines) + b"\n"
    streamed = turn_of(make(protocol), [stream])
    whole = turn_of(make(protocol, is_body=True), cut_at(data, places))
    assert replace(whole, delta_count=0) == replace(streamed, delta_count=0)
    kept = max(2, at % (len(lines) + 1))
    cut = Failure(reason=FailureReason.DISCONNECT, message="The connection broke")
    begun = b"\n".join(lines[:kept]) + b"\n"
    half = b'{"choices": [{"ind' if kept < len(lines) else b""
    broken = turn_of(make(protocol, is_body=True), [begun + half], cut)
    told = turn_of(make(protocol), [b"".join(b"data: " + line + b"\n\n" for line in lines[:kept])], cut)
    assert (broken.text, broken.phase) == (told.text, told.phase)


@protocols
@given(answer=answers(), places=cuts)
def test_the_fast_path_says_what_the_slow_path_says(protocol: str, answer: Answer, places: list[int]) -> None:
    data = STREAMS[protocol](answer)
    fast = turn_of(make(protocol), cut_at(data, places))
    assert fast == turn_of(make(protocol, has_fast_path=False), cut_at(data, places))


@protocols
@given(answer=answers(), at=st.integers(0, 100_000), is_clean=st.booleans())
def test_a_stream_cut_anywhere_is_never_completed_without_its_proof(
    protocol: str, answer: Answer, at: int, is_clean: bool
) -> None:
    data = STREAMS[protocol](answer)
    proof = {
        "chat_completions": b'"finish_reason": "',
        "responses": b'"type": "response.completed"',
        "anthropic_messages": b'"type": "message_stop"',
    }[protocol]
    data = data[: at % (len(data) + 1)]
    cut = None if is_clean else Failure(reason=FailureReason.DISCONNECT, message="The connection broke")
    turn = turn_of(make(protocol), [data], cut)
    if proof not in data or answer.finish == "length":
        assert turn.phase is Phase.FAILED
        assert turn.failure is not None
        assert not any(
            isinstance(part, ToolCallPart) and part.state is ToolCallState.WHOLE for part in turn.parts
        )


@protocols
@given(answer=answers(), at=st.integers(0, 100_000))
def test_text_that_arrived_before_a_cut_is_the_beginning_of_the_answer(
    protocol: str, answer: Answer, at: int
) -> None:
    answer = replace(answer, text=["-", *answer.text], refusal=[])
    data = STREAMS[protocol](answer)
    text = turn_of(make(protocol), [data[: at % (len(data) + 1)]]).text
    assert "".join(answer.text).startswith(text)


@protocols
@given(data=st.binary(max_size=400), places=cuts, is_body=st.booleans())
def test_random_bytes_raise_nothing_and_end_in_one_failure(
    protocol: str, data: bytes, places: list[int], is_body: bool
) -> None:
    assert_one_ending(protocol, cut_at(data, places), is_body=is_body)


junk = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
FIELDS = [
    "choices",
    "delta",
    "message",
    "content",
    "index",
    "finish_reason",
    "tool_calls",
    "function",
    "name",
    "arguments",
    "id",
    "error",
    "usage",
    "type",
    "response",
    "output",
    "item",
    "item_id",
    "output_index",
    "content_index",
    "part",
    "text",
    "summary",
    "status",
    "delta",
    "reasoning",
    "content_block",
    "partial_json",
    "thinking",
    "signature",
    "citation",
    "stop_reason",
    "reasoning_details",
    "audio",
    "logprobs",
    "refusal",
    "incomplete_details",
    "annotations",
    "annotation",
    "input",
    "prompt_tokens",
    "input_tokens",
    "function_call",
    "reasoning_content",
]
TYPES = [
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "message",
    "text",
    "thinking",
    "tool_use",
    "server_tool_use",
    "web_search_tool_result",
    "text_delta",
    "input_json_delta",
    "citations_delta",
    "signature_delta",
    "response.created",
    "response.output_item.added",
    "response.output_item.done",
    "response.completed",
    "response.output_text.delta",
    "response.output_text.done",
    "response.function_call_arguments.delta",
    "response.content_part.done",
    "response.reasoning_summary_text.delta",
    "response.incomplete",
    "function_call",
    "custom_tool_call",
    "reasoning",
    "output_text",
    "refusal",
    "error",
    "response.code_interpreter_call_code.delta",
    "mcp_call",
]
wire_junk = st.recursive(
    st.one_of(junk, st.sampled_from(TYPES), st.sampled_from(["stop", "0", 0, 1, "{}", "[DONE]"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(FIELDS), inner, max_size=6)
    ),
    max_leaves=24,
)


@protocols
@given(values=st.lists(wire_junk, max_size=6), names=st.lists(st.sampled_from(TYPES), min_size=6, max_size=6))
def test_json_of_the_wrong_shape_raises_nothing_and_ends_once(
    protocol: str, values: list[object], names: list[str]
) -> None:
    blocks = [
        f"event: {name}\ndata: {json.dumps(value)}\n\n" for name, value in zip(names, values, strict=False)
    ]
    assert_one_ending(protocol, [block.encode() for block in blocks])
    for value in values:
        assert_one_ending(protocol, [json.dumps(value).encode()], is_body=True)


def assert_one_ending(protocol: str, chunks: list[bytes], *, is_body: bool = False) -> None:
    decoder = make(protocol, is_body=is_body)
    events = [event for chunk in chunks for event in decoder.feed(chunk)]
    events += decoder.close()
    endings = [event for event in events if isinstance(event, StreamCompleted | StreamFailed)]
    assert endings == events[-1:]
    assert decoder.close() == []
    assert decoder.feed(b"data: {}\n\n") == []
    turn_of(make(protocol, is_body=is_body), chunks)


@protocols
@given(
    halves=st.lists(st.sampled_from(["\ud83d", "\ude00", "a", "\udc00", "\ud800"]), max_size=12), places=cuts
)
def test_halves_of_a_character_in_two_deltas_are_joined_and_lone_ones_marked(
    protocol: str, halves: list[str], places: list[int]
) -> None:
    data = STREAMS[protocol](Answer(text=["-", *halves]))
    turn = turn_of(make(protocol), cut_at(data, places))
    mended = ("-" + "".join(halves)).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    assert turn.text == mended
    turn.text.encode()
    assert all(part.text for part in turn.parts if isinstance(part, TextPart))


@protocols
@given(
    text=st.text(st.sampled_from("a台🌍é\u0301👩‍🚀💀"), min_size=1, max_size=8),
    places=st.lists(st.integers(1, 60), max_size=8),
    reads=cuts,
)
def test_a_character_whose_bytes_a_server_split_over_events_is_whole(
    protocol: str, text: str, places: list[int], reads: list[int]
) -> None:
    whole = text.encode()
    edges = sorted({0, len(whole), *(place % len(whole) for place in places)})
    pieces = [whole[start:stop].decode("utf-8", "surrogateescape") for start, stop in pairwise(edges)]
    stream = STREAMS[protocol](Answer(text=pieces))
    is_byte = rb"(?<!\\ud[89ab][0-9a-f][0-9a-f])\\udc([89a-f][0-9a-f])"
    raw = re.sub(is_byte, lambda found: bytes([int(found[1], 16)]), stream)
    turn = turn_of(make(protocol), cut_at(raw, reads))
    assert (turn.phase, turn.text) == (Phase.COMPLETED, text)


_WORD = re.compile(rb':\s?"[^"\\]+(?=")')


@protocols
@given(
    answer=answers(),
    broken=st.lists(
        st.sampled_from([b"", b"\xe5", b"\xff", b"\xf0\x9f", b"\\ud83c", b"\\udf0d"]), min_size=1
    ),
)
def test_broken_bytes_anywhere_leave_a_turn_that_can_be_saved_and_printed(
    protocol: str, answer: Answer, broken: list[bytes]
) -> None:
    pieces = cycle(broken)
    data = _WORD.sub(lambda word: word[0] + next(pieces), STREAMS[protocol](answer))
    saved = encode_turn(turn_of(make(protocol), [data]))
    json.dumps(saved, ensure_ascii=False).encode()  # raises where a lone surrogate is left
