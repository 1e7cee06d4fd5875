"""Local commands: argv only, bounded, and gone when they are stopped."""

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatui.core.errors import ConfigError, ToolError
from chatui.engine.tool_ports import ToolOutput
from chatui.tools.command import CommandLine, CommandTool
from chatui.tools.process import run_program

WORDS = {"type": "object", "properties": {"words": {"type": "string"}, "count": {"type": "integer"}}}
SHOW = (sys.executable, "-c", "import sys; print(sys.argv[1:])")


def tool(*command: str, directory: Path | None = None, **more: object) -> CommandTool:
    values: dict[str, object] = {"description": "Shows.", "parameters": WORDS, **more}
    line = CommandLine(command=command, **values)  # type: ignore[arg-type]  # values of tests
    return CommandTool("show", line, "[tools.commands.show]", directory or Path.cwd())


async def run(of: CommandTool, most_bytes: int = 65536, **arguments: object) -> ToolOutput:
    assert of.problem_with(arguments) == ""
    return await of.run(arguments, most_bytes)


@pytest.mark.parametrize("hostile", ["; rm -rf ~", "$(id)", "`id`", "a b", "| cat", "*", "~", "\n", "'", '"'])
async def test_a_value_stays_one_argument_whatever_is_in_it(hostile: str) -> None:
    assert (await run(tool(*SHOW, "--", "{words}"), words=hostile)).text.strip() == str(["--", hostile])


async def test_values_stand_inside_arguments_and_missing_ones_leave_them_out() -> None:
    of = tool(*SHOW, "--words={words}", "-n", "{{x}}", "--count={count}")
    assert (await run(of, words="a", count=3)).text.strip() == str(["--words=a", "-n", "{x}", "--count=3"])
    assert (await run(of, words="a")).text.strip() == str(["--words=a", "-n", "{x}"])


def test_a_value_cannot_become_an_option() -> None:
    assert "begins with a dash" in tool("grep", "{words}").problem_with({"words": "--version"})
    assert tool("grep", "--", "{words}").problem_with({"words": "--version"}) == ""
    assert tool("grep", "-e{words}").problem_with({"words": "-x"}) == ""


@pytest.mark.parametrize("bad", ["a\0b", "\ud800"])
def test_a_value_that_no_program_can_be_given_is_refused(bad: str) -> None:
    assert "no program can be given" in tool(*SHOW, "--", "{words}").problem_with({"words": bad})


@given(st.text(max_size=30))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_number_of_arguments_is_the_persons(words: str) -> None:
    of = tool("prog", "-x", "--", "{words}")
    assert of._argv({"words": words}) == ["prog", "-x", "--", words]


async def test_the_arguments_can_come_as_json() -> None:
    of = tool(sys.executable, "-c", "import sys; print(sys.stdin.read())", reads_json=True)
    assert (await run(of, words="a", count=1)).text.strip() == '{"words": "a", "count": 1}'


async def test_a_program_reads_nothing_else() -> None:
    of = tool(sys.executable, "-c", "import sys; print(repr(sys.stdin.read()))")
    assert (await run(of)).text.strip() == "''"


