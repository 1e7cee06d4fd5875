"""Finds a terminal's replies to questions in what arrives from the keyboard.

Invariant: a reply never reaches the app as if it were typed, wherever it is split, and nothing that was typed
is lost but the broken half of a reply; a terminal that says nothing is left alone.
"""

import re
from collections.abc import Iterator
from typing import Final

PATIENCE_S: Final = 0.25
"""So long the rest of a reply may take."""
LONGEST: Final = 64
"""No reply is longer."""
ESCAPE: Final = "\x1b"


class AwaitedReply:
    """What is awaited, and at last what came.

    Args:
        question: What is written to the terminal.
        reply: The whole reply.
        start: How every reply begins, long enough to be no key of its own.
        half: What may become a reply.
    """

    def __init__(self, question: str, reply: re.Pattern[str], start: str, half: re.Pattern[str]) -> None:
        self.question = question
        self.found: re.Match[str] | None = None
        self.reply = reply
        self._start = start
        self._half = half

    def may_become(self, text: str) -> bool:
        """Whether a text may be the beginning of the reply."""
        return len(text) < LONGEST and (self._start.startswith(text) or bool(self._half.fullmatch(text)))

    def is_begun_by(self, text: str) -> bool:
        """Whether a text can be nothing else but the beginning of the reply."""
        return text.startswith(self._start) and self.may_become(text)


class TerminalReplies:
    """All replies that have not come yet. One thread asks, another one reads."""

    def __init__(self) -> None:
        self._awaited: list[AwaitedReply] = []
        """Added to and removed from in one step each: what is asked while one is read must not be lost."""

    def ask(self, awaited: AwaitedReply) -> str:
        """The question; its reply is looked for from now on."""
        self._awaited.append(awaited)
        return awaited.question

    def split(self, text: str) -> Iterator[str | AwaitedReply]:
        """What was typed before, between and behind the replies, and these, in their order."""
        while True:
            matches = [(found, each) for each in tuple(self._awaited) if (found := each.reply.search(text))]
            if not matches:
                break
            first, came = min(matches, key=lambda match: match[0].start())
            self._awaited.remove(came)
            came.found = first
            if first.start():
                yield text[: first.start()]
            yield came
            text = text[first.end() :]
        if text:
            yield text

    def begun(self, text: str) -> int:
        """How many characters at the end of a text may be the beginning of a reply."""
        at = text.rfind(ESCAPE)
        for begin in (text.rfind(ESCAPE, 0, at) if at > 0 else -1, at):  # a reply may end with ESC \
            if begin >= 0 and any(each.may_become(text[begin:]) for each in tuple(self._awaited)):
                return len(text) - begin
        return 0

    def is_begun_by(self, text: str) -> bool:
        """Whether a text can be nothing else but the beginning of a reply."""
        return any(each.is_begun_by(text) for each in tuple(self._awaited))

    def begins(self, text: str) -> bool:
        """Whether a text begins with a whole reply."""
        return any(each.reply.match(text) for each in tuple(self._awaited))
