"""From flags and files to all that one request needs; mistakes are told before anything is sent."""

import contextlib
import dataclasses
import time

import pytest
from config.worlds import World
from hypothesis import given
from hypothesis import strategies as st

from chatui.config.model_cache import CachedModels, load_models, save_models
from chatui.config.overview import local_servers, usable_providers
from chatui.config.provider_spec import ProviderKind
from chatui.config.state import AppState
from chatui.core.errors import ConfigError
from chatui.core.model_listing import ListedModel

WISHES = ("provider", "model", "protocol", "base_url", "api_key_env", "profile", "system")
LOCAL = "http://127.0.0.1:8080/v1"


def refusal(world, **wish):
    with pytest.raises(ConfigError) as caught:
        world.resolve(**wish)
    message = caught.value.message
    assert "\n" not in message
    return message


def test_a_base_url_alone_makes_a_provider_with_the_variable_for_such_keys(world):
    world.environ["CHATUI_API_KEY"] = " sk-adhoc \n"
    found = world.resolve(base_url="http://127.0.0.1:8080", model="m")
    assert (found.base_url, found.model, found.protocol) == (LOCAL, "m", "chat_completions")
    assert (found.api_key, found.key_origin) == ("sk-adhoc", "$CHATUI_API_KEY")
    assert found.spec.name == "127.0.0.1:8080"
    assert "sk-adhoc" not in repr(found)


def test_a_base_url_needs_no_key(world):
    assert world.resolve(base_url=LOCAL, model="m").api_key is None


def test_a_full_endpoint_says_the_protocol_unless_a_flag_does(world):
    assert world.resolve(base_url="http://h/v1/messages", model="m").protocol == "anthropic_messages"
    assert (
        world.resolve(base_url="http://h/v1/messages", model="m", protocol="responses").protocol
        == "responses"
    )


def test_the_variable_of_a_flag_is_used_and_must_be_set(world):
    world.environ["MY_KEY"] = "sk-mine"
    assert world.resolve(base_url=LOCAL, model="m", api_key_env="MY_KEY").api_key == "sk-mine"
    assert "NO_KEY" in refusal(world, base_url=LOCAL, model="m", api_key_env="NO_KEY")


def test_a_configured_provider_brings_its_key_and_quirks(world):
    world.environ["MISTRAL_API_KEY"] = "sk-m"
    found = world.resolve(provider="mistral")
    assert found.api_key == "sk-m"
    assert found.model == "mistral-medium-latest"
    assert found.dialect.tool_call_id_length == 9


def test_a_providers_key_never_goes_to_another_host(world):
    world.environ |= {"OPENAI_API_KEY": "sk-openai", "CHATUI_API_KEY": "sk-adhoc"}
    world.write("sk-saved", world.paths.keys_dir / "openai")
    elsewhere = world.resolve(provider="openai", base_url="https://evil.example/v1")
    assert elsewhere.api_key == "sk-adhoc"
    del world.environ["CHATUI_API_KEY"]
    assert "needs a key" in refusal(world, provider="openai", base_url="https://evil.example/v1")
    downgraded = "http://api.openai.com/v1"
    assert "needs a key" in refusal(world, provider="openai", base_url=downgraded)
    own = world.resolve(provider="openai", base_url="https://api.openai.com/v1/responses")
    assert own.api_key == "sk-openai"


def test_a_key_in_a_header_of_its_own_is_sent_there_only(world):
    world.environ |= {"AZURE_OPENAI_ENDPOINT": "https://res.openai.azure.com/", "AZURE_OPENAI_API_KEY": "az"}
    found = world.resolve(provider="azure-openai", model="my-deployment")
    assert found.base_url == "https://res.openai.azure.com/openai/v1"
    assert found.api_key is None
    assert found.headers == (("api-key", "az"),)
    assert "'az'" not in repr(found)


def test_a_missing_key_or_address_says_where_to_put_it(world):
    assert "set ANTHROPIC_API_KEY" in refusal(world, provider="anthropic")
    assert "set AZURE_OPENAI_ENDPOINT" in refusal(world, provider="azure-openai", model="m")


def test_a_key_over_plain_http_is_told(world):
    world.environ["CHATUI_API_KEY"] = "k"
    assert "without encryption" in world.resolve(base_url="http://192.0.2.1/v1", model="m").notices[0]
    assert world.resolve(base_url=LOCAL, model="m").notices == ()


