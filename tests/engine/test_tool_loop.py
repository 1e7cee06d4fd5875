"""After a completed turn with calls: asked, run, answered, and so on; every call has exactly one result."""

import asyncio
import json
from itertools import pairwise

import pytest
from engine.sessions import PROMPT, Desk
from hypothesis import given, settings
from hypothesis import strategies as st
from support.acted_tools import AbsentPerson, ActedTool, Person, call_chunk, loop_of
from support.scripted_server import DONE, chat_chunk
from support.scripted_transport import STALL
from support.virtual_time import settled

from chatui.core.errors import FailureReason, ToolError
from chatui.core.messages import Role, ToolOutcome, ToolResultPart, user_message
from chatui.core.turn import Phase, Turn
from chatui.core.wire import Dialect
from chatui.engine.approval import Decision, Verdict
from chatui.engine.session import Stage
from chatui.engine.tool_ports import ToolOutput
from chatui.engine.updates import CallStage

ARGUMENTS = '{"city":"Wien"}'
CALLS = (call_chunk(ARGUMENTS), chat_chunk({}, "tool_calls"), DONE)
ANSWER = (chat_chunk("Sunny."), chat_chunk({}, "stop"), DONE)


def results_of(turn: Turn) -> list[ToolResultPart]:
    return [part for one in turn.input for part in one.parts if isinstance(part, ToolResultPart)]


def sent(desk: Desk, at: int = -1) -> dict:
    body = json.loads(desk.transport.requests[at].body)
    assert isinstance(body, dict)
    return body


async def test_a_call_is_asked_run_and_answered_and_the_answer_follows() -> None:
    tool, person = ActedTool(), Person()
    desk = Desk(tool_loop=loop_of(tool, person=person)).answer(*CALLS).answer(*ANSWER)
    turn = await desk.ask()
    assert (turn.phase, turn.text) == (Phase.COMPLETED, "Sunny.")
    assert tool.calls == [{"city": "Wien"}]
    assert [(one.tool, one.source, dict(one.arguments)) for one in person.asked] == [
        ("weather", "a test", {"city": "Wien"})
    ]
    assert [tool_["function"]["name"] for tool_ in sent(desk, 0)["tools"]] == ["weather"]
    assert [message["role"] for message in sent(desk)["messages"]] == ["user", "assistant", "tool"]
    assert sent(desk)["messages"][2] == {
        "role": "tool",
        "tool_call_id": "call_1",
        "content": "sunny in Wien",
    }
    called, answered = desk.session.conversation.path()
    assert called.phase is answered.phase is Phase.COMPLETED
    assert [result.outcome for result in results_of(answered)] == [ToolOutcome.OK]
    assert desk.store.committed == [called, answered]
    assert desk.store.unfinished == {}


async def test_the_turn_with_calls_is_told_complete_and_saved_before_anybody_is_asked() -> None:
    desk = Desk(tool_loop=loop_of(ActedTool(), person=AbsentPerson())).answer(*CALLS)
    asking = asyncio.create_task(desk.session.send(PROMPT))
    await settled()
    assert [turn.phase for turn in desk.store.committed] == [Phase.COMPLETED]
    assert desk.stages[-2:] == [Stage.ENDED, Stage.ASKING]
    assert desk.session.is_busy
    desk.session.cancel()
    await settled()
    assert asking.done()


async def test_a_denial_is_a_result_that_the_model_is_told() -> None:
    tool, person = ActedTool(), Person(Decision(Verdict.DENY, "not today"))
    desk = Desk(tool_loop=loop_of(tool, person=person)).answer(*CALLS).answer(*ANSWER)
    await desk.ask()
    assert tool.calls == []
    assert sent(desk)["messages"][2]["content"] == "Denied, not run: not today"
    (result,) = results_of(desk.session.conversation.path()[-1])
    assert (result.outcome, result.is_error) == (ToolOutcome.DENIED, True)


