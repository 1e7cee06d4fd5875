"""A list finds what is typed, however soon after its key."""

import gc
import warnings
from collections.abc import Sequence
from pathlib import Path

import pytest
from textual.events import Key
from ui.acting import on_stage

from chatui.ui.lists.models import pick_model
from chatui.ui.screens.list import ListScreen
from chatui.ui.widgets.rows_view import ListRow

ROWS = [ListRow(key=name, strong=name, weak="", words="") for name in ("alpha", "beta", "gamma")]


async def test_what_is_typed_before_the_list_is_seen_is_looked_for(tmp_path: Path) -> None:
    taken: list[str | None] = []
    async with on_stage(tmp_path, (100, 30)) as stage:
        app = stage.chat.app_
        screen = ListScreen("Greek", ROWS, app.styles_of_theme, app.signs)
        app.ask(screen, taken.append)
        for letter in "gam":
            screen.post_message(Key(letter, letter))
        await stage.settle()
        assert screen.marked_key == "gamma"
        assert "alpha" not in stage.text()
        await stage.press("enter")
        await stage.settle()
    assert taken == ["gamma"]


async def test_a_search_that_the_next_letter_overtakes_was_never_begun(tmp_path: Path) -> None:
    asked: list[str] = []

    async def ask(wanted: str) -> Sequence[ListRow]:
        asked.append(wanted)
        return ()

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        async with on_stage(tmp_path, (100, 30)) as stage:
            app = stage.chat.app_
            screen = ListScreen("Greek", ROWS, app.styles_of_theme, app.signs, ask=ask)
            app.ask(screen, lambda _: None)
            await stage.settle()
            for letter in "gam":
                screen.filter_line.field.insert(letter)
                screen.look_again(ROWS)
            await stage.settle()
            assert asked == ["gam"]
            await stage.press("escape")
            pick_model(stage.chat)
            stage.app.workers.cancel_all()
            await stage.settle()
        gc.collect()
    assert [str(warning.message) for warning in told if "never awaited" in str(warning.message)] == []


async def test_a_list_begins_at_the_row_that_is_in_use(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 30)) as stage:
        app = stage.chat.app_
        screen = ListScreen("Greek", ROWS, app.styles_of_theme, app.signs, at="beta")
        app.ask(screen, lambda _: None)
        await stage.settle()
        assert screen.marked_key == "beta"
        assert "alpha" in stage.text()


async def test_keys_that_come_before_the_list_is_seen_move_in_it(tmp_path: Path) -> None:
    taken: list[str | None] = []
    async with on_stage(tmp_path, (100, 30)) as stage:
        app = stage.chat.app_
        screen = ListScreen("Greek", ROWS, app.styles_of_theme, app.signs)
        app.ask(screen, taken.append)
        for key in ("down", "enter"):
            screen.post_message(Key(key, None))
        await stage.settle()
    assert taken == ["beta"]


@pytest.mark.parametrize("key", ["ctrl+p", "ctrl+r", "ctrl+o", "f1", "alt+k"])
async def test_words_that_come_with_the_key_of_a_list_are_looked_for_and_never_sent(
    tmp_path: Path, key: str
) -> None:
    async with on_stage(tmp_path, (100, 30)) as stage:
        for name in (key, "z", "q", "z", "enter"):
            stage.app.post_message(Key(name, name if len(name) == 1 else None))
        await stage.settle()
        assert stage.chat.composer.text == ""
        assert not stage.session.sent


async def test_while_words_are_suggested_their_keys_move_in_them(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 30)) as stage:
        await stage.type("/")
        await stage.settle()
        await stage.press("ctrl+p")
        await stage.settle()
        assert not isinstance(stage.app.screen, ListScreen)


@pytest.mark.parametrize("opens", ["f1", "ctrl+p", "ctrl+r", "ctrl+o"])
@pytest.mark.parametrize(
    "keys", [("escape", "enter"), ("escape", "escape"), ("enter", "escape")], ids=" ".join
)
async def test_a_key_right_behind_the_one_that_closes_a_list_ends_nothing_else(
    tmp_path: Path, opens: str, keys: tuple[str, str]
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press(opens)
        for key in keys:
            stage.app.post_message(Key(key, {"enter": "\r", "escape": "\x1b"}[key]))
        await stage.settle()
        assert stage.app.is_running
        assert stage.app.screen_stack[0] is stage.chat
