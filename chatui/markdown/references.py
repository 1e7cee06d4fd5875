"""What a document has defined so far, what was looked up in vain, and how much was read for it.

Guards: a label that is looked up before it is defined is noted, so that a later definition finds the places
that wait for it; every character that is read or looked at again is counted.
"""

from typing import NamedTuple


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
