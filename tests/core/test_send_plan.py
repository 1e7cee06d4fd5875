from hypothesis import given
from hypothesis import strategies as st

from chatui.core.errors import Failure, FailureReason
from chatui.core.messages import (
    AudioPart,
    ImagePart,
    Message,
    Part,
    ReasoningPart,
    RefusalPart,
    Role,
    TextPart,
    ToolActivityPart,
    ToolCallPart,
    ToolCallState,
    ToolResultPart,
    user_message,
)
from chatui.core.send_plan import INTERRUPTED_RESULT, NEW_INPUT, SendPlan, plan_messages
from chatui.core.turn import Choice, Phase, Turn, TurnId


def turn(name: str, *parts: Part, said: tuple[Message, ...] | None = None, **more: object) -> Turn:
    fields: dict[str, object] = {"phase": Phase.COMPLETED, **more}
    return Turn(
        turn_id=TurnId(name),
        input=(user_message(f"prompt {name}"),) if said is None else said,
        choices=(Choice(0, parts),),
        **fields,  # type: ignore[arg-type]  # only fields of Turn
    )


def call(call_id: str, state: ToolCallState = ToolCallState.WHOLE, name: str = "read") -> ToolCallPart:
    return ToolCallPart(call_id, name, "{}", state)


def result(call_id: str, text: str = "done") -> Message:
    return Message(Role.TOOL, (ToolResultPart(call_id, "read", text),))


def shape(plan: SendPlan) -> list[str]:
    return [message.role.value for message in plan.messages]


def whys(plan: SendPlan) -> str:
    return "\n".join(f"{omission.turn_id}: {omission.what}, {omission.why}" for omission in plan.omissions)


def test_a_plain_conversation_is_sent_whole() -> None:
    plan = plan_messages((turn("1", TextPart("one")), turn("2", TextPart("two"))), (user_message("three"),))
    assert [message.text for message in plan.messages] == ["prompt 1", "one", "prompt 2", "two", "three"]
    assert shape(plan) == ["user", "assistant", "user", "assistant", "user"]
    assert plan.omissions == ()


def test_a_call_with_its_result_is_sent_as_a_pair() -> None:
    path = (turn("1", TextPart("wait"), call("a"), call("b")),)
    plan = plan_messages(path, (result("b", "B"), result("a", "A")))
    assert shape(plan) == ["user", "assistant", "tool"]
    assert [part.text for part in plan.messages[-1].parts] == ["A", "B"]  # type: ignore[union-attr]
    assert plan.omissions == ()


def test_an_interrupted_call_gets_a_result_that_says_so_and_later_requests_work() -> None:
    plan = plan_messages((turn("1", call("a")), turn("2", TextPart("ok"))), (user_message("go on"),))
    assert shape(plan) == ["user", "assistant", "tool", "user", "assistant", "user"]
    part = plan.messages[2].parts[0]
    assert isinstance(part, ToolResultPart)
    assert (part.call_id, part.text, part.is_error) == ("a", INTERRUPTED_RESULT, True)
    assert "missing result of read" in whys(plan)


def test_a_call_that_was_interrupted_at_the_very_end_is_paired_too() -> None:
    plan = plan_messages((turn("1", call("a")),), (user_message("never mind"),))
    assert shape(plan) == ["user", "assistant", "tool", "user"]
    assert shape(plan_messages((turn("1", call("a")),), ())) == ["user", "assistant", "tool"]


def test_a_cut_or_unparsable_call_is_never_sent() -> None:
    for state in (ToolCallState.UNFINISHED, ToolCallState.UNPARSABLE, ToolCallState.STREAMING):
        plan = plan_messages((turn("1", TextPart("look"), call("a", state)),), (user_message("x"),))
        assert plan.messages[1].parts == (TextPart("look"),)
        assert "A call of read" in whys(plan)


def test_results_of_calls_that_are_not_sent_are_left_out() -> None:
    path = (turn("1", call("a", ToolCallState.UNFINISHED)), turn("2", TextPart("ok"), said=(result("a"),)))
    plan = plan_messages(path, (user_message("x"),))
    assert all(message.role is not Role.TOOL for message in plan.messages)
    assert "the call it answers is not sent" in whys(plan)


def test_a_second_result_of_one_call_is_left_out() -> None:
    plan = plan_messages((turn("1", call("a")),), (result("a", "first"), result("a", "second")))
    assert [part.text for part in plan.messages[-1].parts] == ["first"]  # type: ignore[union-attr]
    assert "A second result" in whys(plan)


