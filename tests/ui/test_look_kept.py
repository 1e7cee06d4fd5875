"""How answers are laid out stays as it was chosen by a key, also after the next start."""

from dataclasses import replace
from pathlib import Path

import pytest
from ui.acting import on_stage

from chatui.config.settings import Settings, UiSettings
from chatui.config.state import AppState, StateFile

KEYS = {"wraps_code": "w", "has_line_numbers": "number_sign", "converts_maths": "s"}


@pytest.mark.parametrize("name", KEYS)
async def test_a_look_that_a_key_chose_is_there_at_the_next_start(tmp_path: Path, name: str) -> None:
    async with on_stage(tmp_path) as stage:
        before = getattr(stage.chat.layout_options, name)
        await stage.press("f6", KEYS[name])
        assert getattr(stage.chat.layout_options, name) is not before
        remembered = stage.app.acted.state
    file = StateFile(tmp_path / "state.toml")
    file.update(lambda state: replace(state, **{name: getattr(remembered, name)}))
    state, problems = file.load()
    assert not problems
    async with on_stage(tmp_path, state=state) as stage:
        assert getattr(stage.chat.layout_options, name) is not before
        await stage.press("f6", KEYS[name])
        assert getattr(stage.chat.layout_options, name) is before


async def test_a_setting_that_changes_counts_more_than_what_a_key_chose_before(tmp_path: Path) -> None:
    state = AppState(wraps_code=True, has_line_numbers=True)
    async with on_stage(tmp_path, state=state, settings=Settings(ui=UiSettings(wrap_code=True))) as stage:
        stage.app.acted.settings = Settings(ui=UiSettings(wrap_code=False))
        stage.app.take_settings()
        assert stage.chat.layout_options.wraps_code is False
        assert stage.chat.layout_options.has_line_numbers is True, "that setting did not change"
        assert stage.app.acted.state == replace(state, wraps_code=None)