@pytest.mark.parametrize(
    ("written", "base"),
    [
        ("127.0.0.1", "http://127.0.0.1:11434/v1"),
        (":4000", "http://127.0.0.1:4000/v1"),
        ("box:4000", "http://box:4000/v1"),
        ("box", "http://box:11434/v1"),
        ("https://ollama.example", "https://ollama.example/v1"),
        ("", "http://127.0.0.1:11434/v1"),
    ],
)
def test_the_variable_of_ollama_is_understood(world, written, base):
    world.environ["OLLAMA_HOST"] = written
    assert world.resolve(provider="ollama", model="m").base_url == base


def test_unknown_names_are_refused_with_what_is_allowed(world):
    assert 'did you mean "responses"?' in refusal(world, base_url=LOCAL, model="m", protocol="respones")
    assert "allowed: anthropic_messages, chat_completions, responses" in refusal(
        world, base_url=LOCAL, model="m", protocol="x"
    )
    assert "there is none" in refusal(world, base_url=LOCAL, model="m", profile="x")
    assert 'unknown option "temprature"; did you mean "temperature"?' in refusal(
        world, base_url=LOCAL, model="m", generation=(("temprature", "1"),)
    )
    assert "no model is named" in refusal(world, base_url=LOCAL)
    assert "chatui models --base-url URL" in refusal(world, base_url=LOCAL)
    known = ("gpt-5.5", "gpt-4.1")
    assert 'has no model "gpt-5,5"; did you mean "gpt-5.5"? known: gpt-5.5, gpt-4.1' in refusal(
        world, base_url=LOCAL, model="gpt-5,5", known_models=known
    )


def test_a_young_list_of_a_provider_tells_which_models_do_not_exist(world):
    world.environ["GROQ_API_KEY"] = "k"
    listed = CachedModels(
        base_url="https://api.groq.com/openai/v1",
        fetched_at_epoch_s=time.time(),
        models=(ListedModel(model_id="real"),),
    )
    save_models(world.paths, "groq", listed)
    assert load_models(world.paths, "groq") == listed
    assert world.resolve(provider="groq", model="real").model == "real"
    assert 'has no model "unreal"; did you mean "real"?' in refusal(world, provider="groq", model="unreal")
    save_models(world.paths, "groq", dataclasses.replace(listed, fetched_at_epoch_s=time.time() - 90_000))
    assert world.resolve(provider="groq", model="unreal").model == "unreal"
    save_models(world.paths, "groq", dataclasses.replace(listed, base_url="https://other.example/v1"))
    assert world.resolve(provider="groq", model="unreal").model == "unreal"


def test_a_broken_list_is_none(world):
    path = world.paths.models_dir / "groq.json"
    for text in (
        "",
        "{",
        "[]",
        '{"fetched_at_epoch_s": "x"}',
        '{"fetched_at_epoch_s": 1, "models": [3, {"a": 1}]}',
    ):
        world.write(text, path)
        found = load_models(world.paths, "groq")
        assert found is None or found.models == ()


def test_without_any_word_the_embedded_model_is_asked(world):
    found = world.resolve()
    assert found.is_embedded
    assert found.spec.kind is ProviderKind.EMBEDDED
    assert found.model
    assert found.base_url == ""


def test_the_embedded_engine_has_one_model_and_no_other(world):
    own = {"local_model": lambda: "my-file"}
    assert world.resolve(provider="local", **own).model == "my-file"
    assert world.resolve(provider="local", model="my-file", **own).model == "my-file"
    assert 'has no model "gpt-5"; known: my-file' in refusal(world, provider="local", model="gpt-5", **own)
    assert world.resolve(AppState(provider="local", model="gone"), **own).model == "my-file"


def test_what_was_used_last_is_used_again_unless_it_is_gone(world):
    world.environ["GROQ_API_KEY"] = "k"
    last = AppState(provider="groq", model="last-model")
    found = world.resolve(last)
    assert (found.spec.name, found.model) == ("groq", "last-model")
    assert world.resolve(AppState(provider="gone", model="x")).is_embedded
    assert world.resolve(last, provider="local").model != "last-model"


def test_a_model_of_the_file_belongs_to_the_provider_of_the_file(world):
    world.environ |= {"OPENAI_API_KEY": "k", "GROQ_API_KEY": "k"}
    world.write('provider = "openai"\nmodel = "gpt-4.1"\n')
    assert world.resolve().model == "gpt-4.1"
    assert world.resolve(provider="groq").model == "openai/gpt-oss-120b"
    assert "no model is named" in refusal(world, base_url=LOCAL)


