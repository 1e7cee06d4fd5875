"""Whether the terminal's page is light or dark, asked of the terminal itself, without waiting for it.

Invariant: the answer never reaches the app as if it were typed; a terminal that says nothing is left alone.
Source: xterm control sequences, OSC 11 (`ESC ] 11 ; ? ST`, answered by `rgb:RRRR/GGGG/BBBB`).
"""

from typing import NamedTuple

from chatui.core.late_pattern import late_pattern

QUESTION = "\x1b]11;?\x1b\\"
PATIENCE_S = 0.25
"""So long the rest of a reply may take."""
LIGHT_FROM = 0.5
_REPLY = late_pattern(r"\x1b\]11;(?:rgba?:([0-9a-fA-F/]+)|[^\x07\x1b]*)(?:\x07|\x1b\\)")
_START = "\x1b]11;"
_LONGEST = 64


class PageColour(NamedTuple):
    """Each part from 0 to 1."""

    red: float
    green: float
    blue: float

    @property
    def is_light(self) -> bool:
        """Dark text is read better on it."""
        return 0.2126 * self.red + 0.7152 * self.green + 0.0722 * self.blue >= LIGHT_FROM


class ReplyFilter:
    """Takes the one reply out of what arrives from the keyboard, wherever it is split after two bytes."""

    def __init__(self) -> None:
        self.is_waiting = False
        self.colour: PageColour | None = None
        self._held = ""

    @property
    def is_holding(self) -> bool:
        """The rest of a reply is awaited."""
        return bool(self._held)

    def ask(self) -> str:
        """The question; its reply is looked for from now on."""
        self.is_waiting = True
        return QUESTION

    def feed(self, text: str) -> str:
        """What is left for the keyboard."""
        if not self.is_waiting:
            return text
        text = self._held + text
        self._held = ""
        found = _REPLY.search(text)
        if found is not None:
            self.is_waiting = False
            self.colour = colour_of(found.group(1) or "")
            return text[: found.start()] + text[found.end() :]
        at = text.rfind("\x1b]")
        tail = text[at:] if at >= 0 else ""
        if tail and len(tail) < _LONGEST and (tail.startswith(_START) or _START.startswith(tail)):
            self._held = tail
            return text[:at]
        return text

    def give_up(self) -> None:
        """The rest of a reply did not come: what came of it was no typing."""
        self._held = ""


def colour_of(parts: str) -> PageColour | None:
    """The colour of `RRRR/GGGG/BBBB` with one to four digits each."""
    numbers = parts.split("/")[:3]
    if len(numbers) < 3 or not all(0 < len(number) <= 4 for number in numbers):
        return None
    red, green, blue = (int(number, 16) / (16 ** len(number) - 1) for number in numbers)
    return PageColour(red, green, blue)
