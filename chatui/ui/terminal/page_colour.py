"""Whether the terminal's page is light or dark, asked of the terminal itself, without waiting for it.

Invariant: the answer never reaches the app as if it were typed; a terminal that says nothing is left alone.
Source: xterm control sequences, OSC 11 (`ESC ] 11 ; ? ST`, answered by `rgb:RRRR/GGGG/BBBB`).
"""

from typing import NamedTuple

from chatui.core.late_pattern import late_pattern
from chatui.ui.terminal.terminal_replies import AwaitedReply

QUESTION = "\x1b]11;?\x1b\\"
LIGHT_FROM = 0.5
_REPLY = late_pattern(r"\x1b\]11;(?:rgba?:([0-9a-fA-F/]+)|[^\x07\x1b]*)(?:\x07|\x1b\\)")
_START = "\x1b]11;"
_HALF = late_pattern(r"\x1b\]11;[rgba:/0-9A-Fa-f]*\x1b?")


class PageColour(NamedTuple):
    """Each part from 0 to 1."""

    red: float
    green: float
    blue: float

    @property
    def is_light(self) -> bool:
        """Dark text is read better on it."""
        return 0.2126 * self.red + 0.7152 * self.green + 0.0722 * self.blue >= LIGHT_FROM


class ColourReply(AwaitedReply):
    """Awaits the colour of the page."""

    def __init__(self) -> None:
        super().__init__(QUESTION, _REPLY, _START, _HALF)

    @property
    def colour(self) -> PageColour | None:
        """What the terminal said; None if it said nothing that is a colour."""
        return colour_of(self.found.group(1) or "") if self.found is not None else None


def colour_of(parts: str) -> PageColour | None:
    """The colour of `RRRR/GGGG/BBBB` with one to four digits each."""
    numbers = parts.split("/")[:3]
    if len(numbers) < 3 or not all(0 < len(number) <= 4 for number in numbers):
        return None
    red, green, blue = (int(number, 16) / (16 ** len(number) - 1) for number in numbers)
    return PageColour(red, green, blue)
