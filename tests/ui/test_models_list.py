"""The model picker: favourites and recent ones first, keys asked for, local servers only after a yes."""

from dataclasses import replace
from pathlib import Path

from ui.acting import on_stage

from chatui.config.provider_spec import ModelFacts
from chatui.config.settings import Settings
from chatui.config.state import AppState
from chatui.ui.lists.model_offer import what_is_missing
from chatui.wiring.options import ProviderChoice


async def test_live_models_join_and_the_one_taken_answers_next_and_is_remembered(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 24)) as stage:
        await stage.press("ctrl+o")
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert "local / another" in stage.text()
        await stage.type("another")
        await stage.press("enter")
        await stage.settle()
        assert stage.session.endpoint.model == "another"
        assert stage.app.acted.state.recent_models == ("local/another",)
        assert "another" in stage.screen()[0]


async def test_a_favourite_is_marked_and_comes_first_next_time(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 24)) as stage:
        await stage.press("ctrl+o")
        await stage.app.workers.wait_for_complete()
        await stage.type("another")
        await stage.press("ctrl+f")
        await stage.settle()
        assert "favourite" in next(line for line in stage.screen() if "local / another" in line)
        assert stage.app.acted.state.favourite_models == ("local/another",)
        await stage.press("escape", "ctrl+o")
        await stage.settle()
        text = stage.text()
        assert text.index("local / another") < text.index("acme / acme-1")


async def test_this_machine_is_looked_at_only_after_the_person_agreed(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (120, 24)) as stage:
        await stage.press("ctrl+o")
        await stage.app.workers.wait_for_complete()
        assert stage.app.acted.looks == 0
        await stage.type("look for servers")
        await stage.press("enter")
        await stage.settle()
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert stage.app.acted.looks == 1
        assert stage.app.acted.state.may_look_for_local_servers is True
        assert "ollama / llama3" in stage.text()


async def test_without_a_yes_nothing_is_looked_for_even_when_asked_again(tmp_path: Path) -> None:
    async with on_stage(tmp_path, state=AppState(may_look_for_local_servers=False)) as stage:
        await stage.press("ctrl+o")
        await stage.app.workers.wait_for_complete()
        assert stage.app.acted.looks == 0


async def test_a_missing_key_is_asked_for_and_never_shown(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 24)) as stage:
        await stage.press("ctrl+o")
        await stage.type("acme")
        await stage.press("enter")
        await stage.settle()
        assert "Key for Acme" in stage.text()
        await stage.type("sekret")
        assert "sekret" not in stage.text()
        await stage.press("enter")
        await stage.settle()
        assert stage.app.acted.saved_keys == {"acme": "sekret"}


async def test_windows_and_prices_are_shown_where_they_are_known(tmp_path: Path) -> None:
    facts = ModelFacts(context_window_tokens=128_000, input_price_per_million=3, output_price_per_million=15)
    settings = replace(Settings(), models={"smollm2": facts})
    async with on_stage(tmp_path, (120, 24), settings=settings) as stage:
        await stage.press("ctrl+o")
        await stage.settle()
        assert "128.0k ctx, 3 in, 15 out a million" in stage.text()


def test_a_row_tells_what_is_missing_and_not_twice_whose_it_is() -> None:
    choice = ProviderChoice(
        name="anthropic",
        title="Anthropic",
        protocol="anthropic_messages",
        is_ready=False,
        what_is_missing="Anthropic needs a key: set ANTHROPIC_API_KEY",
    )
    assert what_is_missing(choice) == "needs a key: set ANTHROPIC_API_KEY"


async def test_a_model_that_no_list_holds_is_asked_for_by_its_name(tmp_path: Path) -> None:
    servers = (ProviderChoice(name="work", title="Work", protocol="chat_completions", models=("work-1",)),)
    async with on_stage(tmp_path, (100, 24), providers=servers) as stage:
        await stage.press("ctrl+o")
        await stage.app.workers.wait_for_complete()
        await stage.type("work/work-2")
        await stage.settle()
        await stage.app.workers.wait_for_complete()
        assert "in no list: asked for by this name" in stage.text()
        await stage.press("enter")
        await stage.settle()
        assert stage.session.endpoint.model == "work-2"


async def test_why_a_list_is_not_fresh_is_told_again_at_each_row_of_its_provider(tmp_path: Path) -> None:
    servers = (
        ProviderChoice(name="local", title="Local model", protocol="chat_completions"),
        ProviderChoice(name="acme", title="Acme", protocol="chat_completions", models=("acme-1",)),
    )
    async with on_stage(tmp_path, (100, 24), providers=servers) as stage:
        await stage.press("ctrl+o")
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert "acme: no list" in stage.text()
        assert "list not refreshed" in stage.text()
        await stage.type("local")
        await stage.settle()
        assert "acme: no list" not in stage.text()
        await stage.press("ctrl+u")
        await stage.type("acme-1")
        await stage.settle()
        assert "acme: no list" in stage.text()


async def test_what_a_server_lists_replaces_what_was_only_suggested(tmp_path: Path) -> None:
    servers = (
        ProviderChoice(name="local", title="Local", protocol="chat_completions", models=("gone", "smollm2")),
    )
    async with on_stage(tmp_path, (100, 24), providers=servers) as stage:
        await stage.press("ctrl+o")
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert "local / another" in stage.text()
        assert "local / gone" not in stage.text()


async def test_a_missing_address_is_told_and_never_asked_for_as_a_key(tmp_path: Path) -> None:
    lacking = ProviderChoice(
        name="gateway",
        title="Gateway",
        protocol="chat_completions",
        is_ready=False,
        needs_configuration=True,
        what_is_missing="Gateway needs an address: set GATEWAY_BASE_URL",
    )
    async with on_stage(tmp_path, (100, 24), providers=(lacking,)) as stage:
        await stage.press("ctrl+o")
        await stage.type("gateway")
        await stage.press("enter")
        await stage.settle()
        assert "Gateway needs an address: set GATEWAY_BASE_URL" in stage.text()
        assert "Key for" not in stage.text()


async def test_a_provider_of_which_no_model_is_known_is_asked_for_them(tmp_path: Path) -> None:
    silent = ProviderChoice(name="ollama", title="Ollama", protocol="chat_completions", is_local=True)
    local = ProviderChoice(name="local", title="Local model", protocol="chat_completions")
    async with on_stage(tmp_path, (100, 24), providers=(local, silent)) as stage:
        await stage.press("ctrl+o")
        await stage.type("ollama")
        await stage.press("enter")
        await stage.settle()
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert "Start Ollama, then choose it again." in stage.text()
        assert "asking Ollama" not in stage.text(), "it has answered, or will not"