async def test_a_yes_for_the_conversation_holds_for_exactly_that_tool() -> None:
    weather, news = ActedTool(), ActedTool("news", lambda _: "none", schema={"type": "object"})
    person = Person(Decision(Verdict.ALWAYS))
    desk = Desk(tool_loop=loop_of(weather, news, person=person))
    desk.answer(*CALLS).answer(*CALLS)
    desk.answer(call_chunk("{}", "news"), chat_chunk({}, "tool_calls"), DONE).answer(*ANSWER)
    await desk.ask()
    assert len(weather.calls) == 2
    assert [one.tool for one in person.asked] == ["weather", "news"]


async def test_several_calls_are_asked_and_run_one_by_one_in_order() -> None:
    order: list[str] = []

    class Slow(Person):
        async def decide(self, request):
            order.append(f"asked {request.number}/{request.count}")
            return await super().decide(request)

    async def act(arguments):
        order.append(f"ran {arguments['city']}")
        await asyncio.sleep(0)
        order.append(f"done {arguments['city']}")
        return "ok"

    desk = Desk(tool_loop=loop_of(ActedTool(act=act), person=Slow()))
    desk.answer(
        call_chunk('{"city":"A"}', call_id="c1"),
        call_chunk('{"city":"B"}', call_id="c2", index=1),
        chat_chunk({}, "tool_calls"),
        DONE,
    ).answer(*ANSWER)
    await desk.ask()
    assert order == ["asked 1/2", "ran A", "done A", "asked 2/2", "ran B", "done B"]
    assert [one["tool_call_id"] for one in sent(desk)["messages"][2:]] == ["c1", "c2"]


@pytest.mark.parametrize(
    ("arguments", "name", "outcome", "words"),
    [
        ('{"city":1}', "weather", ToolOutcome.INVALID, "city"),
        ("{}", "weather", ToolOutcome.INVALID, "'city' is a required property"),
        ('{"city":"A","city":"B"}', "weather", ToolOutcome.INVALID, "twice"),
        (ARGUMENTS, "rm", ToolOutcome.FAILED, "no tool of this name"),
        (ARGUMENTS, "Weather", ToolOutcome.FAILED, "no tool of this name"),
        ('{"city":"' + "x" * 300_000 + '"}', "weather", ToolOutcome.INVALID, "longer than 256 KiB"),
    ],
)
async def test_a_call_that_does_not_fit_is_told_to_the_model_and_nobody_is_asked(
    arguments: str, name: str, outcome: ToolOutcome, words: str
) -> None:
    tool, person = ActedTool(), Person()
    desk = Desk(tool_loop=loop_of(tool, person=person))
    desk.answer(call_chunk(arguments, name), chat_chunk({}, "tool_calls"), DONE).answer(*ANSWER)
    await desk.ask()
    assert (tool.calls, person.asked) == ([], [])
    (result,) = results_of(desk.session.conversation.path()[-1])
    assert result.outcome is outcome
    assert words in result.text


@pytest.mark.parametrize(
    "ending", [(), (chat_chunk({}, "length"), DONE), (chat_chunk({}, "stop"), DONE), (DONE,)]
)
async def test_nothing_is_run_without_the_proof_that_results_are_wanted(ending: tuple[bytes, ...]) -> None:
    tool, person = ActedTool(), Person()
    desk = Desk(tool_loop=loop_of(tool, person=person)).answer(call_chunk(ARGUMENTS), *ending)
    turn = await desk.ask()
    assert (tool.calls, person.asked) == ([], [])
    assert len(desk.transport.requests) == 1
    assert bool(desk.updates[-1].why_not_run) == (turn.phase is Phase.COMPLETED)


