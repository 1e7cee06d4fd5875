"""What a document has defined so far, what was looked up in vain, and how much was read for it.

Guards: a label that is looked up before it is defined is noted, so that a later definition finds the places
that wait for it; every character that is read or looked at again is counted.
"""

from typing import Final, NamedTuple

_GUESS_TENTHS: Final = 25
_DECIDING_TENTHS: Final = 28
_FREE_GUESSES: Final = 256


class Definition(NamedTuple):
    """What a reference stands for."""

    target: str
    title: str


class References:
    """Definitions of a document, and the account of what was read."""

    def __init__(self) -> None:
        self.links: dict[str, Definition] = {}
        self.notes: set[str] = set()
        self.characters_read: int = 0
        """Characters of lines, of running text, and of what was looked at ahead or again."""
        self.characters_received: int = 0

    def can_guess(self, characters: int) -> bool:
        """Whether so many characters may be read for what is only shown, not kept.

        What has to be read takes at most three times what came; in a flood of marks nothing is left for
        guesses at what they will be.
        """
        return self._can_read(characters, _GUESS_TENTHS)

    def can_decide(self, characters: int) -> bool:
        """The same for a line that is not over: its end decides it in any case."""
        return self._can_read(characters, _DECIDING_TENTHS)

    def _can_read(self, characters: int, tenths: int) -> bool:
        return self.characters_read + characters <= tenths * self.characters_received // 10 + _FREE_GUESSES

    def target(self, label: str, misses: set[str]) -> str | None:
        """Where a reference leads; what is not defined is added to `misses`."""
        from chatui.markdown.borrowed import normalizeReference

        name = normalizeReference(label)
        found = self.links.get(name)
        if found is None:
            misses.add(name)
            return None
        return found.target

    def has_note(self, label: str, misses: set[str]) -> bool:
        """Whether a footnote is defined."""
        if label in self.notes:
            return True
        misses.add("^" + label)
        return False
