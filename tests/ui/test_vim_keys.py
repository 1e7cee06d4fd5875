"""Modal editing: off unless switched on, and never between a person and Enter or Esc."""

from dataclasses import replace
from pathlib import Path

import pytest
from ui.acting import on_stage

from chatui.config.settings import Settings, UiSettings

VIM = replace(Settings(), ui=replace(UiSettings(), vim_keys=True))


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("0x", "ne two\nthree four"),
        ("ggdd", "three four"),
        ("0dw", " two\nthree four"),
        ("ggA!", "one two!\nthree four"),
        ("ggI!", "!one two\nthree four"),
        ("ggonew", "one two\nnew\nthree four"),
        ("ggOnew", "new\none two\nthree four"),
        ("GhD", "one two\nthree fou"),
        ("ggccnew", "new\nthree four"),
        ("ggxu", "one two\nthree four"),
        ("Gaé", "one two\nthree fouré"),
        ("ggd$", "\nthree four"),
        ("zq;", "one two\nthree four"),
    ],
)
async def test_the_everyday_keys_do_what_hands_expect(tmp_path: Path, keys: str, text: str) -> None:
    async with on_stage(tmp_path, settings=VIM) as stage:
        stage.chat.composer.put("one two\nthree four")
        await stage.press("escape")
        if keys[0] == "0":
            await stage.press("g", "g")
        for key in keys:
            await stage.press({"!": "exclamation_mark", "$": "dollar_sign", ";": "semicolon"}.get(key, key))
        await stage.settle()
        assert stage.chat.composer.text == text


async def test_the_mode_is_shown_enter_sends_and_esc_stops(tmp_path: Path) -> None:
    async with on_stage(tmp_path, settings=VIM) as stage:
        await stage.type("hello")
        await stage.press("escape")
        await stage.settle()
        assert " N hello" in stage.text()
        await stage.press("enter")
        assert stage.session.sent[0][0].text == "hello"
        await stage.press("escape")
        assert stage.session.cancels == 1
        await stage.press("i")
        await stage.type("x")
        assert stage.chat.composer.text == "x"
        await stage.press("escape")
        assert stage.session.cancels == 2


async def test_without_the_setting_letters_are_letters(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("escape")
        await stage.type("dd")
        assert stage.chat.composer.text == "dd"
        stage.app.acted.changed_settings = VIM
        await stage.app.watch_of_config.look()
        await stage.press("escape", "d", "d")
        assert stage.chat.composer.text == ""
        stage.app.acted.changed_settings = Settings()
        await stage.app.watch_of_config.look()
        await stage.type("dd")
        assert stage.chat.composer.text == "dd"
