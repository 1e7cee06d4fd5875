"""What is sent again, when, and what never is."""

import asyncio
from itertools import pairwise

import pytest
from engine.sessions import PROMPT, Desk
from support.scripted_server import DONE, chat_chunk
from support.scripted_transport import Head, Pause
from support.virtual_time import settled

from chatui.core.errors import ConnectFailed, ConnectionLost, FailureReason
from chatui.core.turn import Phase
from chatui.engine.session import Stage

GOOD = (chat_chunk("Hello"), chat_chunk({}, "stop"), DONE)
BUSY = b'{"error":{"message":"slow down","type":"rate_limit_error"}}'
QUOTA = b'{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}'


def pauses(desk: Desk) -> list[float]:
    times = desk.transport.times_s
    return [later - earlier for earlier, later in pairwise(times)]


async def test_the_pause_that_a_server_asks_for_is_kept_and_counted_down() -> None:
    desk = Desk().answer(Head(429, "application/json", {"retry-after": "7"}), BUSY).answer(*GOOD)
    turn = await desk.ask()
    assert (turn.phase, turn.text, turn.requests) == (Phase.COMPLETED, "Hello", 2)
    assert pauses(desk) == [pytest.approx(7)]
    counted = [update for update in desk.updates if update.stage is Stage.RETRYING]
    assert [round(update.retry_in_s or 0) for update in counted] == [7, 6, 5, 4, 3, 2, 1]
    assert "slow down" in counted[0].retry_why


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 529])
async def test_a_passing_trouble_of_the_server_is_tried_three_times_with_growing_pauses(status: int) -> None:
    desk = Desk()
    for _ in range(3):
        desk.answer(Head(status, "application/json"), BUSY)
    turn = await desk.ask()
    assert turn.failure is not None
    assert (turn.failure.reason, turn.failure.http_status) == (FailureReason.HTTP, status)
    first, second = pauses(desk)
    assert 0.3 < first < 0.7
    assert 0.7 < second < 1.3


@pytest.mark.parametrize(
    ("status", "body"),
    [(429, QUOTA), (401, BUSY), (403, BUSY), (400, BUSY), (404, BUSY), (413, BUSY), (501, BUSY)],
)
async def test_what_waiting_cannot_cure_is_sent_once(status: int, body: bytes) -> None:
    turn = await Desk().answer(Head(status, "application/json"), body).ask()
    assert turn.phase is Phase.FAILED
    assert turn.requests == 1


@pytest.mark.parametrize("error", [ConnectFailed("refused"), ConnectionLost("reset")])
async def test_a_lost_connection_before_the_first_event_is_tried_again(error: Exception) -> None:
    desk = Desk().answer(error).answer(Head(), error).answer(*GOOD)
    assert (await desk.ask()).text == "Hello"


async def test_nothing_is_sent_again_once_an_event_came() -> None:
    desk = Desk().answer(chat_chunk({"role": "assistant"}), ConnectionLost("reset"))
    turn = await desk.ask()
    assert turn.failure is not None
    assert turn.failure.reason is FailureReason.DISCONNECT
    assert turn.requests == 1


async def test_an_answer_after_a_retry_has_nothing_of_the_attempt_before() -> None:
    desk = Desk().answer(Head(), b": comment\n\n", ConnectionLost("reset")).answer(*GOOD)
    turn = await desk.ask()
    assert (turn.text, turn.failure, len(turn.choices)) == ("Hello", None, 1)


async def test_a_pause_longer_than_a_person_sits_through_is_told_instead() -> None:
    turn = await Desk().answer(Head(429, "application/json", {"retry-after": "3600"}), BUSY).ask()
    assert turn.failure is not None
    assert turn.failure.retry_after_s == 3600
    assert turn.requests == 1


async def test_a_timeout_is_not_tried_again() -> None:
    turn = await Desk().answer(Head(), Pause(1000)).ask()
    assert turn.failure is not None
    assert (turn.failure.reason, turn.requests) == (FailureReason.TIMEOUT, 1)


async def test_no_retry_outlives_the_total_limit() -> None:
    desk = Desk().limits(total_s=5).answer(Head(429, "application/json", {"retry-after": "7"}), BUSY)
    turn = await desk.ask()
    assert turn.failure is not None
    assert turn.failure.reason is FailureReason.HTTP
    assert turn.timing.total_ms == pytest.approx(0, abs=1)


async def test_a_countdown_can_be_stopped() -> None:
    desk = Desk().answer(Head(429, "application/json", {"retry-after": "50"}), BUSY)
    asking = asyncio.create_task(desk.session.send(PROMPT))
    await desk.clock.pass_time(10)
    desk.session.cancel()
    await settled()
    turn = asking.result()
    assert turn.failure is not None
    assert (turn.failure.reason, turn.requests) == (FailureReason.CANCELLED, 1)
    assert "429" in turn.failure.message, "why it waited is not lost"


async def test_retries_can_be_switched_off() -> None:
    turn = await Desk(max_retries=0).answer(ConnectFailed("refused")).ask()
    assert turn.failure is not None
    assert turn.failure.reason is FailureReason.CONNECT
