"""What a person relies on while reading."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from textual.scrollbar import ScrollTo, ScrollUp
from ui.acting import Acting, acted_app, completed_turn, conversation_of, on_stage, thought

from chatui.core.conversation import Conversation
from chatui.core.messages import TextPart
from chatui.core.turn import Choice, Turn
from chatui.ui.commands import ALL
from chatui.ui.screens.list import ListScreen
from chatui.ui.widgets.transcript import TranscriptView
from chatui.view.badge import Badge
from chatui.view.lines import Line

LONG = "\n\n".join(f"Paragraph {n} of the answer." for n in range(60))
CODE = "Before\n\n```python\nfirst = 1\n```\n\nBetween\n\n```sh\nsecond  two\n```\n\nAfter"

GROWING = {
    "prose": LONG,
    "code": CODE,
    "table": "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 20,
    "list": "- x\n" * 50,
}


def row_of(stage: Acting, text: str) -> int:
    return next(y for y, line in enumerate(stage.screen()) if text in line)


def text_column(stage: Acting) -> list[str]:
    """What is read, without the name line and the scrollbar."""
    return [line[:70].rstrip() for line in stage.screen()[3:-4]]


async def test_the_end_is_followed_only_while_the_person_is_there(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask()
        stage.session.text(LONG)
        await stage.settle()
        assert "Paragraph 59" in stage.text()
        await stage.press("pageup")
        before = text_column(stage)
        assert "Paragraph 59" not in stage.text()
        stage.session.text(LONG + "\n\nMore text.\n\nAnd more.")
        await stage.settle()
        assert text_column(stage) == before, "what is read stands still"
        assert "new text below" in stage.text()
        await stage.press("ctrl+end")
        assert "And more." in stage.text()
        assert "new text below" not in stage.text()
        stage.session.text(LONG + "\n\nMore text.\n\nAnd more.\n\nThe last.")
        await stage.settle()
        assert "The last." in stage.text()


async def test_the_badge_of_the_turn_that_is_read_stays_in_sight(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask()
        stage.session.text(LONG)
        await stage.settle()
        assert "receiving" in stage.screen()[2]
        stage.session.complete()
        await stage.settle()
        assert "completed" in stage.screen()[2]
        assert stage.screen()[2].startswith("  smollm2  hello  "), "with what was asked"
        await stage.ask("again")
        stage.session.text(LONG)
        await stage.settle()
        transcript = stage.chat.transcript
        transcript.to_place(0, transcript.turn_list.view(0).height - 1)
        await stage.settle()
        assert "completed" not in stage.screen()[2], "nothing of that turn is in sight"


async def test_a_resize_keeps_the_words_at_the_top_at_the_top(tmp_path: Path) -> None:
    words = "\n\n".join(f"Mark{n} " + "and some words to wrap " * 8 for n in range(80))
    async with on_stage(tmp_path, (100, 24), conversation=conversation_of(1, words)) as stage:
        for _ in range(6):
            await stage.press("pageup")

        def at_the_top() -> int:
            return int(re.findall(r"Mark(\d+)", stage.text())[0])

        before = at_the_top()
        for width in (40, 130, 60, 100):
            await stage.pilot.resize_terminal(width, 24)
            await stage.settle()
            assert abs(at_the_top() - before) <= 1
        assert at_the_top() == before


async def test_a_resize_keeps_the_place_that_is_read(tmp_path: Path) -> None:
    async with on_stage(tmp_path, conversation=conversation_of(200, "word " * 80)) as stage:
        await stage.press("pageup", "pageup", "pageup")
        turn, _ = stage.chat.transcript.reading
        await stage.pilot.resize_terminal(50, 30)
        await stage.settle()
        assert stage.chat.transcript.reading[0] == turn
        await stage.pilot.resize_terminal(120, 24)
        await stage.settle()
        assert stage.chat.transcript.reading[0] == turn


@pytest.mark.parametrize("text", GROWING.values(), ids=GROWING)
async def test_a_resize_while_text_comes_ends_in_the_same_screen_as_a_fresh_one(
    tmp_path: Path, text: str
) -> None:
    async with on_stage(tmp_path, (80, 24)) as stage:
        await stage.ask()
        stage.session.text(text[: len(text) // 2])
        await stage.settle()
        await stage.pilot.resize_terminal(60, 20)
        stage.session.text(text)
        stage.session.complete()
        await stage.settle()
        await stage.pilot.resize_terminal(100, 30)
        await stage.settle()
        resized = stage.screen()
    async with on_stage(tmp_path, (100, 30)) as stage:
        await stage.ask()
        stage.session.text(text)
        stage.session.complete()
        await stage.settle()
        assert stage.screen() == resized


async def test_turns_and_code_blocks_can_be_walked(tmp_path: Path) -> None:
    async with on_stage(tmp_path, conversation=conversation_of(40, LONG)) as stage:
        await stage.press("f6", "left_square_bracket")
        assert "Question 39" in stage.text()
        await stage.press("left_square_bracket")
        assert "Question 38" in stage.text()
        await stage.press("right_square_bracket")
        assert "Question 39" in stage.screen()[4]
        await stage.press("g")
        assert "Question 0" in stage.text()
        await stage.press("G")
        assert "Paragraph 59" in stage.text()


async def test_a_long_prompt_is_folded_and_unfolds(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (80, 60)) as stage:
        await stage.ask("\n".join(f"prompt line {n}" for n in range(40)))
        stage.session.text("Answer.")
        await stage.settle()
        assert "the whole prompt: 40 lines" in stage.text()
        assert "prompt line 39" not in stage.text()
        row = row_of(stage, "the whole prompt")
        await stage.pilot.click(offset=(10, row))
        await stage.settle()
        assert "prompt line 39" in stage.text()


async def test_all_prompts_and_all_thoughts_are_folded_and_unfold_at_once(tmp_path: Path) -> None:
    prompt = "\n".join(f"row {row} of a long prompt" for row in range(40))
    turns = tuple(
        replace(
            completed_turn(number, f"{prompt} {number}", "", f"t{number - 1}" if number else None),
            choices=(Choice(0, (thought("I wonder."), TextPart(f"Answer {number}"))),),
        )
        for number in range(6)
    )
    conversation = Conversation(conversation_id="saved", turns=turns, head=turns[-1].turn_id)
    async with on_stage(tmp_path, conversation=conversation) as stage:
        transcript = stage.chat.transcript
        before = sum(len(shown_lines(transcript, index)) for index in range(6))
        await stage.press("f6", "T", "Z")
        assert transcript.is_following
        assert "Answer 5" in stage.text()
        rows = [line.text for index in range(6) for line in shown_lines(transcript, index)]
        assert sum("I wonder." in row for row in rows) == 6
        assert sum("row 39 of a long prompt" in row for row in rows) == 6
        stage.chat.transcript.to_place(3, 45)
        await stage.settle()
        assert "Answer 3" in stage.text()
        await stage.press("z", "Z", "T")
        assert sum(len(shown_lines(transcript, index)) for index in range(6)) == before
        assert "Answer 3" in stage.text(), "what is read stays in sight"


def shown_lines(transcript: TranscriptView, index: int) -> list[Line]:
    view = transcript.turn_list.view(index)
    return [view.row(row)[0] for row in range(view.height)]


async def test_code_blocks_are_copied_as_their_source(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        copied: list[str] = []
        stage.app.copier.copy = lambda text, what: copied.append(text) or what  # type: ignore[method-assign,func-returns-value]
        await stage.ask()
        stage.session.text(CODE)
        stage.session.complete()
        await stage.settle()
        await stage.press("ctrl+y")
        assert copied == ["second  two"]
        await stage.press("ctrl+y")
        assert copied[-1] == "first = 1"
        row = row_of(stage, "python")
        await stage.pilot.click(offset=(72, row))
        await stage.settle()
        assert copied[-1] == "first = 1"
        assert len(copied) == 3
        await stage.press("f5")
        assert copied[-1] == CODE


async def test_a_selection_is_the_text_without_decoration_and_soft_wraps(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (40, 24)) as stage:
        words = " ".join(f"word{n}" for n in range(30))
        await stage.ask()
        stage.session.text(f"{words}\n\n- item one\n- item two\n")
        stage.session.complete()
        await stage.settle()
        transcript = stage.chat.transcript
        first = row_of(stage, "word0")
        last = row_of(stage, "item two")
        await stage.pilot.mouse_down(offset=(0, first))
        await stage.pilot.hover(offset=(20, last - 1))
        await stage.pilot.hover(offset=(39, last))
        assert transcript.selected_text().replace("\n\n", "\n") == f"{words}\nitem one\nitem two"
        await stage.pilot.mouse_up(offset=(39, last))
        await stage.settle()
        assert transcript.selection is not None
        copied: list[str] = []
        stage.app.copier.copy = lambda text, what: copied.append(text) or what  # type: ignore[method-assign,func-returns-value]
        await stage.press("ctrl+c")
        assert copied[0].startswith(words)
        assert transcript.selection is None
        assert stage.app.is_running


async def test_a_double_click_selects_a_word_and_a_click_deselects(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask()
        stage.session.text("some plain words here")
        stage.session.complete()
        await stage.settle()
        row = row_of(stage, "some plain words")
        await stage.pilot.click(offset=(9, row), times=2)
        await stage.settle()
        assert stage.chat.transcript.selected_text() == "plain"
        await stage.pilot.click(offset=(60, row))
        await stage.settle()
        assert stage.chat.transcript.selection is None


async def test_search_walks_through_the_matches(tmp_path: Path) -> None:
    async with on_stage(tmp_path, conversation=conversation_of(50, LONG + "\n\nA needle")) as stage:
        await stage.press("ctrl+f")
        await stage.type("needle")
        await stage.until(lambda: "of 50" in stage.text())
        await stage.press("enter")
        first = stage.chat.transcript.reading
        await stage.press("enter")
        assert stage.chat.transcript.reading != first
        assert stage.chat.transcript.selected_text().lower() == "needle"
        await stage.press("escape")
        assert stage.chat.focused is stage.chat.composer


async def test_all_that_is_found_is_marked_while_it_is_searched_for(tmp_path: Path) -> None:
    text = "One needle and another Needle.\n\n```python\nneedle = 1\n```\n\nNo match here."
    async with on_stage(tmp_path, conversation=conversation_of(1, text)) as stage:

        def marked() -> list[str]:
            rows = stage.chat.transcript.render_lines(stage.chat.transcript.size.region)
            pieces = [piece for row in rows for piece in row if piece.style and piece.style.underline]
            return [piece.text for piece in pieces]

        assert marked() == []
        await stage.press("ctrl+f")
        await stage.type("needle")
        assert [word.lower() for word in marked()] == ["needle"] * 3
        assert stage.chat.transcript.selected_text() == "needle", "and one of them is at hand"
        await stage.press("backspace", "x")
        assert marked() == []
        await stage.press("backspace", "e", "escape")
        assert marked() == [], "who leaves the search leaves its marks"
        await stage.press("f6", "n")
        assert len(marked()) == 3
        await stage.press("escape")
        assert marked() == []


async def test_the_help_shows_the_keys_of_the_focused_part_first(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("f1")
        assert "Keys while writing" in stage.text()
        await stage.press("escape", "f6", "f1")
        assert "Keys while reading" in stage.text()


async def test_every_command_is_in_the_palette_with_its_key(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 50)) as stage:
        await stage.press("ctrl+p")
        palette = stage.app.screen
        assert isinstance(palette, ListScreen)
        keys = {row.strong: row.weak for row in palette.rows_view.rows}
        assert {command.title for command in ALL if command.is_in_palette} == set(keys)
        assert keys["New conversation"] == "Ctrl+N"
        assert keys["Copy a code block"].startswith("Ctrl+Y")
        await stage.type("choose the theme")
        await stage.press("enter")
        await stage.settle()
        assert "Lamplight" in stage.text()


async def test_a_theme_is_shown_while_it_is_chosen_and_kept_when_taken(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 30)) as stage:
        before = stage.app.theme_name
        await stage.press("f4", "down")
        other = stage.app.theme_name
        assert other != before
        await stage.press("escape")
        assert stage.app.theme_name == before
        await stage.press("f4", "down", "enter")
        assert stage.app.theme_name == other
        assert stage.app.acted.state.theme == other


async def test_a_conversation_is_resumed_from_the_list(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 30)) as stage:
        conversation = conversation_of(3)
        history = stage.app.acted.history
        history.keep(conversation)
        for turn in conversation.turns:
            history.commit(conversation.conversation_id, turn)
        await stage.type("draft")
        await stage.press("ctrl+r")
        assert "3 turns" in stage.text()
        await stage.type("question")
        await stage.press("enter")
        await stage.settle()
        assert "Question 2" in stage.text()
        assert stage.chat.composer.written == ""
        await stage.ask("More")
        assert stage.session.conversation.conversation_id == "saved"


async def test_the_model_is_changed_for_the_next_answer(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 30)) as stage:
        await stage.press("ctrl+o")
        await stage.settle()
        text = stage.text()
        assert "local / smollm2" in text
        assert "set ACME_API_KEY" in text
        await stage.type("another")
        await stage.press("enter")
        await stage.settle()
        assert stage.session.endpoint.model == "another"
        assert "local / another" in stage.screen()[0]


async def test_only_rows_that_changed_are_painted_again(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (80, 40)) as stage:
        await stage.ask()
        stage.session.text(LONG)
        await stage.settle()
        transcript = stage.chat.transcript
        made = transcript.painter.strips_made
        invalidated = transcript.rows_invalidated
        stage.session.text(LONG + " and a word")
        await stage.settle()
        assert transcript.rows_invalidated - invalidated <= 3
        assert transcript.painter.strips_made - made <= 3
        stage.session.tell()
        await stage.settle()
        assert transcript.rows_invalidated - invalidated <= 5


async def test_a_turn_that_was_never_shown_is_not_laid_out(tmp_path: Path) -> None:
    async with on_stage(tmp_path, conversation=conversation_of(2000, LONG)) as stage:
        laid_out = [entry.view is not None for entry in stage.chat.transcript._turns._entries]
        assert sum(laid_out) <= 3


async def test_a_long_conversation_is_read_from_its_end_and_further_when_asked(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (80, 24)) as stage:
        history = stage.app.acted.history
        conversation = conversation_of(700)
        history.keep(conversation)
        for turn in conversation.turns:
            history.commit(conversation.conversation_id, turn)
        stage.app.open_conversation("saved")
        await stage.settle()
        assert "An answer. (699)" in stage.text()
        assert stage.chat.transcript.turn_count == 100
        for _ in range(60):
            await stage.press("pageup")
        assert stage.chat.transcript.turn_count > 300
        number = int(re.findall(r"Question (\d+)", stage.text())[0])
        assert number < 640
        await stage.press("ctrl+home")
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert "Question 0" in stage.text()
        assert stage.chat.transcript.turn_count == 700
        await stage.press("ctrl+end")
        assert "An answer. (699)" in stage.text()
        await stage.ask("and now?")
        conversation = stage.session.conversation
        assert len(conversation.path()) + conversation.earlier_turns == 700


async def test_a_draft_stays_with_its_conversation(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (80, 24)) as stage:
        await stage.type("first draft")
        first = stage.chat.live
        await stage.press("ctrl+n")
        await stage.type("second draft")
        second = stage.chat.live
        stage.chat.show(first)
        await stage.settle()
        assert stage.chat.composer.written == "first draft"
        drafts = stage.app.acted.history.drafts
        assert drafts.load(first.conversation.conversation_id) == "first draft"
        assert drafts.load(second.conversation.conversation_id) == "second draft"
        await stage.pilot.resize_terminal(30, 10)
        await stage.pilot.resize_terminal(100, 30)
        assert stage.chat.composer.written == "first draft"


async def test_a_draft_that_was_never_sent_is_offered_at_the_next_start(tmp_path: Path) -> None:
    app = acted_app(tmp_path)
    app.acted.history.drafts.save("an earlier one", "unsent words")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert app.chat.composer.written == "unsent words"


async def test_arrows_page_keys_and_the_wheel_move_exactly(tmp_path: Path) -> None:
    async with on_stage(tmp_path, conversation=conversation_of(60, LONG)) as stage:
        transcript = stage.chat.transcript
        await stage.press("f6")
        at = int(transcript.scroll_y)
        await stage.press("up", "k", "k")
        assert int(transcript.scroll_y) == at - 3
        await stage.press("down")
        assert int(transcript.scroll_y) == at - 2
        before = stage.screen()[10:18]
        await stage.press("pageup", "pagedown")
        assert stage.screen()[10:18] == before
        await stage.press("u", "d")
        assert stage.screen()[10:18] == before
        await stage.press("home")
        assert int(transcript.scroll_y) == 0
        await stage.press("end")
        assert transcript.is_following


async def test_a_pane_is_moved_by_the_same_keys(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (120, 30)) as stage:
        await stage.ask()
        stage.session.receive(thought("\n\n".join(f"thought {n}" for n in range(60))), TextPart("Done."))
        await stage.settle()
        assert "thought 59" in stage.text()
        stage.chat.panel.panes["reasoning"].lines.focus()
        await stage.press("home")
        assert "thought 0" in stage.text()
        await stage.press("space")
        assert "thought 0 " not in stage.text()
        await stage.press("end")
        assert "thought 59" in stage.text()


async def test_who_clicks_in_the_text_goes_on_writing(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask()
        stage.session.text("some words")
        stage.session.complete()
        await stage.settle()
        await stage.pilot.click(offset=(5, row_of(stage, "some words")))
        await stage.type("yes")
        assert stage.chat.composer.written == "yes"


async def test_a_letter_that_means_nothing_to_the_reader_is_written(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("f6", "q")
        await stage.type("uickly say why")
        assert stage.chat.composer.written == "quickly say why"


async def test_a_selection_is_told_in_the_hints(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask()
        stage.session.text("some plain words here")
        stage.session.complete()
        await stage.settle()
        await stage.pilot.click(offset=(9, row_of(stage, "some plain words")), times=2)
        await stage.settle()
        assert "⌃C copy" in stage.screen()[-1]
        await stage.press("escape")
        assert "⌃C copy" not in stage.screen()[-1]


async def test_the_scrollbar_moves_the_text_and_lets_go_of_the_end(tmp_path: Path) -> None:
    async with on_stage(tmp_path, conversation=conversation_of(60, LONG)) as stage:
        transcript = stage.chat.transcript
        transcript.post_message(ScrollTo(y=100, animate=False))
        await stage.settle()
        assert not transcript.is_following
        place = transcript.reading
        await stage.pilot.resize_terminal(80, 30)
        await stage.settle()
        assert transcript.reading == place
        transcript.post_message(ScrollTo(y=10**6, animate=False))
        await stage.settle()
        assert transcript.is_following
        transcript.post_message(ScrollUp())
        await stage.settle()
        assert not transcript.is_following


async def test_many_updates_before_a_frame_are_shown_once(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask()
        await stage.settle()
        puts = 0
        put = stage.chat.transcript.put

        def counted(turn: Turn, badge: Badge) -> bool:
            nonlocal puts
            puts += 1
            return put(turn, badge)

        stage.chat.transcript.put = counted  # type: ignore[method-assign]
        for number in range(500):
            stage.session.text("word " * number)
        await stage.settle()
        assert puts <= 2
        assert stage.chat.transcript.turn(0).text.count("word") == 499
        assert stage.text().count("word") > 100
