"""Only calls that are whole, proven and readable in one way may be run."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatui.core.conversation import Conversation
from chatui.core.errors import Failure, FailureReason
from chatui.core.messages import (
    Message,
    Role,
    TextPart,
    ToolCallPart,
    ToolCallState,
    ToolOutcome,
    user_message,
)
from chatui.core.tool_calls import (
    InvalidArguments,
    arguments_of,
    result_of,
    results_message,
    runnable_calls,
    why_not_run,
    with_waiting_results,
)
from chatui.core.turn import Choice, Phase, Turn, TurnId

CALL = ToolCallPart("c1", "weather", '{"city":"Wien"}', ToolCallState.WHOLE)


def turn_with(*calls: ToolCallPart, word: str | None = "tool_calls", **more: object) -> Turn:
    values: dict[str, object] = {
        "turn_id": TurnId("t1"),
        "phase": Phase.COMPLETED,
        "choices": (Choice(0, calls, word),),
        "finish_reason": word,
        **more,
    }
    return Turn(**values)  # type: ignore[arg-type]  # names of Turn


def arguments(raw: str, *, is_free_text: bool = False) -> dict[str, object]:
    return arguments_of(ToolCallPart("c1", "f", raw, ToolCallState.WHOLE, is_free_text))


@pytest.mark.parametrize("word", ["tool_calls", "function_call", "tool_use", "TOOL_CALLS"])
def test_a_whole_call_of_a_proven_turn_may_be_run(word: str) -> None:
    assert runnable_calls(turn_with(CALL, word=word)) == (CALL,)


@pytest.mark.parametrize("word", ["stop", "end_turn", "length", None, "completed"])
def test_no_call_is_run_when_the_protocols_word_does_not_ask_for_results(word: str | None) -> None:
    turn = turn_with(CALL, word=word)
    assert runnable_calls(turn) == ()
    assert "does not ask for results" in why_not_run(turn)


def test_responses_says_completed_of_every_whole_answer() -> None:
    assert runnable_calls(turn_with(CALL, word="completed", protocol="responses")) == (CALL,)


@pytest.mark.parametrize("is_accepted", [False, True])
def test_no_call_of_a_failed_turn_is_run_even_if_the_person_accepted_it(is_accepted: bool) -> None:
    failure = Failure(reason=FailureReason.CANCELLED, message="stopped")
    turn = turn_with(CALL, phase=Phase.FAILED, failure=failure, is_accepted_cut=is_accepted)
    assert runnable_calls(turn) == ()


@pytest.mark.parametrize(
    "state", [ToolCallState.STREAMING, ToolCallState.UNFINISHED, ToolCallState.UNPARSABLE]
)
def test_a_call_that_is_not_whole_is_not_run(state: ToolCallState) -> None:
    broken = ToolCallPart("c2", "weather", '{"city":"Wi', state)
    assert runnable_calls(turn_with(broken)) == ()
    assert runnable_calls(turn_with(CALL, broken)) == (CALL,)


@pytest.mark.parametrize("other_id", ["", "c1"])
def test_calls_without_ids_of_their_own_are_not_run(other_id: str) -> None:
    other = ToolCallPart(other_id, "weather", "{}", ToolCallState.WHOLE)
    assert runnable_calls(turn_with(CALL, other)) == ()


def test_a_turn_without_calls_has_nothing_to_tell() -> None:
    assert why_not_run(turn_with(word="stop")) == ""


@pytest.mark.parametrize("raw", ["", "  ", "null", "{}"])
def test_no_arguments_are_an_empty_object(raw: str) -> None:
    assert arguments(raw) == {}


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        ('{"a":1}{"b":2}', "no valid JSON"),
        ('{"a":1', "no valid JSON"),
        ("[1]", "no JSON object"),
        ('"text"', "no JSON object"),
        ('{"path":"a","path":"b"}', "twice"),
        ('{"x":{"y":1,"y":2}}', "twice"),
        ('{"x":NaN}', "NaN"),
        ('{"x":-Infinity}', "Infinity"),
        ('{"x":1e999}', "too large"),
        ('{"x":[-1e999]}', "too large"),
        ('{"x":' * 100_000, "nested too deeply"),
        ('{"x":' * 101 + "1" + "}" * 101, "nested too deeply"),
        ('{"x":' + "[" * 100 + "]" * 100 + "}", "nested too deeply"),
        ('{"x":' + "9" * 5000 + "}", "no valid JSON"),
    ],
)
def test_arguments_that_are_not_one_plain_object_are_refused(raw: str, why: str) -> None:
    with pytest.raises(InvalidArguments) as refused:
        arguments(raw)
    assert why in refused.value.message


def test_free_text_is_no_object() -> None:
    with pytest.raises(InvalidArguments):
        arguments("{}", is_free_text=True)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=8), JSON, max_size=4))
def test_every_object_is_read_as_it_was_written(value: dict[str, object]) -> None:
    assert arguments(json.dumps(value)) == value
    assert arguments(json.dumps(value, ensure_ascii=False)) == value


@given(st.text(max_size=60))
def test_whatever_a_model_writes_is_an_object_or_refused(raw: str) -> None:
    with contextlib.suppress(InvalidArguments):
        assert isinstance(arguments(raw), dict)


def unfinished_with_result(parent: Turn) -> Turn:
    return Turn(
        turn_id=TurnId("t2"),
        parent_id=parent.turn_id,
        input=(results_message([result_of(CALL, ToolOutcome.OK, "sunny")]),),
        phase=Phase.FAILED,
        failure=Failure(reason=FailureReason.DISCONNECT, message="lost"),
    )


def test_results_that_never_reached_the_model_go_with_what_is_said_next() -> None:
    parent = turn_with(CALL)
    conversation = Conversation(conversation_id="c").with_turn(parent)
    conversation = conversation.with_unfinished(unfinished_with_result(parent))
    said = with_waiting_results(conversation, parent.turn_id, (user_message("and now?"),))
    assert [message.role for message in said] == [Role.TOOL, Role.USER]
    plan = conversation.plan(parent.turn_id, said)
    assert not [omission for omission in plan.omissions if "interrupted" in omission.why]
    assert "unfinished" not in " ".join(omission.what for omission in plan.omissions)


def test_what_is_asked_beside_the_answer_to_results_goes_with_them_too() -> None:
    """A prompt was edited, or the person went back: the calls were run all the same."""
    parent = turn_with(CALL)
    results = unfinished_with_result(parent).input
    answer = Turn(
        turn_id=TurnId("t3"),
        parent_id=parent.turn_id,
        input=(*results, user_message("and now?")),
        phase=Phase.COMPLETED,
        choices=(Choice(0, (TextPart("sunny"),)),),
    )
    conversation = Conversation(conversation_id="c").with_turn(parent).with_turn(answer)
    edited = (user_message("and then?"),)
    assert with_waiting_results(conversation, parent.turn_id, edited) == (*results, *edited)


def test_results_are_not_said_twice_and_not_after_a_turn_without_calls() -> None:
    parent = turn_with(CALL)
    conversation = Conversation(conversation_id="c").with_turn(parent)
    conversation = conversation.with_unfinished(waiting := unfinished_with_result(parent))
    assert with_waiting_results(conversation, parent.turn_id, waiting.input) == waiting.input
    plain = Turn(turn_id=TurnId("p"), phase=Phase.COMPLETED, choices=(Choice(0, (TextPart("x"),)),))
    prompt = (Message(Role.USER, (TextPart("hi"),)),)
    assert with_waiting_results(conversation.with_turn(plain), plain.turn_id, prompt) == prompt
    assert with_waiting_results(conversation, None, prompt) == prompt


def test_behind_tool_results_the_persons_own_words_are_found() -> None:
    asked = turn_with(CALL, input=(user_message("weather?"),))
    conversation = Conversation(conversation_id="c").with_turn(asked)
    waiting = unfinished_with_result(asked)
    conversation = conversation.with_unfinished(waiting)
    assert conversation.asked_by(waiting) == asked
    assert conversation.asked_by(asked) == asked
    lost = Turn(turn_id=TurnId("x"), parent_id=TurnId("unknown"), input=waiting.input)
    assert conversation.asked_by(lost) == lost
