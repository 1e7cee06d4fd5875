"""A table row that grows: its cells are read as they arrive.

Guards: a bar that is escaped is part of its cell; what is more than the columns is shown in the last one,
not dropped. Source: GFM 4.10.
"""

import re
from typing import Final

from chatui.markdown.blocks import Spans
from chatui.markdown.inline_reader import InlineReader, Piece
from chatui.markdown.open_marks import shown_spans
from chatui.markdown.references import References

_BAR: Final = re.compile(r"(?<!\\)\|")
_BLANKS: Final = " \t"


class OpenRow:
    """A row whose line is not over, or not yet known to be a row."""

    __slots__ = ("_blanks", "_cell", "_columns", "_done", "_half", "_has_begun", "_joint", "_references")

    def __init__(self, references: References, columns: int | None = None) -> None:
        self._references = references
        self._columns = columns
        self._done: list[Piece | None] = []
        self._cell: InlineReader | None = None
        self._has_begun = False
        """Its first bar or its first word came."""
        self._blanks = ""
        """Blanks at the end of the cell so far."""
        self._joint = ""
        """Bars between more cells than there are columns."""
        self._half = ""
        """A backslash at the end: what follows decides."""

    def feed(self, text: str) -> None:
        """More of the line."""
        text = self._half + text
        self._half = "\\" if text.endswith("\\") else ""
        if self._half:
            text = text[:-1]
        if "|" not in text:
            self._add(text)
            return
        for number, part in enumerate(_BAR.split(text)):
            if number:
                self._bar()
            self._add(part.replace("\\|", "|"))

    def finish(self) -> list[Piece | None]:
        """The line is over; returns its cells, None for an empty one."""
        if self._half:
            half, self._half = self._half, ""
            self._add(half)
        if self._cell is not None:
            self._end_cell()
        return self._done

    def shown(self, *, is_exact: bool) -> list[Spans]:
        """Its cells so far."""
        cells = [piece.spans if piece else () for piece in self._done]
        if self._cell is not None:
            cells.append(shown_spans(self._cell, is_exact=is_exact))
        return cells

    def _add(self, text: str) -> None:
        if self._cell is None or self._joint:
            text = text.lstrip(_BLANKS)
        body = text.rstrip(_BLANKS)
        if not body:
            self._blanks += text
            return
        self._has_begun = True
        if self._cell is None:
            self._cell = InlineReader(self._references, has_break_tags=True)
            self._joint = self._joint.lstrip(_BLANKS)
        self._cell.feed(self._blanks + self._joint + body)
        self._joint, self._blanks = "", text[len(body) :]

    def _bar(self) -> None:
        if not self._has_begun:
            self._has_begun = True
        elif self._columns is not None and len(self._done) == self._columns - 1:
            self._joint += " | "
            self._blanks = ""
        elif self._cell is None:
            self._done.append(None)
        else:
            self._end_cell()

    def _end_cell(self) -> None:
        assert self._cell is not None
        pieces = self._cell.finish()
        self._done.append(pieces[-1] if pieces else None)
        self._cell, self._blanks, self._joint = None, "", ""
