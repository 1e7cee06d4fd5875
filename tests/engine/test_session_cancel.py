"""Stopping an answer: at once, in any state, with nothing lost."""

import asyncio

import pytest
from engine.sessions import PROMPT, Desk
from support.scripted_server import DONE, chat_chunk
from support.scripted_transport import STALL, Head, Step
from support.virtual_time import settled

from chatui.core.errors import FailureReason, StopCause
from chatui.core.turn import Phase
from chatui.engine.session import Stage

GOOD = (chat_chunk("Hello"), chat_chunk({}, "stop"), DONE)


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ((STALL,), ""),
        ((Head(), STALL), ""),
        ((Head(), b": comment\n\n", STALL), ""),
        ((Head(), chat_chunk("Hel"), STALL), "Hel"),
        ((Head(500, "application/json"), STALL), ""),
    ],
    ids=["before the head", "before the first byte", "before the first event", "in the text", "in an error"],
)
async def test_a_pending_read_is_interrupted(steps: tuple[Step, ...], text: str) -> None:
    desk = Desk()
    desk.transport.answer(*steps)
    asking = asyncio.create_task(desk.session.send(PROMPT))
    await settled()
    before_s = desk.clock.now_s
    desk.session.cancel()
    assert desk.updates[-1].stage is Stage.STOPPING, "it is acknowledged before anything is closed"
    await settled()
    turn = asking.result()
    assert turn.failure is not None
    assert (turn.failure.reason, turn.text) == (FailureReason.CANCELLED, text)
    assert desk.clock.now_s == before_s
    assert all(response.is_closed for response in desk.transport.responses)
    assert desk.updates[-1].stage is Stage.ENDED


async def test_what_was_received_is_kept_beside_the_history_and_not_sent() -> None:
    desk = Desk().answer(chat_chunk("Hel"), STALL).answer(*GOOD)
    asking = asyncio.create_task(desk.session.send(PROMPT))
    await settled()
    desk.session.cancel()
    await settled()
    turn = asking.result()
    assert desk.session.conversation.unfinished == (turn,)
    assert desk.store.unfinished == {turn.turn_id: turn}
    assert desk.store.committed == []
    await desk.ask()
    assert b"Hel" not in desk.transport.requests[-1].body


async def test_a_stop_that_the_person_did_not_make_says_what_made_it() -> None:
    desk = Desk().answer(chat_chunk("Hel"), STALL)
    asking = asyncio.create_task(desk.session.send(PROMPT))
    await settled()
    desk.session.cancel(StopCause.TERMINAL_CLOSED)
    await settled()
    failure = asking.result().failure
    assert failure is not None
    assert (failure.reason, failure.code) == (FailureReason.CANCELLED, "terminal_closed")
    assert failure.message == "The terminal was closed, which stopped this answer after 3 characters"


async def test_an_answer_that_was_proven_before_the_stop_is_completed() -> None:
    desk = Desk().answer(*GOOD[:2], STALL)
    asking = asyncio.create_task(desk.session.send(PROMPT))
    await settled()
    desk.session.cancel()
    await settled()
    assert asking.result().phase is Phase.COMPLETED


async def test_stopping_twice_or_when_idle_does_nothing() -> None:
    desk = Desk().answer(chat_chunk("Hel"), STALL)
    desk.session.cancel()
    asking = asyncio.create_task(desk.session.send(PROMPT))
    await settled()
    desk.session.cancel()
    desk.session.cancel()
    await settled()
    assert asking.result().text == "Hel"
    desk.session.cancel()
    assert [update.stage for update in desk.updates].count(Stage.STOPPING) == 1


async def test_a_caller_that_is_cancelled_gets_the_turn_that_was_stopped() -> None:
    desk = Desk().answer(chat_chunk("Hel"), STALL)
    asking = asyncio.create_task(desk.session.send(PROMPT))
    await settled()
    asking.cancel()
    await settled()
    assert asking.result().failure is not None
    assert not desk.session.is_busy


async def test_the_start_of_an_engine_can_be_stopped() -> None:
    async def never(_say: object) -> object:
        await asyncio.get_running_loop().create_future()

    desk = Desk(prepare=never)
    asking = asyncio.create_task(desk.session.send(PROMPT))
    await settled()
    assert desk.updates[-1].stage is Stage.PREPARING
    desk.session.cancel()
    await settled()
    turn = asking.result()
    assert turn.failure is not None
    assert (turn.failure.reason, turn.requests) == (FailureReason.CANCELLED, 0)


async def test_the_session_is_ready_for_the_next_turn_after_a_stop() -> None:
    desk = Desk().answer(chat_chunk("Hel"), STALL).answer(*GOOD)
    asking = asyncio.create_task(desk.session.send(PROMPT))
    await settled()
    desk.session.cancel()
    await settled()
    assert asking.done()
    assert (await desk.ask()).text == "Hello"


async def test_a_stop_in_the_very_moment_in_which_a_turn_begins_gives_a_stopped_turn() -> None:
    desk = Desk().answer(*GOOD)
    asking = asyncio.create_task(desk.session.send(PROMPT))
    while desk.session._running.latest() is None:
        await asyncio.sleep(0)
    desk.session.cancel()
    await settled()
    turn = asking.result()
    assert turn.failure is not None
    assert turn.failure.reason is FailureReason.CANCELLED
    assert desk.updates[-1].stage is Stage.ENDED
    assert desk.transport.requests == []
    assert not desk.session.is_busy


async def test_a_stop_while_the_last_turn_is_still_put_away_sends_nothing() -> None:
    desk = Desk().answer(*GOOD)
    async with desk.session._running.one_at_a_time():
        asking = asyncio.create_task(desk.session.send(PROMPT))
        await settled()
        assert desk.session.is_busy
        desk.session.cancel()
    await settled()
    failure = asking.result().failure
    assert failure is not None
    assert failure.reason is FailureReason.CANCELLED
    assert desk.transport.requests == []
    assert not desk.session.is_busy
    assert (await desk.ask()).text == "Hello"
