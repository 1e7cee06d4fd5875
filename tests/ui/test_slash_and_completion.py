"""Slash commands and completion: found by a few letters, never in the way of writing."""

from dataclasses import replace
from pathlib import Path

import pytest
from ui.acting import Acting, on_stage

from chatui.config.settings import Profile, Settings, Template
from chatui.ui.screens.text_page import TextPage
from chatui.ui.widgets.search_bar import SearchBar


async def typed(stage: Acting, text: str) -> None:
    for character in text:
        await stage.press({"/": "slash", " ": "space", "@": "at", ".": "full_stop"}.get(character, character))
    await stage.settle()


async def test_a_slash_suggests_commands_and_enter_runs_the_marked_one(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await typed(stage, "/the")
        assert "/theme" in stage.text()
        await stage.press("enter")
        assert stage.chat.composer.text == "/theme "
        await stage.press("enter")
        await stage.settle()
        assert "Theme" in stage.text()
        assert not stage.session.sent
        await stage.press("escape")
        assert stage.chat.composer.text == ""


async def test_enter_on_a_command_that_takes_no_words_does_what_its_row_says(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await typed(stage, "/sear")
        assert "Search in this conversation" in stage.text()
        await stage.press("enter")
        await stage.settle()
        assert isinstance(stage.app.focused, SearchBar)
        assert stage.chat.composer.text == ""
        assert not stage.session.sent
        await stage.press("escape")
        await typed(stage, "/save-au")
        await stage.press("enter")
        assert stage.chat.composer.text == "/save-audio ", "it waits for its words"


async def test_a_command_can_take_words(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("/theme midnight")
        await stage.settle()
        assert stage.app.theme_name == "midnight"
        await stage.ask("/model local/another")
        await stage.settle()
        assert stage.session.endpoint.model == "another"
        await stage.ask("/system Be brief.")
        await stage.settle()
        assert stage.session.conversation.system == "Be brief."
        assert not stage.session.sent


async def test_an_unknown_command_is_asked_about_and_sent_only_when_enter_is_pressed_again(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path, (100, 24)) as stage:
        await stage.ask("/themx is odd")
        await stage.settle()
        assert "Did you mean /theme" in stage.text()
        assert not stage.session.sent
        await stage.press("enter")
        assert stage.session.sent[0][0].text == "/themx is odd"


@pytest.mark.parametrize(
    ("written", "sent"), [("/etc/hosts is odd", "/etc/hosts is odd"), ("//help", "/help"), ("/ x", "/ x")]
)
async def test_text_that_begins_with_a_slash_is_text(tmp_path: Path, written: str, sent: str) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask(written)
        assert stage.session.sent[0][0].text == sent


async def test_files_are_suggested_after_an_at_sign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "work"
    (folder / "source").mkdir(parents=True)
    (folder / "source" / "engine room.py").write_text("x")
    (folder / "readme.md").write_text("x")
    (folder / ".git").mkdir()
    (folder / ".git" / "engine").write_text("x")
    monkeypatch.chdir(folder)
    async with on_stage(tmp_path) as stage:
        await typed(stage, "see @")
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert "readme.md" in stage.text()
        await typed(stage, "engr")
        assert "source/engine room.py" in stage.text()
        assert ".git" not in stage.text()
        await stage.press("tab")
        assert stage.chat.composer.text == 'see @"source/engine room.py" '
        assert "engine room.py text" in stage.text()


async def test_folders_are_walked_into_by_tab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "work"
    (folder / "source").mkdir(parents=True)
    (folder / "source" / "a.py").write_text("x")
    monkeypatch.chdir(folder)
    async with on_stage(tmp_path) as stage:
        await typed(stage, "@./sou")
        await stage.press("tab")
        await stage.settle()
        assert stage.chat.composer.text == "@./source/"
        assert "a.py" in stage.text()
        await stage.press("tab")
        assert stage.chat.composer.text == "@./source/a.py "


async def test_esc_closes_the_list_and_stops_nothing(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask()
        await typed(stage, "/the")
        await stage.press("escape")
        await stage.settle()
        assert "/theme" not in stage.text()
        assert stage.session.cancels == 0
        assert stage.chat.composer.text == "/the"
        await stage.press("escape")
        assert stage.session.cancels == 1


async def test_a_template_asks_for_its_variables_and_sends_nothing(tmp_path: Path) -> None:
    settings = replace(Settings(), templates={"review": Template(text="Review this {language}: {{x}}")})
    async with on_stage(tmp_path, settings=settings) as stage:
        await stage.press("alt+t", "enter")
        await stage.settle()
        assert "language" in stage.text()
        await typed(stage, "rust")
        await stage.press("enter")
        await stage.settle()
        assert stage.chat.composer.text == "Review this rust: {{x}}"
        assert not stage.session.sent


async def test_a_template_tells_how_many_variables_there_are_and_shows_what_was_answered(
    tmp_path: Path,
) -> None:
    settings = replace(Settings(), templates={"letter": Template(text="To {name} about {topic}")})
    async with on_stage(tmp_path, settings=settings) as stage:
        await stage.press("alt+t", "enter")
        await stage.settle()
        assert "name (1 of 2)" in stage.text()
        await typed(stage, "Anna")
        await stage.press("enter")
        await stage.settle()
        assert "topic (2 of 2)" in stage.text()
        assert "To Anna about {topic}" in stage.text()


async def test_a_profile_sets_model_and_system_prompt_for_what_comes_next(tmp_path: Path) -> None:
    settings = replace(Settings(), profiles={"terse": Profile(system="Be terse.", model="another")})
    async with on_stage(tmp_path, settings=settings) as stage:
        await stage.press("alt+o", "ctrl+home", "enter")
        await stage.settle()
        assert stage.session.conversation.system == "Be terse."
        assert stage.session.endpoint.model == "another"
        await stage.ask("/profile nope")
        await stage.settle()
        assert "no profile" in stage.text()


async def test_words_that_may_be_left_out_are_not_waited_for(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await typed(stage, "/doct")
        assert "/doctor [stream]" in stage.text()
        await stage.press("enter")
        await stage.settle()
        assert isinstance(stage.app.screen, TextPage)
        assert stage.chat.composer.text == ""
