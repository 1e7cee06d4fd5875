"""The list of conversations: everything is found, put in order, and taken back."""

import asyncio
from dataclasses import replace
from pathlib import Path

from ui.acting import Acting, completed_turn, conversation_of, cut, on_stage

from chatui.core.conversation import Conversation
from chatui.core.turn import Phase
from chatui.ui.screens.list import ListScreen
from chatui.view.text_matches import FOUND


def fill(stage: Acting) -> None:
    history = stage.app.acted.history
    for number, (name, prompt, answer) in enumerate(
        (
            ("apples", "How do apples grow?", "On trees, from blossoms."),
            ("pears", "What about pears?", "They need a second tree nearby."),
            ("plums", "And plums?", "梅は春に咲きます"),
        )
    ):
        history.commit(name, completed_turn(number * 10, prompt, answer))


async def listed(stage: Acting, wanted: str = "") -> ListScreen:
    await stage.press("ctrl+r")
    await stage.settle()
    screen = stage.app.screen
    assert isinstance(screen, ListScreen)
    if wanted:
        for character in wanted:
            await stage.press("space" if character == " " else character)
        await stage.app.workers.wait_for_complete()
        await stage.settle()
    return screen


async def test_a_row_tells_title_model_age_size_and_the_foot_tells_the_keys(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (130, 30)) as stage:
        fill(stage)
        await listed(stage)
        text = stage.text()
        for words in (
            "How do apples grow?",
            "smollm2",
            "1 turn",
            "just now",
            "F2 rename",
            "F8 delete",
            "undo",
        ):
            assert words in text
        assert "On trees" in text or "梅" in text, "the end of the marked one is shown at the right"


async def test_words_of_an_answer_are_found_marked_and_jumped_to(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (130, 30)) as stage:
        history = stage.app.acted.history
        for turn in conversation_of(150).turns:
            history.commit("saved", turn)
        history.commit("saved", completed_turn(800, "And then?", "The zymurgy of it.", "t149"))
        for number in range(900, 1050):
            parent = "t800" if number == 900 else f"t{number - 1}"
            history.commit("saved", completed_turn(number, f"More {number}", "Fine.", parent))
        screen = await listed(stage, "zymurgy")
        (row,) = screen.rows_view.rows
        assert ("zymurgy", True) in row.excerpt
        await stage.press("enter")
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert "The zymurgy of it." in stage.text()
        assert stage.chat.transcript.selected_text() == "zymurgy"
        assert stage.chat.live.now().path()[-1].turn_id == "t1049", "the path is the one that was shown"


async def test_two_characters_of_chinese_or_japanese_are_found(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 30)) as stage:
        fill(stage)
        screen = await listed(stage, "咲き")
        assert [row.key.split("\x1f")[0] for row in screen.rows_view.rows] == ["plums"]


async def test_rename_pin_archive_and_delete_are_done_in_the_list_and_taken_back(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (130, 30)) as stage:
        fill(stage)
        history = stage.app.acted.history
        screen = await listed(stage)
        keys = [row.key for row in screen.rows_view.rows]
        name = keys[0]
        await stage.press("f2", "ctrl+u", "O", "r", "c", "h", "a", "r", "d", "enter")
        await stage.settle()
        assert history.catalog.summary(name).title == "Orchard"
        assert "Orchard" in stage.text()
        await stage.press("f3")
        assert history.catalog.summary(name).is_pinned
        await stage.press("f4")
        assert name not in [row.key for row in screen.rows_view.rows]
        await stage.press("f6")
        assert [row.key for row in screen.rows_view.rows] == [name]
        await stage.press("f6", "ctrl+z")
        assert name in [row.key for row in screen.rows_view.rows]
        gone = screen.marked_key
        await stage.press("f8")
        assert history.catalog.summary(gone).is_deleted
        assert gone not in [row.key for row in screen.rows_view.rows]
        await stage.press("ctrl+z")
        assert not history.catalog.summary(gone).is_deleted
        assert sorted(row.key for row in screen.rows_view.rows) == sorted(keys)


