"""Copying: the platform's own tool where there is one, else the terminal (OSC 52).

And an honest word about which.

Invariant: what is copied is passed by standard input or base64, never through a shell; that OSC 52 arrived
can't be known, so it is never claimed.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping

MOST_OSC_52_BYTES = 74_000
"""Many terminals ignore longer ones."""


def native_tool(
    environ: Mapping[str, str], which: Callable[[str], str | None] = shutil.which
) -> list[str] | None:
    """The command that takes text on standard input, or None."""
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


class Clipboard:
    """Copies text and says how."""

    def __init__(self, osc_52: Callable[[str], None], environ: Mapping[str, str] | None = None) -> None:
        self._osc_52 = osc_52
        self._environ = os.environ if environ is None else environ

    def copy(self, text: str, what: str) -> str:
        """Copy; returns a sentence for the person."""
        if not text:
            return "Nothing to copy."
        size = f"{len(text)} characters"
        tool = native_tool(self._environ)
        if tool is not None:
            try:
                subprocess.run(tool, input=text.encode("utf-8"), check=True, timeout=2, capture_output=True)  # noqa: S603 - a fixed tool, no shell
                return f"Copied {what} ({size})."
            except (OSError, subprocess.SubprocessError):
                pass
        if len(text.encode("utf-8")) > MOST_OSC_52_BYTES:
            return f"Not copied: {what} has {size}, more than a terminal takes."
        self._osc_52(text)
        return f"Sent {what} ({size}) to the terminal's clipboard; whether it took it can't be known."
