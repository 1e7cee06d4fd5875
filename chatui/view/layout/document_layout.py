"""Lines of a document at a width, following the document as it grows.

Guards: the lines are those of a layout made anew; a line that did not change stays the same object; a refresh costs what
changed, not what is there. Lines of code and tables are made when they are asked for.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from chatui.markdown.blocks import Block, Code, Heading, Paragraph, Rule, TableRow
from chatui.markdown.document import IncrementalDocument
from chatui.view.layout import styles
from chatui.view.layout.code import CodeLine, CodeShape
from chatui.view.layout.flow import Flow, wrap
from chatui.view.layout.margin import Margin, margin
from chatui.view.layout.measure import cells
from chatui.view.layout.options import LayoutOptions
from chatui.view.layout.spans import add_spans
from chatui.view.layout.table import Fit, RowLine, TableShape
from chatui.view.lines import EMPTY_LINE, Line, Run, Tone

__all__ = ["CodeRegion", "DocumentLayout", "LayoutOptions"]

_KEPT_CARRIES: Final = 64
_FEW: Final = 32
"""Revised blocks that are laid out in their place; more of them are found by walking."""

_Entry: TypeAlias = Line | RowLine | CodeLine
"""A line, or how to make it."""


@dataclass(frozen=True, slots=True)
class CodeRegion:
    """A code block on the laid-out page."""

    first_line: int
    stop_line: int
    language: str
    source: str
    """Exactly what is copied."""


class _Carry(NamedTuple):
    """The last line of a paragraph's piece, in which the next piece goes on."""

    flow: Flow
    prefix: tuple[Run, ...]
    line: Line


def _goes_on(block: Block) -> bool:
    """Whether a block begins in the last line of the one before it."""
    return isinstance(block, Paragraph) and block.is_continued


def _continues(block: Block) -> bool:
    """Whether a block can only be laid out after the one before it."""
    match block:
        case Paragraph(is_continued=is_continued):
            return is_continued
        case TableRow(is_header=is_header):
            return not is_header
        case Code(first_line=first_line):
            return first_line > 0
        case _:
            return False


@lru_cache(maxsize=1024)
def _squeezed(line: Line) -> Line:
    """A line of one cell: what is wider is shown as cut."""
    if line.cells <= 1:
        return line
    mark = "…" if line.text else ""
    return Line(
        tuple(Run(mark, run.style, run.link) for run in line.runs[-1:]), len(mark), 0, line.is_soft_wrapped
    )


