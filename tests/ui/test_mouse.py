"""Everything that can be clicked does what its key does."""

from pathlib import Path

import pytest
from textual.events import MouseScrollUp
from ui.acting import Acting, conversation_of, cut, on_stage, thought

from chatui.core.messages import TextPart
from chatui.ui.screens.list import ListScreen


async def click(stage: Acting, words: str, *, times: int = 1) -> None:
    """Press on the first place where these words stand."""
    for y, line in enumerate(stage.screen()):
        if words in line:
            await stage.pilot.click(offset=(line.index(words) + 1, y), times=times)
            await stage.settle()
            return
    pytest.fail(f"{words!r} is not on the screen:\n{stage.text()}")


async def test_a_thing_to_try_is_put_into_the_composer(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await click(stage, "Explain TCP slow start")
        assert stage.chat.composer.written.startswith("Explain TCP slow start")
        assert stage.chat.focused is stage.chat.composer
        await stage.press("enter")
        assert stage.session.sent


async def test_a_conversation_of_the_empty_state_is_opened(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        conversation = conversation_of(2)
        history = stage.app.acted.history
        history.keep(conversation)
        for turn in conversation.turns:
            history.commit(conversation.conversation_id, turn)
        stage.chat.refresh_welcome()
        await stage.settle()
        await click(stage, "Question 0")
        await stage.settle()
        assert "An answer. (1)" in stage.text()


async def test_the_model_in_the_header_opens_the_picker(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await click(stage, "smollm2")
        assert isinstance(stage.app.screen, ListScreen)


async def test_a_hint_is_a_button(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await click(stage, "palette")
        assert isinstance(stage.app.screen, ListScreen)


async def test_the_keys_of_a_failed_turn_are_buttons(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("Ask this")
        stage.session.fail(cut())
        await stage.settle()
        await click(stage, "retry")
        assert len(stage.session.sent) == 2


async def test_the_line_of_thought_opens_its_pane(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask()
        stage.session.receive(thought("I must think."), TextPart("Done."))
        stage.session.complete()
        await stage.settle()
        await click(stage, "thought")
        assert "I must think." in stage.text()


async def test_a_row_of_a_list_is_taken(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("f4")
        await click(stage, "Paper")
        assert stage.app.theme_name == "paper"
        assert not isinstance(stage.app.screen, ListScreen)


async def test_the_wheel_moves_the_text_that_is_under_it(tmp_path: Path) -> None:
    async with on_stage(tmp_path, conversation=conversation_of(40)) as stage:
        transcript = stage.chat.transcript
        before = int(transcript.scroll_y)
        await stage.pilot._post_mouse_events([MouseScrollUp], transcript, offset=(10, 5), button=0)
        await stage.settle()
        assert int(transcript.scroll_y) == before - transcript.wheel_rows
        assert stage.chat.focused is stage.chat.composer
