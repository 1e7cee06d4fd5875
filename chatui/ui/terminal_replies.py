"""Takes a terminal's reply to one question out of what arrives from the keyboard.

Invariant: a reply never reaches the app as if it were typed, and nothing that was typed is lost but the
broken half of a reply; a terminal that says nothing is left alone.
"""

import re
from typing import Final

PATIENCE_S: Final = 0.25
"""So long the rest of a reply may take."""
LONGEST: Final = 64
"""No reply is longer."""


class ReplyFilter:
    """Takes the one reply out of the input, wherever it is split after its first bytes.

    Args:
        question: What is written to the terminal.
        reply: The whole reply.
        start: How every reply begins, long enough to be no key of its own.
        half: What may become a reply, and is held back until its rest is there.
    """

    def __init__(self, question: str, reply: re.Pattern[str], start: str, half: re.Pattern[str]) -> None:
        self.is_waiting = False
        self.found: re.Match[str] | None = None
        self._question = question
        self._reply = reply
        self._start = start
        self._half = half
        self._held = ""

    @property
    def is_holding(self) -> bool:
        """The rest of a reply is awaited."""
        return bool(self._held)

    def ask(self) -> str:
        """The question; its reply is looked for from now on."""
        self.is_waiting = True
        return self._question

    def feed(self, text: str) -> str:
        """What is left for the keyboard."""
        if not self.is_waiting:
            return text
        text = self._held + text
        self._held = ""
        found = self._reply.search(text)
        if found is not None:
            self.is_waiting = False
            self.found = found
            return text[: found.start()] + text[found.end() :]
        at = text.rfind(self._start)
        tail = text[at:] if at >= 0 else ""
        if tail and len(tail) < LONGEST and self._half.fullmatch(tail):
            self._held = tail
            return text[:at]
        return text

    def give_up(self) -> None:
        """The rest of a reply did not come: what came of it was no typing."""
        self._held = ""