async def test_arguments_that_are_no_json_are_shown_and_never_sent_or_run() -> None:
    tool = ActedTool()
    desk = Desk(tool_loop=loop_of(tool))
    desk.answer(call_chunk('{"city":"Wi'), chat_chunk({}, "tool_calls"), DONE).answer(*ANSWER)
    await desk.ask()
    assert tool.calls == []
    assert len(desk.transport.requests) == 1
    assert "cannot be read" in desk.updates[-1].why_not_run


@pytest.mark.parametrize("arguments", ["null", " null\n", "", '{"city":"Wien"}\u00a0'])
async def test_a_call_that_was_run_is_sent_with_its_result_however_its_arguments_were_written(
    arguments: str,
) -> None:
    tool = ActedTool(act=lambda _: "done", schema={"type": "object"})
    desk = Desk(tool_loop=loop_of(tool))
    desk.answer(call_chunk(arguments), chat_chunk({}, "tool_calls"), DONE).answer(*ANSWER)
    await desk.ask()
    assert len(tool.calls) == 1
    assert [message["role"] for message in sent(desk)["messages"]] == ["user", "assistant", "tool"]
    (call,) = sent(desk)["messages"][1]["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == tool.calls[0]


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999", "9" * 5000])
async def test_numbers_that_no_json_can_hold_are_never_run_nor_sent(number: str) -> None:
    tool = ActedTool(schema={"type": "object"})
    desk = Desk(tool_loop=loop_of(tool))
    desk.answer(call_chunk(f'{{"n":{number}}}'), chat_chunk({}, "tool_calls"), DONE).answer(*ANSWER)
    await desk.ask()
    assert tool.calls == []
    assert "cannot be read" in desk.updates[-1].why_not_run


async def test_a_broken_call_beside_a_good_one_has_its_own_result_in_the_record() -> None:
    desk = Desk(tool_loop=loop_of(ActedTool()))
    desk.answer(
        call_chunk(ARGUMENTS),
        call_chunk('{"city":', call_id="call_2", index=1),
        chat_chunk({}, "tool_calls"),
        DONE,
    ).answer(*ANSWER)
    await desk.ask()
    results = results_of(desk.session.conversation.path()[-1])
    assert [result.outcome for result in results] == [ToolOutcome.OK, ToolOutcome.INVALID]
    assert [message["role"] for message in sent(desk)["messages"]] == ["user", "assistant", "tool"]


@given(st.lists(st.integers(0, len(ARGUMENTS)), max_size=5))
@settings(max_examples=40, deadline=None)
def test_arguments_are_whole_wherever_the_stream_splits_them(cuts: list[int]) -> None:
    async def play() -> list:
        edges = sorted({0, *cuts, len(ARGUMENTS)})
        pieces = [ARGUMENTS[start:stop] for start, stop in pairwise(edges)]
        tool = ActedTool()
        desk = Desk(tool_loop=loop_of(tool))
        desk.answer(
            call_chunk(""),
            *(call_chunk(piece, call_id=None) for piece in pieces),
            chat_chunk({}, "tool_calls"),
            DONE,
        ).answer(*ANSWER)
        await desk.ask()
        return tool.calls

    assert asyncio.run(play()) == [{"city": "Wien"}]


async def test_a_tool_that_fails_is_a_result() -> None:
    def act(arguments):
        raise ToolError("no network")

    desk = Desk(tool_loop=loop_of(ActedTool(act=act))).answer(*CALLS).answer(*ANSWER)
    await desk.ask()
    (result,) = results_of(desk.session.conversation.path()[-1])
    assert (result.outcome, result.text, result.is_error) == (ToolOutcome.FAILED, "no network", True)


async def test_a_tool_is_ended_at_its_limit_and_the_model_is_told() -> None:
    tool = ActedTool(act=lambda _: asyncio.Event().wait(), timeout_s=5)
    desk = Desk(tool_loop=loop_of(tool)).answer(*CALLS).answer(*ANSWER)
    started_s = desk.clock.now_s
    await desk.ask()
    assert desk.clock.now_s == started_s + 5
    assert tool.cancelled == 1
    (result,) = results_of(desk.session.conversation.path()[-1])
    assert "not done within 5 s" in result.text


async def test_waiting_for_the_person_counts_for_no_limit() -> None:
    class Slow(Person):
        async def decide(self, request):
            await desk.clock.sleep(10_000)
            return Decision(Verdict.ONCE)

    desk = Desk(tool_loop=loop_of(ActedTool(), person=Slow(), call_s=1.0, total_s=1.0))
    desk.answer(*CALLS).answer(*ANSWER)
    assert (await desk.ask()).text == "Sunny."


async def test_a_huge_result_is_cut_and_says_so() -> None:
    desk = Desk(tool_loop=loop_of(ActedTool(act=lambda _: "ü" * 10_000), max_result_bytes=1001))
    desk.answer(*CALLS).answer(*ANSWER)
    await desk.ask()
    content = sent(desk)["messages"][2]["content"]
    assert content.startswith("ü" * 500 + "\n[cut here: these are the first 1,001 of 20,000 bytes]")


async def test_the_loop_ends_after_its_steps_and_asks_for_an_answer_without_tools() -> None:
    tool = ActedTool()
    desk = Desk(tool_loop=loop_of(tool, max_steps=2))
    desk.answer(*CALLS).answer(*CALLS).answer(*CALLS).answer(*ANSWER)
    turn = await desk.ask()
    assert turn.text == "Sunny."
    assert len(tool.calls) == 2
    assert sent(desk)["tool_choice"] == "none"
    assert "2 rounds of tool calls" in sent(desk)["messages"][-1]["content"]


async def test_a_model_that_calls_for_ever_is_left_with_its_call_and_can_be_talked_to() -> None:
    tool = ActedTool()
    desk = Desk(tool_loop=loop_of(tool, max_steps=1))
    for _ in range(3):
        desk.answer(*CALLS)
    turn = await desk.ask()
    assert len(tool.calls) == 1
    assert turn.phase is Phase.COMPLETED
    assert not desk.session.is_busy
    desk.answer(*ANSWER)
    await desk.clock.run(desk.session.send((user_message("enough"),)))
    assert [message["role"] for message in sent(desk)["messages"]][-3:] == ["assistant", "tool", "user"]


async def test_all_calls_together_have_a_limit_of_time() -> None:
    async def act(arguments):
        await desk.clock.sleep(40)
        return "late"

    tool = ActedTool(act=act)
    desk = Desk(tool_loop=loop_of(tool, call_s=60.0, total_s=60.0))
    desk.answer(*CALLS).answer(*CALLS).answer(*ANSWER)
    turn = await desk.ask()
    assert turn.text == "Sunny."
    assert tool.cancelled == 1
    assert sent(desk)["tool_choice"] == "none"


async def stopped_while(desk: Desk) -> Turn:
    asking = asyncio.create_task(desk.session.send(PROMPT))
    await settled()
    desk.session.cancel()
    assert desk.updates[-1].stage is Stage.STOPPING
    await settled()
    return asking.result()


async def test_stopping_a_tool_ends_it_and_leaves_a_result_for_every_call() -> None:
    tool = ActedTool(act=lambda _: asyncio.Event().wait())
    desk = Desk(tool_loop=loop_of(tool)).answer(
        call_chunk(ARGUMENTS),
        call_chunk(ARGUMENTS, call_id="call_2", index=1),
        chat_chunk({}, "tool_calls"),
        DONE,
    )
    turn = await stopped_while(desk)
    assert tool.cancelled == 1
    assert turn.failure is not None
    assert turn.failure.reason is FailureReason.CANCELLED
    results = results_of(turn)
    assert [result.outcome for result in results] == [ToolOutcome.INTERRUPTED] * 2
    assert "may have had an effect" in results[0].text
    assert "before it was run" in results[1].text
    assert desk.session.conversation.unfinished == (turn,)
    assert not desk.session.is_busy


async def test_after_a_stop_the_next_prompt_goes_with_the_results() -> None:
    tool = ActedTool(act=lambda _: asyncio.Event().wait())
    desk = Desk(tool_loop=loop_of(tool)).answer(*CALLS).answer(*ANSWER)
    await stopped_while(desk)
    await desk.clock.run(desk.session.send((user_message("never mind"),)))
    roles = [message["role"] for message in sent(desk)["messages"]]
    assert roles == ["user", "assistant", "tool", "user"]
    assert "may have had an effect" in sent(desk)["messages"][2]["content"]


async def test_results_that_are_there_are_sent_again_and_no_tool_runs_twice() -> None:
    tool = ActedTool()
    desk = Desk(tool_loop=loop_of(tool)).answer(*CALLS).answer(chat_chunk("Sun"), STALL).answer(*ANSWER)
    turn = await stopped_while(desk)
    assert turn.text == "Sun"
    again = await desk.clock.run(desk.session.regenerate(turn))
    assert again.text == "Sunny."
    assert len(tool.calls) == 1
    assert sent(desk)["messages"][2]["content"] == "sunny in Wien"


async def test_stopping_the_question_runs_nothing() -> None:
    tool = ActedTool()
    desk = Desk(tool_loop=loop_of(tool, person=AbsentPerson())).answer(*CALLS)
    turn = await stopped_while(desk)
    assert tool.calls == []
    assert [result.outcome for result in results_of(turn)] == [ToolOutcome.INTERRUPTED]


async def test_a_caller_that_is_cancelled_stops_the_tool_and_gets_the_turn() -> None:
    tool = ActedTool(act=lambda _: asyncio.Event().wait())
    desk = Desk(tool_loop=loop_of(tool)).answer(*CALLS)
    asking = asyncio.create_task(desk.session.send(PROMPT))
    await settled()
    asking.cancel()
    await settled()
    assert tool.cancelled == 1
    assert asking.result().phase is Phase.FAILED


async def test_a_stop_that_comes_with_the_end_of_the_answer_runs_nothing() -> None:
    tool = ActedTool()
    desk = Desk(tool_loop=loop_of(tool)).answer(*CALLS)
    desk.session._on_update = lambda update: (  # the first thing that happens after the proof
        desk.session.cancel()
        if update.stage is Stage.ENDED and update.turn.phase is Phase.COMPLETED
        else None
    )
    turn = await desk.ask()
    assert tool.calls == []
    assert turn.phase is Phase.FAILED
    assert [result.outcome for result in results_of(turn)] == [ToolOutcome.INTERRUPTED]


async def test_at_every_moment_what_is_saved_has_a_result_for_every_call() -> None:
    saved: list[Turn] = []
    desk = Desk(tool_loop=loop_of(ActedTool()))
    keep = desk.store.save_unfinished

    def save(conversation_id: str, turn: Turn) -> None:
        saved.append(turn)
        keep(conversation_id, turn)

    desk.store.save_unfinished = save  # type: ignore[method-assign]  # to see every step
    desk.answer(
        call_chunk(ARGUMENTS),
        call_chunk(ARGUMENTS, call_id="call_2", index=1),
        chat_chunk({}, "tool_calls"),
        DONE,
    ).answer(*ANSWER)
    await desk.ask()
    steps = [turn for turn in saved if any(one.role is Role.TOOL for one in turn.input)]
    assert steps
    for turn in steps:
        assert [result.call_id for result in results_of(turn)] == ["call_1", "call_2"]
    outcomes = [tuple(result.outcome for result in results_of(turn)) for turn in steps]
    lost, ok = ToolOutcome.INTERRUPTED, ToolOutcome.OK
    assert list(dict.fromkeys(outcomes)) == [(lost, lost), (ok, lost), (ok, ok)]
    running = next(turn for turn in steps if "may have had an effect" in results_of(turn)[0].text)
    assert results_of(running)[0].outcome is lost


async def test_the_screen_hears_where_each_call_stands_and_sees_only_real_results() -> None:
    desk = Desk(tool_loop=loop_of(ActedTool())).answer(*CALLS).answer(*ANSWER)
    await desk.ask()
    told = [(update.stage, update.calls[0].stage) for update in desk.updates if update.calls]
    assert told == [
        (Stage.ASKING, CallStage.ASKING),
        (Stage.CALLING, CallStage.RUNNING),
        (Stage.CALLING, CallStage.ENDED),
    ]
    for update in desk.updates:
        if update.calls and update.calls[0].result is None:
            assert results_of(update.turn) == []


async def test_an_error_of_the_tool_itself_is_marked_as_one() -> None:
    desk = Desk(tool_loop=loop_of(ActedTool(act=lambda _: ToolOutput("exit 1", is_error=True))))
    desk.answer(*CALLS).answer(*ANSWER)
    await desk.ask()
    (result,) = results_of(desk.session.conversation.path()[-1])
    assert (result.outcome, result.is_error) == (ToolOutcome.FAILED, True)


async def test_without_tools_calls_are_shown_and_nothing_happens() -> None:
    desk = Desk().answer(*CALLS)
    turn = await desk.ask()
    assert len(desk.transport.requests) == 1
    assert turn.phase is Phase.COMPLETED
    assert "tools" not in sent(desk)


async def test_starting_tools_is_told_and_can_be_stopped() -> None:
    loop = loop_of(ActedTool())
    started = asyncio.Event()

    async def offered():
        started.set()
        await asyncio.Event().wait()

    loop.toolbox.is_ready = False  # type: ignore[attr-defined,misc]  # a box of the test
    loop.toolbox.offered = offered  # type: ignore[method-assign]  # a box of the test
    desk = Desk(tool_loop=loop)
    asking = asyncio.create_task(desk.session.send(PROMPT))
    await settled()
    assert started.is_set()
    assert (desk.updates[-1].stage, desk.updates[-1].preparing) == (Stage.PREPARING, "starting tools")
    assert desk.session.is_busy
    desk.session.cancel()
    await settled()
    turn = asking.result()
    assert turn.failure is not None
    assert turn.failure.reason is FailureReason.CANCELLED
    assert desk.transport.requests == []


async def test_a_tool_that_cannot_be_offered_is_told_with_the_turn() -> None:
    loop = loop_of(ActedTool())
    loop.toolbox.problems = ("the server did not start",)  # type: ignore[misc]  # a box of the test
    desk = Desk(tool_loop=loop).answer(*ANSWER)
    await desk.ask()
    assert [omission.why for omission in desk.updates[-1].omissions] == ["the server did not start"]


async def test_where_a_server_is_known_to_say_stop_its_calls_are_run() -> None:
    tool = ActedTool()
    desk = Desk(tool_loop=loop_of(tool), dialect=Dialect(is_stop_call_proof=True))
    desk.answer(call_chunk(ARGUMENTS), chat_chunk({}, "stop"), DONE).answer(*ANSWER)
    assert (await desk.ask()).text == "Sunny."
    assert len(tool.calls) == 1


async def test_of_very_many_calls_in_one_answer_only_some_are_run() -> None:
    tool = ActedTool()
    desk = Desk(tool_loop=loop_of(tool))
    many = [call_chunk(ARGUMENTS, call_id=f"c{index}", index=index) for index in range(60)]
    desk.answer(*many, chat_chunk({}, "tool_calls"), DONE).answer(*ANSWER)
    await asyncio.wait_for(desk.session.send(PROMPT), 30)  # nothing here waits for time
    assert len(tool.calls) == 50
    results = results_of(desk.session.conversation.path()[-1])
    assert len(results) == 60
    assert "more than 50 calls" in results[-1].text