def test_two_calls_of_one_id_cannot_both_be_answered() -> None:
    plan = plan_messages((turn("1", call("a"), call("a")),), (result("a"),))
    assert len(plan.messages[1].parts) == 1
    assert "has the same id" in whys(plan)


def test_an_empty_result_is_sent_with_words() -> None:
    plan = plan_messages((turn("1", call("a")),), (result("a", ""),))
    assert plan.messages[-1].parts == (ToolResultPart("a", "read", "(no output)"),)


def test_no_empty_text_is_ever_sent() -> None:
    path = (turn("1", TextPart(""), TextPart("one"), TextPart(" \n")),)
    plan = plan_messages(path, (Message(Role.USER, (TextPart(""), TextPart("x"))),))
    assert plan.messages[1].parts == (TextPart("one"),)
    assert plan.messages[2].parts == (TextPart("x"),)
    assert "reject empty text" in whys(plan)


def test_an_answer_of_reasoning_only_is_left_out_and_the_prompts_are_joined() -> None:
    plan = plan_messages((turn("1", ReasoningPart("hm")),), (user_message("and?"),))
    assert plan.messages == (Message(Role.USER, (TextPart("prompt 1"), TextPart("and?"))),)
    assert "1: An answer of reasoning only" in whys(plan)


def test_an_empty_answer_is_left_out() -> None:
    assert "1: An empty answer" in whys(plan_messages((turn("1"),), (user_message("and?"),)))


def test_a_picture_in_an_answer_is_named_as_left_out() -> None:
    plan = plan_messages(
        (turn("1", TextPart("Here:"), ImagePart("image/png", "AA")),), (user_message("more"),)
    )
    assert plan.messages[1] == Message(Role.ASSISTANT, (TextPart("Here:"),))
    assert "1: A picture in an answer" in whys(plan)
    alone = plan_messages((turn("1", ImagePart("image/png", "AA")),), (user_message("more"),))
    assert shape(alone) == ["user"]


def test_reasoning_beside_an_answer_keeps_its_place() -> None:
    parts = (ReasoningPart("hm", opaque={"signature": "s"}), TextPart("so"), call("a"))
    assert plan_messages((turn("1", *parts),), (result("a"),)).messages[1].parts == parts


def test_unfinished_turns_are_never_sent() -> None:
    failure = Failure(reason=FailureReason.CANCELLED, message="stopped")
    cut = turn("2", TextPart("part"), phase=Phase.FAILED, failure=failure)
    running = turn("3", TextPart("part"), phase=Phase.RECEIVING)
    plan = plan_messages((turn("1", TextPart("one")), cut, running), (user_message("x"),))
    assert shape(plan) == ["user", "assistant", "user"]
    assert "2: An unfinished turn" in whys(plan)
    assert "3: A turn" in whys(plan)


def test_an_accepted_cut_is_sent_as_it_is() -> None:
    failure = Failure(reason=FailureReason.LENGTH, message="cut")
    accepted = turn("1", TextPart("part"), phase=Phase.FAILED, failure=failure, is_accepted_cut=True)
    assert plan_messages((accepted,), (user_message("x"),)).messages[1].text == "part"


def test_an_accepted_refusal_is_left_out_with_its_prompt() -> None:
    failure = Failure(reason=FailureReason.REFUSAL, message="no")
    refused = turn("1", TextPart("part"), phase=Phase.FAILED, failure=failure, is_accepted_cut=True)
    plan = plan_messages((refused,), (user_message("x"),))
    assert plan.messages == (user_message("x"),)
    assert "1: A refused exchange" in whys(plan)


def test_a_refusal_that_completed_is_part_of_the_conversation() -> None:
    plan = plan_messages((turn("1", RefusalPart("I cannot")),), (user_message("x"),))
    assert plan.messages[1].parts == (RefusalPart("I cannot"),)


def test_alternatives_are_named_as_left_out() -> None:
    two = Turn(
        turn_id=TurnId("1"),
        input=(user_message("p"),),
        phase=Phase.COMPLETED,
        choices=(Choice(0, (TextPart("a"),)), Choice(1, (TextPart("b"),))),
    )
    plan = plan_messages((two,), (user_message("x"),))
    assert plan.messages[1].text == "a"
    assert "An alternative answer" in whys(plan)


def test_an_answer_before_the_first_prompt_is_left_out() -> None:
    plan = plan_messages((turn("1", TextPart("Welcome!"), said=()),), (user_message("x"),))
    assert shape(plan) == ["user"]
    assert "a person has to speak first" in whys(plan)


