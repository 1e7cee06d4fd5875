"""Copying: the platform's own tool where there is one, else the terminal (OSC 52).

And an honest word about which.

Invariant: what is copied is passed by standard input or base64, never through a shell; that OSC 52 arrived
can't be known, so it is never claimed.
"""

import os
import subprocess
from collections.abc import Callable, Mapping

from chatui.config.outside_programs import native_tool

MOST_OSC_52_BYTES = 74_000
"""Many terminals ignore longer ones."""


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
        data = text.encode("utf-8", "replace")  # half a surrogate pair is no text that could be pasted
        tool = native_tool(self._environ)
        if tool is not None and _given_to(tool, data):
            return f"Copied {what} ({size})."
        if len(data) > MOST_OSC_52_BYTES:
            return f"Not copied: {size} are more than a terminal takes. /write-answer FILE takes all."
        self._osc_52(data.decode("utf-8"))
        return f"Sent {what} ({size}) by OSC 52, which can't be confirmed."


def _given_to(tool: list[str], data: bytes) -> bool:
    """Whether a tool took the data; its output is not read: xclip lives on and would keep a pipe open."""
    quiet = subprocess.DEVNULL
    try:
        subprocess.run(tool, input=data, check=True, timeout=2, stdout=quiet, stderr=quiet)  # noqa: S603 - a fixed tool, no shell
    except (OSError, subprocess.SubprocessError):
        return False
    return True
