"""A person who begins: the key that is there is found, two keys connect it, and the chat works."""

import pytest
from support.program import CHATUI, KEY_VARIABLE, in_terminal
from support.scripted_server import ScriptedServer, chat_answer, whole
from support.terminal import App

pytestmark = [pytest.mark.pty, pytest.mark.timeout(120)]


def test_from_nothing_to_an_answer_with_the_key_that_was_found() -> None:
    key = "sk-secretsecretsecret"
    with ScriptedServer() as server:
        server.play(chat_answer("Welcome."))
        environ = {"OPENAI_API_KEY": key, "OPENAI_BASE_URL": server.base_url}
        with App(list(CHATUI), env=environ, size=(100, 30)) as app:
            assert app.wait("OPENAI_API_KEY", 30), app.text()
            assert app.find("Ask anything"), "it is ready for typing meanwhile"
            app.write(b"\x1bk")
            assert app.wait("Who answers", 10), app.text()
            app.keys("chat comp", "<enter>")
            assert app.wait("openai-chat /", 10), app.text()
            app.keys("Hello", "<enter>")
            assert app.wait("Welcome.", 30), app.text()
            assert app.wait("completed", 10), app.text()
            assert server.requests[-1].headers["authorization"] == f"Bearer {key}"
            assert key not in app.text()
            with App(list(CHATUI), env=environ, size=(100, 30), home=app.home) as again:
                assert again.wait("openai-chat /", 30), "the next start remembers it"


def test_a_notice_that_comes_again_is_as_wide_as_the_window() -> None:
    with (
        ScriptedServer() as server,
        in_terminal("--base-url", server.base_url, "-m", "scripted", env={KEY_VARIABLE: "k"}) as app,
    ):
        assert app.wait("Ask anything", 30), app.text()
        for _ in range(3):
            app.write(b"\x1bt")
            assert app.wait("There is no template yet.", 10), app.text()
            app.keys("<esc>")
            assert app.wait(lambda: not app.find("There is no template yet."), 10), app.text()


def test_alt_and_a_letter_is_a_key_also_when_the_terminal_says_something_right_behind_it() -> None:
    with (
        ScriptedServer() as server,
        in_terminal("--base-url", server.base_url, "-m", "scripted", env={KEY_VARIABLE: "k"}) as app,
    ):
        assert app.wait("Ask anything", 30), app.text()
        app.write(b"\x1bt\x1b[?2026;2$y")
        assert app.wait("There is no template yet.", 10), app.text()
        assert not app.find(r"\^t"), app.text()


def test_a_provider_without_its_key_opens_the_app_and_asks_for_the_key() -> None:
    with ScriptedServer() as server:
        server.play(chat_answer("Welcome."))
        environ = {"OPENAI_BASE_URL": server.base_url}
        with App([*CHATUI, "-p", "openai-chat", "-m", "m"], env=environ, size=(100, 30)) as app:
            assert app.wait("Who answers", 30), app.text()
            app.keys("<esc>")
            assert app.wait("needs a key: set OPENAI_API_KEY", 10), "the same words as ever" + app.text()
            app.write(b"\x1bk")
            assert app.wait("Who answers", 10), app.text()
            app.keys("<enter>")
            assert app.wait("Key for ", 10), app.text()
            app.keys("sk-typed", "<enter>")
            assert app.wait("openai-chat / m", 10), app.text()
            app.keys("Hello", "<enter>")
            assert app.wait("Welcome.", 30), app.text()
            assert server.requests[-1].headers["authorization"] == "Bearer sk-typed"


def test_a_server_without_a_model_opens_the_app_and_is_asked_for_its_models() -> None:
    with ScriptedServer() as server:
        server.play(whole(b'{"data": [{"id": "scripted"}]}')).play(chat_answer("Welcome."))
        with App([*CHATUI, "--base-url", server.base_url], size=(100, 30)) as app:
            assert app.wait("/ scripted", 30), app.text()
            app.keys("Hello", "<enter>")
            assert app.wait("Welcome.", 30), app.text()
