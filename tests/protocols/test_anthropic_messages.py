"""Anthropic Messages."""

from __future__ import annotations

import json

import pytest
from properties.streams import turn_of

from chatui.core.errors import FailureReason
from chatui.core.messages import (
    Citation,
    ImagePart,
    ReasoningPart,
    TextPart,
    ToolActivityPart,
    ToolCallPart,
    ToolCallState,
)
from chatui.core.turn import Phase, Turn
from chatui.core.wire import Dialect
from chatui.protocols.anthropic_messages.stream import decoder


def turn(*events: dict, is_body: bool = False) -> Turn:
    if is_body:
        return turn_of(decoder(Dialect(), is_body=True), [json.dumps(events[0]).encode()])
    data = "".join(
        f"event: {event.get('type', 'x')}\ndata: {json.dumps(event)}\n\n" for event in events
    ).encode()
    return turn_of(decoder(Dialect(), is_body=False), [data])


def start(index: int, **block: object) -> dict:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, **fields: object) -> dict:
    return {"type": "content_block_delta", "index": index, "delta": fields}


def text(index: int, said: str) -> dict:
    return delta(index, type="text_delta", text=said)


def stop(index: int) -> dict:
    return {"type": "content_block_stop", "index": index}


def ended(word: str | None = "end_turn", **more: object) -> tuple[dict, dict]:
    return {"type": "message_delta", "delta": {"stop_reason": word, **more}}, {"type": "message_stop"}


def test_both_halves_of_the_proof_are_needed() -> None:
    reason, over = ended()
    assert turn(text(0, "a"), reason, over).phase is Phase.COMPLETED
    assert turn(text(0, "a"), over, reason).phase is Phase.COMPLETED
    for events in ([reason], [over], []):
        found = turn(text(0, "a"), *events)
        assert found.phase is Phase.FAILED
        assert found.text == "a"


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("end_turn", None),
        ("stop_sequence", None),
        ("tool_use", None),
        ("newer_than_us", None),
        ("max_tokens", FailureReason.LENGTH),
        ("model_context_window_exceeded", FailureReason.LENGTH),
        ("refusal", FailureReason.REFUSAL),
        ("pause_turn", FailureReason.LENGTH),
        ("guardrail_intervened", FailureReason.CONTENT_FILTER),
        ("malformed_tool_use", FailureReason.ERROR),
    ],
)
def test_every_stop_reason_means_what_it_says(word: str, reason: FailureReason | None) -> None:
    found = turn(text(0, "a"), *ended(word))
    assert (found.failure.reason if found.failure else None) is reason
    assert found.finish_reason == word


def test_a_refusal_is_explained() -> None:
    found = turn(*ended("refusal", stop_details={"explanation": "This request was declined."}))
    assert found.failure is not None
    assert "This request was declined." in found.failure.message


def test_thinking_keeps_its_signature_and_redacted_thinking_its_data() -> None:
    found = turn(
        start(0, type="thinking", thinking="", signature=""),
        delta(0, type="thinking_delta", thinking="hm"),
        delta(0, type="signature_delta", signature="si"),
        delta(0, type="signature_delta", signature="g"),
        start(1, type="redacted_thinking", data="QUJD"),
        start(2, type="thinking", thinking="whole", signature="s2"),
        start(3, type="thinking", thinking="", signature=""),
        delta(3, type="signature_delta", signature="s3"),
        text(4, "yes"),
        *ended(),
    )
    assert found.parts == (
        ReasoningPart("hm", opaque={"signature": "sig"}),
        ReasoningPart("", is_redacted=True, opaque={"data": "QUJD"}),
        ReasoningPart("whole", opaque={"signature": "s2"}),
        ReasoningPart("", opaque={"signature": "s3"}),
        TextPart("yes"),
    )


@pytest.mark.parametrize(
    ("block", "pieces", "arguments"),
    [
        ({"input": {}}, ['{"a"', ":1}"], '{"a":1}'),
        ({"input": {}}, [""], ""),
        ({"input": {}}, [], ""),
        ({"input": {"a": 1}}, [], '{"a": 1}'),
        ({"input": {"a": 1}}, ['{"a":1}'], '{"a":1}'),
        ({}, ['{"a":1}'], '{"a":1}'),
        ({"input": {}}, [{"a": 1}], '{"a": 1}'),
    ],
)
def test_input_of_a_call_is_found_in_start_or_deltas_and_once(
    block: dict, pieces: list, arguments: str
) -> None:
    found = turn(
        start(0, type="tool_use", id="t1", name="go", **block),
        *[delta(0, type="input_json_delta", partial_json=piece) for piece in pieces],
        stop(0),
        *ended("tool_use"),
    )
    assert found.parts == (ToolCallPart("t1", "go", arguments, ToolCallState.WHOLE),)