async def test_it_runs_where_the_person_said(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    of = tool(sys.executable, "-c", "import os; print(os.getcwd())", directory=tmp_path)
    assert (await run(of)).text.strip() == str(tmp_path)
    line = CommandLine(
        command=(sys.executable, "-c", "import os; print(os.getcwd())"),
        description="x",
        parameters={},
        directory="inner",
    )
    assert (await run(CommandTool("x", line, "x", tmp_path))).text.strip() == str(tmp_path / "inner")


def test_what_runs_is_the_command_line_in_place() -> None:
    assert tool("grep", "--", "{words}").what_runs({"words": "a b"}).startswith("grep -- 'a b'\nin ")


async def test_a_program_that_fails_tells_its_code_and_errors() -> None:
    of = tool(sys.executable, "-c", "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)")
    output = await run(of)
    assert (output.text, output.is_error) == ("[exit code 3]\nerr\nout", True)


async def test_a_program_that_is_not_there_is_told() -> None:
    with pytest.raises(ToolError, match="cannot be started"):
        await run(tool("/no/such/program"))


async def test_output_without_end_is_counted_and_not_kept() -> None:
    of = tool(sys.executable, "-c", "print('x' * 50_000_000)")
    output = await run(of, most_bytes=1000)
    assert (len(output.text), output.total_bytes) == (1000, 50_000_001)


async def test_both_streams_are_read_at_the_same_time() -> None:
    code = "import sys\nfor _ in range(3000): print('x'*100); print('y'*100, file=sys.stderr)"
    assert len((await run(tool(sys.executable, "-c", code))).text) > 60_000


SPAWNING = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print(os.getpid(), child.pid, file=open(sys.argv[1], "w"), flush=True)
time.sleep({seconds})
"""


def is_running(process_id: int) -> bool:
    try:
        state = Path(f"/proc/{process_id}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


async def ids_in(path: Path) -> list[int]:
    for _ in range(3000):
        if path.exists() and path.read_text(encoding="ascii").endswith("\n"):
            return [int(word) for word in path.read_text(encoding="ascii").split()]
        await asyncio.sleep(0.01)
    raise AssertionError("the program did not start")


async def gone(ids: list[int]) -> bool:
    for _ in range(3000):
        if not any(map(is_running, ids)):
            return True
        await asyncio.sleep(0.01)
    return False


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
async def test_stopping_ends_the_program_and_what_it_started(tmp_path: Path) -> None:
    where = tmp_path / "ids"
    of = tool(sys.executable, "-c", SPAWNING.format(seconds=60), str(where))
    running = asyncio.create_task(run(of))
    ids = await ids_in(where)
    assert all(map(is_running, ids))
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await gone(ids)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
async def test_a_program_that_ignores_being_asked_is_made_to_end() -> None:
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True); time.sleep(60)"
    running = asyncio.create_task(run(tool(sys.executable, "-c", code)))
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(running, 30)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
async def test_what_a_program_leaves_behind_ends_with_it_and_holds_nobody_up(tmp_path: Path) -> None:
    where = tmp_path / "ids"
    started_s = time.monotonic()
    output = await run(tool(sys.executable, "-c", SPAWNING.format(seconds=0), str(where)))
    assert time.monotonic() - started_s < 30, "not the minute of its child"
    assert output.is_error is False
    assert await gone(await ids_in(where))


async def test_nothing_of_ours_is_open_in_a_program() -> None:
    reader, writer = os.pipe()
    os.set_inheritable(writer, True)
    code = f"import os\ntry: os.fstat({writer}); print('open')\nexcept OSError: print('closed')"
    try:
        assert (await run(tool(sys.executable, "-c", code))).text.strip() == "closed"
    finally:
        os.close(reader)
        os.close(writer)


@pytest.mark.parametrize(
    ("command", "more", "why"),
    [
        ((), {}, "command must be a list"),
        (("prog",), {"description": " "}, "description is missing"),
        (("{words}",), {}, "cannot be filled in by a model"),
        (("prog", "{other}"), {}, "no property of parameters"),
        (("prog",), {"parameters": {"type": "array"}}, "schema of an object"),
        (("prog",), {"parameters": {"properties": {"a": {"type": "nonsense"}}}}, "no valid schema"),
        (
            ("prog",),
            {"parameters": {"properties": {"a": {"$ref": "http://127.0.0.1:9/x"}}}},
            "another document",
        ),
    ],
)
def test_a_command_that_cannot_be_used_as_it_is_written_is_told(
    command: tuple[str, ...], more: dict[str, object], why: str
) -> None:
    with pytest.raises(ConfigError, match=why):
        tool(*command, **more)


async def test_a_directory_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="cannot be started"):
        await run_program([sys.executable, "-c", ""], tmp_path / "no", None, 10)


ESCAPING = """
import os, subprocess, sys, time
os.setpgid(0, 0) if {own_group} else None
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
print(os.getpid(), child.pid, file=open(sys.argv[1], "w"), flush=True)
time.sleep({seconds})
"""
KILLED = """
import asyncio, sys
from pathlib import Path
from chatui.tools.process import run_program
asyncio.run(run_program([sys.executable, "-c", sys.argv[1], sys.argv[2]], Path.cwd(), None, 1000))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such parent of orphans")
async def test_what_left_the_session_of_a_program_ends_with_it_and_with_being_stopped(tmp_path: Path) -> None:
    where = tmp_path / "ended"
    output = await run(tool(sys.executable, "-c", ESCAPING.format(seconds=0, own_group=False), str(where)))
    assert output.is_error is False
    assert await gone(await ids_in(where))
    where = tmp_path / "stopped"
    of = tool(sys.executable, "-c", ESCAPING.format(seconds=600, own_group=False), str(where))
    running = asyncio.create_task(run(of))
    ids = await ids_in(where)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await gone(ids)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP])
async def test_a_killed_chatui_leaves_no_program_behind(tmp_path: Path, number: signal.Signals) -> None:
    where = tmp_path / "ids"
    code = ESCAPING.format(seconds=600, own_group=True)
    killed = await asyncio.create_subprocess_exec(sys.executable, "-c", KILLED, code, str(where))
    ids = await ids_in(where)
    assert all(map(is_running, ids))
    killed.send_signal(number)
    await killed.wait()
    assert await gone(ids)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
async def test_somebody_who_kills_the_keeper_of_a_program_gets_the_program_ended(tmp_path: Path) -> None:
    code = "import os, signal; os.kill(os.getppid(), signal.SIGKILL); import time; time.sleep(600)"
    output = await asyncio.wait_for(run(tool(sys.executable, "-c", code)), 60)
    assert output.text.startswith("[ended by signal 9]")


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV])
async def test_a_program_that_a_signal_ended_says_so(number: signal.Signals) -> None:
    output = await run(tool(sys.executable, "-c", f"import os; os.kill(os.getpid(), {int(number)})"))
    assert output.text == f"[ended by signal {int(number)}]"
