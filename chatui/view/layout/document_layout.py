"""Lines of a document at a width, following the document as it grows."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from chatui.markdown.blocks import Block, Code, Heading, Paragraph, Place, Rule, TableRow
from chatui.markdown.document import IncrementalDocument
from chatui.view.layout import styles
from chatui.view.layout.code import code_lines
from chatui.view.layout.flow import Flow, wrap
from chatui.view.layout.margin import Margin, margin
from chatui.view.layout.measure import cells
from chatui.view.layout.options import LayoutOptions
from chatui.view.layout.spans import add_spans
from chatui.view.layout.table import TableShape, table_lines
from chatui.view.lines import EMPTY_LINE, Line, Run, Tone

_KEPT_CARRIES = 64

__all__ = ["CodeRegion", "DocumentLayout", "LayoutOptions"]


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


def _is_continued(block: Block) -> bool:
    return isinstance(block, Paragraph) and block.is_continued


class DocumentLayout:
    """Lines of a document at a width; follows the document as it grows, at a cost in proportion to what changed."""

    def __init__(self, document: IncrementalDocument, width: int, options: LayoutOptions) -> None:
        self._document = document
        self._width = max(width, 1)
        self._options = options
        self._serial = 0
        self._blocks: list[Block] = []
        self._starts: list[int] = []
        """First line of each block."""
        self._lines: list[Line] = []
        self._carries: dict[int, _Carry] = {}
        """By the block that may go on in it; the last ones only."""
        self._margins: dict[tuple[int, int], tuple[object, Margin]] = {}
        self._is_stale = True

    def refresh(self) -> int:
        """Bring the lines up to date; returns the first line that may have changed (line_count if none)."""
        self._serial, first = self._document.changes_since(self._serial)
        blocks = self._document.blocks
        if self._is_stale:
            self._is_stale = False
            first = 0
            self._blocks, self._starts, self._lines, self._carries = [], [], [], {}
        first = min(first, len(self._blocks))
        if first == len(blocks) == len(self._blocks):
            return len(self._lines)
        first = self._safe_start(blocks, first)
        start = self._starts[first] if first < len(self._starts) else len(self._lines)
        old = self._lines[start:]
        was_shared = first < len(self._blocks) and _is_continued(self._blocks[first])
        del self._blocks[first:], self._starts[first:], self._lines[start:]
        if was_shared:
            self._lines.append(self._carries[first].line)
        for index in range(first, len(blocks)):
            self._add(blocks, index)
        return self._keep_unchanged(start, old)

    def _safe_start(self, blocks: Sequence[Block], first: int) -> int:
        """The block from which lines can be laid out anew: the start of a paragraph or a table."""
        while 0 < first < len(blocks):
            block = blocks[first]
            if (_is_continued(block) and first not in self._carries) or (
                isinstance(block, TableRow) and not block.is_header
            ):
                first -= 1
            else:
                break
        return first

    def _keep_unchanged(self, start: int, old: list[Line]) -> int:
        lines = self._lines
        first_changed = -1
        for offset, line in enumerate(old):
            at = start + offset
            if at >= len(lines):
                break
            if lines[at] == line:
                lines[at] = line  # the same object as before: caches of it stay good
            elif first_changed < 0:
                first_changed = at
        if first_changed >= 0:
            return first_changed
        return min(start + len(old), len(lines))

    def resize(self, width: int) -> None:
        """Lay out at another width; cheap if lines are not asked for."""
        if max(width, 1) != self._width:
            self._width = max(width, 1)
            self._is_stale = True
            self._margins.clear()

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
        return self._lines[max(start, 0) : max(stop, 0)]

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
        index = 0
        while index < len(self._blocks):
            block = self._blocks[index]
            if not isinstance(block, Code):
                index += 1
                continue
            begin, code = index, list(block.lines)
            index += 1
            while index < len(self._blocks):
                following = self._blocks[index]
                if not isinstance(following, Code) or not following.first_line:
                    break
                code.extend(following.lines)
                index += 1
            stop = self._starts[index] if index < len(self._starts) else len(self._lines)
            out.append(CodeRegion(self._starts[begin], stop, block.language, "\n".join(code)))
        return out

    # --- laying out --------------------------------------------------------------------------------------------

    def _add(self, blocks: Sequence[Block], index: int) -> None:
        block = blocks[index]
        self._blocks.append(block)
        place = block.place
        beside = self._margin(place)
        if isinstance(block, Paragraph) and block.is_continued:
            carry = self._carries[index]
            self._lines.pop()
            self._starts.append(len(self._lines))
            flow = carry.flow.copy()
            add_spans(flow, block.spans, self._tone(place), self._options)
            self._flow(flow, beside._replace(first=carry.prefix), index)
            return
        self._starts.append(len(self._lines))
        if place.has_gap:
            self._lines.append(Line(beside.gap, beside.gap_cells, beside.gap_cells) if beside.gap else EMPTY_LINE)
        match block:
            case Paragraph():
                flow = Flow()
                add_spans(flow, block.spans, self._tone(place), self._options)
                self._flow(flow, beside, index)
            case Heading():
                self._heading(block, beside)
            case Rule():
                size = max(self._width - beside.size, 1)
                mark = "─" if self._options.is_unicode else "-"
                self._lines.append(
                    Line((*beside.first, Run(mark * size, styles.RULE)), beside.size + size, beside.size)
                )
            case Code():
                self._lines.extend(code_lines(block, beside, self._width, self._options))
            case TableRow():
                self._table_row(blocks, index, block, beside)

    def _tone(self, place: Place) -> Tone:
        return Tone.TEXT

    def _margin(self, place: Place) -> Margin:
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
        start = 0
        for start, stop, is_soft in wrap(text, width, width):
            runs = flow.runs(start, stop)
            self._lines.append(Line(prefix + runs, beside.size + cells(text[start:stop]), beside.size, is_soft))
            last_prefix, prefix = prefix, beside.rest
        if index >= 0:
            self._carries[index + 1] = _Carry(flow.tail(start), last_prefix, self._lines[-1])
            if len(self._carries) > _KEPT_CARRIES:
                for key in list(self._carries)[: _KEPT_CARRIES // 2]:
                    del self._carries[key]

    def _heading(self, block: Heading, beside: Margin) -> None:
        flow = Flow()
        add_spans(flow, block.spans, Tone.HEADING, self._options, is_bold=block.level <= 4, is_italic=block.level > 3)
        before = len(self._lines)
        self._flow(flow, beside, -1)
        if block.level == 1 and flow.size:
            size = max((line.cells for line in self._lines[before:]), default=0) - beside.size
            mark = "─" if self._options.is_unicode else "="
            self._lines.append(Line((*beside.rest, Run(mark * size, styles.RULE)), beside.size + size, beside.size + size))

    def _table_row(self, blocks: Sequence[Block], index: int, block: TableRow, beside: Margin) -> None:
        if not block.is_header:
            return
        rows = [block]
        for row in blocks[index + 1 :]:
            if not isinstance(row, TableRow) or row.table != block.table or row.is_header:
                break
            rows.append(row)
        shape = TableShape(rows, self._width - beside.size, self._options)
        self._lines.extend(table_lines(shape, beside))
