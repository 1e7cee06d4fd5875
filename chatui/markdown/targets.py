"""Where the target of a link ends: read as it arrives, each character once.

Guards: as long as more text could change the answer there is none; a target that is being written is not
read again from its start. Source: CommonMark 0.31.2 sections 6.3 (links), 4.7 (definitions).
"""

import re
from enum import Enum
from typing import Final

from chatui.core.late_pattern import late_pattern

TARGET_REACH: Final = 1200
"""How far a target, its title and the blanks between them may reach, each."""
PLAIN_TARGET_REACH: Final = 1 << 16
"""The same for a target without blanks: a whole picture may be in it."""
_DEEPEST: Final = 32
"""Brackets within a target."""

_BLANKS: Final = late_pattern(r"[ \t\n]*")
_BARE: Final = late_pattern(r"[^\\()\x00-\x20\x7f]*")
_IN_ANGLES: Final = late_pattern(r"[^<>\n\\]*")
_IN_TITLE: Final = {
    '"': late_pattern(r'[^"\\]*'),
    "'": late_pattern(r"[^'\\]*"),
    ")": late_pattern(r"[^()\\]*"),
}


class Answer(Enum):
    """Whether there is a target."""

    YES = "yes"
    NO = "no"
    WAIT = "wait"
    """More text decides."""


class _Phase(Enum):
    START = "start"
    ANGLES = "angles"
    BARE = "bare"
    GAP = "gap"
    TITLE = "title"
    END = "end"


class Target:
    """The part of a link after its brackets: `(address "title")`."""

    __slots__ = ("_begin", "_depth", "_phase", "_quote", "address", "seen")

    def __init__(self) -> None:
        self.seen = 1
        """Characters read, from the opening parenthesis on."""
        self.address = ""
        self._begin = 1
        self._depth = 0
        self._phase = _Phase.START
        self._quote = ""

    def read(self, text: str, at: int, size: int) -> Answer:
        """Read on in `text`, whose parenthesis is at `at`."""
        while at + self.seen < size:
            begin = self._begin
            reach = PLAIN_TARGET_REACH if self._phase is _Phase.BARE else TARGET_REACH
            answer = self._step(text, at, size)
            if self.seen - begin > reach:
                return Answer.NO
            if answer is not None:
                return answer
        return Answer.WAIT

    def _step(self, text: str, at: int, size: int) -> Answer | None:
        """Read a part; None if the next one can be read."""
        position = at + self.seen
        match self._phase:
            case _Phase.START | _Phase.GAP | _Phase.END:
                return self._between(text, position, at, size)
            case _Phase.ANGLES:
                return self._in_angles(text, position, at, size)
            case _Phase.BARE:
                return self._bare(text, position, at, size)
            case _Phase.TITLE:
                return self._in_title(text, position, at, size)

    def _between(self, text: str, position: int, at: int, size: int) -> Answer | None:
        stop = _end(_BLANKS, text, position, size)
        has_blank = stop > position or text[position - 1] in " \t\n"
        self.seen = stop - at
        if stop == size:
            return Answer.WAIT
        character = text[stop]
        if character == ")":
            self.seen += 1
            return Answer.YES
        if self._phase is _Phase.START:
            self._begin = self.seen
            self._phase = _Phase.ANGLES if character == "<" else _Phase.BARE
            self.seen += character == "<"
            return None
        if self._phase is _Phase.GAP and has_blank and character in "\"'(":
            self._quote = ")" if character == "(" else character
            self._begin = self.seen
            self._phase = _Phase.TITLE
            self.seen += 1
            return None
        return Answer.NO

    def _in_angles(self, text: str, position: int, at: int, size: int) -> Answer | None:
        stop = _end(_IN_ANGLES, text, position, size)
        self.seen = stop - at
        if stop == size:
            return Answer.WAIT
        if text[stop] == "\\":
            return self._escape(stop, at, size)
        if text[stop] != ">":
            return Answer.NO
        self.address = text[at + self._begin + 1 : stop]
        self.seen += 1
        self._begin, self._phase = self.seen, _Phase.GAP
        return None

    def _bare(self, text: str, position: int, at: int, size: int) -> Answer | None:
        stop = _end(_BARE, text, position, size)
        self.seen = stop - at
        if stop == size:
            return Answer.WAIT
        character = text[stop]
        if character == "\\":
            if stop + 1 < size and text[stop + 1] == " ":
                return Answer.NO
            return self._escape(stop, at, size)
        if character == "(":
            self._depth += 1
            self.seen += 1
            return None if self._depth <= _DEEPEST else Answer.NO
        if character == ")" and self._depth:
            self._depth -= 1
            self.seen += 1
            return None
        if self._depth or self.seen == self._begin:
            return Answer.NO
        self.address = text[at + self._begin : stop]
        self._begin, self._phase = self.seen, _Phase.GAP
        return None

    def _in_title(self, text: str, position: int, at: int, size: int) -> Answer | None:
        stop = _end(_IN_TITLE[self._quote], text, position, size)
        self.seen = stop - at
        if stop == size:
            return Answer.WAIT
        if text[stop] == "\\":
            return self._escape(stop, at, size)
        if text[stop] != self._quote:
            return Answer.NO
        self.seen += 1
        self._begin, self._phase = self.seen, _Phase.END
        return None

    def _escape(self, stop: int, at: int, size: int) -> Answer | None:
        """Pass over an escaped character; a backslash at the end waits for it."""
        if stop + 1 < size:
            self.seen = stop + 2 - at
            return None
        return Answer.WAIT


def _end(pattern: "re.Pattern[str]", text: str, start: int, size: int) -> int:
    found = pattern.match(text, start, size)
    return found.end() if found else start
