"""What joins the conversation, what is saved, and what is sent next."""

import asyncio
import json
from dataclasses import replace

import pytest
from engine.sessions import PROMPT, Desk
from support.scripted_server import DONE, chat_chunk
from support.scripted_transport import STALL, Head, Pause
from support.virtual_time import settled

from chatui.core.conversation import Conversation
from chatui.core.errors import ConfigError, ConnectionLost, FailureReason, ProgrammingError
from chatui.core.messages import user_message
from chatui.core.turn import Phase
from chatui.engine.session import Stage
from chatui.engine.turn_keeping import SAVE_EVERY_S


def good(text: str = "Hello") -> tuple[bytes, ...]:
    return (chat_chunk(text), chat_chunk({}, "stop"), DONE)


def sent(desk: Desk) -> list[tuple[str, str]]:
    body = json.loads(desk.transport.requests[-1].body)
    return [(message["role"], message["content"]) for message in body["messages"]]


async def test_a_completed_turn_joins_the_conversation_and_is_sent_with_the_next() -> None:
    desk = Desk().answer(*good("one")).answer(*good("two"))
    first = await desk.ask()
    second = await desk.ask()
    assert desk.session.conversation.path() == (first, second)
    assert desk.store.committed == [first, second]
    assert sent(desk) == [("user", "hi"), ("assistant", "one"), ("user", "hi")]


async def test_the_system_text_of_the_conversation_is_sent_and_remembered() -> None:
    desk = Desk(conversation=Conversation(conversation_id="c", system="be brief")).answer(*good())
    turn = await desk.ask()
    assert sent(desk)[0] == ("system", "be brief")
    assert turn.system == "be brief"


async def test_asking_again_makes_a_sibling() -> None:
    desk = Desk().answer(*good("one")).answer(*good("two"))
    first = await desk.ask()
    second = await desk.clock.run(desk.session.regenerate(first))
    assert desk.session.conversation.siblings(first.turn_id) == (first, second)
    assert sent(desk) == [("user", "hi")]


async def test_a_failed_turn_is_offered_beside_the_history_and_can_be_dismissed() -> None:
    desk = Desk().answer(Head(400, "application/json"), b'{"error":{"message":"no"}}')
    turn = await desk.ask()
    assert desk.session.conversation.unfinished == (turn,)
    assert desk.session.conversation.head is None
    desk.session.dismiss(turn)
    assert desk.session.conversation.unfinished == ()
    assert desk.store.unfinished == {}


async def test_a_cut_answer_that_is_accepted_joins_the_conversation_and_is_sent() -> None:
    desk = Desk().answer(chat_chunk("half"), ConnectionLost("reset")).answer(*good("rest"))
    cut = await desk.ask()
    accepted = desk.session.accept(cut)
    assert accepted.is_accepted_cut
    assert desk.store.committed == [accepted]
    assert desk.session.conversation.unfinished == ()
    await desk.ask()
    assert sent(desk) == [("user", "hi"), ("assistant", "half"), ("user", "hi")]


async def test_a_running_answer_is_saved_again_and_again_so_that_a_kill_loses_little() -> None:
    drip = [step for number in range(10) for step in (chat_chunk(str(number)), Pause(1))]
    desk = Desk().answer(*drip, *good(""))
    asking = asyncio.create_task(desk.session.send(PROMPT))
    await settled()
    (begun,) = desk.store.unfinished.values()
    assert (begun.input, begun.text) == (PROMPT, "")
    await desk.clock.pass_time(7)
    (running,) = desk.store.unfinished.values()
    assert running.phase is Phase.RECEIVING
    assert running.text.startswith("01234")
    await desk.clock.until(asking)
    assert desk.store.unfinished == {}


async def test_what_came_last_before_a_silence_is_saved_when_it_is_due_on_our_clock() -> None:
    desk = Desk().answer(chat_chunk("Hel"), Pause(0.1), chat_chunk("lo"), STALL)
    asking = asyncio.create_task(desk.session.send(PROMPT))
    await desk.clock.pass_time(SAVE_EVERY_S - 0.01)
    assert [turn.text for turn in desk.store.unfinished.values()] == [""]
    await desk.clock.pass_time(0.02)
    assert [turn.text for turn in desk.store.unfinished.values()] == ["Hello"]
    desk.session.cancel()
    await asking


async def test_a_silence_is_not_saved_again_and_again() -> None:
    desk = Desk().answer(chat_chunk("Hel"), Pause(0.1), chat_chunk("lo"), STALL)
    saved: list[str] = []
    keep = desk.store.save_unfinished
    desk.store.save_unfinished = lambda to, turn: (saved.append(turn.text), keep(to, turn))[1]  # type: ignore[method-assign]
    asking = asyncio.create_task(desk.session.send(PROMPT))
    await desk.clock.pass_time(10)
    assert saved == ["", "Hello"]
    desk.session.cancel()
    await asking


async def test_a_store_that_fails_costs_nothing_but_the_saving() -> None:
    desk = Desk().answer(*good())
    desk.store.trouble = "disk full"
    turn = await desk.ask()
    assert turn.phase is Phase.COMPLETED
    assert desk.updates[-1].is_saved is False
    assert desk.updates[-1].save_error == "disk full"
    assert desk.session.conversation.path() == (turn,)


