"""The first minutes: keys that are there are found, a model is one key away, the embedded one answers at once."""

from pathlib import Path

from ui.acting import on_stage
from ui.test_hostile_text import HOSTILE, assert_safe

from chatui.ui.welcome import welcome_lines
from chatui.ui.widgets.rows_view import ListRow
from chatui.view.glyphs import glyphs
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


async def test_without_an_engine_the_empty_state_says_what_to_do(tmp_path: Path) -> None:
    problem = "The engine is not installed. Install it: pip install engine."
    async with on_stage(tmp_path, (100, 30), engine_problem=problem) as stage:
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert problem in stage.text()
        assert "good for trying" not in stage.text()
        await stage.press("alt+k")
        await stage.settle()
        assert any("Embedded model" in line and "not installed" in line for line in stage.screen())


async def test_what_the_first_question_fetches_is_told_before_it_is_asked(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 30), bytes_to_fetch=93_000_000) as stage:
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert "The first question fetches it, once (93 MB)." in " ".join(stage.text().split())
        await stage.press("alt+k")
        await stage.settle()
        assert "needs no key, fetched once (93 MB)" in stage.text()


def test_a_narrow_welcome_shows_whole_facts_of_a_conversation() -> None:
    row = ListRow(key="k", strong="A title", weak="4 min ago · A-model-with-a-name · 1 turn · 2 kB")
    shown = next(line for line in welcome_lines(60, glyphs(True), None, [row]) if "A title" in line.text)
    assert shown.text.endswith("4 min ago")


async def test_a_notice_that_comes_again_is_as_wide_as_the_window(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 24)) as stage:
        for key, words in (("alt+o", "There is no profile yet"), ("alt+t", "There is no template yet")):
            await stage.press(key)
            await stage.settle()
            assert words in stage.text()
            await stage.press("escape")
            await stage.settle()
            assert words not in stage.text()


async def test_every_key_is_listed_once_in_the_help(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 60)) as stage:
        await stage.press("f1")
        await stage.settle()
        assert sum(line.rstrip().endswith(" Esc") for line in stage.screen()) == 1
        assert sum(line.rstrip().endswith(" Ctrl+C") for line in stage.screen()) == 1


async def test_hostile_names_of_providers_are_text(tmp_path: Path) -> None:
    keys = tuple(FoundKey(provider=text, title=text, origin=text) for text in list(HOSTILE.values())[:4])
    async with on_stage(tmp_path, (100, 30), keys_in_sight=keys) as stage:
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert_safe(stage)
        await stage.press("alt+k")
        await stage.settle()
        assert_safe(stage)
