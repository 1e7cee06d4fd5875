"""`chatui models`: the list is the server's own; every shape of it is understood, every failure named."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.scripted_server import ScriptedServer, whole

from chatui.cli.main import main
from chatui.core.errors import ConfigError, WireError
from chatui.core.model_listing import parse_model_list
from chatui.transport import local_model


@pytest.mark.parametrize(
    ("body", "models"),
    [
        (
            {"object": "list", "data": [{"id": "a", "owned_by": "me", "created": 5}]},
            [("a", "", "me", None, 5)],
        ),
        (
            {"data": [{"id": "a", "display_name": "A", "max_input_tokens": 9}], "has_more": False},
            [("a", "A", "", 9, None)],
        ),
        ([{"id": "a", "context_length": 7, "organization": "o"}], [("a", "", "o", 7, None)]),
        ({"data": [{"id": "models/gemini"}]}, [("gemini", "", "", None, None)]),
        ({"models": [{"name": "llama3:8b", "model": "llama3:8b"}]}, [("llama3:8b", "", "", None, None)]),
        ({"data": [{"id": "a", "meta": {"n_ctx": 4096, "n_ctx_train": 8192}}]}, [("a", "", "", 4096, None)]),
        (
            {"data": [{"id": "a", "max_model_len": 3}, {"id": "a"}, {"id": None}, 5, "b"]},
            [("a", "", "", 3, None), ("b", "", "", None, None)],
        ),
        ({"data": []}, []),
    ],
)
def test_every_shape_of_a_list_is_understood(body, models):
    found = parse_model_list(json.dumps(body).encode())
    assert [
        (m.model_id, m.title, m.owner, m.context_window_tokens, m.created_at_epoch_s) for m in found
    ] == models


@pytest.mark.parametrize("body", [b"", b"<html>", b"{}", b'{"data": 3}', b"3", b"\xff", b"[" * 100_000])
def test_what_is_no_list_is_told(body):
    with pytest.raises(WireError):
        parse_model_list(body)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda i: (
            st.lists(i)
            | st.dictionaries(
                st.sampled_from(["data", "models", "id", "name", "meta", "created", "context_length"]), i
            )
        ),
        max_leaves=20,
    )
)
def test_no_list_however_odd_raises_anything_else(value):
    with contextlib.suppress(WireError):
        parse_model_list(json.dumps(value).encode())


@pytest.fixture
def server():
    with ScriptedServer() as running:
        yield running


def listing(*names: str, **more: object):
    return whole(json.dumps({"data": [{"id": name, **more} for name in names]}).encode())


def test_a_server_is_asked_with_its_key_and_remembered(server, capsys, monkeypatch):
    monkeypatch.setenv("CHATUI_API_KEY", "sk-canary")
    server.play(*listing("b-model", "a-model"))
    base = server.base_url.removesuffix("/v1")
    assert main(["models", "--base-url", base]) == 0
    assert capsys.readouterr().out == "b-model\na-model\n"
    request = server.requests[0]
    assert (request.method, request.path) == ("GET", "/v1/models")
    assert request.headers["authorization"] == "Bearer sk-canary"
    assert main(["models", "--base-url", base, "--cached"]) == 0
    assert capsys.readouterr().out == "b-model\na-model\n"
    assert len(server.requests) == 1


def test_each_protocol_sends_the_key_its_own_way(server, capsys, monkeypatch):
    monkeypatch.setenv("CHATUI_API_KEY", "sk-canary")
    server.play(*listing("m"))
    assert main(["models", "--base-url", server.base_url, "--protocol", "anthropic_messages"]) == 0
    assert server.requests[0].headers["x-api-key"] == "sk-canary"
    assert "authorization" not in server.requests[0].headers


def test_programs_read_json(server, capsys):
    server.play(*listing("m", context_length=4096))
    assert main(["models", "--base-url", server.base_url, "--json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)
    assert (entry["model"], entry["context_window_tokens"], entry["title"]) == ("m", 4096, None)
    assert entry["fetched_at_epoch_s"] > 0


@pytest.mark.parametrize("body", [b'{"error":{"message":"bad key quite-odd-canary"}}', b"<html>no</html>"])
def test_a_refusal_is_told_with_status_and_without_the_key(server, capsys, monkeypatch, body):
    monkeypatch.setenv("CHATUI_API_KEY", "quite-odd-canary")
    server.play(*whole(body, status=401))
    assert main(["models", "--base-url", server.base_url]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "401" in captured.err
    assert "canary" not in captured.err
    assert len(captured.err.splitlines()) == 1


def test_when_the_server_is_gone_the_remembered_list_is_shown_as_such(server, capsys):
    server.play(*listing("m"))
    assert main(["models", "--base-url", server.base_url]) == 0
    server.play(*whole(b"busy", status=503))
    capsys.readouterr()
    assert main(["models", "--base-url", server.base_url]) == 0
    captured = capsys.readouterr()
    assert captured.out == "m\n"
    assert "503" in captured.err


@pytest.fixture
def able_machine(monkeypatch):
    """The engine of the embedded model can run here."""
    monkeypatch.setattr(local_model, "engine_problem", lambda: None)


@pytest.mark.usefixtures("able_machine")
def test_nobody_is_asked_without_being_named_and_the_embedded_model_is(capsys):
    assert main(["models"]) == 2
    told = capsys.readouterr().err
    assert "no provider has a key yet" in told
    assert "`chatui local install` fetches it (93 MB), then `chatui -p local` asks it" in told
    assert "-p" in told
    assert "--providers" in told


@pytest.mark.usefixtures("able_machine")
def test_a_key_that_cannot_be_used_is_not_told_as_none(capsys, monkeypatch):
    monkeypatch.setenv("MISTRAL_API_KEY", "two words")
    assert main(["models"]) == 2
    told = capsys.readouterr().err
    assert "characters that no key has" in told
    assert "no provider has a key" not in told
    assert "no provider with a key can be asked" in told


@pytest.mark.usefixtures("able_machine")
def test_an_embedded_model_that_is_there_is_named_as_the_next_step(capsys, tmp_path):
    own = tmp_path / "tiny.gguf"
    own.write_bytes(b"GGUF" + b"\0" * 60)
    assert main(["local", "use", str(own)]) == 0
    assert main(["models"]) == 2
    told = capsys.readouterr().err
    assert "The embedded model (tiny) needs none: `chatui -p local` asks it" in told
    assert "local install" not in told


def test_an_embedded_model_that_cannot_run_here_is_not_recommended(capsys, monkeypatch):
    monkeypatch.setattr(local_model, "engine_problem", lambda: ConfigError("no engine for this machine"))
    assert main(["models"]) == 2
    told = capsys.readouterr().err
    assert "cannot run here: `chatui local status` says why" in told
    assert "-p local" not in told


def test_providers_are_listed_with_what_they_lack(capsys, monkeypatch):
    monkeypatch.setenv("GROQ_API_KEY", "k")
    assert main(["models", "--providers", "--json"]) == 0
    rows = {row["provider"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["groq"]["key"] == "found"
    assert rows["openai"]["key"] == "OPENAI_API_KEY"
    assert rows["ollama"]["key"] == "not needed"


def test_servers_on_this_machine_are_found_only_when_asked(server, capsys, monkeypatch):
    server.play(*listing("llama"))
    monkeypatch.setenv("OLLAMA_HOST", server.base_url)
    assert main(["models", "--local"]) == 0
    captured = capsys.readouterr()
    assert "llama" in captured.out
    assert f"ollama answers at {server.base_url}" in captured.err
    assert "authorization" not in server.requests[0].headers


def test_hostile_names_never_reach_the_terminal(server, capsys):
    server.play(*listing("\x1b]52;c;aaaa\x07", "\u202eevil", "a\nb"))
    assert main(["models", "--base-url", server.base_url]) == 0
    out = capsys.readouterr().out
    assert not any((ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160 or c == "\u202e" for c in out)
