"""MCP servers: whatever one does ends in a result or in words, and none is left behind."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatui.core.errors import ConfigError, ToolError
from chatui.tools import mcp_connection, mcp_server
from chatui.tools.mcp_server import McpServer, McpTool, ServerLine
from chatui.tools.read_only_tool import Surroundings
from chatui.tools.registry import ToolRegistry, built_in

PROGRAM = str(Path(__file__).parents[1] / "support" / "mcp_program.py")


def line(kind: str = "good", log: Path | None = None, **more: object) -> ServerLine:
    values: dict[str, object] = {
        "name": "test",
        "command": (sys.executable, PROGRAM, kind, *([str(log)] if log else [])),
        "source": "[tools.mcp.test]",
        "directory": Path.cwd(),
        "environment": {},
        **more,
    }
    return ServerLine(**values)  # type: ignore[arg-type]  # values of tests


@asynccontextmanager
async def running(kind: str = "good", log: Path | None = None, **more: object) -> AsyncIterator[McpServer]:
    server = McpServer(line(kind, log, **more))
    try:
        yield server
    finally:
        await server.close()


async def tool(server: McpServer, name: str) -> McpTool:
    return next(one for one in await server.tools() if one.spec.name == name)


async def test_tools_of_all_pages_are_known_and_those_that_cannot_be_used_are_told() -> None:
    async with running() as server:
        names = [one.spec.name for one in await server.tools()]
        assert names == [
            "test__weather",
            "test__odd_name_x",
            "test__fails",
            "test__picture",
            "test__slow",
            "test__dies",
            "test__environment",
        ]
        told = "\n".join(server.problems)
        for words in ("no valid schema", "another document", "two tools would be called test__odd_name_x"):
            assert words in told


async def test_a_server_whose_pages_go_in_a_circle_is_left_after_the_first_round() -> None:
    async with running("circle") as server:
        assert [one.spec.name for one in await server.tools()] == ["test__weather", "test__odd_name_x"]
        assert server.problems == ()


async def test_a_tool_is_called_under_its_own_name_and_its_text_is_the_result(tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with running(log=log) as server:
        weather = await tool(server, "test__weather")
        assert "'city' is a required property" in weather.problem_with({})
        assert weather.source == "MCP server test, [tools.mcp.test]"
        output = await weather.run({"city": "Wien"}, 1000)
        assert (output.text, output.is_error) == ("sunny in Wien\n\x1b[2J", False)
        await (await tool(server, "test__fails")).run({}, 1000)  # read behind our answers to the server
    messages = [json.loads(one) for one in log.read_text(encoding="utf-8").splitlines()]
    assert messages[0]["method"] == "initialize"
    assert messages[0]["params"]["capabilities"] == {}
    assert messages[1] == {"jsonrpc": "2.0", "method": "notifications/initialized"}
    call = next(one for one in messages if one.get("method") == "tools/call")
    assert call["params"] == {"name": "weather", "arguments": {"city": "Wien"}}
    assert {"jsonrpc": "2.0", "id": "ours", "result": {}} in messages, "a ping is answered"
    refused = next(one for one in messages if one.get("id") == "ours too")
    assert refused["error"]["code"] == -32601, "nothing else is done for a server"


async def test_errors_and_contents_that_are_no_text_are_results_too() -> None:
    async with running() as server:
        failed = await (await tool(server, "test__fails")).run({}, 1000)
        assert (failed.text, failed.is_error) == ("no", True)
        picture = await (await tool(server, "test__picture")).run({}, 1000)
        assert (
            picture.text
            == "[image, image/png, 6 bytes]\n[link to file:///x x]\nr\n[content, unknown, 0 bytes]"
        )
        with pytest.raises(ToolError, match="Unknown tool odd"):
            await (await tool(server, "test__odd_name_x")).run({}, 1000)


async def test_a_server_gets_no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    async with running(environment={"GIVEN": "yes"}) as server:
        output = await (await tool(server, "test__environment")).run({}, 100_000)
        known = json.loads(output.text)
        assert known["GIVEN"] == "yes"
        assert "OPENAI_API_KEY" not in known
        assert known["PATH"] == os.environ["PATH"]


async def test_a_server_that_dies_is_told_and_started_again_for_the_next_call() -> None:
    async with running() as server:
        dies, weather = await tool(server, "test__dies"), await tool(server, "test__weather")
        with pytest.raises(ToolError, match="The MCP server test has ended"):
            await dies.run({}, 1000)
        assert not server.is_ready
        assert "Wien" in (await weather.run({"city": "Wien"}, 1000)).text


async def test_a_call_that_is_stopped_is_told_to_the_server(tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with running(log=log) as server:
        slow, weather = await tool(server, "test__slow"), await tool(server, "test__weather")
        call = asyncio.create_task(slow.run({}, 1000))
        while "tools/call" not in log.read_text(encoding="utf-8"):
            await asyncio.sleep(0.01)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert "sunny" in (await weather.run({"city": "A"}, 1000)).text, "the server is still there"
    messages = [json.loads(one) for one in log.read_text(encoding="utf-8").splitlines()]
    slow_id = next(one["id"] for one in messages if one.get("params", {}).get("name") == "slow")
    told = next(one for one in messages if one.get("method") == "notifications/cancelled")
    assert told["params"]["requestId"] == slow_id


@pytest.mark.parametrize(
    ("kind", "why"),
    [("dead", "has ended: no licence"), ("silent", "no answer within"), ("endless", "message without end")],
)
async def test_a_server_that_does_not_become_one_is_told(
    kind: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_server, "START_S", 20.0 if kind == "dead" else 1.0)
    monkeypatch.setattr(mcp_connection, "MOST_MESSAGE_BYTES", 3_000_000)
    async with running(kind) as server:
        assert await server.tools() == ()
        assert why in server.problems[0]


async def test_a_program_that_is_not_there_is_told() -> None:
    async with running(command=("/no/such/server",)) as server:
        assert await server.tools() == ()
        assert "/no/such/server cannot be started" in server.problems[0]
    with pytest.raises(ConfigError, match="command must be a list"):
        McpServer(line(command=()))


@pytest.mark.parametrize("name", ["a__b", "a_", "_a", "", "a b", "ü", "x" * 33])
def test_a_servers_name_leaves_no_doubt_whose_a_tool_is(name: str) -> None:
    with pytest.raises(ConfigError, match="a server's name"):
        McpServer(line(name=name))
    McpServer(line(name="a_b-1"))


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
async def test_no_server_is_left_behind() -> None:
    async with running() as server:
        connection = await server.connected()
        transport = connection._transport
        assert transport is not None
        process_id = transport.get_pid()
        assert Path(f"/proc/{process_id}").exists()
    assert not Path(f"/proc/{process_id}").exists()


def registry(*enabled: str) -> ToolRegistry:
    around = Surroundings(directory=Path.cwd(), now=lambda: datetime.now(UTC))
    return ToolRegistry(built_in(around), enabled, [McpServer(line())])


async def test_a_server_is_on_as_a_whole_or_by_single_tools_and_not_started_otherwise() -> None:
    off = registry("read_file")
    assert off.is_ready
    assert [spec.name for spec in await off.offered()] == ["read_file"]
    one = registry("read_file", "test__weather", "test__nothing")
    assert one.is_on("test__weather")
    assert not one.is_on("test__fails")
    assert not one.is_ready
    try:
        assert [spec.name for spec in await one.offered()] == ["read_file", "test__weather"]
        assert one.find("test__weather") is not None
        assert one.find("test__fails") is None
        assert 'the MCP server test has no tool "test__nothing"' in one.problems
    finally:
        await one.aclose()
    whole = registry("test")
    try:
        assert len(await whole.offered()) == 7
        assert whole.is_ready
    finally:
        await whole.aclose()
    assert {known.name: known.is_on for known in whole.known()}["test"]


MESSAGES = st.one_of(
    st.binary(max_size=40),
    st.recursive(
        st.none() | st.booleans() | st.integers(-2, 5) | st.text(max_size=6),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["id", "method", "result", "error", "message", "params"]), inner, max_size=4
            )
        ),
        max_leaves=8,
    ).map(lambda value: json.dumps(value).encode()),
)


@given(st.lists(MESSAGES, max_size=8), st.lists(st.integers(1, 30), max_size=6))
@settings(deadline=None, max_examples=100)
def test_whatever_a_server_writes_however_it_is_split_is_taken(lines: list[bytes], sizes: list[int]) -> None:
    async def play(cut: list[int]) -> list[object]:
        connection = mcp_connection.McpConnection("x")
        asking = [asyncio.ensure_future(connection.ask("m", {})) for _ in range(3)]
        await asyncio.sleep(0)
        data = b"\n".join(lines) + b"\n"
        at = 0
        for size in cut:
            connection.pipe_data_received(1, data[at : at + size])
            at += size
        connection.pipe_data_received(1, data[at:])
        connection.pipe_connection_lost(1, None)
        found = await asyncio.gather(*asking, return_exceptions=True)
        assert all(isinstance(one, dict | ToolError) for one in found)
        return [str(one) for one in found]

    assert asyncio.run(play(sizes)) == asyncio.run(play([]))
