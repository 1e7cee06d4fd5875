"""Providers are data: each file loads, names its source, and says nothing that `Dialect` does not know."""

import dataclasses
import tomllib

import pytest

from chatui.config.provider_spec import (
    BUILT_IN_DIR,
    PROTOCOLS,
    Auth,
    ProviderKind,
    ProviderSpec,
    built_in_names,
    check_provider,
    load_provider,
    provider_names,
)
from chatui.config.toml_source import read_toml
from chatui.core.endpoint_url import normalise_base_url
from chatui.core.errors import ConfigError
from chatui.core.wire import Dialect

WANTED = """
openai openai-chat anthropic azure-openai openrouter gemini deepseek mistral groq xai together fireworks
cerebras perplexity moonshot zhipu dashscope minimax ollama llamacpp vllm sglang lmstudio gateway local
"""
QUIRKS = {item.name for item in dataclasses.fields(Dialect)}


def test_every_provider_that_people_ask_for_comes_along():
    assert set(built_in_names()) >= set(WANTED.split())


@pytest.mark.parametrize("name", built_in_names())
def test_a_provider_file_is_right_and_names_its_public_source(name, world):
    path = BUILT_IN_DIR / f"{name}.toml"
    source, broken = read_toml(path)
    assert (*broken, *check_provider(source, source.data, ())) == ()
    assert path.read_text().startswith("#")
    assert "# Source: " in path.read_text()
    spec = load_provider(name, world.paths)
    assert spec.source.startswith("https://")
    assert spec.title
    assert spec.protocol in PROTOCOLS
    assert set(spec.all_protocols) <= set(PROTOCOLS)
    if spec.kind is ProviderKind.HTTP:
        assert spec.base_url or spec.base_url_env
        assert spec.key_env or not spec.needs_key
        assert spec.base_url == "" or normalise_base_url(spec.base_url) == spec.base_url
        assert spec.is_local == spec.base_url.startswith("http://127.0.0.1:")
    if spec.default_model and spec.suggested_models:
        assert spec.default_model in spec.suggested_models


@pytest.mark.parametrize("name", built_in_names())
def test_every_quirk_is_a_field_of_dialect(name):
    table = tomllib.loads((BUILT_IN_DIR / f"{name}.toml").read_text())
    quirks = set(table.get("dialect", {}))
    for dialect in table.get("dialects", {}).values():
        quirks |= set(dialect)
    assert quirks <= QUIRKS


def test_quirks_of_the_wild_are_known(world):
    def dialect(name, protocol=None):
        spec = load_provider(name, world.paths)
        return spec.dialect_for(protocol or spec.protocol)

    assert dialect("openai-chat").max_tokens_field == "max_completion_tokens"
    assert dialect("openai", "chat_completions").max_tokens_field == "max_completion_tokens"
    assert dialect("mistral").tool_call_id_length == 9
    assert dialect("deepseek").is_reasoning_echoed
    assert not dialect("zhipu").sends_usage_option
    assert "logprobs" in dialect("groq").unsupported
    assert dialect("anthropic").default_max_output_tokens
    assert load_provider("azure-openai", world.paths).auth is Auth.API_KEY


def test_a_persons_own_file_makes_a_provider(world):
    world.write(
        'base_url = "https://llm.example/v1"\nkey_env = ["WORK_KEY"]\n[dialect]\nhas_think_tags = false\n',
        world.paths.providers_dir / "work.toml",
    )
    spec = load_provider("work", world.paths)
    assert spec.name == spec.title == "work"
    assert spec.key_env == ("WORK_KEY",)
    assert not spec.dialect.has_think_tags
    assert "work" in provider_names(world.paths)


def test_the_configuration_changes_only_what_it_names(world):
    world.write('[providers.deepseek]\ndefault_model = "x"\ndialect = { has_think_tags = true }\n')
    config = world.load()
    spec = load_provider("deepseek", world.paths, config.settings.providers, config.user_source)
    assert spec.default_model == "x"
    assert spec.dialect.has_think_tags
    assert spec.dialect.is_reasoning_echoed
    assert spec.key_env == ("DEEPSEEK_API_KEY",)


def test_a_provider_that_is_moved_to_another_host_loses_the_key_of_the_old_one(world):
    world.write('[providers.openai]\nbase_url = "https://proxy.example.com/v1"\n')
    config = world.load()
    spec = load_provider("openai", world.paths, config.settings.providers, config.user_source)
    assert spec.key_env == ()
    assert spec.base_url_env == ()


def test_a_key_source_of_ones_own_replaces_the_built_in_ones(world):
    world.write('[providers.openai]\nkey_command = ["pass", "openai"]\n')
    config = world.load()
    spec = load_provider("openai", world.paths, config.settings.providers, config.user_source)
    assert spec.key_env == ()
    assert spec.key_command == ("pass", "openai")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            'base_url = "https://x.example/v1"\nprotcol = "responses"\n',
            ':2: protcol: is not known; did you mean "protocol"?',
        ),
        ('protocol = "response"\n', ':1: protocol: "response" is not allowed; did you mean "responses"?'),
        ("key_env = 3\n", ":1: key_env: must be a list of texts, not 3"),
        ('[dialect]\nis_done_proof = "yes"\n', ':2: dialect.is_done_proof: must be true or false, not "yes"'),
        ("[dialect]\nhas_thinktags = true\n", 'did you mean "has_think_tags"?'),
        ('kind = "remote"\n', ':1: kind: must be one of "http", "embedded", not "remote"'),
        ("name = \n", ":1: is no valid TOML"),
    ],
)
def test_a_mistake_in_a_provider_file_is_told_with_line_key_and_what_is_allowed(world, text, told):
    file = world.write(text, world.paths.providers_dir / "mine.toml")
    with pytest.raises(ConfigError) as caught:
        load_provider("mine", world.paths)
    assert caught.value.message.startswith(f"{file}:")
    assert told in caught.value.message
    assert "\n" not in caught.value.message


def test_an_unknown_provider_is_told_in_one_line_with_a_near_match(world):
    with pytest.raises(
        ConfigError, match='unknown provider "antropic"; did you mean "anthropic"\\? known: anthropic, '
    ):
        load_provider("antropic", world.paths)


@pytest.mark.parametrize("name", ["../../etc/passwd", "", "a/b", "\x1b[31m"])
def test_a_name_that_is_no_name_reads_no_file(world, name):
    with pytest.raises(ConfigError):
        load_provider(name, world.paths, {name: {"base_url": "http://x/v1"}})


def test_spec_fields_all_have_a_description():
    for item in dataclasses.fields(ProviderSpec):
        assert item.metadata or item.name in ("headers", "dialect", "dialects", "models")
