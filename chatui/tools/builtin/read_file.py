"""Reads a text file below the directory where chatui was started.

Invariant: only regular files, only below that directory, at most the bytes that are wanted.
"""

import os
import stat
from collections.abc import Mapping
from typing import Final

from chatui.core.errors import ToolError
from chatui.engine.tool_ports import ToolOutput
from chatui.tools.confined import Confined
from chatui.tools.read_only_tool import ReadOnlyTool, Surroundings

_PARAMETERS: Final = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "Path of the file, relative to the project."},
        "first_line": {"type": "integer", "minimum": 1, "description": "First line wanted, from 1."},
        "line_count": {"type": "integer", "minimum": 1, "description": "How many lines."},
    },
    "required": ["path"],
}
_MOST_READ_BYTES: Final = 16 * 1024 * 1024
"""A range of lines is looked for in so much of a file."""


def make(around: Surroundings) -> ReadOnlyTool:
    """The tool."""
    confined = Confined(around.directory)

    def what_runs(arguments: Mapping[str, object]) -> str:
        lines = "".join(
            f", {name} {arguments[name]}" for name in ("first_line", "line_count") if name in arguments
        )
        return f"reads {confined.resolve(str(arguments['path']))}{lines}"

    def run(arguments: Mapping[str, object], most_bytes: int) -> ToolOutput:
        return _read(confined, arguments, most_bytes)

    return ReadOnlyTool(
        "read_file",
        "Reads a text file of the project.",
        _PARAMETERS,
        what_runs,
        run,
        lambda arguments: confined.resolve(str(arguments["path"])),
    )


def _read(confined: Confined, arguments: Mapping[str, object], most_bytes: int) -> ToolOutput:
    path = str(arguments["path"])
    first, count = arguments.get("first_line"), arguments.get("line_count")
    is_range = first is not None or count is not None
    with confined.opened(path) as descriptor:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise ToolError(f"{path!r} is a directory")
        with os.fdopen(os.dup(descriptor), "rb") as file:
            raw = file.read(_MOST_READ_BYTES if is_range else most_bytes)
    if b"\0" in raw[:8192]:
        raise ToolError(f"{path!r} is no text file ({facts.st_size:,} bytes)")
    text = raw.decode("utf-8", "replace")
    if not is_range:
        return ToolOutput(text, total_bytes=max(facts.st_size, len(raw)))
    lines = text.splitlines(keepends=True)
    start = _whole(first, 1) - 1
    wanted = lines[start : start + _whole(count, 1)] if count is not None else lines[start:]
    if not wanted:
        return ToolOutput(f"{path!r} has {len(lines)} lines.", is_error=True)
    return ToolOutput("".join(wanted))


def _whole(number: object, missing: int) -> int:
    """An integer as the schema takes it: JSON's 1.0 is one too."""
    return int(number) if isinstance(number, int | float) else missing
