"""The keys that are told are those that work at this moment, and End and Esc lead where a person expects."""

from pathlib import Path

from ui.acting import Acting, conversation_of, on_stage

LONG = "\n\n".join(f"Paragraph {number} of an answer that needs some room." for number in range(60))


def hints(stage: Acting) -> str:
    return stage.screen()[-1]


async def test_while_searching_the_keys_of_the_search_are_told(tmp_path: Path) -> None:
    async with on_stage(tmp_path, conversation=conversation_of(3, LONG)) as stage:
        await stage.press("ctrl+f")
        await stage.type("room")
        assert "next" in hints(stage)
        assert "Esc leave" in hints(stage)
        assert "copy" not in hints(stage), (
            "Esc leaves the search here, and Ctrl+C is not what a search is for"
        )


async def test_the_next_search_begins_anew_or_goes_on_with_the_last_one(tmp_path: Path) -> None:
    async with on_stage(tmp_path, conversation=conversation_of(3, LONG)) as stage:
        await stage.press("ctrl+f")
        await stage.type("room")
        await stage.press("escape", "ctrl+f")
        assert "find room" in stage.text()
        await stage.press("enter")
        assert stage.chat.transcript.selected_text() == "room", "Enter goes on with what was searched for"
        await stage.press("escape", "ctrl+f")
        await stage.type("needs")
        assert "find needs" in stage.text(), "letters begin a new one"
        assert stage.chat.transcript.selected_text() == "needs"


async def test_who_searched_while_reading_goes_on_reading(tmp_path: Path) -> None:
    async with on_stage(tmp_path, conversation=conversation_of(3, LONG)) as stage:
        await stage.press("f6", "slash")
        await stage.type("room")
        await stage.press("escape")
        assert stage.chat.focused is stage.chat.transcript
        await stage.press("n")
        assert stage.chat.transcript.selected_text() == "room"
        await stage.press("escape", "tab", "ctrl+f", "escape")
        assert stage.chat.focused is stage.chat.composer


async def test_who_reads_while_an_answer_comes_is_told_the_keys_of_reading(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (120, 40)) as stage:
        await stage.ask()
        assert "Esc stop  ⏎ queue" in hints(stage)
        await stage.press("f6")
        assert "Esc stop  Tab write  [ ] turn" in hints(stage)
        stage.session.complete()
        await stage.settle()
        assert hints(stage).startswith(" Tab write"), "and what stops nothing is not told"


async def test_while_something_is_suggested_its_keys_are_told(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.type("/mo")
        assert "Tab take" in hints(stage)
        assert "Esc close" in hints(stage)
        await stage.press("escape")
        assert "⏎ send" in hints(stage)


async def test_end_goes_to_the_end_of_the_conversation_where_nothing_is_written(tmp_path: Path) -> None:
    async with on_stage(tmp_path, conversation=conversation_of(3, LONG)) as stage:
        await stage.press("pageup", "pageup")
        assert "the end · Ctrl+End" in stage.text()
        await stage.press("end")
        assert stage.chat.transcript.is_following
        await stage.press("pageup")
        await stage.type("word")
        await stage.press("home", "end", "s")
        assert stage.chat.composer.text == "words", "in a text it is the end of the line"
        assert not stage.chat.transcript.is_following


async def test_a_jump_that_finds_nothing_says_so(tmp_path: Path) -> None:
    async with on_stage(tmp_path, conversation=conversation_of(3, LONG)) as stage:
        await stage.press("f8")
        assert "no code block below" in hints(stage)
        await stage.press("shift+f8")
        assert "no code block above" in hints(stage)


async def test_what_was_found_in_an_answer_that_comes_does_not_run_away(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask()
        stage.session.text(f"{LONG}\n\nA needle.")
        await stage.settle()
        await stage.press("ctrl+f")
        await stage.type("needle")
        stage.session.text(f"{LONG}\n\nA needle.\n\n{LONG}")
        await stage.settle()
        assert "A needle." in stage.text()
        assert "new text below" in stage.text()
        await stage.press("escape")
        assert stage.chat.transcript.is_following, "who leaves the search follows again"