async def test_all_that_was_deleted_comes_back_even_from_an_empty_list(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        fill(stage)
        screen = await listed(stage)
        await stage.press("f8", "f8", "f8")
        assert not screen.rows_view.rows
        await stage.press("ctrl+z", "ctrl+z", "ctrl+z")
        assert len(screen.rows_view.rows) == 3


async def test_a_tag_is_given_and_found(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (130, 30)) as stage:
        fill(stage)
        screen = await listed(stage, "pears")
        await stage.press("f5", "f", "r", "u", "i", "t", "enter", "ctrl+u")
        for key in ("number_sign", "f", "r", "u", "i", "t"):
            await stage.press("#" if key == "number_sign" else key)
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert screen.rows_view.rows[0].key == "pears"


async def test_a_stream_goes_on_while_another_is_shown_and_the_list_says_so(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (130, 30)) as stage:
        await stage.ask("A long story")
        first, live = stage.session, stage.chat.live
        first.text("Once upon")
        await stage.press("ctrl+n")
        assert "1 other receiving" in stage.text()
        first.text("Once upon a time")
        screen = await listed(stage)
        assert "● receiving" in stage.text()
        await stage.press("f7")
        assert first.cancels == 1
        await stage.press("escape")
        first.text("Once upon a time it ended")
        first.complete()
        await stage.settle()
        assert "1 other answered" in stage.text()
        stage.chat.show(live)
        await stage.settle()
        assert "Once upon a time it ended" in stage.text()
        assert "answered" not in stage.text()
        del screen


async def test_the_mark_stays_on_its_row_when_another_conversation_comes_up(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (130, 30)) as stage:
        fill(stage)
        await stage.ask("A long story")
        first = stage.session
        first.text("Once upon")
        await stage.press("ctrl+n")
        screen = await listed(stage)
        await stage.press("down", "down")
        marked = screen.marked_key
        name = first.conversation.conversation_id
        stage.app.acted.history.commit(name, completed_turn(77, "A long story", "Once"))
        first.fail(cut())
        await stage.settle()
        assert screen.marked_key == marked
        assert "● not completed" in stage.text(), "what failed is not called answered"


async def test_coming_back_shows_the_live_stream(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("A long story")
        first, live = stage.session, stage.chat.live
        first.text("Once")
        await stage.press("ctrl+n")
        first.text("Once upon a time")
        stage.chat.show(live)
        await stage.settle()
        assert "Once upon a time" in stage.text()
        first.text("Once upon a time, more")
        await stage.settle()
        assert "Once upon a time, more" in stage.text()
        assert "receiving" in stage.text()


async def test_a_temporary_conversation_says_so_and_is_never_in_the_history(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 30)) as stage:
        await stage.chat.action_command("temporary")
        await stage.settle()
        assert "temporary: nothing is saved" in stage.text()
        await stage.type("secret draft")
        stage.app.drafts.save_now()
        await stage.press("ctrl+c")
        assert stage.app.acted.history.drafts.stashed() == ()
        assert stage.app.acted.history.drafts.without_conversation() is None


async def test_a_conversation_of_another_window_is_read_and_what_is_sent_goes_into_a_copy(
    tmp_path: Path, monkeypatch
) -> None:
    async with on_stage(tmp_path, (100, 30)) as stage:
        fill(stage)
        history = stage.app.acted.history
        monkeypatch.setattr(
            history.catalog, "claim", lambda name: "another chatui (process 7)" if name == "apples" else ""
        )
        stage.app.open_conversation("apples")
        await stage.settle()
        assert "open in another chatui (process 7)" in stage.text()
        assert "reading: open elsewhere" in stage.text()
        await stage.press("tab", "r")
        assert stage.session.sent == [], "nothing of it is changed here"
        await stage.press("tab")
        await stage.ask("And in winter?")
        now: Conversation = stage.chat.live.now()
        assert now.conversation_id != "apples"
        assert [turn.prompt for turn in now.path()] == ["How do apples grow?"]
        assert stage.session.sent[0][0].text == "And in winter?"
        assert len(history.load("apples").turns) == 1


async def test_a_search_in_a_long_conversation_reaches_turns_that_were_not_loaded(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 30)) as stage:
        history = stage.app.acted.history
        history.commit("saved", completed_turn(0, "Where is the zymurgy?", "Here."))
        for number in range(1, 150):
            history.commit("saved", completed_turn(number, f"More {number}", "Fine.", f"t{number - 1}"))
        stage.app.open_conversation("saved")
        await stage.settle()
        assert stage.chat.live.now().earlier_turns == 50
        await stage.press("ctrl+f")
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        await stage.type("zymurgy")
        await stage.settle()
        assert "Where is the zymurgy?" in stage.text()
        assert "1 of 1" in stage.text()


