"""The one owner of a live turn."""

from itertools import product

import pytest

from chatui.core.errors import Failure, FailureReason, ProgrammingError
from chatui.core.events import (
    AudioDelta,
    ChoiceFinished,
    CitationAdded,
    ImageReceived,
    NoticeRaised,
    OpaqueReceived,
    PartFinished,
    PartKey,
    ReasoningDelta,
    RefusalDelta,
    ResponseStarted,
    StreamCompleted,
    StreamFailed,
    TextDelta,
    TextReclassified,
    ToolActivityChanged,
    ToolCallDelta,
    UnknownEvent,
    Usage,
    UsageReported,
)
from chatui.core.messages import (
    AudioPart,
    Citation,
    ImagePart,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolActivityPart,
    ToolCallPart,
    ToolCallState,
)
from chatui.core.turn import TRANSITIONS, Outcome, Phase, Signal, Turn, TurnId
from chatui.core.turn_builder import TurnBuilder

TEXT = PartKey(0, "text")
CALL = PartKey(0, "call")
THINK = PartKey(0, "think")
LOST = StreamFailed(Failure(reason=FailureReason.DISCONNECT, message="gone"))


def built(*events: object) -> Turn:
    builder = TurnBuilder()
    builder.apply_all(events)  # type: ignore[arg-type] # events of any kind
    return builder.snapshot()


def test_the_transition_table_is_total_and_ends_absorb() -> None:
    assert set(TRANSITIONS) == set(product(Phase, Signal))
    for (phase, _), (after, outcome) in TRANSITIONS.items():
        if phase is not Phase.RECEIVING:
            assert after is phase
            assert outcome is not Outcome.APPLY


@pytest.mark.parametrize("end", [StreamCompleted("stop"), LOST])
def test_after_the_end_a_failure_is_a_normal_race_and_content_a_mistake_of_ours(end: object) -> None:
    builder = TurnBuilder()
    builder.apply(end)  # type: ignore[arg-type] # both are events
    before = builder.snapshot()
    builder.apply(LOST)
    assert builder.snapshot() is before
    for event in (TextDelta(TEXT, "x"), StreamCompleted("stop")):
        with pytest.raises(ProgrammingError):
            builder.apply(event)


def test_parts_stand_in_the_order_in_which_they_began_and_choices_by_index() -> None:
    turn = built(
        TextDelta(PartKey(1, "text"), "one"),
        ReasoningDelta(THINK, "hm"),
        TextDelta(TEXT, "a"),
        RefusalDelta(PartKey(0, "refusal"), "no"),
        ReasoningDelta(THINK, "m"),
        TextDelta(TEXT, "b"),
    )
    assert [choice.index for choice in turn.choices] == [0, 1]
    assert turn.parts == (ReasoningPart("hmm"), TextPart("ab"), RefusalPart("no"))
    assert turn.delta_count == 6


def test_a_part_that_did_not_grow_is_not_built_again() -> None:
    builder = TurnBuilder()
    builder.apply_all(
        [ReasoningDelta(THINK, "long"), TextDelta(TEXT, "a"), TextDelta(PartKey(1, "text"), "x")]
    )
    before = builder.snapshot()
    assert builder.snapshot() is before
    builder.apply(TextDelta(TEXT, "b"))
    after = builder.snapshot()
    assert after.parts[0] is before.parts[0]
    assert after.choices[1] is before.choices[1]
    assert after.text == "ab"
    assert before.text == "a"


def test_pieces_are_joined_once_a_snapshot_not_once_a_delta() -> None:
    builder = TurnBuilder()
    for number in range(20_000):
        builder.apply(TextDelta(TEXT, "word "))
        if number % 1000 == 0:
            builder.snapshot()
    assert len(builder.snapshot().text) == 100_000
    assert builder._choices[0].parts["text"]._text.joins <= 21


def test_halves_of_a_character_meet_across_deltas_and_wait_for_each_other() -> None:
    builder = TurnBuilder()
    builder.apply(TextDelta(TEXT, "a\ud83d"))
    assert builder.snapshot().text == "a"
    builder.apply(TextDelta(TEXT, "\ude00"))
    assert builder.snapshot().text == "a😀"
    builder.apply(TextDelta(TEXT, "\ud83d"))
    builder.apply(StreamCompleted("stop"))
    assert builder.snapshot().text == "a😀\ufffd"


def test_bytes_of_a_character_meet_across_deltas_and_broken_ones_become_one_mark() -> None:
    builder = TurnBuilder()
    builder.apply(TextDelta(TEXT, "a\udcf0\udc9f"))
    assert builder.snapshot().text == "a"
    builder.apply(TextDelta(TEXT, "\udc98"))
    builder.apply(TextDelta(TEXT, "\udc80b\udce5"))
    assert builder.snapshot().text == "a😀b"
    builder.apply(TextDelta(TEXT, "c\udcff\udcc3(d"))
    assert builder.snapshot().text == "a😀b\ufffdc\ufffd\ufffd(d"
    builder.apply(TextDelta(TEXT, "\ud83d\udc80"))
    assert builder.snapshot().text.endswith("💀"), "the same code after a high half is the low one"
    builder.apply(TextDelta(TEXT, "\udce5\udc8f"))
    builder.apply(StreamCompleted("stop"))
    assert builder.snapshot().text.endswith("💀\ufffd")


