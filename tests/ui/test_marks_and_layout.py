"""What is marked is what was marked: turns that come above, other turns and another layout do not change that."""

from pathlib import Path

import pytest
from textual.events import Key, MouseDown, MouseMove, MouseUp, Paste
from ui.acting import Acting, conversation_of, on_stage, thought
from ui.test_long_conversations import opened
from ui.test_selecting import CODE, answered, caret_at, copies

from chatui.core.messages import TextPart
from chatui.ui.turns.selection import Place, Selection
from chatui.ui.widgets.transcript import TranscriptView

PROSE = "\n\n".join(f"Paragraph {n} " + f"word{n} " * 30 for n in range(20))


async def mouse(stage: Acting, event: type[MouseDown | MouseMove | MouseUp], x: int, y: int) -> None:
    await stage.pilot._post_mouse_events([event], stage.chat.transcript, offset=(x, y), button=1)
    await stage.settle()


def select_end(transcript: TranscriptView) -> None:
    """Mark some of the last rows."""
    height = transcript.turn_list.view(0).height
    transcript.select(Selection(Place(0, height - 4, 0), Place(0, height - 2, 10)))


async def test_turns_that_come_above_while_the_mouse_marks_leave_the_mark_where_it_began(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path, (80, 30)) as stage:
        await opened(stage, conversation_of(300))
        transcript = stage.chat.transcript
        transcript.to_place(30)
        await stage.settle()
        await mouse(stage, MouseDown, 5, 3)
        transcript.scroll_rows(-90)
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert transcript.turn_count == 300, "the earlier ones came"
        await mouse(stage, MouseMove, 9, 6)
        assert transcript.selection is not None
        assert transcript.turn(transcript.selection.anchor.turn).prompt == "Question 230"


async def test_another_conversation_while_the_mouse_marks_is_not_marked_in(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (80, 30), conversation=conversation_of(10)) as stage:
        await mouse(stage, MouseDown, 5, 3)
        await stage.press("ctrl+n")
        await stage.settle()
        await mouse(stage, MouseMove, 9, 6)
        await mouse(stage, MouseUp, 9, 6)
        assert stage.chat.transcript.selection is None


@pytest.mark.parametrize("how", ["resize", "wrap"])
async def test_what_was_marked_in_another_layout_is_not_copied_from_this_one(
    tmp_path: Path, how: str
) -> None:
    async with on_stage(tmp_path, (50, 40)) as stage:
        copied = copies(stage)
        await answered(stage, f"{CODE}\n\n{PROSE}")
        select_end(stage.chat.transcript)
        if how == "resize":
            await stage.pilot.resize_terminal(140, 40)
        else:
            await stage.press("f6", "w")
        await stage.settle()
        assert stage.chat.transcript.selection is None
        await stage.press("ctrl+c")
        assert not copied


async def test_a_layout_of_another_turn_leaves_what_is_marked(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (60, 40), conversation=conversation_of(10)) as stage:
        transcript = stage.chat.transcript
        transcript.select(Selection(Place(4, 1, 0), Place(5, 1, 10)))
        marked = transcript.selected_text()
        transcript.toggle_fold(2)
        assert transcript.selected_text() == marked


async def test_the_caret_stays_in_its_paragraph_when_the_window_gets_wider(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (50, 40)) as stage:
        copied = copies(stage)
        await answered(stage, PROSE)
        await stage.press("f6", "v")
        caret_at(stage, "Paragraph 19")
        await stage.press("V", "up")
        await stage.pilot.resize_terminal(140, 40)
        await stage.settle()
        await stage.press("down", "up", "down", "y")
        assert len(copied) == 1
        assert "19" in copied[0]


async def test_thoughts_that_fold_while_they_are_marked_end_nothing(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (60, 40)) as stage:
        await stage.ask()
        stage.session.receive(thought(PROSE))
        await stage.settle()
        transcript = stage.chat.transcript
        select_end(transcript)
        stage.session.receive(thought(PROSE), TextPart("Done."))
        stage.session.complete()
        await stage.settle()
        await stage.press("ctrl+c")
        assert "Done." in stage.text()


async def test_the_caret_in_thoughts_that_fold_goes_on(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (60, 40)) as stage:
        await stage.ask()
        stage.session.receive(thought(PROSE))
        await stage.settle()
        await stage.press("f6", "v", "G", "V")
        stage.session.receive(thought(PROSE), TextPart("Done."))
        stage.session.complete()
        await stage.settle()
        await stage.press("up", "y")
        assert "Done." in stage.text()


async def test_what_is_typed_right_behind_the_esc_that_leaves_the_search_is_written(tmp_path: Path) -> None:
    async with on_stage(tmp_path, conversation=conversation_of(3)) as stage:
        await stage.press("ctrl+f", "Q")
        for event in (Key("escape", None), Key("h", "h"), Key("i", "i"), Paste(" there")):
            stage.chat.search.post_message(event)
        await stage.settle()
        assert stage.chat.composer.written == "hi there"
        assert stage.chat.search.field.text == "Q"
