"""The real program in a real terminal, at a scripted server: safe, polite, and never a traceback."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from support.odd_controls import odd_controls
from support.program import CHATUI, KEY_VARIABLE, in_terminal, run_chatui
from support.scripted_server import RESET, Hold, ScriptedServer, chat_answer, chat_chunk, head, whole
from support.terminal import App

pytestmark = [pytest.mark.pty, pytest.mark.timeout(120)]

SLOW_S = 30.0
HOSTILE = (
    "a\x1b[2Jb",  # clear the screen
    "\x1b]0;owned title\x07",
    "\x1b]52;c;b3duZWQ=\x07",  # write the clipboard
    "\x1bPq\x1b\\ \x9b31m \x9d0;c1 title\x9c",
    "\x1bc",
    "\u202egnp.exe",
    "\r\x08\x08 \x07 \x0e",
    "`\x1b[31m` <http://a.b/%1b]52;c;b3duZWQ=%07> &#x202e; &#27;[2J",
    "\n\n```\x1b[2Jsh\n\x1b]0;in code\x07\n```\n",
    "\x1b",
    "]0;split over deltas\x07",
)


def at(server: ScriptedServer, *more: str) -> tuple[str, ...]:
    return ("--base-url", server.base_url, "-m", "scripted", *more)


def assert_untouched(app: App) -> None:
    assert odd_controls(app.raw) == []
    assert app.clipboard == []
    # The app's own title may quote the conversation's, made visible; a title that the wire set stands alone.
    assert not [
        title for title in app.term.titles if title.startswith(("owned", "c1 title", "in code", "split"))
    ]


def test_nothing_hostile_from_the_wire_reaches_the_terminal() -> None:
    reasoning = [chat_chunk({"reasoning_content": text}) for text in HOSTILE]
    call = {
        "index": 0,
        "id": "c\x1b[2J1",
        "function": {"name": "f\x1b]0;owned\x07", "arguments": '{"a": "\\u001b[2J"}'},
    }
    with ScriptedServer() as server:
        server.play(
            head(),
            *reasoning,
            *(chat_chunk(text) for text in HOSTILE),
            chat_chunk({"tool_calls": [call]}),
            chat_chunk({}, "tool_calls"),
            b"data: [DONE]\n\n",
        )
        server.play(
            whole(b'{"error": {"message": "no \\u001b[2J \\u009b2J", "type": "\\u001b]0;owned\\u0007"}}', 400)
        )
        with in_terminal(*at(server), env={KEY_VARIABLE: "k"}, size=(120, 40)) as app:
            assert app.wait("Ask anything", SLOW_S), app.text()
            app.keys("hello", "<enter>")
            assert app.wait("completed", SLOW_S), app.text()
            assert_untouched(app)
            app.keys("again", "<enter>")
            assert app.wait("HTTP 400", SLOW_S), app.text()
            assert_untouched(app)
            app.keys("<c-c>", "<c-c>")
            assert app.wait_exit(10) == 0
            assert_untouched(app)


def test_nothing_hostile_reaches_the_terminal_of_the_one_shot_command() -> None:
    with ScriptedServer() as server:
        server.play(chat_answer(*HOSTILE))
        with in_terminal("ask", *at(server), "hi", env={KEY_VARIABLE: "k"}) as app:
            assert app.wait_exit(SLOW_S) == 0, app.text()
            assert_untouched(app)


def test_an_answer_that_ended_with_its_window_says_so(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        server.play(head(), chat_chunk("I shall never end. "), Hold(threading.Event()))
        with in_terminal(*at(server), env={KEY_VARIABLE: "k"}, home=tmp_path) as app:
            assert app.wait("Ask anything", SLOW_S), app.text()
            app.keys("go", "<enter>")
            assert app.wait("I shall never end", SLOW_S), app.text()
            app.hangup()
            assert app.wait_exit(SLOW_S) is not None
        with in_terminal(*at(server, "-c"), env={KEY_VARIABLE: "k"}, home=tmp_path) as again:
            assert again.wait("stopped: the terminal was closed", SLOW_S), again.text()


def test_quitting_restores_the_terminal_also_in_mid_answer() -> None:
    with ScriptedServer() as server:
        server.play(head(), chat_chunk("I shall never end. "), Hold(threading.Event()))
        with in_terminal(*at(server), env={KEY_VARIABLE: "k"}) as app:
            assert app.wait("Ask anything", SLOW_S), app.text()
            app.keys("go", "<enter>")
            assert app.wait("I shall never end", SLOW_S), app.text()
            app.keys("<c-c>")
            assert app.wait("stopped by you", 10), app.text()
            assert server.gone.wait(30), "the connection is closed at once"
            app.keys("<c-c>", "<c-c>")
            assert app.wait_exit(10) == 0, app.text()
            assert app.leftovers() == []


def test_a_broken_connection_is_told_and_the_text_is_kept() -> None:
    with ScriptedServer() as server:
        server.play(head(), chat_chunk("Only half of"), RESET)
        with in_terminal(*at(server), env={KEY_VARIABLE: "k"}) as app:
            assert app.wait("Ask anything", SLOW_S), app.text()
            app.keys("go", "<enter>")
            assert app.wait("connection lost", SLOW_S), app.text()
            assert "Only half of" in app.text()
            assert "retry" in app.text()


@pytest.mark.parametrize("size", [(20, 5), (40, 12), (80, 24), (200, 60)], ids=str)
def test_no_window_is_too_small_or_too_large(size: tuple[int, int]) -> None:
    with ScriptedServer() as server:
        server.play(chat_answer("Hello ", "there."))
        with in_terminal(*at(server), env={KEY_VARIABLE: "k"}, size=size) as app:
            assert app.wait("Ask", SLOW_S), app.text()
            app.keys("hi", "<enter>")
            assert app.wait(lambda: server.requests, SLOW_S), app.text()
            app.settle(timeout=10)
            app.resize(100, 30)
            assert app.wait("completed", SLOW_S), app.text()
            app.resize(*size)
            app.settle(timeout=10)
            assert app.alive
            assert "Traceback" not in app.text()


def test_what_is_typed_before_the_app_is_there_is_kept() -> None:
    with ScriptedServer() as server:
        server.play(chat_answer("Hello."))
        with in_terminal(*at(server), env={KEY_VARIABLE: "k"}) as app:
            app.keys("typed too early", delay=0)
            assert app.wait("Things to try", SLOW_S), app.text()
            assert app.wait("▏ typed too early", SLOW_S), app.text()


def test_an_answer_goes_through_a_pipe_as_plain_text() -> None:
    with ScriptedServer() as server:
        server.play(chat_answer("**Bold** ", "and\n\n- plain"))
        words = " ".join((*CHATUI, "ask", "--no-save", *at(server), "hi"))
        ran = subprocess.run(
            ["sh", "-c", f"{words} | cat"],
            capture_output=True,
            check=True,
            env={**os.environ, KEY_VARIABLE: "k"},
            timeout=50,
        )
    assert ran.stdout == b"**Bold** and\n\n- plain\n"
    assert b"\x1b" not in ran.stderr


def test_a_reader_that_leaves_early_causes_no_traceback() -> None:
    with ScriptedServer() as server:
        server.play(chat_answer(*["line\n"] * 5000))
        words = " ".join((*CHATUI, "ask", "--no-save", *at(server), "hi"))
        ran = subprocess.run(
            ["sh", "-c", f"{words} | head -n 1"],
            capture_output=True,
            check=True,
            env={**os.environ, KEY_VARIABLE: "k"},
            timeout=50,
        )
    assert ran.stdout == b"line\n"
    assert b"Traceback" not in ran.stderr


def test_without_a_terminal_the_app_points_to_ask() -> None:
    ran = run_chatui()
    assert ran.code == 2
    assert "chatui ask" in ran.err
    assert "Traceback" not in ran.err
    assert "\x1b" not in ran.out + ran.err


@pytest.mark.parametrize("term", ["dumb", ""])
def test_on_a_terminal_that_cannot_draw_the_app_points_to_ask(term: str) -> None:
    with in_terminal(env={"TERM": term}) as app:
        assert app.wait_exit(SLOW_S) == 2
        assert "chatui ask" in app.text()


def test_without_engine_or_provider_the_app_opens_and_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['xllamacpp'] = None\n")
    with in_terminal(env={"PYTHONPATH": str(tmp_path)}) as app:
        assert app.wait("Ask anything", SLOW_S), app.text()
        app.keys("hi", "<enter>")
        assert app.wait("install", SLOW_S), app.text()
        assert app.alive
        assert "Traceback" not in app.text()
    ran = run_chatui("ask", "hi", env={"PYTHONPATH": str(tmp_path)})
    assert ran.code in (2, 3)
    assert "xllamacpp" in ran.err
    assert "Traceback" not in ran.err


def test_a_broken_configuration_is_named_kept_and_survived(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("theme = [unclosed\n")
    with in_terminal(env={"CHATUI_CONFIG_FILE": str(config)}) as app:
        assert app.wait("Ask anything", SLOW_S), app.text()
        assert app.wait("config.toml", 10), app.text()
    assert config.read_text() == "theme = [unclosed\n"


def test_python_dash_m_and_the_installed_command_are_the_same() -> None:
    command = Path(sys.executable).with_name("chatui")
    installed = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert installed.stdout == run_chatui("--version").out
