"""All tools that there are, and which of them are switched on.

Invariant: only what was named is offered and found; a tool that cannot be made is told with its reason and
keeps no other from working; two tools never share a name.
"""

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Final

from chatui.core.errors import ConfigError
from chatui.core.request import ToolSpec
from chatui.core.values import frozen
from chatui.engine.tool_ports import Tool
from chatui.tools.read_only_tool import BUILT_IN, Surroundings
from chatui.tools.schema import NAME

BUILT_IN_NAMES: Final = ("current_time", "list_directory", "read_file")
"""Each is the file of that name in `chatui/tools/builtin`."""


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


def built_in(around: Surroundings) -> tuple[Declared, ...]:
    """The tools that come along."""

    def making(name: str) -> Callable[[], Tool]:
        def make() -> Tool:
            tool: Tool = import_module(f"chatui.tools.builtin.{name}").make(around)
            return tool

        return make

    return tuple(Declared(name, BUILT_IN, making(name)) for name in BUILT_IN_NAMES)


class ToolRegistry:
    """The tools of one process; a `ToolBox`.

    Args:
        declared: Everything that is known; of two with one name the first counts.
        enabled: Names that are switched on.
    """

    def __init__(self, declared: Iterable[Declared], enabled: Iterable[str]) -> None:
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
            if name not in self._declared
        )
        return (*self._problems.values(), *unknown)

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
        return tuple(found)

    async def offered(self) -> tuple[ToolSpec, ...]:
        """What the model is told of."""
        return tuple(tool.spec for tool in self._tools.values())

    def find(self, name: str) -> Tool | None:
        """The tool of exactly this name, if it is on."""
        return self._tools.get(name)

    async def aclose(self) -> None:
        """Nothing runs between calls."""
