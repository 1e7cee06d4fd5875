"""A conversation of many turns is sent whole, without keeping the keyboard waiting and without staying."""

import asyncio
import gc
import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest
from engine.sessions import PROMPT, Desk
from support.scripted_server import DONE, chat_chunk
from support.scripted_transport import Head

from chatui.core.conversation import Conversation
from chatui.core.errors import FailureReason
from chatui.core.messages import Message, TextPart, user_message
from chatui.core.request import ChatRequest
from chatui.core.send_plan import SendPlan
from chatui.core.turn import Choice, Phase, Turn, TurnId
from chatui.engine.ports import HttpRequest
from chatui.engine.request_encoding import MANY_MESSAGES, encoded_body
from chatui.engine.send_planning import PAGE_TURNS
from chatui.engine.updates import Stage, TurnUpdate

TURNS = 4 * PAGE_TURNS


def _turns(count: int) -> Iterator[Turn]:
    for number in range(count):
        yield Turn(
            turn_id=TurnId(str(number)),
            parent_id=TurnId(str(number - 1)) if number else None,
            input=(user_message(f"question {number}"),),
            phase=Phase.COMPLETED,
            choices=(Choice(0, (TextPart(f"answer {number}"),), "stop"),),
        )


class PagedStore:
    """A store that gives pages, and remembers who asked for them."""

    def __init__(self, turns: tuple[Turn, ...]) -> None:
        self.turns = turns
        self.threads: set[int] = set()
        self.pages: list[int] = []
        self.asked = threading.Event()
        self.may_go_on = threading.Event()
        self.may_go_on.set()

    def commit(self, conversation_id: str, turn: Turn) -> None:
        """Not looked at."""

    def save_unfinished(self, conversation_id: str, turn: Turn) -> None:
        """Not looked at."""

    def discard_unfinished(self, conversation_id: str, turn_id: TurnId) -> None:
        """Not looked at."""

    def load_before(self, conversation: Conversation, count: int | None = None) -> Conversation:
        self.threads.add(threading.get_ident())
        self.asked.set()
        self.may_go_on.wait(30)
        loaded = conversation.earlier_turns
        first = max(0, loaded - (count or loaded))
        self.pages.append(loaded - first)
        return conversation.with_earlier(self.turns[first:loaded], first)


def _desk() -> tuple[Desk, PagedStore]:
    turns = tuple(_turns(TURNS))
    end = Conversation(
        conversation_id="c", turns=turns[-10:], head=turns[-1].turn_id, earlier_turns=TURNS - 10
    )
    desk = Desk(conversation=end)
    store = PagedStore(turns)
    desk.session._keeping.store = store
    return desk, store


async def test_all_turns_are_sent_and_none_that_was_not_shown_stays() -> None:
    desk, store = _desk()
    desk.answer(chat_chunk("the end"), chat_chunk({}, "stop"), DONE)
    turn = await desk.session.send(PROMPT)
    assert turn.phase is Phase.COMPLETED
    body = json.loads(desk.transport.requests[0].body)
    said = [message["content"] for message in body["messages"]]
    assert len(said) == 2 * TURNS + 1
    assert said[0] == "question 0"
    conversation = desk.session.conversation
    assert len(conversation.turns) == 11
    assert conversation.earlier_turns == TURNS - 10
    assert max(store.pages) <= PAGE_TURNS


async def test_of_a_turn_that_is_asked_again_far_above_only_what_was_said_before_it_is_read() -> None:
    desk, store = _desk()
    end = desk.session.conversation
    desk.session.move_to(end.with_piece(store.turns[90:100], store.turns[90].turn_id, 90))
    desk.answer(chat_chunk("Another"), chat_chunk({}, "stop"), DONE)
    turn = await desk.session.regenerate(store.turns[95])
    assert turn.phase is Phase.COMPLETED
    said = [message["content"] for message in json.loads(desk.transport.requests[0].body)["messages"]]
    assert (said[0], said[-1], len(said)) == ("question 0", "question 95", 2 * 95 + 1)
    assert store.pages == [90]
    now = desk.session.conversation
    assert [known.turn_id for known in now.path()] == ["90", "91", "92", "93", "94", turn.turn_id]
    assert now.earlier_turns == 90