@pytest.mark.parametrize(
    ("arguments", "is_finished", "end", "state"),
    [
        ('{"a":1}', True, StreamCompleted("tool_calls"), ToolCallState.WHOLE),
        ("", True, StreamCompleted("tool_calls"), ToolCallState.WHOLE),
        ("null", True, StreamCompleted("tool_calls"), ToolCallState.WHOLE),
        ('{"a":1}', False, StreamCompleted("stop"), ToolCallState.UNFINISHED),
        ('{"a":1}', True, LOST, ToolCallState.UNFINISHED),
        ('{"a":', True, StreamCompleted("tool_calls"), ToolCallState.UNPARSABLE),
        ("[1]", True, StreamCompleted("tool_calls"), ToolCallState.UNPARSABLE),
        ("[" * 100_000, True, StreamCompleted("tool_calls"), ToolCallState.UNPARSABLE),
        ('{"a":' + "[" * 100_000, True, StreamCompleted("tool_calls"), ToolCallState.UNPARSABLE),
        ('{"a":1}', True, None, ToolCallState.WHOLE),
        ('{"a":1}', False, None, ToolCallState.STREAMING),
    ],
)
def test_a_call_is_ready_only_if_the_protocol_called_it_whole_and_it_parses(
    arguments: str, is_finished: bool, end: object, state: ToolCallState
) -> None:
    events: list[object] = [ToolCallDelta(CALL, "c1", "go", arguments)]
    events += [PartFinished(CALL)] if is_finished else []
    events += [end] if end else []
    (part,) = built(*events).parts
    assert part == ToolCallPart("c1", "go", arguments, state)


def test_free_text_needs_no_json() -> None:
    turn = built(
        ToolCallDelta(CALL, "c1", "sql", "SELECT 1; -- {", is_free_text=True),
        PartFinished(CALL),
        StreamCompleted("completed"),
    )
    assert turn.parts == (
        ToolCallPart("c1", "sql", "SELECT 1; -- {", ToolCallState.WHOLE, is_free_text=True),
    )


def test_the_whole_text_of_a_part_replaces_what_was_received_of_it() -> None:
    assert built(TextDelta(TEXT, "lost"), PartFinished(TEXT, "found")).text == "found"


def test_text_that_turns_out_to_be_reasoning_changes_its_kind_in_its_place() -> None:
    turn = built(TextDelta(TEXT, "hm"), TextReclassified(TEXT), TextDelta(PartKey(0, "answer"), "yes"))
    assert turn.parts == (ReasoningPart("hm"), TextPart("yes"))


def test_opaque_state_stands_with_its_part_also_without_any_text() -> None:
    turn = built(
        OpaqueReceived(THINK, {"signature": "s"}),
        OpaqueReceived(PartKey(0, "red"), {"data": "d"}, is_redacted=True),
    )
    assert turn.parts == (
        ReasoningPart("", opaque={"signature": "s"}),
        ReasoningPart("", is_redacted=True, opaque={"data": "d"}),
    )


def test_a_source_is_listed_once_and_makes_no_text_of_its_own() -> None:
    source = CitationAdded(TEXT, Citation("T", "https://example.org"))
    assert built(source).parts == ()
    assert built(TextDelta(TEXT, "a"), source, source).parts == (TextPart("a", (source.citation,)),)


def test_facts_usage_notices_speech_and_activity_are_kept() -> None:
    activity = ToolActivityPart("ws", "web_search", "completed", "rain")
    turn = built(
        ResponseStarted("r1", None, "flex"),
        ResponseStarted("r2", "m", None, "fp"),
        AudioDelta(PartKey(0, "audio"), "a1", "Hel", "AA"),
        AudioDelta(PartKey(0, "audio"), None, "lo", "BB", 99),
        ToolActivityChanged(PartKey(0, "ws"), ToolActivityPart("ws", "web_search", "searching")),
        ToolActivityChanged(PartKey(0, "ws"), activity),
        ImageReceived(PartKey(0, "image 1"), ImagePart("image/png", "AA")),
        UsageReported(Usage(1)),
        UsageReported(Usage(2, 3)),
        NoticeRaised("gap"),
        NoticeRaised("gap"),
        UnknownEvent("x"),
        ChoiceFinished(0, "stop"),
        StreamCompleted("stop"),
    )
    assert (turn.response_id, turn.model, turn.service_tier, turn.system_fingerprint) == (
        "r1",
        "m",
        "flex",
        "fp",
    )
    assert turn.parts == (AudioPart("a1", "Hello", "AABB", 99), activity, ImagePart("image/png", "AA"))
    assert (turn.usage, turn.notices, turn.unknown_events) == (Usage(2, 3), ("gap",), 1)
    assert (turn.finish_reason, turn.choices[0].finish_reason) == ("stop", "stop")


def test_what_was_known_before_the_response_stays() -> None:
    builder = TurnBuilder(Turn(turn_id=TurnId("t1"), provider="p", requested_model="m"))
    builder.apply(LOST)
    turn = builder.snapshot()
    assert (turn.turn_id, turn.provider, turn.phase, turn.failure) == ("t1", "p", Phase.FAILED, LOST.failure)