class DocumentLayout:
    """Lines of a document at a width; follows the document as it grows, at a cost in proportion to what changed."""

    def __init__(self, document: IncrementalDocument, width: int, options: LayoutOptions) -> None:
        self._document = document
        self._width = max(width, 1)
        self._options = options
        self._is_stale = True
        self._clear()

    def _clear(self) -> None:
        self._serial = 0
        self._blocks: list[Block] = []
        self._starts: list[int] = []
        """First line of each block."""
        self._lines: list[_Entry] = []
        self._dirty = 0
        """Lowest line that was changed by the refresh that is going on."""
        self._carries: dict[int, _Carry] = {}
        """By the block that may go on in it; the last ones only."""
        self._tables: dict[int, TableShape] = {}
        self._codes: dict[int, CodeShape] = {}
        """By the key of their first block, like the tables."""
        self._code_key = -1
        self._margins: dict[tuple[int, int], tuple[object, Margin]] = {}

    # --- what a screen asks for --------------------------------------------------------------------------------

    def refresh(self) -> int:
        """Bring the lines up to date; returns the first line that may have changed (line_count if none)."""
        return self._refresh(is_exact=self._document.is_closed)

    def settle(self) -> int:
        """Like `refresh`, and what is put off while text streams fast is done now."""
        self._document.settle()
        return self._refresh(is_exact=True)

    def resize(self, width: int) -> None:
        """Lay out at another width; cheap if lines are not asked for."""
        if max(width, 1) != self._width:
            self._width = max(width, 1)
            self._is_stale = True

    @property
    def width(self) -> int:
        """Cells."""
        return self._width

    @property
    def line_count(self) -> int:
        """Lines after the last refresh."""
        return len(self._lines)

    def lines(self, start: int, stop: int) -> Sequence[Line]:
        """Lines of a range; the same `Line` object is returned as long as a line does not change."""
        made = [
            entry if isinstance(entry, Line) else entry.line()
            for entry in self._lines[max(start, 0) : max(stop, 0)]
        ]
        return made if self._width > 1 else [_squeezed(line) for line in made]

    def source_at(self, line: int) -> tuple[int, int]:
        """Offsets into the source of the top-level block that this line belongs to."""
        source = self._document.source
        if not self._blocks:
            return (0, len(source))
        index = min(max(bisect_right(self._starts, line) - 1, 0), len(self._blocks) - 1)
        start = self._blocks[index].place.start
        stop = len(source)
        for block in self._blocks[index + 1 :]:
            if block.place.start != start:
                stop = block.place.start
                break
        return (start, start + len(source[start:stop].rstrip("\r\n \t")))

    def code_regions(self) -> Sequence[CodeRegion]:
        """All code blocks, in order."""
        out: list[CodeRegion] = []
        index, count = 0, len(self._blocks)
        while index < count:
            block = self._blocks[index]
            begin = index
            index += 1
            if not isinstance(block, Code):
                continue
            lines = list(block.lines)
            while index < count and isinstance(piece := self._blocks[index], Code) and piece.first_line:
                lines.extend(piece.lines)
                index += 1
            first = self._starts[begin] + int(block.place.has_gap)
            stop = self._starts[index] if index < count else len(self._lines)
            out.append(CodeRegion(first, stop, block.language, "\n".join(lines)))
        return out

    # --- following the document --------------------------------------------------------------------------------

    def _refresh(self, *, is_exact: bool) -> int:
        if self._is_stale:
            self._is_stale = False
            self._clear()
        self._serial, first, revised = self._document.changes_since(self._serial)
        blocks = self._document.blocks
        first = min(first, len(self._blocks))
        if len(revised) > _FEW:
            first, revised = min(first, revised[0]), []
        self._dirty = len(self._lines)
        lowest = self._dirty
        while revised:
            lowest = min(lowest, self._revise(blocks, revised))
        self._dirty = len(self._lines)
        if first < len(blocks) or len(blocks) < len(self._blocks):
            self._lay_from(blocks, self._safe_start(blocks, first), len(blocks))
            self._fit_open_table(is_exact=is_exact)
        elif is_exact:
            self._fit_open_table(is_exact=True)
        return min(self._dirty, lowest)

    def _lay_from(self, blocks: Sequence[Block], first: int, stop: int) -> None:
        """Lay out blocks from `first` to `stop` anew, keeping what comes out equal."""
        was_shared = first < len(self._blocks) and _goes_on(self._blocks[first])
        is_shared = was_shared or (first < stop and _goes_on(blocks[first]))
        start = self._starts[first] if first < len(self._starts) else len(self._lines)
        if is_shared and not was_shared:
            start -= 1
        self._dirty = start
        old = _Tail(self._blocks[first:], self._starts[first:], self._lines[start:], first, start)
        self._cut(first, start)
        if is_shared:
            self._lines.append(self._carries[first].line)
        index = first
        while index < stop:
            index = self._reuse(blocks, index, old) if old.blocks else self._add(blocks, index)
        self._keep_unchanged(start, old.lines)

    def _revise(self, blocks: Sequence[Block], revised: list[int]) -> int:
        """Lay out the paragraph or table of the first of `revised` anew, in its place; returns its first line."""
        known = self._blocks
        begin = stop = revised[0]
        while begin > 0 and _continues(known[begin]):
            begin -= 1
        stop += 1
        while stop < len(known) and _continues(known[stop]):
            stop += 1
        while revised and revised[0] < stop:
            revised.pop(0)
        start = self._starts[begin]
        after = self._starts[stop] if stop < len(known) else len(self._lines)
        rest = _Tail(known[stop:], self._starts[stop:], self._lines[after:], stop, after)
        tables, codes, carries, code_key = self._tables, self._codes, self._carries, self._code_key
        self._tables, self._codes, self._carries = {}, {}, {}
        del known[stop:], self._starts[stop:], self._lines[after:]
        self._lay_from(blocks, begin, stop)
        self._fit_open_table(is_exact=True)
        dirty = min(self._dirty, start)
        self._tables, self._codes, self._code_key = {**tables, **self._tables}, codes, code_key
        self._carries = {**carries, **self._carries}
        shift = len(self._lines) - after
        known.extend(rest.blocks)
        self._starts.extend([at + shift for at in rest.starts] if shift else rest.starts)
        self._lines.extend(rest.lines)
        return dirty

    def _cut(self, first: int, start: int) -> None:
        """Forget blocks from `first` on, whose lines begin at `start`."""
        del self._blocks[first:], self._starts[first:], self._lines[start:]
        for key in [key for key in self._tables if key >= first]:
            del self._tables[key]
        for key in [key for key in reversed(self._codes) if key >= first]:
            del self._codes[key]

    def _safe_start(self, blocks: Sequence[Block], first: int) -> int:
        """The block from which lines can be laid out anew, `first` or one before it."""
        while 0 < first < len(blocks):
            block = blocks[first]
            if not _continues(block):
                break
            if isinstance(block, Paragraph) and first in self._carries:
                break
            if (
                isinstance(block, TableRow)
                and block.table in self._tables
                and block.table == self._last_table()
            ):
                break
            if isinstance(block, Code) and self._code_key in self._codes and self._is_last_code(first):
                break
            first -= 1
        return first

    def _last_table(self) -> int:
        return next(reversed(self._tables), -1)

    def _is_last_code(self, first: int) -> bool:
        """Whether the code block that was laid out last is the one that block `first` belongs to."""
        shape = self._codes[self._code_key]
        return shape.first_block < first and all(
            isinstance(block, Code) for block in self._blocks[shape.first_block : first][-2:]
        )

    def _is_table_open(self) -> bool:
        return bool(self._blocks) and isinstance(self._blocks[-1], TableRow)

    def _reuse(self, blocks: Sequence[Block], index: int, old: "_Tail") -> int:
        """Keep the lines of blocks that did not change, or lay out one that did."""
        at = index - old.first
        if (
            at < 0
            or at >= len(old.blocks)
            or blocks[index] is not old.blocks[at]
            or _continues(blocks[index])
        ):
            return self._add(blocks, index)
        stop = index
        while (
            stop < len(blocks)
            and stop - old.first < len(old.blocks)
            and blocks[stop] is old.blocks[stop - old.first]
        ):
            stop += 1
        # Only whole blocks can be kept: one whose last pieces changed is laid out anew.
        while stop > index and stop < len(blocks) and _continues(blocks[stop]):
            stop -= 1
        if stop <= index or stop >= len(blocks):
            return self._add(blocks, index)
        end = stop - old.first
        begin_line = old.starts[at] - old.start
        end_line = old.starts[end] - old.start if end < len(old.starts) else len(old.lines)
        shift = len(self._lines) - old.starts[at]
        self._fit_open_table(is_exact=True)
        self._blocks.extend(blocks[index:stop])
        self._starts.extend(start + shift for start in old.starts[at:end])
        self._lines.extend(old.lines[begin_line:end_line])
        return stop

    def _keep_unchanged(self, start: int, old: list[_Entry]) -> None:
        """Put the old objects back where lines came out equal, and find the first line that did not."""
        lines = self._lines
        changed = -1
        for at, entry in enumerate(old, start):
            if at >= len(lines):
                break
            if lines[at] is entry:
                continue
            if changed < 0 or isinstance(entry, Line):
                if lines[at] == entry:
                    lines[at] = entry
                elif changed < 0:
                    changed = at
        if changed < 0:
            changed = min(start + len(old), len(lines))
        self._dirty = min(changed, self._dirty) if self._dirty < start else changed

    # --- laying out --------------------------------------------------------------------------------------------

    def _add(self, blocks: Sequence[Block], index: int) -> int:
        """Lay out one block; returns the next."""
        block = blocks[index]
        beside = self._margin(block)
        match block:
            case Paragraph(is_continued=True):
                carry = self._carries[index]
                self._lines.pop()
                self._begin(block)
                flow = carry.flow.copy()
                add_spans(flow, block.spans, Tone.TEXT, self._options)
                self._flow(flow, beside._replace(first=carry.prefix), index)
            case Paragraph():
                self._begin(block, beside)
                flow = Flow()
                add_spans(flow, block.spans, Tone.TEXT, self._options)
                self._flow(flow, beside, index)
            case Heading():
                self._begin(block, beside)
                self._heading(block, beside)
            case Rule():
                self._begin(block, beside)
                size = max(self._width - beside.size, 1)
                mark = "─" if self._options.is_unicode else "-"
                runs = (*beside.first, Run(mark * size, styles.RULE))
                self._lines.append(Line(runs, beside.size + size, beside.size + size))
            case Code():
                self._code(block, beside, index)
            case TableRow():
                self._table_row(block, beside, index)
        return index + 1

    def _begin(self, block: Block, beside: Margin | None = None) -> None:
        """Note where a block starts; its gap is its first line."""
        if self._tables and not isinstance(block, TableRow) and self._is_table_open():
            self._fit_open_table(is_exact=True)
        self._blocks.append(block)
        self._starts.append(len(self._lines))
        if beside is not None and block.place.has_gap:
            self._lines.append(
                Line(beside.gap, beside.gap_cells, beside.gap_cells) if beside.gap else EMPTY_LINE
            )

    def _margin(self, block: Block) -> Margin:
        place = block.place
        key = (id(place.path), place.shared)
        known = self._margins.get(key)
        if known is not None and known[0] is place.path:
            return known[1]
        if len(self._margins) > 128:
            self._margins.clear()
        made = margin(place.path, place.shared, self._width, self._options)
        self._margins[key] = (place.path, made)
        return made

    def _flow(self, flow: Flow, beside: Margin, index: int) -> None:
        text = flow.text
        width = max(self._width - beside.size, 1)
        prefix = last_prefix = beside.first
        ranges = wrap(text, width, width)
        for number, (start, stop, is_soft) in enumerate(ranges):
            runs = prefix + flow.runs(start, stop)
            size = beside.size + cells(text[start:stop])
            join = text[stop : ranges[number + 1][0]] if is_soft else ""
            self._lines.append(Line(runs, size, beside.size, is_soft, soft_join=join))
            last_prefix, prefix = prefix, beside.rest
        start = ranges[-1][0]
        line = self._lines[-1]
        if index >= 0 and isinstance(line, Line):
            self._carries[index + 1] = _Carry(flow.tail(start), last_prefix, line)
            if len(self._carries) > _KEPT_CARRIES:
                for key in list(self._carries)[: _KEPT_CARRIES // 2]:
                    del self._carries[key]

    def _heading(self, block: Heading, beside: Margin) -> None:
        flow = Flow()
        add_spans(
            flow,
            block.spans,
            Tone.HEADING,
            self._options,
            is_bold=block.level <= 4,
            is_italic=block.level > 3,
        )
        before = len(self._lines)
        self._flow(flow, beside, -1)
        if block.level == 1 and flow.size:
            size = max(line.cells for line in self._lines[before:] if isinstance(line, Line)) - beside.size
            mark = "─" if self._options.is_unicode else "="
            at = beside.size + size
            self._lines.append(Line((*beside.rest, Run(mark * size, styles.RULE)), at, at))

    def _code(self, block: Code, beside: Margin, index: int) -> None:
        if not block.first_line:
            self._begin(block, beside)
            self._code_key = index
            shape = CodeShape(index, block.language, self._width, beside, self._options)
            self._codes[index] = shape
            if block.language:
                self._lines.append(shape.label())
        else:
            self._begin(block)
            shape = self._codes[self._code_key]
        self._lines.extend(shape.entries(block.first_line, block.lines))

    def _table_row(self, block: TableRow, beside: Margin, index: int) -> None:
        if block.is_header:
            if self._is_table_open():
                self._fit_open_table(is_exact=True)
            self._begin(block, beside)
            shape = TableShape(index, block, self._width - beside.size, beside, self._options)
            self._tables[block.table] = shape
        else:
            self._begin(block)
            shape = self._tables[block.table]
            shape.truncate(index - shape.first_block)
        shape.add(block)
        fit = shape.fit(is_exact=False)
        if fit is Fit.CHANGED:
            self._lay_table(shape)
            return
        if fit is Fit.REDRAWN:
            self._dirty = min(self._dirty, self._starts[shape.first_block])
        self._lines.extend(shape.entries(len(shape.rows) - 1))

    def _fit_open_table(self, *, is_exact: bool) -> None:
        """Lay out the table at the end anew if its columns changed since."""
        if not self._is_table_open():
            return
        shape = self._tables.get(self._last_table())
        if shape is None:
            return
        shape.truncate(len(self._blocks) - shape.first_block)
        match shape.fit(is_exact=is_exact):
            case Fit.CHANGED:
                self._lay_table(shape)
            case Fit.REDRAWN:
                self._dirty = min(self._dirty, self._starts[shape.first_block])
            case Fit.SAME:
                pass

    def _lay_table(self, shape: TableShape) -> None:
        """All rows of a table anew; it is the last thing in the document."""
        first = shape.first_block
        start = self._starts[first] + int(self._blocks[first].place.has_gap)
        self._dirty = min(self._dirty, start)
        del self._lines[start:]
        for row in range(len(shape.rows)):
            if row:
                self._starts[first + row] = len(self._lines)
            self._lines.extend(shape.entries(row))


@dataclass(slots=True)
class _Tail:
    """What stood at the end before a refresh."""

    blocks: list[Block]
    starts: list[int]
    lines: list[_Entry]
    first: int
    start: int
