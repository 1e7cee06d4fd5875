"""Leaves to blocks: reads their running text and keeps the account of what was looked up in vain.

Guards: a block's key is its place in the document; a line that is only being tried leaves no trace but the
blocks that are shown of it; a definition that comes late finds every block that waits for it.
"""

from dataclasses import dataclass, field
from typing import Final

from chatui.markdown.blocks import (
    Block,
    Code,
    Formula,
    Heading,
    Paragraph,
    Place,
    Rule,
    Spans,
    TableRow,
    Text,
)
from chatui.markdown.inline import Definition, References, is_plain, parse_cell, parse_inline
from chatui.markdown.leaves import CODE_PIECE_LINES, OpenCode, OpenTable
from chatui.markdown.lines import split_row
from chatui.markdown.open_marks import with_marks_closed, without_half_break

FORMULA_LANGUAGE: Final = "math"
"""A fence of this language holds a formula."""
FORMULA_LINES: Final = 64
"""A fence with more lines is code, whatever its language is."""


@dataclass(slots=True)
class BlockWriter:
    """Appends blocks; `blocks` holds what is certain, then what is shown of the open end."""

    references: References = field(default_factory=References)
    blocks: list[Block] = field(default_factory=list)
    characters_parsed: int = 0
    """Characters given to markdown-it-py; tests hold it against the characters received."""
    is_exact: bool = False
    """Nothing is put off."""
    is_tentative: bool = False
    """A line that is not over is being tried: nothing may be kept."""
    defined: list[str] = field(default_factory=list)
    """Labels that were defined since the last look-up."""
    lowest_change: int = 0
    """Lowest block that was taken back since the caller reset it."""
    _waiting: dict[str, set[int]] = field(default_factory=dict)
    """Labels looked up in vain, and the blocks that did."""
    _sources: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """Source of the blocks that wait."""
    _known_cells: dict[str, Spans] = field(default_factory=dict)
    """Cells of the row that is being tried."""

    def emit(self, block: Block) -> None:
        """One more block."""
        self.blocks.append(block)

    def spans(self, text: str) -> Spans:
        """Spans of complete running text."""
        if is_plain(text):
            return (Text(text),) if text else ()
        self.characters_parsed += len(text)
        return parse_inline(text, self.references)

    def add_empty(self, place: Place) -> None:
        """A container without any text."""
        self.emit(Paragraph(key=len(self.blocks), place=place, spans=()))

    def add_rule(self, place: Place) -> None:
        """A thematic break."""
        self.emit(Rule(key=len(self.blocks), place=place))

    def add_heading(self, place: Place, text: str, level: int) -> None:
        """A heading."""
        key = len(self.blocks)
        if self.is_tentative:
            text = with_marks_closed(text)
        self.emit(Heading(key=key, place=place, spans=self.spans(text), level=level))
        self._remember(key, text)

    def add_piece(self, place: Place, text: str, spans: Spans, *, is_continued: bool) -> None:
        """A piece of a paragraph."""
        key = len(self.blocks)
        self.emit(Paragraph(key=key, place=place, spans=spans, is_continued=is_continued))
        self._remember(key, text)

    def add_code_line(self, leaf: OpenCode, line: str) -> None:
        """A line of code; a piece that is full becomes a block."""
        leaf.lines.append(line)
        most = FORMULA_LINES if leaf.language == FORMULA_LANGUAGE else CODE_PIECE_LINES
        if len(leaf.lines) >= most and not self.is_tentative:
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

    def add_row(self, table: OpenTable, place: Place, line: str, *, is_header: bool = False) -> None:
        """A row of a table."""
        texts = split_row(line)
        count = len(table.alignments)
        if len(texts) > count:
            # More cells than columns: GFM drops them, but what was received is shown.
            texts[count - 1 :] = [" | ".join(texts[count - 1 :])]
        if self.is_tentative and texts:
            texts[-1] = with_marks_closed(without_half_break(texts[-1]))
        texts += [""] * (count - len(texts))
        key = len(self.blocks)
        self.emit(
            TableRow(
                key=key,
                place=place,
                table=table.table,
                alignments=table.alignments,
                cells=self._cells(texts),
                is_header=is_header,
            )
        )
        self._remember(key, *texts)

    def define(self, label: str, target: str, title: str) -> None:
        """A reference is defined; the first definition of a label counts."""
        if not self.is_tentative and label not in self.references.links:
            self.references.links[label] = Definition(target, title)
            self.defined.append(label)

    def define_note(self, label: str) -> None:
        """A footnote is defined."""
        if not self.is_tentative:
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

    def replace(self, key: int, block: Block, source: tuple[str, ...]) -> None:
        """Put a revised block in its place."""
        self.blocks[key] = block
        self._remember(key, *source)

    def _cells(self, texts: list[str]) -> tuple[Spans, ...]:
        """Spans of a row's cells; those of a row that is being tried are read once."""
        out: list[Spans] = []
        known, self._known_cells = self._known_cells, {}
        misses = self.references.misses
        for text in texts:
            spans = known.get(text)
            if spans is None:
                before = len(misses)
                self.characters_parsed += 0 if is_plain(text) else len(text)
                spans = parse_cell(text, self.references)
                if len(misses) > before:
                    out.append(spans)
                    continue
            if self.is_tentative:
                self._known_cells[text] = spans
            out.append(spans)
        return tuple(out)

    def _remember(self, key: int, *source: str) -> None:
        misses = self.references.misses
        if misses:
            if not self.is_tentative:
                self._sources[key] = source
                for label in misses:
                    self._waiting.setdefault(label, set()).add(key)
            misses.clear()
