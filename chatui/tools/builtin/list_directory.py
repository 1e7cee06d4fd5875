"""Lists a directory below the one where chatui was started.

Invariant: names only, no link is followed out of that directory, and no more than can be read.
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
        "path": {"type": "string", "description": "Directory, relative to the project; it itself if missing."}
    },
}
_MOST_ENTRIES: Final = 2000


def make(around: Surroundings) -> ReadOnlyTool:
    """The tool."""
    confined = Confined(around.directory)

    def what_runs(arguments: Mapping[str, object]) -> str:
        return f"lists {confined.resolve(str(arguments.get('path', '')))}"

    def run(arguments: Mapping[str, object], most_bytes: int) -> ToolOutput:
        del most_bytes  # names are short; the loop cuts what is longer
        return _list(confined, str(arguments.get("path", "") or "."))

    return ReadOnlyTool(
        "list_directory",
        "Lists a directory of the project: one name a line; directories end in /, links in @.",
        _PARAMETERS,
        what_runs,
        run,
        lambda arguments: confined.resolve(str(arguments.get("path", ""))),
    )


def _list(confined: Confined, path: str) -> ToolOutput:
    with confined.opened(path) as descriptor:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise ToolError(f"{path!r} is no directory")
        place = descriptor if os.scandir in os.supports_fd else str(confined.resolve(path))
        try:
            with os.scandir(place) as entries:
                names = sorted(_named(entry) for entry in entries)
        except OSError as problem:
            raise ToolError(f"{path!r} cannot be listed: {problem.strerror or problem}") from problem
    shown = names[:_MOST_ENTRIES]
    if len(names) > len(shown):
        shown.append(f"[{len(names) - len(shown):,} more]")
    return ToolOutput("\n".join(shown) or "(empty)")


def _named(entry: "os.DirEntry[str]") -> str:
    name = os.fsencode(entry.name).decode("utf-8", "replace")
    if entry.is_symlink():
        return f"{name}@"
    return f"{name}/" if entry.is_dir(follow_symlinks=False) else name
