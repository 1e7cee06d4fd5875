"""Call, result, answer: the real program at a real server, in the three protocols."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.called_tools import PROTOCOLS, Call, calls, results, text
from support.program import CHATUI, KEY_VARIABLE, Ran, run_chatui
from support.scripted_server import ScriptedServer

pytestmark = pytest.mark.timeout(120)

CONFIG = f"""
[tools.commands.weather]
command = ["{sys.executable}", "-c", "import sys; print('sunny in', sys.argv[1])", "{{city}}"]
description = "Tells the weather."
[tools.commands.weather.parameters]
required = ["city"]
[tools.commands.weather.parameters.properties.city]
type = "string"

[tools.commands.slow]
command = ["{sys.executable}", "-c", "import os,sys,time; open(sys.argv[1],'w').write(str(os.getpid())+chr(10)); time.sleep(60)", "{{path}}"]
description = "Takes its time."
[tools.commands.slow.parameters.properties.path]
type = "string"
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(CONFIG, encoding="utf-8")
    return path


def ask(config: Path, server: ScriptedServer, protocol: str, *more: str) -> Ran:
    return run_chatui(*command_line(server, protocol, *more), env=environment(config))


def command_line(server: ScriptedServer, protocol: str, *more: str) -> tuple[str, ...]:
    return ("ask", "--base-url", server.base_url, "--protocol", protocol, "-m", "scripted", *more)


def environment(config: Path) -> dict[str, str]:
    return {"CHATUI_CONFIG_FILE": str(config), KEY_VARIABLE: "key"}


WIEN = Call("call_1", "weather", '{"city":"Wien"}')
GRAZ = Call("call_2", "weather", '{"city":"Graz"}')
ON = ("--tool", "weather")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_calls_are_run_and_their_results_sent_behind_them(config: Path, protocol: str) -> None:
    with ScriptedServer() as server:
        server.play(calls(protocol, WIEN, GRAZ)).play(text(protocol, "Both sunny."))
        ran = ask(config, server, protocol, *ON, "--allow-tool", "weather", "--json", "hi")
        first, second = server.requests
    assert ran.code == 0, ran.err
    assert ran.answer["text"] == "Both sunny."
    (step,) = ran.answer["tool_steps"]
    assert [one["outcome"] for one in step["results"]] == ["ok", "ok"]
    given = results(protocol, second)
    assert given == [("call_1", "sunny in Wien\n"), ("call_2", "sunny in Graz\n")]
    assert json.dumps(first.json["tools"]).count('"weather"') == 1
    assert first.json["tools"] == second.json["tools"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_where_nobody_can_be_asked_a_call_is_denied_in_words(config: Path, protocol: str) -> None:
    with ScriptedServer() as server:
        server.play(calls(protocol, WIEN)).play(text(protocol, "As you like."))
        ran = ask(config, server, protocol, *ON, "hi")
        ((_, told),) = results(protocol, server.requests[1])
        if protocol == "anthropic_messages":
            body = json.dumps(server.requests[1].json)
            assert '"is_error": true' in body
    assert (ran.code, ran.out) == (0, "As you like.\n")
    assert "--allow-tool weather allows it" in told
    assert (
        "tool weather: Denied, not run: nobody can be asked here; --allow-tool weather allows it" in ran.err
    )


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_without_tools_none_is_offered_and_none_is_run(config: Path, protocol: str) -> None:
    with ScriptedServer() as server:
        server.play(calls(protocol, WIEN))
        ran = ask(config, server, protocol, "hi")
        (request,) = server.requests
    assert ran.code == 0
    assert "tools" not in request.json
    assert "tool call: weather" in ran.err


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_events_tell_each_step_of_a_call(config: Path, protocol: str) -> None:
    with ScriptedServer() as server:
        server.play(calls(protocol, WIEN)).play(text(protocol, "Sunny."))
        ran = ask(config, server, protocol, *ON, "--allow-tool", "weather", "--events", "hi")
    events = [json.loads(line) for line in ran.out.splitlines()]
    steps = [event for event in events if event["event"] == "tool_call_changed"]
    assert [step["stage"] for step in steps] == ["running", "ended"]
    assert (steps[-1]["outcome"], steps[-1]["result"]) == ("ok", "sunny in Wien\n")


def test_hostile_names_arguments_and_results_are_safe_to_read(config: Path) -> None:
    hostile = Call("call_1", "weather\x1b]0;owned\x07", '{"city":"\\u001b[2J\\u202e"}')
    evil = Call("call_2", "weather", '{"city":"\\u001b[2J\\u009b\\u202e"}')
    with ScriptedServer() as server:
        server.play(calls("chat_completions", hostile, evil)).play(text("chat_completions", "Done."))
        ran = ask(config, server, "chat_completions", *ON, "--allow-tool", "weather", "hi")
    assert ran.code == 0
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(ran.err + ran.out)
    assert "There is no tool of this name here." in ran.err


def interrupted(config: Path, server: ScriptedServer, where: Path, number: signal.Signals) -> int:
    arguments = command_line(server, "chat_completions", "--tool", "slow", "--allow-tool", "slow", "hi")
    process = subprocess.Popen(
        [*CHATUI, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **environment(config)},
    )
    until = time.monotonic() + 30
    while not (where.exists() and where.read_text(encoding="ascii").endswith("\n")):
        assert time.monotonic() < until, "the tool did not start"
        time.sleep(0.01)
    process.send_signal(number)
    process.wait(30)
    return int(where.read_text(encoding="ascii"))


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl+C", "killed"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_after_an_interrupted_tool_the_conversation_goes_on_with_legal_messages(
    config: Path, tmp_path: Path, number: signal.Signals, protocol: str
) -> None:
    where = tmp_path / "id"
    slow = Call("call_1", "slow", json.dumps({"path": str(where)}))
    with ScriptedServer() as server:
        server.play(calls("chat_completions", slow, GRAZ)).play(text(protocol, "Never mind."))
        tool_id = interrupted(config, server, where, number)
        if number is signal.SIGINT:
            with pytest.raises(ProcessLookupError):
                os.kill(tool_id, 0)
        else:
            with contextlib.suppress(ProcessLookupError):  # its keeper may have been quicker
                os.kill(tool_id, signal.SIGKILL)
        ran = ask(config, server, protocol, "-c", "and now?")
        given = results(protocol, server.requests[-1])
    assert ran.code == 0, ran.err
    assert [call_id for call_id, _ in given] == ["call_1", "call_2"]
    assert "may have had an effect" in given[0][1]
    assert "before it was run" in given[1][1]