def test_system_messages_of_an_import_are_named_as_left_out() -> None:
    said = (Message(Role.SYSTEM, (TextPart("Be brief"),)), user_message("p"))
    plan = plan_messages((turn("1", TextPart("a"), said=said),), ())
    assert shape(plan) == ["user", "assistant"]
    assert "A system message" in whys(plan)


def test_a_prefill_stays_at_the_end() -> None:
    plan = plan_messages((), (user_message("p"), Message(Role.ASSISTANT, (TextPart("So"),))))
    assert shape(plan) == ["user", "assistant"]


TEXTS = st.sampled_from(["", " ", "word"])
IDS = st.sampled_from(["", "a", "b", "c"])
PARTS = st.one_of(
    st.builds(TextPart, TEXTS),
    st.builds(ReasoningPart, TEXTS),
    st.builds(RefusalPart, TEXTS),
    st.builds(ToolCallPart, IDS, IDS, st.just("{}"), st.sampled_from(ToolCallState)),
    st.builds(ToolResultPart, IDS, IDS, TEXTS),
    st.builds(AudioPart, IDS, TEXTS),
    st.builds(ToolActivityPart, IDS, IDS, IDS),
)
PART_LISTS = st.lists(PARTS, max_size=4).map(tuple)
SAID = st.lists(st.builds(Message, st.sampled_from(Role), PART_LISTS), max_size=3).map(tuple)
TURNS = st.builds(
    Turn,
    turn_id=st.sampled_from(["1", "2"]).map(TurnId),
    input=SAID,
    phase=st.sampled_from(Phase),
    failure=st.none() | st.builds(Failure, reason=st.sampled_from(FailureReason), message=st.just("f")),
    choices=st.lists(st.builds(Choice, st.just(0), PART_LISTS), max_size=2).map(tuple),
    is_accepted_cut=st.booleans(),
)


@given(st.lists(TURNS, max_size=5).map(tuple), SAID)
def test_whatever_the_history_holds_every_protocol_accepts_the_plan(
    path: tuple[Turn, ...], said: tuple[Message, ...]
) -> None:
    plan = plan_messages(path, said)
    waiting: list[str] = []
    for index, message in enumerate(plan.messages):
        assert message.parts
        assert index or message.role is Role.USER
        if index:
            assert message.role is not plan.messages[index - 1].role
        if waiting:
            assert message.role is Role.TOOL
        for part in message.parts:
            if isinstance(part, TextPart | RefusalPart | ToolResultPart):
                assert part.text.strip()
            assert isinstance(part, ToolResultPart) == (message.role is Role.TOOL)
        answered = [part.call_id for part in message.parts if isinstance(part, ToolResultPart)]
        assert answered == waiting
        calls = [part for part in message.parts if isinstance(part, ToolCallPart)]
        assert all(part.state is ToolCallState.WHOLE and part.call_id and part.name for part in calls)
        waiting = [part.call_id for part in calls]
        assert len(set(waiting)) == len(waiting)
        assert not calls or message.role is Role.ASSISTANT
    assert not waiting
    known = {turn.turn_id for turn in path} | {NEW_INPUT}
    assert all(omission.what and omission.why and omission.turn_id in known for omission in plan.omissions)


@given(st.lists(TURNS, max_size=4).map(tuple), SAID)
def test_what_is_not_sent_is_named(path: tuple[Turn, ...], said: tuple[Message, ...]) -> None:
    plan = plan_messages(path, said)
    sent = sum(part == TextPart("word") for message in plan.messages for part in message.parts)
    written = sum(
        part == TextPart("word")
        for messages in (*(turn.input for turn in path), said)
        for message in messages
        for part in message.parts
    ) + sum(part == TextPart("word") for turn in path for choice in turn.choices for part in choice.parts)
    assert sent == written or plan.omissions


def test_sealed_state_goes_back_only_to_the_provider_that_made_it() -> None:
    thought = ReasoningPart("hm", opaque={"signature": "s"})
    path = (turn("1", thought, TextPart("one"), provider="anthropic"),)
    (same,) = plan_messages(path, (), "anthropic").messages[1:]
    assert same.parts == (thought, TextPart("one"))
    elsewhere = plan_messages(path, (), "openai")
    assert elsewhere.messages[1].parts == (ReasoningPart("hm"), TextPart("one"))
    assert whys(elsewhere) == "1: Sealed state of an answer, only anthropic can read it"
    assert plan_messages(path, ()).messages == plan_messages(path, (), "anthropic").messages
