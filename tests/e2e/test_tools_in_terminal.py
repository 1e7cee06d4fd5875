"""A tool in the real program in a real terminal: asked, run, denied, stopped; nothing hostile gets out."""

import json
import sys
import threading
from pathlib import Path

import pytest
from support.called_tools import Call, calls, results, text
from support.odd_controls import odd_controls
from support.program import KEY_VARIABLE, in_terminal
from support.scripted_server import Hold, ScriptedServer
from support.terminal import App

pytestmark = [pytest.mark.pty, pytest.mark.timeout(120)]

SLOW_S = 30.0
CHAT = "chat_completions"
CONFIG = f"""
[tools]
enabled = ["weather", "slow"]
[tools.commands.weather]
command = ["{sys.executable}", "-c", "import sys; print('sunny in', sys.argv[1])", "{{city}}"]
description = "Tells the weather."
parameters = {{ properties = {{ city = {{ type = "string" }} }}, required = ["city"] }}
[tools.commands.slow]
command = ["{sys.executable}", "-c", "import os,sys,time; open(sys.argv[1],'w').write(str(os.getpid())+chr(10)); time.sleep(60)", "{{path}}"]
description = "Takes its time."
parameters = {{ properties = {{ path = {{ type = "string" }} }} }}
"""
WIEN = Call("call_1", "weather", '{"city":"Wien"}')


def started(server: ScriptedServer, tmp_path: Path):
    config = tmp_path / "tools.toml"
    config.write_text(CONFIG, encoding="utf-8")
    environment = {KEY_VARIABLE: "k", "CHATUI_CONFIG_FILE": str(config)}
    return in_terminal("--base-url", server.base_url, "-m", "scripted", env=environment, size=(110, 34))


def ask(app: App, words: str = "hi") -> None:
    assert app.wait("Ask anything", SLOW_S), app.text()
    app.keys(words, "<enter>")


def press(app: App, key: str, until: str) -> None:
    """As a person does who has read the question; where a busy machine paints late, again."""
    for _ in range(10):
        app.settle(quiet=0.4, timeout=2)  # the panel wants a moment without keys
        app.keys(key)
        if app.look(until, 10):
            return
    raise AssertionError(app.text())


def test_a_call_is_asked_run_and_answered(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        server.play(calls(CHAT, WIEN, Call("call_2", "weather", '{"city":"Graz"}')))
        server.play(text(CHAT, "One sunny, one unknown."))
        with started(server, tmp_path) as app:
            ask(app)
            assert app.wait(r"be run\? \(1 of 2\)", SLOW_S), app.text()
            press(app, "a", r"be run\? \(2 of 2\)")
            press(app, "d", "Why not?")
            app.keys("too far", "<enter>")
            assert app.wait("One sunny, one unknown.", SLOW_S), app.text()
            assert app.wait("sunny in Wien", SLOW_S), app.text()
            assert "Denied, not run: too far" in app.text()
            app.keys("<c-c>", "<c-c>")
            assert app.wait_exit(10) == 0
        given = results(CHAT, server.requests[1])
    assert given == [("call_1", "sunny in Wien\n"), ("call_2", "Denied, not run: too far")]


def test_keys_that_were_typed_ahead_run_nothing(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        released = threading.Event()
        server.play(Hold(released), calls(CHAT, WIEN))
        with started(server, tmp_path) as app:
            ask(app)
            assert app.wait(lambda: server.requests), app.text()
            app.write(b"aa\ra")
            assert app.flushed()
            released.set()
            assert app.wait("May weather be run?", SLOW_S), app.text()
            app.settle()
            assert "May weather be run?" in app.text()
            assert len(server.requests) == 1
            app.keys("<esc>")
            assert app.wait("stopped by you", SLOW_S), app.text()


def test_escape_ends_a_running_tool_and_the_next_prompt_goes(tmp_path: Path) -> None:
    where = tmp_path / "id"
    with ScriptedServer() as server:
        server.play(calls(CHAT, Call("call_1", "slow", json.dumps({"path": str(where)}))))
        server.play(text(CHAT, "Never mind."))
        with started(server, tmp_path) as app:
            ask(app)
            assert app.wait("May slow be run?", SLOW_S), app.text()
            press(app, "a", "running slow")
            assert app.wait(lambda: where.exists() and where.read_text().endswith("\n"), SLOW_S)
            app.keys("<esc>")
            assert app.wait("stopped by you", 10), app.text()
            assert not Path(f"/proc/{where.read_text().strip()}").exists()
            app.keys("go on", "<enter>")
            assert app.wait("Never mind.", SLOW_S), app.text()
        ((_, told),) = results(CHAT, server.requests[1])
    assert "may have had an effect" in told


def test_a_hostile_call_cannot_draw_its_own_question(tmp_path: Path) -> None:
    city = "Wien\u001b[2J\u001b]52;c;b3duZWQ=\u0007\n\nMay weather be run?\na once, A always\u202e\u200b"
    with ScriptedServer() as server:
        server.play(calls(CHAT, Call("call_1", "weather", json.dumps({"city": city}))))
        server.play(text(CHAT, "Done."))
        with started(server, tmp_path) as app:
            ask(app)
            assert app.wait("hidden characters are written out", SLOW_S), app.text()
            assert app.wait(lambda: "<U+202E><U+200B>" in app.text(), SLOW_S), app.text()
            assert "│ May weather be run?" in app.text(), "what is from outside stands behind a bar"
            press(app, "a", r"Done\.")
            assert odd_controls(app.raw) == []
            assert app.clipboard == []


def test_in_lines_the_whole_call_is_printed_and_a_typed_yes_runs_it(tmp_path: Path) -> None:
    config = tmp_path / "tools.toml"
    config.write_text(CONFIG, encoding="utf-8")
    with ScriptedServer() as server:
        server.play(calls(CHAT, WIEN, Call("call_2", "weather", '{"city":"Graz"}')))
        server.play(text(CHAT, "One sunny, one unknown."))
        options = ("--plain", "--base-url", server.base_url, "-m", "scripted")
        environment = {KEY_VARIABLE: "k", "CHATUI_CONFIG_FILE": str(config)}
        with in_terminal(*options, env=environment, size=(110, 60)) as app:
            assert app.wait("you:", SLOW_S), app.text()
            app.keys("hi", "<enter>")
            assert app.wait("May it be run", SLOW_S), app.text()
            assert "| Wien" in app.text()
            app.keys("y", "<enter>")
            assert app.wait("tool weather: ok", SLOW_S), app.text()
            assert app.wait(r"Graz[\s\S]*May it be run", SLOW_S), app.text()
            app.keys("too far", "<enter>")
            assert app.wait("One sunny, one unknown.", SLOW_S), app.text()
        given = results(CHAT, server.requests[1])
    assert given == [("call_1", "sunny in Wien\n"), ("call_2", "Denied, not run: too far")]


def test_ask_in_a_terminal_tells_each_call_in_a_line_of_its_own(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        server.play(calls(CHAT, WIEN))
        server.play(text(CHAT, "Fine."))
        config = tmp_path / "tools.toml"
        config.write_text(CONFIG, encoding="utf-8")
        environment = {KEY_VARIABLE: "k", "CHATUI_CONFIG_FILE": str(config)}
        whom = ("--base-url", server.base_url, "-m", "scripted", "hi")
        with in_terminal("ask", "--allow-tool", "weather", *whom, env=environment) as app:
            assert app.wait(r"Fine\.", SLOW_S), app.text()
            assert "chatui:chatui:" not in app.text()
            assert "chatui: tool weather: ok" in app.text()
