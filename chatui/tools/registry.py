"""All tools that there are, and which of them are switched on.

Invariant: only what was named is offered and found; a tool that cannot be made is told with its reason and
keeps no other from working; two tools never share a name.
"""

import asyncio
from collections.abc import Callable, Container, Iterable, Iterator
from importlib import import_module
from pkgutil import iter_modules

from chatui.core.errors import ConfigError
from chatui.core.request import ToolSpec
from chatui.core.values import frozen
from chatui.engine.tool_ports import Tool
from chatui.tools import builtin
from chatui.tools.mcp_server import SEPARATOR, McpServer, McpTool
from chatui.tools.read_only_tool import BUILT_IN, Surroundings
from chatui.tools.schema import NAME


@frozen
class Declared:
    """A tool that is known, but not made yet."""

    name: str
    source: str
    make: Callable[[], Tool]
    """May raise `ConfigError`."""


@frozen(kw_only=True)
class KnownTool:
    """One line of `chatui tools`."""

    name: str
    source: str
    description: str = ""
    is_on: bool = False
    problem: str = ""

    def state(self, allowed: Container[str]) -> str:
        """Whether it is on, in words; `allowed` are names of tools that run without asking."""
        if not self.is_on:
            return "off"
        return "on, runs without asking" if self.name in allowed else "on, asks"


def built_in(around: Surroundings) -> tuple[Declared, ...]:
    """The tools that come along."""

    def making(name: str) -> Callable[[], Tool]:
        def make() -> Tool:
            tool: Tool = import_module(f"{builtin.__name__}.{name}").make(around)
            return tool

        return make

    names = sorted(module.name for module in iter_modules(builtin.__path__))
    return tuple(Declared(name, BUILT_IN, making(name)) for name in names)


class ToolRegistry:
    """The tools of one process; a `ToolBox`.

    Args:
        declared: Everything that is known; of two with one name the first counts.
        enabled: Names that are switched on; that of a server stands for all of its tools.
        servers: MCP servers, none of which has been started.
    """

    def __init__(
        self, declared: Iterable[Declared], enabled: Iterable[str], servers: Iterable[McpServer] = ()
    ) -> None:
        self._servers = {server.line.name: server for server in servers}
        self._served: dict[str, McpTool] = {}
        self._declared: dict[str, Declared] = {}
        self._tools: dict[str, Tool] = {}
        self._problems: dict[str, str] = {}
        for one in declared:
            if one.name in self._declared:
                self._problems[one.source] = (
                    f'there is another tool "{one.name}" ({self._declared[one.name].source})'
                )
            else:
                self._declared[one.name] = one
        self._enabled = tuple(dict.fromkeys(enabled))
        for name in self._enabled:
            if name in self._declared:
                self._make(self._declared[name])

    def _make(self, one: Declared) -> Tool | None:
        try:
            if not NAME.fullmatch(one.name):
                raise ConfigError(f"{one.source}: a tool's name is 1 to 64 letters, digits, _ and -")
            tool = self._tools[one.name] = one.make()
        except ConfigError as error:
            self._problems[one.source] = " ".join(filter(None, (error.message, error.hint)))
            return None
        return tool

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with tools that were asked for, a line each."""
        unknown = (
            f'there is no tool "{name}"; known: {", ".join(sorted(self._declared))}'
            for name in self._enabled
            if name not in self._declared and self._server_of(name) is None
        )
        return (*self._problems.values(), *self._problems_of_servers(), *unknown)

    def _server_of(self, name: str) -> McpServer | None:
        """The server that is switched on by this name, as a whole or for one of its tools."""
        return self._servers.get(name.partition(SEPARATOR)[0])

    def _problems_of_servers(self) -> Iterator[str]:
        for server in self._servers_on():
            yield from server.problems
            if server.is_ready:
                for name in self._enabled:
                    if name.startswith(server.line.name + SEPARATOR) and name not in self._served:
                        yield f'the MCP server {server.line.name} has no tool "{name}"'

    def _servers_on(self) -> list[McpServer]:
        on = (self._server_of(name) for name in self._enabled if name not in self._declared)
        return list(dict.fromkeys(server for server in on if server is not None))

    def is_on(self, name: str) -> bool:
        """Whether this name switches something on here, as far as that can be told before a server runs."""
        if name in self._declared:
            return name in self._tools
        server = self._server_of(name)
        return server is not None and (name in self._enabled or server.line.name in self._enabled)

    def known(self) -> tuple[KnownTool, ...]:
        """Every tool with where it comes from, whether it is on, and what is wrong with it."""
        found: list[KnownTool] = []
        for name, one in self._declared.items():
            is_on = name in self._tools
            tool = self._tools.get(name) or self._make(one)
            if not is_on:
                self._tools.pop(name, None)
            found.append(
                KnownTool(
                    name=name,
                    source=one.source,
                    description=tool.spec.description if tool is not None else "",
                    is_on=is_on,
                    problem=self._problems.get(one.source, ""),
                )
            )
        for name, server in self._servers.items():
            command = " ".join(server.line.command)
            what = f"MCP server, started when it is needed: {command}"
            found.append(
                KnownTool(
                    name=name, source=server.line.source, description=what, is_on=server in self._servers_on()
                )
            )
        return tuple(found)

    @property
    def is_ready(self) -> bool:
        """No server has to be started."""
        return all(server.is_ready for server in self._servers_on())

    async def offered(self) -> tuple[ToolSpec, ...]:
        """What the model is told of; starts the servers that are on."""
        servers = self._servers_on()
        if servers:
            found = await asyncio.gather(*(server.tools() for server in servers))
            self._served = {
                tool.spec.name: tool
                for server, tools in zip(servers, found, strict=True)
                for tool in tools
                if tool.spec.name not in self._declared
                and (server.line.name in self._enabled or tool.spec.name in self._enabled)
            }
        return self.known_specs

    @property
    def known_specs(self) -> tuple[ToolSpec, ...]:
        """What is offered as far as it is known now."""
        return tuple(tool.spec for tool in (*self._tools.values(), *self._served.values()))

    def find(self, name: str) -> Tool | None:
        """The tool of exactly this name, if it is on."""
        return self._tools.get(name) or self._served.get(name)

    async def aclose(self) -> None:
        """End the servers."""
        await asyncio.gather(*(server.close() for server in self._servers.values()))