def test_blocks_without_start_type_index_or_stop_are_read() -> None:
    found = turn(
        {"type": "content_block_delta", "delta": {"text": "a"}},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "b"}},
        *ended(),
    )
    assert found.parts == (TextPart("ab"),)


def test_a_new_block_at_an_old_index_is_a_new_part() -> None:
    found = turn(
        start(0, type="text", text=""), text(0, "a"), stop(0),
        start(0, type="tool_use", id="t", name="go"), delta(0, type="input_json_delta", partial_json="{}"), stop(0),
        *ended("tool_use"),
    )  # fmt: skip
    assert found.parts == (TextPart("a"), ToolCallPart("t", "go", "{}", ToolCallState.WHOLE))


def test_blocks_that_are_not_closed_before_the_next_are_told_apart() -> None:
    found = turn(
        start(0, type="thinking", thinking=""), delta(0, type="thinking_delta", thinking="h"),
        start(1, type="text", text=""), text(1, "y"),
        delta(0, type="thinking_delta", thinking="m"), text(1, "es"), stop(0), stop(1), *ended(),
    )  # fmt: skip
    assert found.parts == (ReasoningPart("hm"), TextPart("yes"))


def test_a_hosted_tool_and_its_result_are_one_activity_to_be_sent_back() -> None:
    call = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
    hit = {
        "type": "web_search_result",
        "title": "T",
        "url": "https://example.org",
        "encrypted_content": "RW5j",
    }
    result = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [hit]}
    found = turn(
        start(0, **call),
        delta(0, type="input_json_delta", partial_json='{"query":'),
        delta(0, type="input_json_delta", partial_json='"rain"}'),
        stop(0),
        start(1, **result),
        stop(1),
        *ended(),
    )
    (part,) = found.parts
    assert part == ToolActivityPart(
        "s1",
        "web_search",
        "completed",
        '{"query":"rain"}',
        "T https://example.org",
        {"block": {**call, "input": {"query": "rain"}}, "result": result},
    )


def test_a_hosted_tool_that_failed_says_so() -> None:
    error = {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}
    found = turn(
        start(0, type="server_tool_use", id="s1", name="web_search", input={}),
        start(1, type="web_search_tool_result", tool_use_id="s1", content=error),
        *ended(),
    )
    (part,) = found.parts
    assert isinstance(part, ToolActivityPart)
    assert (part.status, part.result) == ("failed", "max_uses_exceeded")


def test_sources_hang_on_their_text() -> None:
    found = turn(
        text(0, "a"),
        delta(
            0,
            type="citations_delta",
            citation={"type": "char_location", "cited_text": "q", "document_title": "D"},
        ),
        *ended(),
    )
    assert found.parts == (TextPart("a", (Citation("D", "", "q"),)),)


def usage(**counts: int | None) -> dict:
    return {"type": "message_start", "message": {"id": "m", "model": "x", "usage": counts}}


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ({"input_tokens": 12, "output_tokens": 1}, {"output_tokens": 7}, (12, 7, None, None, None)),
        ({"input_tokens": 0, "output_tokens": 0}, {"input_tokens": 4, "output_tokens": 3}, (4, 3, None, None, None)),
        ({"input_tokens": 5, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 5}, {"output_tokens": 7}, (100, 7, None, 90, None)),
        ({"input_tokens": 10, "output_tokens": 2}, {"input_tokens": 30, "output_tokens": 9}, (30, 9, None, None, None)),
    ],
)  # fmt: skip
def test_counts_are_cumulative_and_the_prompt_is_counted_whole(
    first: dict, last: dict, expected: tuple
) -> None:
    reason, over = ended()
    assert turn(usage(**first), {**reason, "usage": last}, over).usage == expected


def test_missing_counts_stay_unknown() -> None:
    assert turn(usage(input_tokens=None, output_tokens=None), *ended()).usage is None


@pytest.mark.parametrize(
    "event",
    [
        {"type": "error", "error": {"type": "overloaded_error", "message": "the cause"}},
        {"type": "error", "code": 500, "message": "the cause"},
        {"error": {"message": "the cause"}},
        {"error": "the cause"},
        {"code": 500, "message": "the cause", "type": "server_error"},
    ],
)
def test_an_error_is_told_nested_or_not(event: dict) -> None:
    data = f"event: error\ndata: {json.dumps(event)}\n\n".encode()
    begun = f"data: {json.dumps(text(0, 'x'))}\n\n".encode()
    found = turn_of(decoder(Dialect(), is_body=False), [begun, data])
    assert found.failure is not None
    assert found.failure.reason is FailureReason.ERROR
    assert "the cause" in found.failure.message
    assert found.text == "x"


def test_content_that_came_with_the_start_is_not_lost() -> None:
    content = [{"type": "text", "text": "early"}]
    found = turn({"type": "message_start", "message": {"content": content}}, *ended())
    assert found.text == "early"


