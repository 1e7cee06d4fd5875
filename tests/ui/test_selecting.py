"""What a person relies on who selects, follows links and reads code without a mouse, and with one."""

from pathlib import Path

import pytest
from textual.events import MouseScrollDown
from ui.acting import Acting, call, completed_turn, on_stage, thought

from chatui.config.settings import ReasoningDisplay, Settings, UiSettings
from chatui.core.conversation import Conversation
from chatui.core.messages import TextPart, ToolCallState
from chatui.ui.painter import Painter, Row
from chatui.ui.theme import ThemeStyles, find_themes, read_theme, shipped_themes_directory
from chatui.ui.turns.selection import Place
from chatui.view.glyphs import UNICODE
from chatui.view.lines import Line, Run

LONG_LINE = "x = '" + "0123456789" * 12 + "'"
CODE = f"Before\n\n```python\ndef f():\n\treturn 1   \n{LONG_LINE}\n```\n\nAfter"
LONG = "\n\n".join(f"Paragraph {n} of the answer." for n in range(60))
LINKS = "See [one](https://one.example/a) and [two](https://two.example/b).\n\n" + LONG


def copies(stage: Acting) -> list[str]:
    copied: list[str] = []
    stage.app.copier.copy = lambda text, what: copied.append(text) or what  # type: ignore[method-assign,func-returns-value]
    return copied


async def answered(stage: Acting, text: str) -> None:
    await stage.ask()
    stage.session.text(text)
    stage.session.complete()
    await stage.settle()


def row_of(stage: Acting, text: str) -> int:
    return next(y for y, line in enumerate(stage.screen()) if text in line)


def caret_at(stage: Acting, text: str) -> None:
    """Put the caret at the beginning of the row that holds this text."""
    transcript = stage.chat.transcript
    transcript.select_with_keys()
    caret = transcript._caret_keys.caret
    assert caret is not None
    y = row_of(stage, text) - transcript.region.y
    place = transcript.place_at(0, y)
    caret.place = caret._on_text(Place(place.turn, place.row, 0))
    transcript.caret_changed()


