"""Names of files to complete: those below a folder, or those in the folder that was typed.

Invariant: bounded in number, depth and time, so a huge or slow tree never holds the composer; links to
folders are not followed, hidden folders and what tools build are left out.
"""

import os
import time
from pathlib import Path
from typing import Final

MOST_FILES: Final = 6_000
MOST_DEPTH: Final = 8
MOST_S: Final = 0.4
_LEFT_OUT: Final = frozenset(
    {"node_modules", "__pycache__", "target", "dist", "build", "venv", "site-packages"}
)


def files_below(folder: Path, most_s: float = MOST_S) -> tuple[str, ...]:
    """Paths of files relative to a folder, the nearer ones first."""
    until_s = time.monotonic() + most_s
    found: list[str] = []
    folders: list[tuple[str, int]] = [("", 0)]
    for relative, depth in folders:
        if len(found) >= MOST_FILES or time.monotonic() > until_s:
            break
        try:
            entries = sorted(os.scandir(folder / relative), key=lambda entry: entry.name)
        except OSError:  # may not be read, or is gone
            continue
        for entry in entries:
            path = f"{relative}/{entry.name}" if relative else entry.name
            if _is_folder(entry):
                if depth < MOST_DEPTH and not entry.name.startswith(".") and entry.name not in _LEFT_OUT:
                    folders.append((path, depth + 1))
            elif not entry.name.startswith(".") or depth == 0:
                found.append(path)
    return tuple(found[:MOST_FILES])


def files_in_folder(typed: str, folder: Path) -> tuple[str, ...]:
    """What stands in the folder part of what was typed, written the same way; folders end with a slash."""
    start = typed[: typed.rfind("/") + 1]
    try:
        place = (folder / Path(start).expanduser()).absolute()
        entries = sorted(os.scandir(place), key=lambda entry: (not _is_folder(entry), entry.name))
    except (OSError, RuntimeError, ValueError):
        return ()
    return tuple(
        f"{start}{entry.name}{'/' if _is_folder(entry) else ''}"
        for entry in entries[:MOST_FILES]
        if not entry.name.startswith(".") or typed[len(start) : len(start) + 1] == "."
    )


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