async def test_words_of_an_unfinished_turn_are_found_marked_as_such_and_jumped_to(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (130, 30)) as stage:
        fill(stage)
        history = stage.app.acted.history
        ended = completed_turn(900, "And the quince?", "It grows slowly and", "t0")
        history.save_unfinished("apples", replace(ended, phase=Phase.FAILED, failure=cut(), usage=None))
        screen = await listed(stage, "slowly")
        (row,) = screen.rows_view.rows
        assert ("slowly", True) in row.excerpt
        assert row.weak.startswith("unfinished")
        assert "And the quince?" in stage.text(), "the preview shows the unfinished turn, not the last one"
        await stage.press("enter")
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert "It grows slowly and" in stage.text()
        assert stage.chat.transcript.selected_text() == "slowly"


async def test_enter_before_the_search_has_answered_takes_what_it_finds(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (130, 30)) as stage:
        fill(stage)
        screen = await listed(stage)
        may_answer = asyncio.Event()
        ask = screen._ask
        assert ask is not None

        async def slow(wanted: str) -> object:
            await may_answer.wait()
            return await ask(wanted)

        screen._ask = slow
        for character in "nearby":
            await stage.press(character)
        await stage.press("enter")
        assert stage.app.screen is screen, "the list does not close as if nothing had been asked"
        may_answer.set()
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert stage.chat.live.now().conversation_id == "pears"


async def test_all_words_of_a_search_are_marked_in_the_preview(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (130, 30)) as stage:
        answer = "Apples grow on trees that were grafted in winter, and apple trees like the sun. " * 3
        stage.app.acted.history.commit("trees", completed_turn(700, "What grows?", answer))
        screen = await listed(stage, "winter trees")
        preview = stage.app.shelf.preview(screen.rows_view.rows[0].key, 40)
        marked = [run.text for line in preview for run in line.runs if run.style == FOUND]
        assert set(marked) == {"winter", "trees"}
        assert len(marked) == 9


async def test_a_conversation_that_is_only_here_is_previewed_from_what_is_here(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (130, 30)) as stage:
        await stage.chat.action_command("temporary")
        await stage.ask("a secret question")
        await listed(stage)
        assert "No conversation" not in stage.text()
        assert stage.text().count("a secret question") >= 2, "in its row and in the preview"


async def test_a_title_that_is_the_prompt_is_told_once(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 30)) as stage:
        stage.app.acted.history.commit("table", completed_turn(700, "table", "A table."))
        stage.app.acted.history.catalog.rename("table", "Table")
        screen = await listed(stage)
        row = next(row for row in screen.rows_view.rows if row.key == "table")
        assert row.strong == "Table"
        assert row.middle == ""


async def test_a_key_leads_from_news_to_news(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 30)) as stage:
        await stage.ask("one")
        first, one = stage.session, stage.chat.live
        await stage.press("ctrl+n")
        await stage.ask("two")
        two = stage.chat.live
        await stage.press("ctrl+n")
        assert "2 others receiving (Alt+N)" in stage.text()
        three = stage.chat.live
        first.complete()
        await stage.settle()
        await stage.press("alt+n")
        assert stage.chat.live is one, "an answer that was not seen comes before one that is still coming"
        await stage.press("alt+n")
        assert stage.chat.live is two
        await stage.press("alt+n")
        assert stage.chat.live is two
        assert "No other conversation has news" in stage.text()
        stage.app.opening.show(three.now())
        await stage.press("alt+n")
        assert stage.chat.live is two


async def test_a_preview_says_the_prompt_once_whatever_the_title_took_of_it(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (130, 30)) as stage:
        prompt = "How do apples grow on trees? Be brief, please."
        stage.app.acted.history.commit("apples", completed_turn(0, prompt, "From blossoms."))
        preview = stage.app.shelf.preview("apples", 60)
        assert sum("How do apples grow" in line.text for line in preview) == 1
