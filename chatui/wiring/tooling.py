"""The tools of a workspace: what the configuration declares, what is switched on, and who decides.

Invariant: only the person's own configuration and command line declare tools, switch them on or allow them; a
project's file, which may come with somebody else's repository, can do none of it (`config.sources`).
"""

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chatui.core.errors import ConfigError
from chatui.engine.approval import Approver, NobodyToAsk
from chatui.engine.tool_loop import ToolLoop
from chatui.engine.tool_ports import Tool, ToolLimits
from chatui.tools.command import CommandLine, CommandTool
from chatui.tools.mcp_server import McpServer, ServerLine
from chatui.tools.read_only_tool import Surroundings
from chatui.tools.registry import Declared, ToolRegistry, built_in
from chatui.wiring.enabled_tools import enabled_tools
from chatui.wiring.options import LaunchOptions

if TYPE_CHECKING:
    from chatui.config.loader import LoadedConfig
    from chatui.config.settings import ToolCommand

NOBODY_TO_ASK: Final = "nobody can be asked here; --allow-tool {tool} allows it"


def tool_registry(config: "LoadedConfig", options: LaunchOptions, directory: Path) -> ToolRegistry:
    """All tools that there are.

    Raises:
        ConfigError: `--tool` names one that cannot be used.
    """
    registry = _registry(config, options, directory, enabled_tools(config.settings, options))
    for name in options.tools:
        if not registry.is_on(name):
            why = next((problem for problem in registry.problems if name in problem), "")
            raise ConfigError(f"--tool {name}: {why}", "`chatui tools` lists what there is.")
    for name in options.allowed_tools:
        if not registry.is_on(name):
            raise ConfigError(
                f"--allow-tool {name}: this tool is not on", f"Switch it on with --tool {name}."
            )
    return registry


def tool_problems(config: "LoadedConfig") -> tuple[str, ...]:
    """What is wrong with the tools that a configuration declares or names, a line each; starts nothing."""
    settings = config.settings
    named = [name for profile in settings.profiles.values() for name in profile.tools]
    registry = _registry(config, LaunchOptions(), Path.cwd(), (*settings.tools.enabled, *named))
    registry.known()
    return registry.problems


def _registry(
    config: "LoadedConfig", options: LaunchOptions, directory: Path, enabled: tuple[str, ...]
) -> ToolRegistry:
    around = Surroundings(directory=directory, now=lambda: datetime.now().astimezone())
    declared = (*built_in(around), *_commands(config, directory, _hidden_variables(config, options)))
    servers, broken = _servers(config, directory)
    return ToolRegistry((*declared, *broken), enabled, servers)


def _hidden_variables(config: "LoadedConfig", options: LaunchOptions) -> Callable[[], frozenset[str]]:
    """Which variables a command does not get: those that may hold a key; looked for once, when one runs."""

    @cache
    def hidden() -> frozenset[str]:
        from chatui.config.overview import key_variables

        return key_variables(config) | {options.api_key_env or ""}

    return hidden


def _commands(
    config: "LoadedConfig", directory: Path, hidden: Callable[[], frozenset[str]]
) -> Iterator[Declared]:
    for name, command in config.settings.tools.commands.items():
        source = source_of(config, "commands", name)
        yield Declared(name, source, partial(_command_tool, name, command, source, directory, hidden))


def _command_tool(
    name: str, command: "ToolCommand", source: str, directory: Path, hidden: Callable[[], frozenset[str]]
) -> Tool:
    line = CommandLine(
        command=command.command,
        description=command.description,
        parameters=command.parameters,
        reads_json=command.stdin == "json",
        timeout_s=command.timeout_s,
        directory=command.directory,
    )
    return CommandTool(name, line, source, directory, hidden)


def _servers(config: "LoadedConfig", directory: Path) -> tuple[list[McpServer], list[Declared]]:
    """The servers, and those that cannot be used as tools that tell why."""
    servers: list[McpServer] = []
    broken: list[Declared] = []
    for name, server in config.settings.tools.mcp.items():
        source = source_of(config, "mcp", name)
        line = ServerLine(
            name=name,
            command=server.command,
            source=source,
            directory=directory / Path(server.directory).expanduser(),
            environment=server.env,
            timeout_s=server.timeout_s,
        )
        try:
            servers.append(McpServer(line))
        except ConfigError as error:
            broken.append(Declared(name, source, partial(_refuse, error)))
    return servers, broken


def _refuse(error: ConfigError) -> Tool:
    raise error


def source_of(config: "LoadedConfig", kind: str, name: str) -> str:
    """Where a tool is declared, in words: table, file and line."""
    origin = config.origin_of(f"tools.{kind}.{name}.command")
    return f"[tools.{kind}.{name}] in {origin}"


def tool_loop(
    registry: ToolRegistry, config: "LoadedConfig", options: LaunchOptions, approver: Approver | None
) -> ToolLoop:
    """The loop of one session; `approver` is asked about what is not allowed by name; None denies it."""
    settings = config.settings.tools
    return ToolLoop(
        registry,
        approver if approver is not None else NobodyToAsk(NOBODY_TO_ASK),
        ToolLimits(
            max_steps=settings.max_steps,
            call_s=settings.timeout_s or None,
            total_s=settings.max_total_s or None,
            max_result_bytes=settings.max_result_bytes,
        ),
        frozenset((*settings.allow, *options.allowed_tools)),
    )