async def test_text_is_selected_and_copied_with_keys_alone(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        copied = copies(stage)
        await answered(stage, "some plain words here\n\nand a second row")
        await stage.press("f6", "v")
        assert "mark" in stage.screen()[-1]
        caret_at(stage, "some plain")
        await stage.press("w", "v", "w", "left", "left", "y")
        assert copied == ["plain"]
        assert stage.chat.transcript.selection is None
        assert not stage.chat.transcript.is_selecting


async def test_escape_ends_the_marking_first_then_the_caret(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await answered(stage, "some plain words here")
        await stage.press("f6", "v", "v", "right", "right")
        assert stage.chat.transcript.selection is not None
        await stage.press("escape")
        assert stage.chat.transcript.selection is None
        assert stage.chat.transcript.is_selecting
        await stage.press("escape")
        assert not stage.chat.transcript.is_selecting
        assert stage.chat.focused is stage.chat.transcript


async def test_no_key_of_the_caret_does_what_it_does_elsewhere(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await answered(stage, LONG)
        await stage.press("f6", "v", "r", "e", "x", "q", "c", "a")
        assert len(stage.session.sent) == 1
        assert stage.chat.composer.text == ""
        assert stage.chat.transcript.is_selecting


async def test_the_caret_takes_the_window_along_and_whole_rows_are_taken(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        copied = copies(stage)
        await answered(stage, LONG)
        await stage.press("f6", "v", "g")
        assert "hello" in stage.text()
        caret_at(stage, "Paragraph 0")
        await stage.press("V", *["down"] * 40)
        assert "Paragraph 20" in stage.text()
        await stage.press("y")
        assert copied == ["\n\n".join(f"Paragraph {n} of the answer." for n in range(21))]


async def test_the_text_stands_still_while_it_is_selected_and_goes_on_afterwards(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask()
        stage.session.text(LONG)
        await stage.settle()
        before = [line[:70].rstrip() for line in stage.screen()[3:18]]
        await stage.pilot.mouse_down(offset=(2, 8))
        await stage.pilot.hover(offset=(12, 10))
        stage.session.text(LONG + "\n\nMore.\n\nAnd more.")
        await stage.settle()
        assert [line[:70].rstrip() for line in stage.screen()[3:18]] == before
        assert "new text below" in stage.text()
        await stage.pilot.mouse_up(offset=(12, 10))
        await stage.press("escape")
        assert "And more." in stage.text()
        await stage.press("f6", "v")
        stage.session.text(LONG + "\n\nMore.\n\nAnd more.\n\nThe last.")
        await stage.settle()
        assert "The last." not in stage.text()
        await stage.press("escape")
        assert "The last." in stage.text()


async def test_a_page_that_is_not_full_yet_stands_still_too(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask()
        stage.session.text("First.\n\nSecond.")
        await stage.settle()
        await stage.press("f6", "v")
        stage.session.text("First.\n\nSecond.\n\n" + LONG)
        await stage.settle()
        assert "First." in stage.text()
        await stage.press("escape")
        assert "Paragraph 59" in stage.text()


async def test_a_name_line_is_copied_without_the_room_between_its_ends(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        copied = copies(stage)
        await answered(stage, "An answer.")
        await stage.press("f6", "v")
        caret_at(stage, "you")
        await stage.press("V", "y")
        assert copied == ["you  09:41"]


async def test_selected_code_is_copied_exactly(tmp_path: Path) -> None:
    for wraps in (True, False):
        async with on_stage(tmp_path, (60, 24)) as stage:
            copied = copies(stage)
            await answered(stage, CODE)
            if not wraps:
                await stage.press("f6", "w")
            await stage.press("f6", "v")
            caret_at(stage, "def f()")
            await stage.press("v", "down", "down", *["down"] * (2 if wraps else 0), "end", "y")
            assert copied == [f"def f():\n\treturn 1   \n{LONG_LINE}"]


async def test_a_part_of_a_row_of_code_begins_and_ends_where_it_was_marked(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        copied = copies(stage)
        await answered(stage, CODE)
        await stage.press("f6", "v")
        caret_at(stage, "return 1")
        await stage.press("v", *["right"] * 9, "y")
        assert copied == ["\treturn"]


async def test_rows_of_a_table_are_copied_without_rules_and_padding(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        copied = copies(stage)
        await answered(stage, "| name | size |\n|---|--:|\n| first | 1 |\n| second one | 22 |\n")
        await stage.press("f6", "v")
        caret_at(stage, "name")
        await stage.press("V", "down", "down", "down", "y")
        assert copied == ["name\tsize\nfirst\t1\nsecond one\t22"]


async def test_code_is_cut_at_the_edge_and_moved_by_choice(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (60, 24)) as stage:
        await answered(stage, CODE)
        rows = [line for line in stage.screen() if "0123456789" in line]
        assert len(rows) > 1, "wrapped"
        await stage.press("f6", "w")
        rows = [line for line in stage.screen() if "0123456789" in line]
        assert len(rows) == 1
        assert "›" in rows[0]
        await stage.press("shift+right")
        row = next(line for line in stage.screen() if "0123456789" in line)
        assert "‹" in row
        assert "x = '" not in row
        for _ in range(30):
            await stage.press("shift+right")
        row = next(line for line in stage.screen() if "9'" in line)
        assert "›" not in row
        for _ in range(30):
            await stage.press("shift+left")
        assert any("x = '0123" in line for line in stage.screen())
        await stage.press("ctrl+y", "w")
        assert len([line for line in stage.screen() if "0123456789" in line]) > 1


async def test_the_wheel_with_shift_moves_the_code_under_the_pointer(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (60, 24)) as stage:
        await answered(stage, CODE)
        await stage.press("f6", "w")
        row = row_of(stage, "x = '0123")
        await stage.pilot._post_mouse_events([MouseScrollDown], offset=(10, row), shift=True)
        await stage.settle()
        assert "‹" in stage.screen()[row]
        assert stage.chat.transcript.is_following


async def test_lines_of_code_are_numbered_on_demand(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (60, 24)) as stage:
        copied = copies(stage)
        await answered(stage, CODE)
        await stage.press("f6", "number_sign")
        assert "   1 def f():" in stage.text()
        await stage.press("v")
        caret_at(stage, "def f()")
        await stage.press("y")
        assert copied == ["def f():"]
        await stage.press("number_sign")
        assert "   1 def f():" not in stage.text()


async def test_the_place_that_is_read_stays_when_code_is_laid_out_anew(tmp_path: Path) -> None:
    text = "\n\n".join(f"Mark{n}\n\n```\n{LONG_LINE}\n```" for n in range(40))
    conversation = Conversation(
        conversation_id="saved",
        turns=(completed_turn(0, "Question", text),),
        head=completed_turn(0, "", "").turn_id,
    )
    async with on_stage(tmp_path, (60, 24), conversation=conversation) as stage:
        await stage.press("f6", *["pageup"] * 5)
        before = stage.chat.transcript.turn_list.view(0).mark(stage.chat.transcript.reading[1]).start
        await stage.press("w")
        after = stage.chat.transcript.turn_list.view(0).mark(stage.chat.transcript.reading[1]).start
        assert before == after


async def test_links_are_walked_with_keys_told_and_asked_for(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        opened: list[str] = []
        stage.app.open_url = lambda url, new_tab=True: opened.append(url)  # type: ignore[method-assign]
        await answered(stage, LINKS)
        await stage.press("f6", "g", "l")
        assert "https://one.example/a" in stage.screen()[-1]
        await stage.press("l")
        assert "https://two.example/b" in stage.screen()[-1]
        await stage.press("L")
        assert "https://one.example/a" in stage.screen()[-1]
        await stage.press("enter")
        assert "Open this address?" in stage.text()
        assert opened == []
        await stage.press("enter")
        await stage.settle()
        assert opened == ["https://one.example/a"]
        await stage.press("escape")
        assert stage.chat.transcript.link_at_hand is None


async def test_the_match_of_a_search_is_gone_on_from_with_n(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await answered(stage, LONG.replace("Paragraph 5 ", "needle ").replace("Paragraph 50 ", "needle "))
        await stage.press("ctrl+f")
        await stage.type("needle")
        await stage.press("escape", "f6", "n")
        first = stage.chat.transcript.selection
        await stage.press("n")
        assert stage.chat.transcript.selection != first
        await stage.press("N")
        assert stage.chat.transcript.selection == first


async def test_reasoning_and_tool_blocks_unfold_where_they_stand(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask()
        stage.session.receive(
            thought("First the *capital*."),
            call('{"city": "Paris"}', ToolCallState.WHOLE),
            TextPart("Sunny."),
        )
        await stage.settle()
        assert "First the" not in stage.text()
        await stage.press("f6", "t")
        assert "First the capital." in stage.text()
        assert '"city": "Paris"' in stage.text()
        stage.session.receive(
            thought("First the *capital*. Then more."),
            call('{"city": "Paris"}', ToolCallState.WHOLE),
            TextPart("Sunny."),
        )
        await stage.settle()
        assert "Then more." in stage.text()
        await stage.press("t")
        assert "First the" not in stage.text()
        assert "Sunny." in stage.text()


async def test_in_a_narrow_window_reasoning_is_open_while_the_model_thinks(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask()
        stage.session.receive(thought("First the capital."))
        await stage.settle()
        assert "First the capital." in stage.text()
        stage.session.receive(thought("First the capital."), TextPart("Paris."))
        await stage.settle()
        assert "First the capital." not in stage.text()
        assert "Paris." in stage.text()


async def test_hidden_reasoning_stays_hidden_and_open_reasoning_open(tmp_path: Path) -> None:
    for display, is_open in ((ReasoningDisplay.HIDDEN, False), (ReasoningDisplay.OPEN, True)):
        settings = Settings(ui=UiSettings(reasoning=display))
        async with on_stage(tmp_path, settings=settings) as stage:
            await stage.ask()
            stage.session.receive(thought("First the capital."))
            await stage.settle()
            assert ("First the capital." in stage.text()) is is_open
            stage.session.receive(thought("First the capital."), TextPart("Paris."))
            await stage.settle()
            assert ("First the capital." in stage.text()) is is_open


@pytest.mark.parametrize("path", find_themes(shipped_themes_directory()), ids=lambda path: path.stem)
def test_the_caret_is_told_from_what_is_selected_in_every_theme(path: Path) -> None:
    for has_colour in (True, False):
        styles = ThemeStyles(read_theme(path), has_colour=has_colour)
        painter = Painter(styles, UNICODE, 20, 18, 1)
        line = Line((Run("word"),), 4)
        segments = list(painter.paint(Row(line, selected=(0, 4), caret=2)))
        looks = {segment.text: segment.style for segment in segments}
        caret, selected = looks["r"], looks["wo"]
        assert caret is not None
        assert selected is not None
        if has_colour:
            behind = caret.color if caret.reverse else caret.bgcolor
            assert behind != selected.bgcolor
        else:
            assert caret != selected
