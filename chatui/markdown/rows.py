"""A table row that grows: its cells are read as they arrive.

Guards: a bar that is escaped is part of its cell; what is more than the columns is shown in the last one,
not dropped. Source: GFM 4.10.
"""

import re
from typing import Final

from chatui.core.late_pattern import late_pattern
from chatui.markdown.blocks import Spans, Text
from chatui.markdown.inline_reader import InlineReader, Piece
from chatui.markdown.open_marks import shown_spans
from chatui.markdown.references import References

_BAR: Final = re.compile(r"(?<!\\)\|")
_BLANKS: Final = " \t"
_MARKED: Final = late_pattern(r"[\\`*_~\[\]<&$\n@:]|ww|^w|w\Z")
"""What may be more than plain words, or a part of it."""


class OpenRow:
    """A row whose line is not over, or not yet known to be a row."""

    __slots__ = (
        "_added",
        "_blanks",
        "_cell",
        "_columns",
        "_done",
        "_half",
        "_has_begun",
        "_joint",
        "_references",
        "_words",
    )

    def __init__(self, references: References, columns: int | None = None) -> None:
        self._references = references
        self._columns = columns
        self._done: list[Piece | None] = []
        self._cell: InlineReader | None = None
        self._words = ""
        """The cell as long as it holds plain words only: most of them need no reader."""
        self._added: list[str] = []
        """More of the cell that is not joined to it yet: a row may have a hundred thousand bars too many."""
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
        for number, part in enumerate(_BAR.split(text) if "|" in text else [text]):
            if number:
                self._bar()
            self._add(part.replace("\\|", "|") if "|" in part else part)
        self._flush()

    def finish(self) -> list[Piece | None]:
        """The line is over; returns its cells, None for an empty one."""
        if self._half:
            half, self._half = self._half, ""
            self._add(half)
        if self._is_in_cell:
            self._end_cell()
        return self._done

    def shown(self, *, is_exact: bool) -> list[Spans]:
        """Its cells so far."""
        cells = [piece.spans if piece else () for piece in self._done]
        if self._cell is not None:
            cells.append(shown_spans(self._cell, is_exact=is_exact))
        elif self._words:
            cells.append((Text(self._words),))
        return cells

    @property
    def _is_in_cell(self) -> bool:
        return self._cell is not None or bool(self._words or self._added)

    def _add(self, text: str) -> None:
        if not self._is_in_cell or self._joint:
            text = text.lstrip(_BLANKS)
        body = text.rstrip(_BLANKS)
        if not body:
            self._blanks += text
            return
        self._has_begun = True
        if not self._is_in_cell:
            self._joint = self._joint.lstrip(_BLANKS)
        self._added += (self._blanks, self._joint, body)
        self._joint, self._blanks = "", text[len(body) :]

    def _flush(self) -> None:
        if not self._added:
            return
        added = "".join(self._added)
        self._added.clear()
        if self._cell is not None:
            self._cell.feed(added)
        elif _MARKED.search(added):
            self._cell = InlineReader(self._references)
            self._cell.feed(self._words + added)
            self._words = ""
        else:
            self._references.characters_read += len(added)
            self._words += added

    def _bar(self) -> None:
        if not self._has_begun:
            self._has_begun = True
        elif self._columns is not None and len(self._done) == self._columns - 1:
            self._joint += " | "
            self._blanks = ""
        elif not self._is_in_cell:
            self._done.append(None)
        else:
            self._end_cell()

    def _end_cell(self) -> None:
        self._flush()
        if self._cell is None:
            self._done.append(Piece(self._words, (Text(self._words),), frozenset()))
        else:
            pieces = self._cell.finish()
            self._done.append(pieces[-1] if pieces else None)
        self._cell, self._words, self._blanks, self._joint = None, "", "", ""
