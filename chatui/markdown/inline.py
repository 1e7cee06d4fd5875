"""Complete running text to spans, at once."""

from typing import Final

from chatui.markdown.inline_reader import InlineReader, Piece
from chatui.markdown.references import References

_NOTHING: Final[Piece] = Piece("", (), frozenset())


def read_whole(text: str, references: References) -> Piece:
    """Read text that is complete: a heading, a cell, a piece that waited for a definition."""
    reader = InlineReader(references)
    reader.feed(text)
    pieces = reader.finish()
    return pieces[0] if pieces else _NOTHING