async def test_they_are_read_beside_the_event_loop() -> None:
    desk, store = _desk()
    desk.answer(chat_chunk("the end"), chat_chunk({}, "stop"), DONE)
    await desk.session.send(PROMPT)
    assert threading.get_ident() not in store.threads


@pytest.mark.parametrize("by_caller", [False, True])
async def test_a_turn_that_is_stopped_while_they_are_read_is_not_sent(by_caller: bool) -> None:
    desk, store = _desk()
    store.may_go_on.clear()
    asking = asyncio.create_task(desk.session.send(PROMPT))
    await asyncio.to_thread(store.asked.wait, 30)
    assert desk.session.is_busy
    if by_caller:
        asking.cancel()
    else:
        desk.session.cancel()
    store.may_go_on.set()
    turn = await asking
    assert turn.failure is not None
    assert turn.failure.reason is FailureReason.CANCELLED
    assert len(store.pages) <= 1
    assert desk.transport.requests == []
    assert not desk.session.is_busy


def test_a_request_in_pieces_has_the_bytes_of_one_in_one() -> None:
    messages = [
        {"role": "user", "content": f"{number} \ud800 ü \u2028"} for number in range(MANY_MESSAGES + 1)
    ]
    for body in ({"model": "m", "messages": messages, "n": 1, "t": 0.5}, {"messages": []}, {}):
        whole = json.dumps(body, ensure_ascii=True, separators=(",", ":")).encode("ascii")
        assert encoded_body(body) == whole


async def test_what_was_sent_is_let_go_without_waiting_for_the_collector() -> None:
    desk, _ = _desk()
    desk.answer(chat_chunk("Hi"), chat_chunk({}, "stop"), DONE)
    gc.collect()
    gc.disable()
    others = _held()
    until_s = time.monotonic() + 30
    try:
        await desk.session.send(PROMPT)
        desk.transport.requests.clear()
        while _held(but=others):  # the thread that planned it may not have come to its end
            assert time.monotonic() < until_s
            await asyncio.sleep(0.01)
    finally:
        gc.enable()


def _held(but: Sequence[object] = ()) -> list[object]:
    """Plans, requests and bodies with all that is sent, wherever they are held, but those of other tests."""
    known = {id(other) for other in but}
    return [
        found
        for found in gc.get_objects()
        if (
            (type(found) in (ChatRequest, SendPlan) and found.messages)
            or (type(found) is HttpRequest and found.body)
        )
        and id(found) not in known
    ]


@pytest.mark.parametrize("sends", [1, 4])
async def test_while_an_answer_streams_nothing_of_its_request_is_held(
    sends: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def at_once(work: Callable[..., object], *given: object) -> object:
        return work(*given)

    monkeypatch.setattr(asyncio, "to_thread", at_once)  # a thread holds its result a moment longer
    desk, _ = _desk()
    held: list[list[str]] = []
    said: list[int] = []

    def look(update: TurnUpdate) -> None:
        if update.turn.text and update.stage is Stage.RECEIVING:
            desk.transport.requests.clear()
            held.append([type(found).__name__ for found in _held(but=others)])
            said.append(sum(type(found) is Message for found in gc.get_objects()))

    desk.session._on_update = look
    gc.collect()
    gc.disable()
    others = _held()
    try:
        for _ in range(sends):
            desk.answer(chat_chunk("Hi"), chat_chunk({}, "stop"), DONE)
            before = sum(type(found) is Message for found in gc.get_objects())
            await desk.session.send(PROMPT)
            assert held, "it was looked at while it streamed"
            assert held[-1] == []
            assert said[-1] < before + 10
    finally:
        gc.enable()


async def test_a_request_that_failed_before_its_first_event_is_sent_again_whole() -> None:
    turns = tuple(_turns(20))
    desk = Desk(conversation=Conversation(conversation_id="c", turns=turns, head=turns[-1].turn_id))
    desk.session.use(replace(desk.session.endpoint, max_retries=1))
    desk.answer(Head(503, "application/json"), b"{}")
    desk.answer(chat_chunk("Hi"), chat_chunk({}, "stop"), DONE)
    turn = await desk.clock.run(desk.session.send(PROMPT))
    assert turn.text == "Hi"
    first, second = desk.transport.requests
    assert first.body == second.body
    assert len(json.loads(second.body)["messages"]) == 2 * len(turns) + 1
