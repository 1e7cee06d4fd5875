"""Big pastes stand in the composer as one short word each; what is sent, kept and copied is the whole text.

Invariant: a word stands for exactly one text for as long as the app runs, so undo, cut and paste of the
word lose nothing; a text that the person typed is never taken for such a word.
"""

import re

FOLD_CHARACTERS = 6_000
FOLD_LINES = 60
_ATOM = re.compile("\u27e6pasted [^\u27e6\u27e7\n]{1,60}\u27e7")


class PasteAtoms:
    """Words and what they stand for."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def fold(self, text: str) -> str:
        """A word for a big text; a small one stays as it is."""
        lines = text.count("\n") + 1
        if len(text) < FOLD_CHARACTERS and lines < FOLD_LINES:
            return text
        size = f"{lines:,} line{'s' if lines > 1 else ''}, {len(text):,} characters"
        atom = f"\u27e6pasted {len(self._texts) + 1}: {size}\u27e7"
        self._texts[atom] = text
        return atom

    def expand(self, text: str) -> str:
        """The text with every known word replaced by what it stands for."""
        if not self._texts:
            return text
        return _ATOM.sub(lambda found: self._texts.get(found.group(), found.group()), text)

    def spans(self, line: str) -> list[tuple[int, int]]:
        """Where known words stand in a line."""
        if not self._texts:
            return []
        return [found.span() for found in _ATOM.finditer(line) if found.group() in self._texts]

    def text_of(self, atom: str) -> str | None:
        """What a word stands for."""
        return self._texts.get(atom)