def test_a_body_with_an_error_is_a_failed_turn() -> None:
    found = turn(
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, is_body=True
    )
    assert found.failure is not None
    assert (found.failure.reason, found.failure.code) == (FailureReason.ERROR, "overloaded_error")


def test_an_index_below_zero_is_no_index() -> None:
    found = turn(delta(-1, type="thinking_delta", thinking="hm"), text(-1, "a"), text(-1, "b"), *ended())
    assert found.parts == (ReasoningPart("hm"), TextPart("ab"))


def test_the_word_null_is_no_stop_reason() -> None:
    assert turn(text(0, "a"), *ended("null")).phase is Phase.FAILED


def test_a_prompt_that_was_counted_is_not_uncounted_by_a_zero() -> None:
    begun = {"type": "message_start", "message": {"usage": {"input_tokens": 12, "output_tokens": 1}}}
    reason, over = ended()
    usage = turn(begun, {**reason, "usage": {"input_tokens": 0, "output_tokens": 7}}, over).usage
    assert usage is not None
    assert usage[:2] == (12, 7)
    assert turn({**reason, "usage": {"input_tokens": 0, "output_tokens": 0}}, over).usage is None


@pytest.mark.parametrize(
    ("given", "raw", "state"),
    [
        ('{"a": 1}', '{"a": 1}', ToolCallState.WHOLE),
        ("not json", "not json", ToolCallState.UNPARSABLE),
        ([1], "[1]", ToolCallState.UNPARSABLE),
        (None, "", ToolCallState.WHOLE),
        ("", "", ToolCallState.WHOLE),
    ],
)
def test_input_that_stands_in_the_start_is_kept_whatever_its_type(
    given: object, raw: str, state: ToolCallState
) -> None:
    found = turn(start(0, type="tool_use", id="t", name="go", input=given), stop(0), *ended("tool_use"))
    assert found.parts == (ToolCallPart("t", "go", raw, state),)


def test_a_stop_reason_that_means_failure_stays_whatever_comes_behind_it() -> None:
    for word in ("max_tokens", "refusal", "model_context_window_exceeded"):
        cut, _ = ended(word)
        found = turn(text(0, "a"), cut, *ended("end_turn"))
        assert (found.phase, found.finish_reason) == (Phase.FAILED, word)


def test_a_message_beside_an_error_without_a_word_is_whole() -> None:
    message = {"type": "message", "content": [{"type": "text", "text": "hi"}], "stop_reason": "end_turn"}
    found = turn({**message, "error": {"message": None}}, is_body=True)
    assert (found.phase, found.text) == (Phase.COMPLETED, "hi")


def test_what_a_hosted_tool_was_asked_is_kept_when_another_takes_its_id_in_the_same_read() -> None:
    used = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    asked = delta(0, type="input_json_delta", partial_json='{"query": "height"}')
    found = turn(start(0, **used), asked, start(1, **used), *ended())
    details = [part.detail for part in found.parts if isinstance(part, ToolActivityPart)]
    assert details == ['{"query": "height"}', ""]


def test_where_another_model_goes_on_or_the_message_begins_anew_is_told() -> None:
    begun = {"type": "message_start", "message": {"id": "m"}}
    over = {"type": "fallback", "from": {"model": "first"}, "to": {"model": "second"}}
    found = turn(begun, text(0, "a"), start(1, **over), stop(1), start(2, type="text", text="b"), *ended())
    assert (found.text, found.notices) == ("ab", ("first declined; what follows is by second.",))
    assert turn(begun, begun, text(0, "a"), *ended()).notices == ()
    assert "anew" in turn(begun, text(0, "a"), begun, text(0, "ab"), *ended()).notices[0]


def test_the_input_of_a_hosted_tool_is_read_when_it_is_whole() -> None:
    used = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    halves = [delta(0, type="input_json_delta", partial_json=half) for half in ('{"query": ', '"height"}')]
    for events in ([*halves, stop(0)], halves):
        (part,) = turn(start(0, **used), *events, *ended()).parts
        assert isinstance(part, ToolActivityPart)
        assert part.opaque["block"] == {**used, "input": {"query": "height"}}
    (part,) = turn(start(0, **used), halves[0]).parts
    assert isinstance(part, ToolActivityPart)
    assert (part.detail, part.opaque["block"]) == ('{"query": ', used)


def test_a_picture_and_what_thinking_cost_are_kept() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
    usage = {"output_tokens": 7, "output_tokens_details": {"thinking_tokens": 4}}
    reason, over = ended()
    found = turn(start(0, type="image", source=source), {**reason, "usage": usage}, over)
    (part,) = found.parts
    assert isinstance(part, ImagePart)
    assert (part.media_type, part.data_base64) == ("image/png", "iVBORw0KGgo=")
    assert found.usage is not None
    assert (found.usage.output_tokens, found.usage.reasoning_tokens) == (7, 4)
