"""Tables to lines: columns aligned by display width, wrapped in their cells, or a list when there is no room.

A table grows by rows. Each row is measured once; lines are made when they are asked for. As long as the
table fits, a wider column costs nothing but drawing; a table that must wrap is laid out again only when its
columns change, and while it still grows only each time it has grown by a quarter, so the cost of a row does
not depend on the rows before it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

from chatui.core.late_pattern import late_pattern
from chatui.markdown.blocks import Alignment, TableRow
from chatui.view.layout import styles
from chatui.view.layout.flow import Flow, wrap
from chatui.view.layout.margin import Margin
from chatui.view.layout.measure import cells
from chatui.view.layout.options import LayoutOptions
from chatui.view.layout.spans import add_spans
from chatui.view.lines import Line, Run, Tone

_NUMBER: Final = late_pattern(
    r"[-+−±~≈<>≤≥]?[ ]?[$€£¥]?[ ]?\d[\d.,'_ ]*(?:[eE][-+]?\d+)?[ ]?(?:%|‰|[A-Za-zµ°]{1,4}|[$€£¥])?\Z"
)
_GUTTER: Final = 3
_LEAST: Final = 6
_WORD: Final = 16
"""A word longer than this may be cut in a cell."""
_SHORT_WORD: Final = 10
"""When room is scarce, a word longer than this is cut; with less room than that the table becomes a list."""
_SMALL: Final = 24
"""Rows up to which a table is laid out anew whenever its columns change."""


class Fit(Enum):
    """What a new choice of widths means: the same lines, as many other ones, or other numbers of them."""

    SAME = "same"
    REDRAWN = "redrawn"
    CHANGED = "changed"


class Measure(NamedTuple):
    """What is known of the columns after some rows."""

    natural: tuple[int, ...]
    words: tuple[int, ...]
    numeric: tuple[bool | None, ...]
    """None: nothing seen yet."""
    breaks: bool
    """A cell holds a line end."""


@dataclass(slots=True, eq=False)
class RowLine:
    """A line of a table that is made when it is asked for."""

    shape: "TableShape"
    row: int
    number: int
    """-1 is the rule below the header, or above a row where one of two has several lines."""

    def line(self) -> Line:
        """The line, as wide as the columns are now."""
        return self.shape.line(self.row, self.number)


class TableShape:
    """Rows of a table, and how they are laid out now."""

    def __init__(
        self, first_block: int, header: TableRow, width: int, beside: Margin, options: LayoutOptions
    ) -> None:
        self.first_block = first_block
        self.options = options
        self.beside = beside
        self.rows: list[TableRow] = []
        self.width = max(width, 1)
        count = len(header.alignments)
        self._room = self.width - _GUTTER * (count - 1)
        self._measures: list[Measure] = [Measure((1,) * count, (1,) * count, (None,) * count, False)]
        self._declared = header.alignments
        self._made: dict[int, list[Line]] = {}
        self._rule_line: Line | None = None
        self._fitted: Measure | None = None
        self._fitted_rows = 0
        self.widths: list[int] | None = [1] * count
        self.alignments: tuple[Alignment, ...] = header.alignments
        self._is_wrapped = False

    def truncate(self, count: int) -> None:
        """Forget rows from `count` on."""
        for row in range(count, len(self.rows)):
            self._made.pop(row, None)
        del self.rows[count:], self._measures[count + 1 :]

    def add(self, row: TableRow) -> None:
        """One more row."""
        self._measures.append(self._measured(row, self._measures[-1]))
        self.rows.append(row)

    def fit(self, *, is_exact: bool) -> Fit:
        """Choose the columns' widths for the rows so far."""
        now = self._measures[-1]
        if now == self._fitted:
            return Fit.SAME
        widths = column_widths(now.natural, now.words, self._room)
        alignments = tuple(
            Alignment.RIGHT if declared is Alignment.NONE and numeric else declared
            for declared, numeric in zip(self._declared, now.numeric, strict=True)
        )
        is_wrapped = widths is None or sum(now.natural) > self._room
        if widths == self.widths and alignments == self.alignments and is_wrapped == self._is_wrapped:
            self._fitted = now
            return Fit.SAME
        if not is_wrapped and not self._is_wrapped:
            self._fitted, self.widths, self.alignments = now, widths, alignments
            self._forget_lines()
            return Fit.REDRAWN
        count = len(self.rows)
        if not is_exact and count > _SMALL and count < self._fitted_rows * 5 // 4:
            return Fit.SAME
        self._fitted, self._fitted_rows, self.widths, self.alignments = now, count, widths, alignments
        self._is_wrapped = is_wrapped
        self._forget_lines()
        return Fit.CHANGED

    def entries(self, row: int) -> list[RowLine]:
        """The lines of a row, not made yet."""
        out = [RowLine(self, row, number) for number in range(self._height(row))]
        if not row and self.widths is not None:
            out.append(RowLine(self, 0, -1))
        elif row > 1 and self.widths is not None and max(self._height(row), self._height(row - 1)) > 1:
            out.insert(0, RowLine(self, row, -1))
        return out

    def _height(self, row: int) -> int:
        if self._is_wrapped or self._measures[row + 1].breaks:
            return len(self._lines_of(row))
        return 1

    def line(self, row: int, number: int) -> Line:
        """A line of a row."""
        if number >= 0:
            return self._lines_of(row)[number]
        if self._rule_line is None:
            self._rule_line = self._rule(self.widths or [])
        return self._rule_line

    def _lines_of(self, row: int) -> list[Line]:
        known = self._made.get(row)
        if known is None:
            known = self._made[row] = self._make(row)
        return known

    def _forget_lines(self) -> None:
        self._made.clear()
        self._rule_line = None

    def _flows(self, row: TableRow) -> list[Flow]:
        flows: list[Flow] = []
        tone = Tone.TABLE_HEADER if row.is_header else Tone.TEXT
        for spans in row.cells:
            flow = Flow()
            add_spans(flow, spans, tone, self.options, is_bold=row.is_header)
            flows.append(flow)
        return flows

    def _measured(self, row: TableRow, before: Measure) -> Measure:
        natural, words, numeric = list(before.natural), list(before.words), list(before.numeric)
        breaks = False
        for column, flow in enumerate(self._flows(row)):
            text = flow.text
            if not text:
                continue
            if "\n" in text:
                breaks = True
                size = max(cells(part) for part in text.split("\n"))
            else:
                size = cells(text)
            if size > natural[column]:
                natural[column] = min(size, self.width)
            if size > words[column]:
                words[column] = min(max(words[column], *(cells(word) for word in text.split(" "))), _WORD)
            if not row.is_header and numeric[column] is not False:
                numeric[column] = _NUMBER.match(text) is not None
        return Measure(tuple(natural), tuple(words), tuple(numeric), breaks)

    def _make(self, row: int) -> list[Line]:
        flows = self._flows(self.rows[row])
        prefix = self.beside.rest if row else self.beside.first
        if self.widths is None:
            return self._listed(row, flows, prefix)
        return self._grid(flows, self.widths, prefix)

    def _rule(self, widths: Sequence[int]) -> Line:
        cross, dash = ("─┼─", "─") if self.options.is_unicode else ("-+-", "-")
        text = cross.join(dash * width for width in widths)
        size = self.beside.size + len(text)
        return Line((*self.beside.rest, Run(text, styles.TABLE_RULE)), size, size)

    def _grid(self, flows: Sequence[Flow], widths: Sequence[int], prefix: tuple[Run, ...]) -> list[Line]:
        wrapped = [wrap(flow.text, width, width) for flow, width in zip(flows, widths, strict=True)]
        bar = Run(" │ " if self.options.is_unicode else " | ", styles.TABLE_RULE)
        size = self.beside.size + sum(widths) + _GUTTER * (len(widths) - 1)
        out: list[Line] = []
        for number in range(max(len(lines) for lines in wrapped)):
            runs: list[Run] = list(self.beside.rest if number else prefix)
            for column, (flow, width) in enumerate(zip(flows, widths, strict=True)):
                if column:
                    runs.append(bar)
                used = 0
                content: tuple[Run, ...] = ()
                if number < len(wrapped[column]):
                    start, stop, _ = wrapped[column][number]
                    content = flow.runs(start, stop)
                    used = cells(flow.text[start:stop])
                left, right = _padding(self.alignments[column], width - used)
                if left:
                    runs.append(Run(" " * left))
                runs.extend(content)
                if right:
                    runs.append(Run(" " * right))
            out.append(Line(tuple(runs), size, self.beside.size))
        return out

    def _listed(self, row: int, flows: Sequence[Flow], prefix: tuple[Run, ...]) -> list[Line]:
        """A row as a list of `header: value`, for tables that have no room."""
        header = self._flows(self.rows[0])
        if not row:
            # The header stands before each value; alone it is shown for a table without rows.
            joined = Flow()
            for number, flow in enumerate(header):
                if number:
                    joined.add(" · " if self.options.is_unicode else " / ", styles.TABLE_RULE)
                _copy(flow, joined)
            return self._wrapped(joined, prefix)
        text = ("─" if self.options.is_unicode else "-") * min(self.width, 12)
        size = self.beside.size + len(text)
        out = [Line((*self.beside.rest, Run(text, styles.TABLE_RULE)), size, size)]
        for title, flow in zip(header, flows, strict=True):
            joined = Flow()
            if title.size:
                _copy(title, joined)
                joined.add(": ", styles.TABLE_RULE)
            _copy(flow, joined)
            if joined.size:
                out.extend(self._wrapped(joined, self.beside.rest))
        return out

    def _wrapped(self, flow: Flow, prefix: tuple[Run, ...]) -> list[Line]:
        out: list[Line] = []
        for start, stop, is_soft in wrap(flow.text, self.width, self.width):
            size = self.beside.size + cells(flow.text[start:stop])
            out.append(Line(prefix + flow.runs(start, stop), size, self.beside.size, is_soft))
            prefix = self.beside.rest
        return out


