"""A local command as a tool: `[tools.commands.NAME]` of the person's own configuration.

Invariants: the program and the number and order of its arguments are the person's; a model only fills in
values, each inside one argument, never through a shell; a value cannot become an option of the program unless
the person wrote the option; a value that no program can be given is refused before anything is run; a program
never gets a provider's key: what it prints is sent to a model.
"""

import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from chatui.core.errors import ConfigError
from chatui.core.request import ToolSpec
from chatui.core.values import frozen
from chatui.engine.tool_ports import ToolOutput
from chatui.tools.process import Finished, run_program
from chatui.tools.schema import ArgumentSchema

_PLACE: Final = re.compile(r"\{\{|\}\}|\{([A-Za-z0-9_-]+)\}")
_BATCH: Final = (".bat", ".cmd")


@frozen(kw_only=True)
class CommandLine:
    """What the person wrote of a command."""

    command: tuple[str, ...]
    """Program and arguments; `{name}` stands for the value of an argument."""
    description: str
    parameters: Mapping[str, object]
    """JSON Schema of the arguments."""
    reads_json: bool = False
    """The program gets all arguments as JSON on its standard input."""
    timeout_s: float | None = None
    directory: str = ""
    """Where it runs; empty: where chatui was started."""


class CommandTool:
    """Runs one program.

    Args:
        name: What the model calls it.
        line: What the person wrote.
        source: Where that stands.
        directory: Where chatui was started.
        hidden: Names of variables that the program does not get.

    Raises:
        ConfigError: it cannot be used as it is written.
    """

    def __init__(
        self,
        name: str,
        line: CommandLine,
        source: str,
        directory: Path,
        hidden: Callable[[], frozenset[str]] = frozenset,
    ) -> None:
        if not line.command or not line.command[0].strip():
            raise ConfigError(f'{source}: command must be a list such as ["program", "{{argument}}"]')
        if not line.description.strip():
            raise ConfigError(f"{source}: description is missing: a model has to know what the tool does")
        self._schema = ArgumentSchema(line.parameters, source)
        self._command = line.command
        self._reads_json = line.reads_json
        self._directory = directory / Path(line.directory).expanduser()
        self._source = source
        self._timeout_s = line.timeout_s
        self._hidden = hidden
        self._check_places()
        self._spec = ToolSpec(name, line.description, self._schema.schema)

    def _check_places(self) -> None:
        program, *rest = self._command
        if _PLACE.search(program):
            raise ConfigError(f"{self._source}: the program itself cannot be filled in by a model")
        if sys.platform == "win32" and program.lower().endswith(_BATCH):
            raise ConfigError(f"{self._source}: batch files are run by a shell, which is not allowed")
        for part in rest:
            for place in _PLACE.finditer(part):
                if place[1] is not None and place[1] not in self._schema.properties:
                    raise ConfigError(
                        f"{self._source}: {place[0]} is no property of parameters",
                        "Write {{ and }} for braces that stand for themselves.",
                    )

    @property
    def spec(self) -> ToolSpec:
        """What the model is told."""
        return self._spec

    @property
    def source(self) -> str:
        """Where it is written."""
        return self._source

    @property
    def timeout_s(self) -> float | None:
        """Its own limit."""
        return self._timeout_s

    def problem_with(self, arguments: Mapping[str, object]) -> str:
        """What the schema says, and whether a program can be given these values."""
        problem = self._schema.problem_with(arguments)
        if problem:
            return problem
        argv = self._argv(arguments)
        for position, (written, given) in enumerate(self._filled(arguments), 1):
            if "\0" in given or not _is_text(given):
                return f"{given[:40]!r} holds a character that no program can be given"
            is_bare = _PLACE.match(written) is not None and not written.startswith("{{")
            if is_bare and given.startswith("-") and "--" not in argv[1:position]:
                return f"{given[:40]!r} begins with a dash and would be read as an option"
        return ""

    def what_runs(self, arguments: Mapping[str, object]) -> str:
        """The command line, where it runs and what it reads."""
        reads = "\nreads the arguments as JSON" if self._reads_json else ""
        return f"{shlex.join(self._argv(arguments))}\nin {self._directory}{reads}"

    async def run(self, arguments: Mapping[str, object], most_bytes: int) -> ToolOutput:
        """Run the program and give what it wrote."""
        given = json.dumps(arguments).encode() if self._reads_json else None
        hidden = self._hidden()
        environment = {name: value for name, value in os.environ.items() if name not in hidden}
        argv = self._argv(arguments)
        return output_of(await run_program(argv, self._directory, given, most_bytes, environment))

    def _argv(self, arguments: Mapping[str, object]) -> list[str]:
        return [self._command[0], *(given for _, given in self._filled(arguments))]

    def _filled(self, arguments: Mapping[str, object]) -> list[tuple[str, str]]:
        """Arguments as they are written and as they are given; one whose value is missing is left out."""
        found: list[tuple[str, str]] = []
        for written in self._command[1:]:
            names = [place[1] for place in _PLACE.finditer(written) if place[1] is not None]
            if all(name in arguments for name in names):
                found.append((written, _PLACE.sub(lambda place: _value(place, arguments), written)))
        return found


def _value(place: "re.Match[str]", arguments: Mapping[str, object]) -> str:
    name = place[1]
    if name is None:
        return place[0][0]
    value = arguments[name]
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _is_text(given: str) -> bool:
    try:
        given.encode()
    except UnicodeEncodeError:
        return False
    return True


def output_of(finished: Finished) -> ToolOutput:
    """What a program wrote; of one that failed also its errors and how it ended."""
    output, errors = finished.output, finished.errors
    if finished.exit_code == 0:
        return ToolOutput(output.text, total_bytes=output.total_bytes)
    ending = (
        f"[ended by signal {-finished.exit_code}]"
        if finished.exit_code < 0
        else f"[exit code {finished.exit_code}]"
    )
    parts = [ending, errors.text.rstrip(), output.text.rstrip()]
    text = "\n".join(part for part in parts if part)
    return ToolOutput(text, is_error=True, total_bytes=output.total_bytes + errors.total_bytes)
