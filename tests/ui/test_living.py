"""What happens around the chat: files that change, the window's title, signs of an end, numbers told truly."""

from dataclasses import replace
from pathlib import Path

import pytest
from ui.acting import Acting, on_stage
from ui.test_hostile_text import HOSTILE, is_safe

from chatui.config.provider_spec import ModelFacts
from chatui.config.settings import Notification, Settings, UiSettings
from chatui.ui.terminal.terminal_telling import notification_sequence, title_sequence


def written(stage: Acting) -> list[str]:
    found: list[str] = []
    stage.app.telling._write = found.append
    return found


async def test_a_changed_configuration_is_followed_with_its_keys(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        stage.app.acted.changed_settings = replace(Settings(), keys={"palette": "f11", "help": "f11"})
        await stage.app.watch_of_config.look()
        await stage.settle()
        assert "F11 is bound to both" in stage.text()
        stage.app.acted.changed_settings = replace(Settings(), keys={"palette": "f11"})
        await stage.app.watch_of_config.look()
        await stage.settle()
        assert "bound to both" not in stage.text()
        assert "read again" in stage.text()
        await stage.press("f11")
        await stage.settle()
        assert "Commands" in stage.text()
        await stage.press("escape", "ctrl+p")
        await stage.settle()
        assert "Commands" not in stage.text(), "the old key is free"


async def test_a_broken_configuration_is_told_and_changes_nothing(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        stage.app.acted.changed_settings = Settings()
        stage.app.acted.problems = ("/home/me/config.toml:3: theme: no such [/] key",)
        await stage.app.watch_of_config.look()
        await stage.settle()
        assert "config.toml:3: theme: no such [/] key" in stage.text()
        await stage.ask("still works")
        assert stage.session.sent


async def test_a_theme_of_ones_own_is_painted_anew_when_it_is_saved(tmp_path: Path) -> None:
    folder = tmp_path / "themes"
    folder.mkdir()
    source = (Path(__file__).parents[2] / "themes" / "midnight.toml").read_text()
    (folder / "mine.toml").write_text(source)
    async with on_stage(tmp_path) as stage:
        stage.app.show_theme("mine")
        await stage.app.watch_of_config.look()
        before = stage.app.styles_of_theme.theme["accent"]
        (folder / "mine.toml").write_text(source.replace(before, "#123456"))
        import os

        os.utime(folder / "mine.toml", ns=(1, 1))
        await stage.app.watch_of_config.look()
        await stage.settle()
        assert stage.app.styles_of_theme.theme["accent"] == "#123456"
        (folder / "mine.toml").write_text("broken = [")
        os.utime(folder / "mine.toml", ns=(2, 2))
        await stage.app.watch_of_config.look()
        await stage.settle()
        unfolded = "".join(line[3:] for line in stage.screen())  # a path may be long, its rows are indented
        assert "mine.toml" in unfolded
        assert stage.app.styles_of_theme.theme["accent"] == "#123456"


async def test_a_theme_that_is_none_is_told_with_those_that_are(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 24)) as stage:
        stage.app.acted.changed_settings = Settings(ui=UiSettings(theme="midnigth"))
        await stage.app.watch_of_config.look()
        await stage.settle()
        assert "There is no theme 'midnigth'; did you mean \"midnight\"? allowed: auto" in stage.text()
        stage.app.acted.changed_settings = Settings(ui=UiSettings(theme="midnight"))
        await stage.app.watch_of_config.look()
        await stage.settle()
        assert "There is no theme" not in stage.text()
        assert stage.app.theme_name == "midnight"


async def test_the_title_of_the_window_says_what_it_is_about(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        found = written(stage)
        await stage.ask("What is a title?")
        await stage.settle()
        assert any("What is a title?" in sequence and "◐" in sequence for sequence in found)
        stage.session.complete()
        await stage.settle()
        assert "◐" not in found[-1]
        assert "What is a title?" in found[-1]


@pytest.mark.parametrize("kind", list(Notification))
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_text_breaks_out_of_a_title_or_a_notification(kind: Notification, text: str) -> None:
    for sequence in (title_sequence(text), notification_sequence(kind, text)):
        inner = sequence.removeprefix("\x1b]").removesuffix("\x1b\\").removesuffix("\x07")
        assert all(is_safe(character) for character in inner), repr(sequence)


async def test_the_end_of_a_long_answer_is_told_only_while_nobody_looks(tmp_path: Path) -> None:
    ui = replace(UiSettings(), notification=Notification.OSC9, notify_after_s=10.0)
    async with on_stage(tmp_path, settings=replace(Settings(), ui=ui)) as stage:
        found = written(stage)

        async def answer(seconds: float, *, is_seen: bool = False) -> list[str]:
            found.clear()
            await stage.ask()
            stage.app.app_focus = is_seen  # a key gave the window the focus
            stage.app.acted.clock.now_s += seconds
            stage.session.text("x")
            stage.session.complete()
            await stage.settle()
            return [sequence for sequence in found if sequence.startswith("\x1b]9;")]

        assert not await answer(20, is_seen=True)
        assert not await answer(5)
        (told,) = await answer(20)
        assert "completed" in told


async def test_cost_is_told_only_with_prices_and_an_estimate_is_called_one(tmp_path: Path) -> None:
    facts = ModelFacts(input_price_per_million=1.0, output_price_per_million=2.0)
    settings = replace(Settings(), models={"smollm2": facts})
    async with on_stage(tmp_path, (160, 24), settings=settings) as stage:
        await stage.ask()
        stage.session.text("x")
        stage.session.complete(requested_model="smollm2")
        await stage.settle()
        line = stage.screen()[-1]
        assert "cost 0.0003" in line
        assert "22 tok/s" in line
        await stage.ask("y" * 4000)
        stage.session.text("x")
        stage.session.complete()
        stage.session.turn = replace(stage.session.turn, usage=None)
        stage.session.conversation = stage.session.conversation.with_turn(
            replace(stage.session.turn, turn_id="z")
        )
        stage.session.tell()
        await stage.settle()
        line = stage.screen()[-1]
        assert "in ? · out ~1 ·" in line  # as the badge says it
        assert "tokens unknown" not in line
        assert "ctx ~" in line
        assert "cost" not in line