def _padding(alignment: Alignment, room: int) -> tuple[int, int]:
    room = max(room, 0)
    match alignment:
        case Alignment.RIGHT:
            return room, 0
        case Alignment.CENTER:
            return room // 2, room - room // 2
        case _:
            return 0, room


def column_widths(natural: Sequence[int], words: Sequence[int], room: int) -> list[int] | None:
    """Widths of columns that share `room`; None if they have too little of it."""
    if sum(natural) <= room:
        return list(natural)
    least = [min(size, max(word, _LEAST)) for size, word in zip(natural, words, strict=True)]
    if sum(least) > room:
        least = [
            min(size, max(min(word, _SHORT_WORD), _LEAST)) for size, word in zip(natural, words, strict=True)
        ]
    if sum(least) > room:
        return None
    widths = list(least)
    left = room - sum(widths)
    growing = [column for column in range(len(natural)) if widths[column] < natural[column]]
    while left > 0 and growing:
        share = max(left // len(growing), 1)
        for column in growing:
            grown = min(share, natural[column] - widths[column], left)
            widths[column] += grown
            left -= grown
        growing = [column for column in growing if widths[column] < natural[column]]
    return widths


def _copy(source: Flow, target: Flow) -> None:
    for run in source.runs(0, source.size):
        target.add(run.text, run.style, run.link, run.source)
