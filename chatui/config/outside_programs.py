"""Programs of the person that chatui runs: an editor, a tool for the clipboard.

Invariant: only looked for here, never run; a command is a list of words, so no shell is needed.
"""

import shlex
import shutil
import sys
from collections.abc import Callable, Mapping

FALLBACK_EDITORS = ("nano", "vi")


def native_tool(
    environ: Mapping[str, str], which: Callable[[str], str | None] = shutil.which
) -> list[str] | None:
    """The command that takes text for the clipboard on standard input, or None."""
    if environ.get("SSH_CONNECTION") or environ.get("SSH_TTY"):
        return None
    candidates: list[list[str]] = []
    if sys.platform == "darwin":
        candidates.append(["pbcopy"])
    elif sys.platform == "win32":
        candidates.append(["clip"])
    else:
        if environ.get("WAYLAND_DISPLAY"):
            candidates.append(["wl-copy"])
        if environ.get("DISPLAY"):
            candidates.extend((["xclip", "-selection", "clipboard"], ["xsel", "--clipboard", "--input"]))
        candidates.append(["clip.exe"])
    for candidate in candidates:
        path = which(candidate[0])
        if path:
            return [path, *candidate[1:]]
    return None


def named_editor(environ: Mapping[str, str]) -> tuple[str, list[str]]:
    """The variable that names an editor, and its words; empty where neither `VISUAL` nor `EDITOR` does."""
    for name in ("VISUAL", "EDITOR"):
        written = environ.get(name, "").strip()
        if written:
            try:
                words = shlex.split(written)
            except ValueError:
                words = [written]
            if words:
                return name, words
    return "", []


def editor_command(environ: Mapping[str, str]) -> list[str]:
    """The editor of the person: `$VISUAL`, then `$EDITOR`, then what there is."""
    _, words = named_editor(environ)
    if words:
        return words
    if sys.platform == "win32":
        return ["notepad"]
    found = next((path for name in FALLBACK_EDITORS if (path := shutil.which(name))), None)
    return [found] if found else []
