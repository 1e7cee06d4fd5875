"""Leaves to blocks, with the account of what was looked up in vain.

Guards: a block's key is its place in the document; a definition that comes late finds every block that waits
for it; what is only shown of the open end leaves no trace.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from chatui.markdown.blocks import Block, Code, Formula, Heading, Paragraph, Place, Rule, Spans, TableRow
from chatui.markdown.inline_reader import Piece
from chatui.markdown.leaves import CODE_PIECE_LINES, OpenCode, OpenTable
from chatui.markdown.references import Definition, References

FORMULA_LANGUAGE: Final = "math"
"""A fence of this language holds a formula."""
FORMULA_LINES: Final = 64
"""A fence with more lines is code, whatever its language is."""


@dataclass(slots=True)
class BlockWriter:
    """Appends blocks; `blocks` holds what is certain, then what is shown of the open end."""

    references: References = field(default_factory=References)
    blocks: list[Block] = field(default_factory=list)
    is_exact: bool = False
    """Nothing that is shown is put off."""
    defined: list[str] = field(default_factory=list)
    """Labels that were defined since the last look-up."""
    lowest_change: int = 0
    """Lowest block that was taken back since the caller reset it."""
    _waiting: dict[str, set[int]] = field(default_factory=dict)
    """Labels looked up in vain, and the blocks that did."""
    _sources: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """Source of the blocks that wait."""

    def emit(self, block: Block) -> None:
        """One more block."""
        self.blocks.append(block)

    def add_empty(self, place: Place) -> None:
        """A container without any text."""
        self.emit(Paragraph(key=len(self.blocks), place=place, spans=()))

    def add_rule(self, place: Place) -> None:
        """A thematic break."""
        self.emit(Rule(key=len(self.blocks), place=place))

    def add_heading(self, place: Place, piece: Piece | None, level: int) -> None:
        """A heading."""
        self.remember(len(self.blocks), piece)
        self.show_heading(place, piece.spans if piece else (), level)

    def show_heading(self, place: Place, spans: Spans, level: int) -> None:
        """A heading that is being written."""
        self.emit(Heading(key=len(self.blocks), place=place, spans=spans, level=level))

    def add_piece(self, place: Place, piece: Piece, *, is_continued: bool) -> None:
        """A piece of a paragraph."""
        self.remember(len(self.blocks), piece)
        self.show_piece(place, piece.spans, is_continued=is_continued)

    def show_piece(self, place: Place, spans: Spans, *, is_continued: bool) -> None:
        """The end of a paragraph that is being written."""
        self.emit(Paragraph(key=len(self.blocks), place=place, spans=spans, is_continued=is_continued))

    def end_code_line(self, leaf: OpenCode) -> None:
        """The last line of code is over; a piece that is full becomes a block."""
        most = FORMULA_LINES if leaf.language == FORMULA_LANGUAGE else CODE_PIECE_LINES
        if len(leaf.lines) >= most:
            self._add_code_piece(leaf)
            leaf.first_line += len(leaf.lines)
            leaf.lines = []
            leaf.place = leaf.place.following()

    def add_code(self, leaf: OpenCode, *, is_open: bool = False) -> None:
        """The lines of code that are no block yet; an empty block is one too."""
        if leaf.language == FORMULA_LANGUAGE and leaf.lines and not leaf.first_line:
            lines = tuple(leaf.lines)
            self.emit(
                Formula(
                    key=len(self.blocks),
                    place=leaf.place,
                    lines=lines,
                    body="\n".join(lines),
                    is_fence=True,
                    is_open=is_open,
                )
            )
        else:
            self._add_code_piece(leaf)

    def _add_code_piece(self, leaf: OpenCode) -> None:
        if leaf.lines or not leaf.first_line:
            self.emit(
                Code(
                    key=len(self.blocks),
                    place=leaf.place,
                    language=leaf.language,
                    lines=tuple(leaf.lines),
                    first_line=leaf.first_line,
                )
            )

    def add_row(
        self, table: OpenTable, place: Place, cells: Sequence[Piece | None], *, is_header: bool = False
    ) -> None:
        """A row of a table."""
        self.remember(len(self.blocks), *cells)
        spans = [piece.spans if piece else () for piece in cells]
        self.show_row(table, place, spans, is_header=is_header)

    def show_row(
        self, table: OpenTable, place: Place, cells: Sequence[Spans], *, is_header: bool = False
    ) -> None:
        """A row that is being written."""
        self.emit(
            TableRow(
                key=len(self.blocks),
                place=place,
                table=table.table,
                alignments=table.alignments,
                cells=(*cells, *[()] * (len(table.alignments) - len(cells))),
                is_header=is_header,
            )
        )

    def define(self, label: str, target: str, title: str) -> None:
        """A reference is defined; the first definition of a label counts."""
        if label not in self.references.links:
            self.references.links[label] = Definition(target, title)
            self.defined.append(label)

    def define_note(self, label: str) -> None:
        """A footnote is defined."""
        self.references.notes.add(label)
        self.defined.append(f"^{label}")

    def retract(self, first: int) -> None:
        """Take back blocks from `first` on: they turn out to be something else."""
        if len(self.blocks) > first:
            for key in range(first, len(self.blocks)):
                self._sources.pop(key, None)
            self.lowest_change = min(self.lowest_change, first)
            del self.blocks[first:]

    def waiting(self) -> list[tuple[int, tuple[str, ...]]]:
        """Blocks that waited for what was defined since, and their source; they wait no longer."""
        keys: set[int] = set()
        for label in self.defined:
            keys |= self._waiting.pop(label, set())
        self.defined.clear()
        found = [(key, self._sources.pop(key, None)) for key in sorted(keys)]
        return [(key, source) for key, source in found if source is not None]

    def remember(self, key: int, *pieces: Piece | None) -> None:
        """Note what the pieces of a block looked up in vain."""
        misses = {label for piece in pieces if piece for label in piece.misses}
        if misses:
            self._sources[key] = tuple(piece.text if piece else "" for piece in pieces)
            for label in misses:
                self._waiting.setdefault(label, set()).add(key)