def test_a_profile_brings_prompt_model_and_parameters_and_flags_beat_it(world):
    world.environ["GROQ_API_KEY"] = "k"
    world.write(
        'system = "general"\n[parameters]\ntop_p = 0.5\ntemperature = 1\nextra = { n = 1, a = 1 }\n'
        '[profiles.t]\nsystem = "translate"\nprovider = "groq"\nmodel = "m"\n'
        "parameters = { temperature = 0.2, extra = { n = 2 } }\n"
    )
    found = world.resolve(profile="t")
    assert (found.system, found.spec.name, found.model) == ("translate", "groq", "m")
    assert (found.sampling.temperature, found.sampling.top_p) == (0.2, 0.5)
    assert found.sampling.extra == {"n": 2, "a": 1}
    flagged = world.resolve(profile="t", system="", model="x", generation=(("temperature", "0"),))
    assert (flagged.system, flagged.model, flagged.sampling.temperature) == ("", "x", 0.0)


def test_limits_come_from_flags_then_the_person_then_the_provider(world):
    assert world.resolve(provider="ollama", model="m").first_event_s == 600
    world.write("[timeouts]\nfirst_event_s = 5\ngap_s = 0\n")
    assert world.resolve(provider="ollama", model="m").first_event_s == 5
    assert world.resolve(provider="ollama", model="m").gap_s is None
    assert world.resolve(provider="ollama", model="m", first_event_s=1.5).first_event_s == 1.5
    assert world.resolve(provider="ollama", model="m", first_event_s=0.0).first_event_s is None


def test_streaming_can_be_switched_off_for_a_provider_by_the_person_or_by_flag(world):
    assert world.resolve(base_url=LOCAL, model="m").is_streaming
    world.write(f'[providers.x]\nbase_url = "{LOCAL}"\nneeds_key = false\nstream = false\n')
    assert not world.resolve(provider="x", model="m").is_streaming
    assert world.resolve(provider="x", model="m", is_streaming=True).is_streaming
    assert not world.resolve(base_url=LOCAL, model="m", is_streaming=False).is_streaming


def test_done_counts_as_proof_only_where_the_person_said_so(world):
    assert not world.resolve(base_url=LOCAL, model="m").dialect.is_done_proof
    world.write("accept_done = true\n")
    assert world.resolve(base_url=LOCAL, model="m").dialect.is_done_proof


def test_what_the_person_knows_of_a_model_is_joined(world):
    world.write(
        f'[providers.x]\nbase_url = "{LOCAL}"\nneeds_key = false\n'
        "[providers.x.models.m]\ncontext_window_tokens = 100\n"
        '[models.m]\ninput_price_per_million = 1\n[models."x/m"]\noutput_price_per_million = 2.5\n'
    )
    facts = world.resolve(provider="x", model="m").facts
    assert (facts.context_window_tokens, facts.input_price_per_million, facts.output_price_per_million) == (
        100,
        1,
        2.5,
    )
    assert world.resolve(provider="x", model="other").facts.context_window_tokens is None


def test_an_endpoint_carries_everything_to_the_engine(world):
    world.environ["CHATUI_API_KEY"] = "k"
    found = world.resolve(base_url=LOCAL, model="m", gap_s=3.0, generation=(("seed", "1"),))
    endpoint = found.endpoint()
    assert (endpoint.base_url, endpoint.model, endpoint.api_key) == (LOCAL, "m", "k")
    assert endpoint.protocol.name == "chat_completions"
    assert endpoint.deadlines.gap_s == 3.0
    assert endpoint.sampling.seed == 1
    assert endpoint.prepare is None


# Options


@pytest.mark.parametrize(
    ("key", "text", "name", "value"),
    [
        ("temperature", "0.2", "temperature", 0.2),
        ("max_tokens", "5", "max_output_tokens", 5),
        ("max_completion_tokens", "5", "max_output_tokens", 5),
        ("stop", "END, or so", "stop", ("END, or so",)),
        ("reasoning_effort", "high", "reasoning_effort", "high"),
        ("thinking_budget_tokens", "1024", "thinking_budget_tokens", 1024),
        ("temperature", "none", "temperature", None),
    ],
)
def test_known_options_are_typed(world, key, text, name, value):
    sampling = world.resolve(base_url=LOCAL, model="m", generation=((key, text),)).sampling
    assert getattr(sampling, name) == value
    assert sampling.extra == {}


def test_members_of_the_body_are_sent_as_they_are(world):
    options = (
        ("n", "2"), ("response_format", '{"type": "json_object"}'), ("reasoning.summary", "auto"),
        ("body.anything.at_all", "true"), ("user", "me"), ("logprobs", "true"),
    )  # fmt: skip
    assert world.resolve(base_url=LOCAL, model="m", generation=options).sampling.extra == {
        "n": 2,
        "response_format": {"type": "json_object"},
        "reasoning": {"summary": "auto"},
        "anything": {"at_all": True},
        "user": "me",
        "logprobs": True,
    }