def test_a_tool_of_an_mcp_server_is_called(config: Path) -> None:
    program = Path(__file__).parents[1] / "support" / "mcp_program.py"
    with config.open("a", encoding="utf-8") as file:
        file.write(f'\n[tools.mcp.local]\ncommand = ["{sys.executable}", "{program}"]\n')
    call = Call("call_1", "local__weather", '{"city":"Wien"}')
    with ScriptedServer() as server:
        server.play(calls("responses", call)).play(text("responses", "Sunny."))
        more = ("--tool", "local", "--allow-tool", "local__weather", "hi")
        ran = ask(config, server, "responses", *more)
        assert results("responses", server.requests[1]) == [("call_1", "sunny in Wien\n\x1b[2J")]
    assert (ran.code, ran.out) == (0, "Sunny.\n")
    assert "not sent: A tool" in ran.err, "tools of the server that cannot be used are told"
    listed = run_chatui("tools", env=environment(config))
    assert "MCP server, started when it is needed" in listed.out
    assert str(config) in listed.out


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--tool", "nothing"), 'there is no tool "nothing"; known: broken, current_time'),
        (("--allow-tool", "weather"), "this tool is not on"),
        (("--tool", "broken"), "no property of parameters"),
    ],
)
def test_a_tool_that_cannot_be_switched_on_is_told_before_anything_is_sent(
    config: Path, options: tuple[str, ...], why: str
) -> None:
    with config.open("a", encoding="utf-8") as file:
        file.write('\n[tools.commands.broken]\ncommand = ["x", "{y}"]\ndescription = "d"\n')
    with ScriptedServer() as server:
        ran = ask(config, server, "chat_completions", *options, "hi")
        assert server.requests == []
    assert ran.code == 2
    assert why in ran.err
