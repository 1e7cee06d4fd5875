"""Pages over the chat: their keys stay in sight, rows lose facts before names, small windows show something."""

from dataclasses import replace
from pathlib import Path

import pytest
from ui.acting import ActedApp, ActedWorkspace, Acting, on_stage

from chatui.config.settings import Settings
from chatui.ui.screens.entry import Entry
from chatui.ui.screens.list import ListScreen
from chatui.ui.screens.question import Question
from chatui.ui.shelf import typeset
from chatui.ui.widgets.key_hints import hint_rows
from chatui.ui.widgets.rows_view import ListRow, whole_facts

ROWS = [ListRow(key=name, strong=name, weak="first · second") for name in ("alpha", "beta", "gamma")]


def _open(stage: Acting, taken: list[str | None]) -> ListScreen:
    app = stage.chat.app_
    screen = ListScreen("Greek", ROWS, app.styles_of_theme, app.signs, empty_words="There is none yet.")
    app.ask(screen, taken.append)
    return screen


async def test_what_a_list_says_stays_until_the_next_key_and_then_the_keys_are_back(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (80, 24)) as stage:
        screen = _open(stage, [])
        await stage.settle()
        assert "Enter takes" in stage.text()
        screen.tell("Something happened.")
        await stage.settle()
        assert "Something happened." in stage.text()
        assert "Enter takes" not in stage.text()
        await stage.press("down")
        await stage.settle()
        assert "Something happened." not in stage.text()
        assert "Enter takes" in stage.text()


async def test_a_filter_that_finds_nothing_does_not_say_that_there_is_nothing(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (80, 24)) as stage:
        _open(stage, [])
        await stage.settle()
        await stage.type("zz")
        await stage.settle()
        assert "Nothing found." in stage.text()
        assert "There is none yet." not in stage.text()
        assert "0 of 3" in stage.text()


async def test_a_click_beside_a_list_leaves_it(tmp_path: Path) -> None:
    taken: list[str | None] = []
    async with on_stage(tmp_path, (120, 40)) as stage:
        _open(stage, taken)
        await stage.settle()
        await stage.pilot.click(offset=(2, 10))
        await stage.settle()
    assert taken == [None]


@pytest.mark.parametrize("size", [(20, 5), (40, 12), (80, 24)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_themes_have_rows_in_every_window(tmp_path: Path, size: tuple[int, int]) -> None:
    async with on_stage(tmp_path, size) as stage:
        await stage.press("f4")
        await stage.settle()
        assert stage.app.theme_name.capitalize() in stage.text()


def test_keys_are_whole_in_as_many_rows_as_they_need() -> None:
    keys = (("F2", "rename"), ("F3", "pin"), ("Esc", "leaves"))
    assert [line.text.strip() for line in hint_rows(keys, 20)] == ["F2 rename  F3 pin", "Esc leaves"]


def test_facts_go_one_by_one_from_the_end_and_no_stump_is_left() -> None:
    facts = "shown · just now · gpt-5.5"
    assert whole_facts(facts, "·", 30) == facts
    assert whole_facts(facts, "·", 18) == "shown · just now"
    assert whole_facts("needs a key: set OPENAI_API_KEY", "·", 16) == "needs a key: se…"
    assert whole_facts("Ctrl+Shift+K", "·", 5) == ""


def test_a_preview_is_typeset_like_the_conversation() -> None:
    text = "".join(line.text + "\n" for line in typeset("Some **bold** words\n\n- one\n- two\n", 40, 10))
    assert "**" not in text
    assert "• one" in text


async def test_where_letters_are_ascii_a_long_list_is_so_too(tmp_path: Path) -> None:
    app = ActedApp(ActedWorkspace(tmp_path), is_unicode=False)
    async with app.run_test(size=(80, 24)) as pilot:
        stage = Acting(app, pilot)
        await app.begun.wait()
        for key in ("ctrl+p", "pagedown"):
            await stage.press(key)
            await stage.settle()
        assert "Enter takes" in stage.text()
        assert stage.text().isascii()


async def test_the_palette_shows_the_name_by_which_a_command_is_written_and_bound(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (80, 24)) as stage:
        await stage.press("ctrl+p")
        await stage.settle()
        row = next(line for line in stage.screen() if "New conversation" in line)
        assert "/new" in row
        assert "Ctrl+N" in row


async def test_a_long_notice_says_that_there_is_more_and_keeps_what_to_do(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (60, 24)) as stage:
        stage.chat.notice("\n".join(f"problem {number}" for number in range(12)), "What to do.")
        await stage.settle()
        assert "problem 3" in stage.text()
        assert "8 more lines" in stage.text()
        assert "What to do." in stage.text()


async def test_a_theme_that_the_configuration_overrules_at_the_next_start_says_so(tmp_path: Path) -> None:
    settings = replace(Settings(), ui=replace(Settings().ui, theme="plum"))
    async with on_stage(tmp_path, (80, 24), settings=settings) as stage:
        await stage.ask("/theme paper")
        await stage.settle()
        assert stage.app.theme_name == "paper"
        assert "config.toml, ui.theme says plum" in stage.text()


@pytest.mark.parametrize("size", [(20, 5), (40, 12), (80, 24)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_what_is_asked_for_can_be_answered_in_every_window(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with on_stage(tmp_path, size) as stage:
        app = stage.chat.app_
        answers: list[str | None] = []
        words = "Many words about what is asked here, more than the smallest windows can hold. " * 3
        app.ask(Entry("What is it?", words, app.styles_of_theme, app.signs), answers.append)
        await stage.settle()
        await stage.type("sand")
        await stage.settle()
        assert "What is it?" in stage.text()
        assert "sand" in stage.text()
        assert "Enter takes" in stage.text()
        choices = (("open", "open it"), ("copy", "copy it"))
        await stage.press("enter")
        app.ask(Question("This one?", (words,), choices, app.styles_of_theme, app.signs), answers.append)
        await stage.settle()
        assert all(told in stage.text() for told in ("This one?", "open it", "copy it", "leave it"))
        await stage.press("ctrl+c")
        await stage.settle()
        assert answers == ["sand", None]