@pytest.mark.parametrize(
    ("key", "text", "told"),
    [
        ("temperature", "hot", 'option temperature: must be a number, not "hot"'),
        ("temperature", "5", "must be at most 2, not 5"),
        ("temperature", "nan", "must be a number"),
        ("max_tokens", "1.5", "must be a whole number"),
        ("seed", "true", "must be a whole number"),
        ("model", "x", "use --model"),
        ("stream", "false", "use --no-stream"),
        ("body.messages", "[]", "cannot be set with -o"),
        ("body.", "1", "unknown option"),
        ("", "1", "unknown option"),
        ("nonsense", "1", "body.NAME for any other"),
    ],
)
def test_a_wrong_option_is_refused(world, key, text, told):
    assert told in refusal(world, base_url=LOCAL, model="m", generation=((key, text),))


def test_constants_that_are_no_json_are_sent_as_text(world):
    sampling = world.resolve(base_url=LOCAL, model="m", generation=(("body.x", "NaN"),)).sampling
    assert sampling.extra == {"x": "NaN"}


# Looking around


def test_providers_with_a_key_are_found_for_the_first_run(world):
    assert usable_providers(world.load(), world.environ) == ()
    world.environ |= {"GROQ_API_KEY": "k", "OPENAI_API_KEY": " "}
    world.write("x", world.paths.keys_dir / "mistral")
    world.write("broken = [", world.paths.providers_dir / "bad.toml")
    assert [spec.name for spec in usable_providers(world.load(), world.environ)] == ["groq", "mistral"]


def test_the_usual_ports_are_known(world):
    world.environ["OLLAMA_HOST"] = ":4000"
    found = local_servers(world.load(), world.environ)
    assert found["ollama"] == "http://127.0.0.1:4000/v1"
    assert found["llamacpp"] == LOCAL
    assert set(found) == {"ollama", "llamacpp", "lmstudio", "vllm", "sglang"}


def test_headers_take_secrets_from_variables_and_stay_with_their_host(world):
    world.write(
        '[providers.x]\nbase_url = "https://x.example/v1"\nneeds_key = false\ndefault_model = "m"\n'
        '[providers.x.headers]\nX-Team = "blue ${TEAM}"\n'
    )
    with pytest.raises(ConfigError, match="needs the variable TEAM"):
        world.resolve(provider="x")
    world.environ["TEAM"] = "secret-team"
    assert world.resolve(provider="x").headers == (("X-Team", "blue secret-team"),)
    assert "secret-team" not in repr(world.resolve(provider="x"))
    assert world.resolve(provider="x", base_url="https://evil.example/v1").headers == ()
    assert world.resolve(provider="x", base_url="https://x.example/v1/responses").headers != ()
    world.environ["TEAM"] = "a\r\nEvil: 1"
    with pytest.raises(ConfigError) as caught:
        world.resolve(provider="x")
    assert "Evil" not in caught.value.message


def test_a_member_that_a_server_refuses_can_be_left_out(world):
    found = world.resolve(
        base_url=LOCAL, model="m", generation=(("stream_options", "none"), ("body.store", "none"))
    )
    assert found.dialect.unsupported == ("stream_options", "store")
    assert found.sampling.extra == {}


def test_the_window_of_a_model_comes_from_the_servers_list_unless_the_person_knows_better(world):
    listed = ListedModel(model_id="m", context_window_tokens=4096)
    base = "http://127.0.0.1:11434/v1"
    save_models(world.paths, "ollama", CachedModels(base_url=base, fetched_at_epoch_s=0.0, models=(listed,)))
    assert world.resolve(provider="ollama", model="m").facts.context_window_tokens == 4096
    assert world.resolve(provider="ollama", model="other").facts.context_window_tokens is None
    world.write('[models."ollama/m"]\ncontext_window_tokens = 8192\n')
    assert world.resolve(provider="ollama", model="m").endpoint().context_window_tokens == 8192


words = (
    st.none()
    | st.sampled_from(["openai", "local", "ollama", "responses", LOCAL, "m", "X"])
    | st.text(max_size=8)
)


@given(
    st.fixed_dictionaries(dict.fromkeys(WISHES, words)),
    st.lists(st.tuples(st.text(max_size=6), st.text(max_size=6))),
)
def test_no_flags_however_odd_end_in_anything_but_an_answer_or_one_complaint(
    tmp_path_factory, wishes, options
):
    world = World(tmp_path_factory.getbasetemp() / "odd-flags")
    with contextlib.suppress(ConfigError):
        world.root.mkdir(exist_ok=True)
        world.resolve(generation=tuple(options), **wishes)
