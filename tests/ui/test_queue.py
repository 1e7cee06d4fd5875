"""Prompts that wait for an answer: seen, sent in order, taken back, never lost."""

from pathlib import Path

import pytest
from textual.events import Key
from ui.acting import Acting, conversation_of, cut, on_stage

from chatui.core.errors import FailureReason


async def test_a_prompt_written_while_an_answer_comes_waits_in_sight_and_goes_when_it_is_complete(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("first")
        await stage.ask("second")
        await stage.ask("third")
        assert [messages[0].text for messages in stage.session.sent] == ["first"]
        text = stage.text()
        assert "next 1 second" in text
        assert "next 2 third" in text
        stage.session.text("one")
        stage.session.complete()
        await stage.settle()
        assert [messages[0].text for messages in stage.session.sent] == ["first", "second"]
        assert "next 1 third" in stage.text()
        assert "completed" in stage.text(), "the end of the first answer was seen"
        stage.session.complete()
        await stage.settle()
        assert stage.session.sent[-1][0].text == "third"
        assert "next 1" not in stage.text()


async def test_after_a_stopped_answer_the_queue_is_held_until_the_person_says_go(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("first")
        await stage.ask("second")
        await stage.press("escape")
        stage.session.fail(cut(FailureReason.CANCELLED, "You stopped it"))
        await stage.settle()
        assert len(stage.session.sent) == 1
        assert "held 1 second" in stage.text()
        await stage.press("enter")
        await stage.settle()
        assert stage.session.sent[-1][0].text == "second"
        assert "held" not in stage.text()


async def test_a_waiting_prompt_can_be_edited_and_dropped(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("first")
        await stage.ask("second")
        await stage.press("alt+q")
        assert stage.chat.composer.text == "second"
        assert not stage.chat.live.queue
        await stage.press("enter", "alt+x")
        assert not stage.chat.live.queue
        await stage.press("up")
        assert stage.chat.composer.text == "second", "what was dropped can be recalled"
        await stage.press("alt+q")
        assert "Nothing waits" in stage.text()


async def test_the_rows_of_the_queue_can_be_clicked(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("first")
        await stage.ask("second")
        await stage.ask("third")
        row = next(y for y, line in enumerate(stage.screen()) if "next 1" in line)
        await stage.pilot.click(offset=(stage.screen()[row].index("drop") + 1, row))
        await stage.settle()
        assert [prompt.text for prompt in stage.chat.live.queue] == ["third"]


async def test_the_queue_belongs_to_its_conversation_and_goes_on_behind(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("first")
        session = stage.session
        await stage.ask("second")
        await stage.press("ctrl+n")
        assert "next 1" not in stage.text()
        session.text("done")
        session.complete()
        await stage.settle()
        assert session.sent[-1][0].text == "second"


async def test_a_long_queue_is_counted_and_small_windows_survive_it(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (30, 14), conversation=conversation_of(2)) as stage:
        await stage.ask("first")
        for number in range(9):
            await stage.ask(f"waiting {number}")
        await stage.settle()
        assert "and 7 more" in stage.text()
        await stage.pilot.resize_terminal(20, 5)
        await stage.settle()
        stage.chat.composer.put("still here")
        await stage.settle()
        assert "still here" in stage.text()
        assert "9 prompts wait" in stage.text()
        await stage.press("ctrl+u", "/")
        await stage.settle()
        assert "/" in stage.text()


async def test_what_still_waits_when_the_app_ends_comes_back_as_a_draft(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("first")
        await stage.ask("second")
        stage.chat.composer.put("and this")
        conversation = stage.chat.live.conversation.conversation_id
        drafts = stage.app.acted.history.drafts
        kept: list[str] = []
        save = drafts.save
        drafts.save = lambda name, text: (
            kept.append(text) if name == conversation else None,
            save(name, text),
        )[1]
        stage.app.desk.lives[0].session._end.cancel()
        await stage.app.leave()
        assert kept[-1] == "second\n\nand this"


async def waiting(stage: Acting, *prompts: str) -> list[str]:
    """Ask, and let these wait."""
    await stage.ask("first")
    for prompt in prompts:
        await stage.ask(prompt)
    return in_line(stage)


def in_line(stage: Acting) -> list[str]:
    return [prompt.text for prompt in stage.chat.live.queue]


async def test_a_prompt_that_was_edited_waits_where_it_waited(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await waiting(stage, "a", "b", "c")
        row = next(y for y, line in enumerate(stage.screen()) if "next 2" in line)
        await stage.pilot.click(offset=(stage.screen()[row].index("edit") + 1, row))
        await stage.type("!")
        await stage.press("enter")
        assert in_line(stage) == ["a", "b!", "c"]


async def test_alt_q_again_puts_a_prompt_back_and_takes_the_one_before(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await waiting(stage, "a", "b", "c")
        await stage.press("alt+q", "!", "alt+q")
        assert stage.chat.composer.text == "b"
        assert in_line(stage) == ["a", "c!"]
        stage.session.complete()
        await stage.settle()
        assert in_line(stage) == ["c!"]
        await stage.press("enter")
        assert in_line(stage) == ["b", "c!"], "before what stood behind it, also when the first was sent"
        await stage.press("alt+q", "ctrl+u")
        await stage.ask("d")
        assert in_line(stage) == ["b", "d"], "what was emptied is a new prompt"


async def test_a_prompt_is_sent_sooner_by_key_and_by_mouse(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await waiting(stage, "a", "b", "c")
        await stage.press("alt+u", "alt+u")
        assert in_line(stage) == ["c", "a", "b"]
        await stage.press("alt+u")
        assert "next one already" in stage.text()
        row = next(y for y, line in enumerate(stage.screen()) if "next 3" in line)
        await stage.pilot.click(offset=(stage.screen()[row].index("sooner") + 1, row))
        assert in_line(stage) == ["c", "b", "a"]


@pytest.mark.parametrize("written", ["hello", "first line\nsecond", "//slash", "me@home"])
@pytest.mark.parametrize("is_busy", [False, True])
async def test_what_is_typed_right_behind_enter_is_the_beginning_of_the_next_prompt(
    tmp_path: Path, written: str, is_busy: bool
) -> None:
    async with on_stage(tmp_path) as stage:
        if is_busy:
            await stage.ask("before")
        stage.chat.composer.put(written)
        for name, character in (("enter", "\r"), ("a", "a"), ("space", " "), ("b", "b")):
            stage.app.post_message(Key(name, character))  # as they come while the app is busy
        await stage.settle()
        assert stage.chat.composer.written == "a b"
        told = stage.session.sent[-1][0].text if not is_busy else stage.chat.live.queue[-1].text
        assert told == written.removeprefix("/")


async def test_a_prompt_and_the_next_that_are_typed_while_the_app_is_busy_are_two(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        for character in ("o", "n", "e", "\r", "t", "w", "o", "\r", "x"):
            stage.app.post_message(Key("enter" if character == "\r" else character, character))
        await stage.settle()
        assert [messages[0].text for messages in stage.session.sent] == ["one"]
        assert "next 1 two" in stage.text()
        assert stage.chat.composer.written == "x"
