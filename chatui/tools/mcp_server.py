"""The tools of one MCP server: started when tools are first offered, ended with chatui.

Invariants: a server gets only the few variables that every program needs and those that the person gave it,
never a provider's key; what a server says of its tools is text from outside: names are made fit for the
protocols, schemas are checked, and a tool that cannot be used is told and left out.

Source: Model Context Protocol, revision 2025-11-25, server features: tools.
"""

import asyncio
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import chatui
from chatui.core.errors import ConfigError, ToolError
from chatui.core.json_access import JsonObject, as_list, as_object, as_text
from chatui.core.request import ToolSpec
from chatui.core.values import frozen
from chatui.engine.tool_ports import ToolOutput
from chatui.tools.mcp_connection import McpConnection, connect
from chatui.tools.schema import ArgumentSchema

START_S: Final = 20.0
SEPARATOR: Final = "__"
"""Between the name of a server and that of its tool."""
_MOST_PAGES: Final = 100
_LONGEST_NAME: Final = 64
_LONGEST_SERVER: Final = 32
_LONGEST_DESCRIPTION: Final = 4000
_INHERITED: Final = (
    "HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
    "APPDATA", "COMSPEC", "LOCALAPPDATA", "PATHEXT", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERPROFILE",
)  # fmt: skip
"""What every program may know; keys are not among it."""


@frozen(kw_only=True)
class ServerLine:
    """What the person wrote of a server."""

    name: str
    command: tuple[str, ...]
    source: str
    directory: Path
    environment: Mapping[str, str]
    timeout_s: float | None = None


class McpTool:
    """One tool of a server.

    Raises:
        ConfigError: its schema cannot be used.
    """

    def __init__(self, server: "McpServer", told: JsonObject) -> None:
        self._server = server
        self._own_name = as_text(told.get("name"))
        name = re.sub(r"[^A-Za-z0-9_-]", "_", f"{server.line.name}{SEPARATOR}{self._own_name}")[
            :_LONGEST_NAME
        ]
        schema = as_object(told.get("inputSchema"))
        self._schema = ArgumentSchema(schema, f"the tool {self._own_name[:80]!r} of {server.line.name}")
        description = as_text(told.get("description"))[:_LONGEST_DESCRIPTION]
        self._spec = ToolSpec(name, description, self._schema.schema)

    @property
    def spec(self) -> ToolSpec:
        """What the model is told."""
        return self._spec

    @property
    def source(self) -> str:
        """The server, and where it is declared."""
        return f"MCP server {self._server.line.name}, {self._server.line.source}"

    @property
    def timeout_s(self) -> float | None:
        """The server's own limit."""
        return self._server.line.timeout_s

    def problem_with(self, arguments: Mapping[str, object]) -> str:
        """What the schema says."""
        return self._schema.problem_with(arguments)

    def what_runs(self, arguments: Mapping[str, object]) -> str:
        """Which tool of which server is called."""
        del arguments
        return f"the tool {self._own_name!r} of the MCP server {self._server.line.name}, with these arguments"

    async def run(self, arguments: Mapping[str, object], most_bytes: int) -> ToolOutput:
        """Let the server do it."""
        del most_bytes  # the server sends what it sends; the loop cuts it
        connection = await self._server.connected()
        answer = await connection.ask("tools/call", {"name": self._own_name, "arguments": dict(arguments)})
        return ToolOutput(result_text(answer), is_error=answer.get("isError") is True)


class McpServer:
    """One server; its tools are known after `tools`."""

    def __init__(self, line: ServerLine) -> None:
        if not line.command or not line.command[0].strip():
            raise ConfigError(f'{line.source}: command must be a list such as ["program", "argument"]')
        if not re.fullmatch(r"[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*", line.name) or len(line.name) > _LONGEST_SERVER:
            raise ConfigError(
                f"{line.source}: a server's name is at most {_LONGEST_SERVER} letters, digits, - and single _"
            )
        self.line = line
        self.problems: tuple[str, ...] = ()
        """Why it cannot be used, or some of its tools cannot."""
        self._known: tuple[McpTool, ...] = ()
        self._connection: McpConnection | None = None
        self._lock = asyncio.Lock()

    @property
    def is_ready(self) -> bool:
        """It runs, and its tools are known."""
        return bool(self._known) and self._connection is not None and self._connection.is_open

    async def tools(self) -> tuple[McpTool, ...]:
        """Everything that the server offers and that can be used. Never raises for what a server does."""
        if not self.is_ready:
            self._known = await self._found()
        return self._known

    async def _found(self) -> tuple[McpTool, ...]:
        problems: list[str] = []
        found: dict[str, McpTool] = {}
        try:
            async with asyncio.timeout(START_S):
                told = await self._listed(await self.connected())
        except (ToolError, TimeoutError) as problem:
            words = problem.message if isinstance(problem, ToolError) else f"no answer within {START_S:g} s"
            self.problems = (f"{self.line.source}: {words}",)
            return ()
        for one in told:
            try:
                tool = McpTool(self, one)
                if tool.spec.name in found or not as_text(one.get("name")):
                    raise ConfigError(f"{self.line.source}: two tools would be called {tool.spec.name}")
                found[tool.spec.name] = tool
            except ConfigError as error:
                problems.append(error.message)
        self.problems = tuple(problems)
        return tuple(found.values())

    async def connected(self) -> McpConnection:
        """The connection; the server is started if it does not run (any more).

        Raises:
            ToolError: it cannot be started.
        """
        async with self._lock:
            if self._connection is None or not self._connection.is_open:
                await self.close()
                environment = {name: os.environ[name] for name in _INHERITED if name in os.environ}
                environment |= self.line.environment
                self._connection = await connect(
                    self.line.name, self.line.command, self.line.directory, environment, chatui.__version__
                )
            return self._connection

    async def _listed(self, connection: McpConnection) -> list[JsonObject]:
        told: list[JsonObject] = []
        cursor = ""
        seen = {cursor}
        for _ in range(_MOST_PAGES):
            page = await connection.ask("tools/list", {"cursor": cursor} if cursor else {})
            told += [as_object(one) for one in as_list(page.get("tools"))]
            cursor = as_text(page.get("nextCursor"))
            if cursor in seen:  # none, or a server that goes in a circle
                break
            seen.add(cursor)
        return told

    async def close(self) -> None:
        """End the server."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()


def result_text(answer: JsonObject) -> str:
    """What a call gave, as text; what is none is named."""
    parts = [_content_text(as_object(one)) for one in as_list(answer.get("content"))]
    if not parts and "structuredContent" in answer:
        try:
            return json.dumps(answer["structuredContent"], ensure_ascii=False)
        except RecursionError:
            return "[content nested too deeply]"
    return "\n".join(parts)


def _content_text(content: JsonObject) -> str:
    kind = as_text(content.get("type"))
    match kind:
        case "text":
            return as_text(content.get("text"))
        case "resource":
            resource = as_object(content.get("resource"))
            return as_text(resource.get("text")) or f"[resource {as_text(resource.get('uri'))}]"
        case "resource_link":
            return f"[link to {as_text(content.get('uri'))} {as_text(content.get('name'))}]"
        case _:
            size = len(as_text(content.get("data"))) * 3 // 4
            return f"[{kind or 'content'}, {as_text(content.get('mimeType')) or 'unknown'}, {size:,} bytes]"
