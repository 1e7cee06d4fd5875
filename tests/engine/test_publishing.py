"""What the screen hears, and how often."""

import asyncio

from engine.sessions import PROMPT, Desk
from hypothesis import given
from hypothesis import strategies as st
from support.scripted_server import DONE, chat_chunk
from support.scripted_transport import STALL, Pause
from support.virtual_time import settled

from chatui.core.turn import Phase, Turn
from chatui.engine.coalesce import Coalescer
from chatui.engine.session import Stage, TurnUpdate

FRAME_S = 1 / 15


async def test_a_flood_of_deltas_is_published_once_a_frame() -> None:
    flood = [step for _ in range(1000) for step in (chat_chunk("a"), Pause(0.002))]
    desk = Desk().answer(*flood, chat_chunk({}, "stop"), DONE)
    turn = await desk.ask()
    assert len(turn.text) == 1000
    texts = [update for update in desk.updates if update.stage is Stage.RECEIVING]
    assert len(texts) <= 2.0 / (FRAME_S * 0.9) + 2


async def test_a_slow_machine_publishes_no_more_often() -> None:
    desk = Desk().answer(chat_chunk("H"), Pause(0.001), chat_chunk("i"), STALL)
    asking = asyncio.create_task(desk.session.send(PROMPT))
    await desk.clock.pass_time(0.002)
    before = len(desk.updates)
    await asyncio.sleep(FRAME_S * 1.5)  # the loop's timer rings, but on our clock the frame is not over
    assert len(desk.updates) == before
    desk.session.cancel()
    await asking


async def test_the_first_content_is_published_at_once() -> None:
    desk = Desk().answer(chat_chunk({"role": "assistant"}), Pause(0.001), chat_chunk("H"), STALL)
    asking = asyncio.create_task(desk.session.send(PROMPT))
    await desk.clock.pass_time(0.0011)
    assert desk.updates[-1].turn.text == "H"
    desk.session.cancel()
    await asking


async def test_a_new_tool_call_is_published_at_once() -> None:
    call = {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": ""}}]}
    desk = Desk().answer(chat_chunk("H"), Pause(0.001), chat_chunk(call), STALL)
    asking = asyncio.create_task(desk.session.send(PROMPT))
    await desk.clock.pass_time(0.0011)
    assert len(desk.updates[-1].turn.parts) == 2
    desk.session.cancel()
    await asking


async def test_what_came_last_is_published_within_a_frame_though_nothing_follows() -> None:
    desk = Desk().answer(chat_chunk("H"), Pause(0.001), chat_chunk("i"), STALL)
    asking = asyncio.create_task(desk.session.send(PROMPT))
    await desk.clock.pass_time(0.002)
    assert desk.updates[-1].turn.text == "H"
    desk.clock.now_s += FRAME_S
    await asyncio.sleep(FRAME_S * 1.5)
    assert desk.updates[-1].turn.text == "Hi"
    desk.session.cancel()
    await asking


async def test_the_socket_is_read_once_a_frame_only_after_the_first_content() -> None:
    desk = Desk().answer(chat_chunk({"role": "assistant"}), chat_chunk("H"), STALL)
    asking = asyncio.create_task(desk.session.send(PROMPT))
    await settled()
    assert desk.transport.responses[0].paces_s == [0.0, FRAME_S]
    desk.session.set_frame_interval(0.2)
    assert desk.transport.responses[0].paces_s[-1] == 0.2
    assert desk.session.frame_s == 0.2
    desk.session.cancel()
    await asking


async def test_the_event_loop_gets_its_turn_between_batches_of_a_huge_chunk() -> None:
    turns_of_the_loop = 0

    async def count() -> None:
        nonlocal turns_of_the_loop
        while True:
            turns_of_the_loop += 1
            await asyncio.sleep(0)

    huge = b"".join(chat_chunk("word " * 20) for _ in range(5000))
    desk = Desk().answer(huge, chat_chunk({}, "stop"), DONE)
    counting = asyncio.create_task(count())
    asking = asyncio.create_task(desk.session.send(PROMPT))
    await asking
    counting.cancel()
    assert turns_of_the_loop >= len(huge) // (64 * 1024)


@given(st.lists(st.tuples(st.floats(0, 0.3), st.booleans()), max_size=60))
def test_no_change_waits_longer_than_a_frame_and_no_two_frames_come_closer(
    changes: list[tuple[float, bool]],
) -> None:
    coalescer = Coalescer(FRAME_S)
    now_s, last_s = 100.0, float("-inf")
    for pause_s, is_urgent in changes:
        now_s += pause_s
        due_in_s = coalescer.due_in_s(now_s - pause_s)
        if due_in_s is not None and due_in_s <= pause_s:
            last_s = now_s - pause_s + due_in_s
            coalescer.published(last_s)
        if coalescer.changed(now_s, is_urgent=is_urgent):
            assert is_urgent or now_s - last_s >= FRAME_S * 0.9
            coalescer.published(now_s)
            last_s = now_s
        else:
            due_in_s = coalescer.due_in_s(now_s)
            assert due_in_s is not None
            assert due_in_s <= FRAME_S


def test_nothing_is_due_when_nothing_changed() -> None:
    coalescer = Coalescer(FRAME_S)
    assert coalescer.due_in_s(0.0) is None
    assert coalescer.changed(0.0)
    coalescer.published(0.0)
    assert coalescer.due_in_s(5.0) is None


def test_a_frame_is_never_longer_than_a_quarter_of_a_second() -> None:
    coalescer = Coalescer(FRAME_S)
    coalescer.set_frame(3.0)
    assert coalescer.frame_s == 0.25


async def test_all_of_the_text_can_be_seen_before_the_disk_is_waited_for() -> None:
    told: list[str] = []
    desk = Desk().answer(
        chat_chunk("H"), Pause(0.001), chat_chunk("i"), Pause(0.001), chat_chunk({}, "stop"), DONE
    )
    publish, commit = desk.session._on_update, desk.store.commit

    def on_update(update: TurnUpdate) -> None:
        told.append(f"told {update.stage}: {update.turn.text}")
        asyncio.get_running_loop().call_soon(lambda: told.append(f"seen: {update.turn.text}"))
        publish(update)

    def saved(conversation_id: str, turn: Turn) -> None:
        told.append("saved")
        commit(conversation_id, turn)

    desk.session._on_update = on_update
    desk.store.commit = saved  # type: ignore[method-assign]
    await desk.ask()
    assert told[told.index("saved") - 1] == "seen: Hi"
    assert told.index("told receiving: Hi") < told.index("saved") < told.index("told ended: Hi")


async def test_a_stop_between_the_last_text_and_its_save_does_not_undo_the_proof() -> None:
    desk = Desk().answer(chat_chunk("Hi"), chat_chunk({}, "stop"), DONE)
    publish = desk.session._on_update

    def on_update(update: TurnUpdate) -> None:
        publish(update)
        if update.turn.text:
            asyncio.get_running_loop().call_soon(desk.session.cancel)

    desk.session._on_update = on_update
    turn = await desk.ask()
    assert turn.phase is Phase.COMPLETED
    assert desk.store.committed == [turn]
