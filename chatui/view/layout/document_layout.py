"""Lines of a document at a width, following the document as it grows.

Guards: the lines are those of a layout made anew; a line that did not change stays the same object; a
refresh costs what changed, not what is there. Lines of code and tables are made when they are asked for.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, takewhile
from operator import is_
from typing import Final

from chatui.core.values import frozen
from chatui.markdown.blocks import Block, Code, Formula
from chatui.markdown.document import IncrementalDocument
from chatui.view.layout.code import CodeLine, CodePlace
from chatui.view.layout.measure import cells
from chatui.view.layout.open_page import Entry, continues, goes_on
from chatui.view.layout.options import LayoutOptions
from chatui.view.layout.page import Page
from chatui.view.lines import Line

__all__ = ["CodeRegion", "DocumentLayout", "LayoutOptions"]

_FEW: Final = 32
"""Revised blocks that are laid out in their place; more of them are found by walking."""


@frozen
class CodeRegion:
    """A code block on the laid-out page."""

    first_line: int
    stop_line: int
    language: str
    source: str
    """Exactly what is copied."""


@lru_cache(maxsize=1024)
def _squeezed(line: Line) -> Line:
    """A line of one cell: what is wider is shown as cut."""
    if line.cells <= 1 and cells(line.text) <= 1:
        return line
    mark = "…" if line.text else ""
    return Line(tuple(run._replace(text=mark) for run in line.runs[-1:]), len(mark), 0, line.is_soft_wrapped)


class DocumentLayout:
    """Lines of a document at a width; follows it as it grows, at a cost in proportion to what changed."""

    def __init__(self, document: IncrementalDocument, width: int, options: LayoutOptions) -> None:
        self._document = document
        self._width = max(width, 1)
        self._options = options
        self._is_stale = False
        self._serial = 0
        self._page = Page(self._width, options)

    # --- what a screen asks for -------------------------------------------------------------------

    def refresh(self) -> int:
        """Bring the lines up to date; returns the first line that may have changed (line_count if none)."""
        return self._refresh(is_exact=self._document.is_closed)

    def settle(self) -> int:
        """Like `refresh`, and what is put off while text streams fast is done now."""
        self._document.settle()
        return self._refresh(is_exact=True)

    def lay_out_more(self, characters: int) -> bool:
        """Instead of the first `refresh` of a closed document: lay out about so many more characters.

        Returns:
            Whether some are left; then the lines are not yet those of a layout.
        """
        blocks, page = self._document.blocks, self._page
        index = len(page.blocks)
        stop_line = len(page.lines) + max(1, characters // self._width)
        while index < len(blocks) and len(page.lines) < stop_line:
            index = page.add(blocks, index)
        if index < len(blocks):
            return True
        page.fit_open_table(is_exact=True)
        self._serial = self._document.changes_since(0)[0]
        return False

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
        return len(self._page.lines)

    def lines(self, start: int, stop: int) -> Sequence[Line]:
        """Lines of a range; the same `Line` object is returned as long as a line does not change."""
        made = [
            entry if isinstance(entry, Line) else entry.line()
            for entry in self._page.lines[max(start, 0) : max(stop, 0)]
        ]
        return made if self._width > 1 else [_squeezed(line) for line in made]

    def code_at(self, line: int) -> CodePlace | None:
        """What a line of code shows, in the source; None for every other line."""
        if not 0 <= line < len(self._page.lines):
            return None
        entry = self._page.lines[line]
        return entry.shape.place(entry) if isinstance(entry, CodeLine) else None

    def source_at(self, line: int) -> tuple[int, int]:
        """Offsets into the source of the top-level block that this line belongs to."""
        source = self._document.source
        if not self._page.blocks:
            return (0, len(source))
        index = min(max(bisect_right(self._page.starts, line) - 1, 0), len(self._page.blocks) - 1)
        start = self._page.blocks[index].place.start
        stop = len(source)
        for block in self._page.blocks[index + 1 :]:
            if block.place.start != start:
                stop = block.place.start
                break
        return (start, start + len(source[start:stop].rstrip("\r\n \t")))

    def code_regions(self) -> Sequence[CodeRegion]:
        """All code blocks, in order."""
        out: list[CodeRegion] = []
        index, count = 0, len(self._page.blocks)
        while index < count:
            block = self._page.blocks[index]
            begin = index
            index += 1
            if not isinstance(block, Code) and not (isinstance(block, Formula) and block.is_fence):
                continue
            language = block.language if isinstance(block, Code) else "math"
            lines = list(block.lines)
            while index < count and isinstance(piece := self._page.blocks[index], Code) and piece.first_line:
                lines.extend(piece.lines)
                index += 1
            first = self._page.content_start(begin)
            stop = self._page.starts[index] if index < count else len(self._page.lines)
            out.append(CodeRegion(first, stop, language, "\n".join(lines)))
        return out

    # --- following the document -------------------------------------------------------------------

    def _refresh(self, *, is_exact: bool) -> int:
        if self._is_stale:
            self._is_stale, self._serial = False, 0
            self._page = Page(self._width, self._options)
        self._serial, first, revised = self._document.changes_since(self._serial)
        blocks = self._document.blocks
        first = min(first, len(self._page.blocks))
        if len(revised) > _FEW:
            first, revised = min(first, revised[0]), []
        self._page.dirty = len(self._page.lines)
        lowest = self._page.dirty
        while revised:
            lowest = min(lowest, self._revise(blocks, revised))
        self._page.dirty = len(self._page.lines)
        if first < len(blocks) or len(blocks) < len(self._page.blocks):
            self._lay_from(blocks, self._page.safe_start(blocks, first), len(blocks))
            self._page.fit_open_table(is_exact=is_exact)
        elif is_exact:
            self._page.fit_open_table(is_exact=True)
        return min(self._page.dirty, lowest)

    def _lay_from(self, blocks: Sequence[Block], first: int, stop: int) -> None:
        """Lay out blocks from `first` to `stop` anew, keeping what comes out equal."""
        page = self._page
        was_shared = first < len(page.blocks) and goes_on(page.blocks[first])
        is_shared = was_shared or (first < stop and goes_on(blocks[first]))
        start = page.starts[first] if first < len(page.starts) else len(page.lines)
        if is_shared and not was_shared:
            start -= 1
        page.dirty = start
        old = _Tail(page.blocks[first:], page.starts[first:], page.lines[start:], first, start)
        page.cut(first, start)
        if is_shared:
            page.lines.append(page.carries[first].line)
        index = first
        while index < stop:
            kept = self._kept(blocks, index, old)
            index = kept if kept > index else page.add(blocks, index)
        self._keep_unchanged(start, old.lines)

    def _revise(self, blocks: Sequence[Block], revised: list[int]) -> int:
        """Lay out the paragraph or table of the first of `revised` anew in its place; returns its line."""
        page = self._page
        known = page.blocks
        begin = stop = revised[0]
        while begin > 0 and continues(known[begin]):
            begin -= 1
        stop += 1
        while stop < len(known) and continues(known[stop]):
            stop += 1
        while revised and revised[0] < stop:
            revised.pop(0)
        start = page.starts[begin]
        after = page.starts[stop] if stop < len(known) else len(page.lines)
        rest = _Tail(known[stop:], page.starts[stop:], page.lines[after:], stop, after)
        below = page.set_aside()
        del known[stop:], page.starts[stop:], page.lines[after:]
        self._lay_from(blocks, begin, stop)
        page.fit_open_table(is_exact=True)
        dirty = min(page.dirty, start)
        page.take_back(below)
        shift = len(page.lines) - after
        known.extend(rest.blocks)
        page.starts.extend([at + shift for at in rest.starts] if shift else rest.starts)
        page.lines.extend(rest.lines)
        return dirty

    def _kept(self, blocks: Sequence[Block], index: int, old: "_Tail") -> int:
        """Keep the lines of whole blocks that did not change; returns the first block that was not kept."""
        at = index - old.first
        most = min(len(blocks), old.first + len(old.blocks))
        if index >= most or blocks[index] is not old.blocks[at] or continues(blocks[index]):
            return index
        stop = index
        while stop < most and blocks[stop] is old.blocks[stop - old.first]:
            stop += 1
        if stop == len(blocks):
            stop -= 1  # the last one may go on: it is laid out anew
        while stop > index and continues(blocks[stop]):
            stop -= 1
        if stop <= index:
            return index
        end = stop - old.first
        end_line = old.starts[end] - old.start if end < len(old.starts) else len(old.lines)
        page = self._page
        page.fit_open_table(is_exact=True)
        shift = len(page.lines) - old.starts[at]
        page.blocks.extend(blocks[index:stop])
        page.starts.extend(start + shift for start in old.starts[at:end])
        page.lines.extend(old.lines[old.starts[at] - old.start : end_line])
        return stop

    def _keep_unchanged(self, start: int, old: list[Entry]) -> None:
        """Put the old objects back where lines came out equal, and find the first line that did not."""
        lines = self._page.lines
        changed = -1
        same = len(list(takewhile(bool, map(is_, islice(lines, start, None), old))))
        for at, entry in enumerate(islice(old, same, None), start + same):
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
        self._page.dirty = min(changed, self._page.dirty) if self._page.dirty < start else changed


@dataclass(slots=True)
class _Tail:
    """What stood at the end before a refresh."""

    blocks: list[Block]
    starts: list[int]
    lines: list[Entry]
    first: int
    start: int