async def test_a_temporary_conversation_saves_nothing() -> None:
    desk = Desk(conversation=Conversation(conversation_id="t", is_temporary=True)).answer(*good())
    await desk.ask()
    assert desk.store.committed == []
    assert desk.updates[-1].is_saved is None


async def test_turns_that_are_not_loaded_yet_are_loaded_before_they_are_sent() -> None:
    source = Desk().answer(*good("one"))
    earlier = await source.ask()
    desk = Desk(conversation=Conversation(conversation_id="c", head=earlier.turn_id, earlier_turns=1))
    desk.store.earlier = (earlier,)
    desk.answer(*good("two"))
    await desk.ask()
    assert sent(desk) == [("user", "hi"), ("assistant", "one"), ("user", "hi")]


async def test_nothing_is_sent_if_earlier_turns_cannot_be_read() -> None:
    desk = Desk(conversation=Conversation(conversation_id="c", earlier_turns=1))
    desk.store.trouble = "disk broken"
    turn = await desk.ask()
    assert turn.failure is not None
    assert "disk broken" in turn.failure.message
    assert desk.transport.requests == []


async def test_a_second_turn_at_the_same_time_is_our_own_mistake() -> None:
    desk = Desk().answer(chat_chunk("Hel"), STALL)
    asking = asyncio.create_task(desk.session.send(PROMPT))
    await settled()
    assert desk.session.is_busy
    with pytest.raises(ProgrammingError):
        await desk.session.send(PROMPT)
    with pytest.raises(ProgrammingError):
        desk.session.move_to(Conversation(conversation_id="other"))
    desk.session.cancel()
    await settled()
    assert asking.done()


async def test_the_next_turn_may_be_sent_as_soon_as_the_end_is_told() -> None:
    desk = Desk().answer(*good("one")).answer(*good("two"))
    following: list[asyncio.Task[object]] = []

    def send_next(update: object) -> None:
        if desk.updates[-1].stage is Stage.ENDED and not following:
            following.append(asyncio.create_task(desk.session.send((user_message("next"),))))

    told = desk._updated
    desk.session._on_update = lambda update: (told(update), send_next(update))[0]
    await desk.ask()
    await desk.clock.until(following[0])
    assert [turn.text for turn in desk.session.conversation.path()] == ["one", "two"]


async def test_another_model_is_asked_from_the_next_turn_on() -> None:
    desk = Desk().answer(*good()).answer(*good())
    await desk.ask()
    endpoint = desk.session.endpoint
    desk.session.use(
        type(endpoint)(provider="p2", protocol=endpoint.protocol, base_url="http://b/v1", model="m2")
    )
    turn = await desk.ask()
    assert (turn.provider, turn.requested_model) == ("p2", "m2")
    assert desk.transport.requests[-1].url == "http://b/v1/chat/completions"
    assert "authorization" not in desk.transport.requests[-1].headers


async def test_an_engine_that_cannot_start_is_told_with_what_to_do() -> None:
    async def prepare(_say: object) -> object:
        raise ConfigError("no model is installed", "Run chatui local install.")

    turn = await Desk(prepare=prepare).ask()
    assert turn.failure is not None
    assert (turn.failure.reason, turn.failure.hint) == (FailureReason.CONNECT, "Run chatui local install.")


async def test_headers_of_the_endpoint_replace_and_remove_those_of_the_protocol() -> None:
    headers = (("Authorization", ""), ("api-key", "k" * 20))
    desk = Desk(extra_headers=headers).answer(*good())
    await desk.ask()
    assert desk.transport.requests[0].headers["api-key"] == "k" * 20
    assert "authorization" not in desk.transport.requests[0].headers


async def test_a_lone_surrogate_in_the_prompt_does_not_stop_the_request() -> None:
    desk = Desk().answer(*good())
    turn = await desk.clock.run(desk.session.send((user_message("a\ud800b"),)))
    assert turn.phase is Phase.COMPLETED


async def test_an_edited_prompt_stands_beside_the_turn_it_was_edited_from() -> None:
    desk = Desk().answer(*good("one")).answer(*good("two")).answer(*good("three"))
    first = await desk.ask()
    second = await desk.ask()
    edited = await desk.clock.run(desk.session.send((user_message("edited"),), sibling=second))
    assert edited.parent_id == first.turn_id
    assert desk.session.conversation.path() == (first, edited)
    assert desk.session.conversation.siblings(second.turn_id) == (second, edited)
    assert sent(desk) == [("user", "hi"), ("assistant", "one"), ("user", "edited")]


async def test_turns_that_the_person_left_out_are_named_and_not_sent() -> None:
    desk = Desk().answer(*good("one")).answer(*good("two")).answer(*good("three"))
    await desk.ask()
    second = await desk.ask()
    desk.session.move_to(replace(desk.session.conversation, sent_from=second.turn_id))
    await desk.ask()
    assert sent(desk) == [("user", "hi"), ("assistant", "two"), ("user", "hi")]
    assert "oldest turn" in desk.updates[-1].omissions[0].what


async def test_the_session_says_why_its_last_turn_is_not_saved_until_one_is() -> None:
    desk = Desk().answer(*good("one")).answer(*good("two"))
    desk.store.trouble = "the disk is full"
    await desk.ask()
    assert desk.session.unsaved_why == "the disk is full"
    desk.store.trouble = ""
    await desk.ask()
    assert desk.session.unsaved_why == ""
