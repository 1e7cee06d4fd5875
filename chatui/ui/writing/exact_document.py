"""The composer's text, exactly as it was written.

Invariant: a line ends at a line feed and nowhere else. Textual splits with `str.splitlines`, which takes
U+2028, U+2029, U+0085, vertical tabs, form feeds and separators for line ends and drops them; measured with
Textual 8.2: a pasted U+2028 came back as a line feed, at the end of the text it was lost.
"""

from textual.document._document import Document, EditResult, Location


class _Lines(str):
    """Text that is split at line feeds only."""

    __slots__ = ()

    def splitlines(self, keepends: bool = False) -> list[str]:
        """Its lines; an empty one at the end is none, as in `str`."""
        lines = self.split("\n")
        if not lines[-1]:
            lines.pop()
        return [f"{line}\n" for line in lines] if keepends else lines


def _exact(text: str) -> _Lines:
    return _Lines(text.replace("\r\n", "\n").replace("\r", "\n"))


class ExactDocument(Document):
    """A document that changes no character but the kind of line end."""

    def __init__(self, text: str) -> None:
        super().__init__(_exact(text))

    def replace_range(self, start: Location, end: Location, text: str) -> EditResult:
        """Replace the text of a range."""
        return super().replace_range(start, end, _exact(text))
