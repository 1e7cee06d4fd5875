"""The first minutes: keys that are there are found, a model is one key away, the embedded one answers at once."""

from pathlib import Path

from ui.acting import on_stage
from ui.test_hostile_text import HOSTILE, assert_safe

from chatui.wiring import FoundKey, ProviderChoice

KEYS = (
    FoundKey(provider="openai", title="OpenAI", origin="OPENAI_API_KEY"),
    FoundKey(provider="anthropic", title="Anthropic", origin="ANTHROPIC_API_KEY"),
)


async def test_keys_that_were_found_are_told_and_connected_in_two_keys(tmp_path: Path) -> None:
    async with on_stage(tmp_path, keys_in_sight=KEYS) as stage:
        stage.app.acted.providers += (ProviderChoice(name="anthropic", title="Anthropic", protocol="x"),)
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert "OPENAI_API_KEY" in stage.text()
        assert "Ask anything" in stage.text(), "and it is ready for typing"
        await stage.press("alt+k")
        await stage.settle()
        assert "Embedded model" in stage.text()
        await stage.press("down", "enter")
        await stage.settle()
        assert stage.session.endpoint.provider == "anthropic"
        assert stage.app.acted.state.provider == "anthropic", "the next start remembers it"
        assert "OPENAI_API_KEY" not in stage.text()
        await stage.ask("Hello")
        assert stage.session.sent


async def test_a_found_key_can_be_clicked(tmp_path: Path) -> None:
    async with on_stage(tmp_path, keys_in_sight=KEYS) as stage:
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        row = next(y for y, line in enumerate(stage.screen()) if "Anthropic" in line)
        await stage.pilot.click(offset=(stage.screen()[row].index("Anthropic") + 1, row))
        await stage.settle()
        assert stage.session.endpoint.provider == "anthropic"


async def test_without_keys_the_embedded_model_is_there_and_says_what_it_is(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 24)) as stage:
        await stage.app.workers.wait_for_complete()
        assert "embedded model" in stage.text()
        await stage.ask("Hello")
        assert stage.session.sent


async def test_hostile_names_of_providers_are_text(tmp_path: Path) -> None:
    keys = tuple(FoundKey(provider=text, title=text, origin=text) for text in list(HOSTILE.values())[:4])
    async with on_stage(tmp_path, (100, 30), keys_in_sight=keys) as stage:
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert_safe(stage)
        await stage.press("alt+k")
        await stage.settle()
        assert_safe(stage)
