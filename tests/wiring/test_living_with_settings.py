"""Profiles, found keys, prices and changed files, with the real configuration."""

import os
from pathlib import Path

import pytest
from core.test_attached_file import png

from chatui.config.paths import find_paths
from chatui.core.context_size import EMBEDDED_WINDOW_TOKENS
from chatui.core.errors import ConfigError
from chatui.core.events import Usage
from chatui.wiring import LaunchOptions, open_checked, open_workspace
from chatui.wiring.model_knowledge import cost_of

AD_HOC = LaunchOptions(base_url="http://127.0.0.1:1/v1", model="m", api_key_env=None)


def write_config(text: str) -> Path:
    file = find_paths().config_file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


PROFILES = """
[profiles.terse]
system = "Be terse."
[profiles.terse.parameters]
temperature = 0.1
[profiles.other]
provider = "openai"
model = "gpt-x"
[profiles.broken]
provider = "nobody"
"""


def test_a_profile_changes_prompt_and_parameters_and_keeps_who_answers() -> None:
    write_config(PROFILES)
    workspace = open_workspace(AD_HOC)
    before = workspace.resolve()
    endpoint, system = workspace.use_profile("terse", before)
    assert system == "Be terse."
    assert endpoint.sampling.temperature == 0.1
    assert (endpoint.provider, endpoint.model, endpoint.base_url) == (before.provider, "m", before.base_url)
    endpoint, system = workspace.use_profile("", endpoint)
    assert (endpoint.sampling.temperature, system) == (None, "")


def test_a_profile_that_cannot_be_used_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    write_config(PROFILES)
    workspace = open_workspace(AD_HOC)
    for name in ("broken", "other", "nope"):
        with pytest.raises(ConfigError):
            workspace.use_profile(name, workspace.resolve())
        assert workspace.profile_name == ""
    monkeypatch.setenv("OPENAI_API_KEY", "k" * 20)
    endpoint, _ = workspace.use_profile("other", workspace.resolve())
    assert (endpoint.provider, endpoint.model) == ("openai", "gpt-x")


def test_a_changed_file_is_read_again_for_the_model_that_answers_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k" * 20)
    file = write_config("")
    workspace = open_workspace(AD_HOC)
    picked = workspace.resolve("openai", "gpt-x")
    assert not workspace.reload_if_changed()
    file.write_text("[parameters]\ntemperature = 0.5\n")
    os.utime(file, ns=(1, 1))
    assert workspace.reload_if_changed()
    again = workspace.again(picked)
    assert (again.provider, again.model, again.sampling.temperature) == ("openai", "gpt-x", 0.5)
    ad_hoc = workspace.again(workspace.resolve())
    assert (ad_hoc.base_url, ad_hoc.sampling.temperature) == ("http://127.0.0.1:1/v1", 0.5)


def test_the_server_of_the_command_line_can_be_chosen_again_by_its_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CHATUI_API_KEY", "k" * 20)
    workspace = open_workspace(AD_HOC)
    name = workspace.resolve().provider
    other = workspace.resolve(name, "another")
    assert (other.base_url, other.model, other.api_key) == ("http://127.0.0.1:1/v1", "another", "k" * 20)
    assert workspace.resolve(name, None).model == "m"
    with pytest.raises(ConfigError):
        open_workspace(LaunchOptions()).resolve(name, "m")


def test_a_provider_without_an_address_is_not_offered_as_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    by_name = {choice.name: choice for choice in open_workspace(LaunchOptions()).choices()}
    assert by_name["ollama"].is_ready
    assert not by_name["gateway"].is_ready
    assert "GATEWAY_BASE_URL" in by_name["gateway"].what_is_missing
    monkeypatch.setenv("GATEWAY_BASE_URL", "http://127.0.0.1:1/v1")
    by_name = {choice.name: choice for choice in open_workspace(LaunchOptions()).choices()}
    assert by_name["gateway"].is_ready


def test_found_keys_are_named_by_their_place_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = open_workspace(LaunchOptions())
    assert workspace.found_keys() == ()
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret-secret")
    workspace.save_key("groq", "gsk_secretsecretsecret")
    found = {key.provider: key.origin for key in workspace.found_keys()}
    assert found == {"anthropic": "ANTHROPIC_API_KEY", "groq": "a file"}
    assert "secret" not in str(workspace.found_keys())
    assert workspace.resolve("groq", "m").api_key == "gsk_secretsecretsecret"


def test_a_cost_is_known_only_with_prices_and_counts() -> None:
    write_config("[models.m]\ninput_price_per_million = 2.0\noutput_price_per_million = 4.0\n")
    workspace = open_workspace(AD_HOC)
    facts = workspace.model_facts(workspace.resolve())
    assert cost_of(Usage(1_000_000, 500_000, None), facts) == 4.0
    assert cost_of(Usage(1_000_000, 0, None, cached_tokens=1_000_000), facts) == 2.0
    assert cost_of(Usage(None, 5, None), facts) is None
    assert cost_of(None, facts) is None
    other = workspace.model_facts(workspace.resolve(None, "another"))
    assert cost_of(Usage(1, 1, 2), other) is None


def test_of_the_embedded_model_is_known_that_it_reads_only_text_and_how_large_its_window_is() -> None:
    workspace = open_workspace(LaunchOptions())
    facts = workspace.model_facts(workspace.resolve())
    assert facts.can_see_images is False
    assert facts.context_window_tokens == EMBEDDED_WINDOW_TOKENS


def test_files_of_the_command_line_are_checked_before_the_app_takes_the_screen(tmp_path: Path) -> None:
    (tmp_path / "p.png").write_bytes(png(9000, 1))
    open_checked(LaunchOptions(attachments=(str(tmp_path / "p.png"),))).close()
    with pytest.raises(ConfigError, match=r"none\.png"):
        open_checked(LaunchOptions(attachments=(str(tmp_path / "none.png"),)))
    options = LaunchOptions(
        base_url="http://127.0.0.1:1/v1",
        model="m",
        protocol="anthropic_messages",
        attachments=(str(tmp_path / "p.png"),),
    )
    workspace = open_workspace(options)
    assert "9000 pixels" in workspace.attachment_problems(workspace.resolve())[0]
