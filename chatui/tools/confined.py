"""Paths that a model names, confined to one directory.

Invariant: nothing outside the directory is opened, whatever symbolic links, `..` or renames in between: a
path is resolved first, and then opened from the directory down, one name at a time, following no link.
Source: openat(2), O_NOFOLLOW; Windows has neither, there the resolved path alone is checked.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from chatui.core.errors import ToolError

_HAS_OPEN_AT: Final = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")


class Confined:
    """A directory that paths cannot leave.

    Args:
        root: The directory; made absolute now, so that it does not move with the process.
    """

    def __init__(self, root: Path) -> None:
        self.root = Path(os.path.realpath(root))

    def resolve(self, path: str) -> Path:
        """Where a path leads, links followed.

        Raises:
            ToolError: outside of the directory, or it is no path.
        """
        try:
            found = Path(os.path.realpath(self.root / path))
        except (OSError, ValueError) as problem:
            raise ToolError(f"{path!r} is no path that can be opened") from problem
        if found != self.root and self.root not in found.parents:
            raise ToolError(f"{path!r} leads out of {self.root}, which is not allowed")
        return found

    @contextmanager
    def opened(self, path: str) -> Iterator[int]:
        """A file or directory, open for reading; closed at the end.

        Raises:
            ToolError: it is outside, is not there, cannot be read, or is neither file nor directory.
        """
        found = self.resolve(path)
        try:
            descriptor = self._open(found.relative_to(self.root).parts) if _HAS_OPEN_AT else _open(found)
        except OSError as problem:
            raise ToolError(f"{path!r} cannot be read: {problem.strerror or problem}") from problem
        try:
            mode = os.fstat(descriptor).st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                raise ToolError(f"{path!r} is neither a file nor a directory")
            yield descriptor
        finally:
            with suppress(OSError):
                os.close(descriptor)

    def _open(self, names: tuple[str, ...]) -> int:
        at = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        for position, name in enumerate(names):
            is_last = position == len(names) - 1
            # Without O_NONBLOCK opening a pipe would wait for a writer.
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
            flags |= os.O_NONBLOCK if is_last else os.O_DIRECTORY
            try:
                inner = os.open(name, flags, dir_fd=at)
            finally:
                os.close(at)
            at = inner
        return at


def _open(path: Path) -> int:
    return os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
