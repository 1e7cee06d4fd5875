"""A conversation of many turns is sent whole, without keeping the keyboard waiting and without staying."""

import asyncio
import gc
import json
import threading
from collections.abc import Iterator

import pytest
from engine.sessions import PROMPT, Desk
from support.scripted_server import DONE, chat_chunk

from chatui.core.conversation import Conversation
from chatui.core.errors import FailureReason
from chatui.core.messages import TextPart, user_message
from chatui.core.request import ChatRequest
from chatui.core.turn import Choice, Phase, Turn, TurnId
from chatui.engine.request_encoding import MANY_MESSAGES, encoded_body
from chatui.engine.send_planning import PAGE_TURNS

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
        self.may_go_on.wait(10)
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
    await asyncio.to_thread(store.asked.wait, 10)
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
    try:
        await desk.session.send(PROMPT)
        held = [found for found in gc.get_objects() if type(found) is ChatRequest and found.messages]
        assert held == []
    finally:
        gc.enable()
