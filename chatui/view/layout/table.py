"""Tables to lines: columns aligned by display width, wrapped in their cells, or a list when there is no room."""

import re
from collections.abc import Sequence
from typing import Final

from chatui.markdown.blocks import Alignment, TableRow
from chatui.view.layout import styles
from chatui.view.layout.flow import Flow, wrap
from chatui.view.layout.margin import Margin
from chatui.view.layout.measure import cells
from chatui.view.layout.options import LayoutOptions
from chatui.view.layout.spans import add_spans
from chatui.view.lines import Line, Run, Tone

_NUMBER: Final = re.compile(r"[-+−±~≈<>≤≥]?[ ]?[$€£¥]?[ ]?\d[\d.,' _]*(?:[eE][-+]?\d+)?[ ]?(?:%|‰|[A-Za-zµ°]{1,4}|[$€£¥])?$")
_GUTTER: Final = 3
_LEAST: Final = 6


class TableShape:
    """Cells of a table and the widths of its columns."""

    def __init__(self, rows: Sequence[TableRow], width: int, options: LayoutOptions) -> None:
        self.options = options
        self.width = max(width, 1)
        count = len(rows[0].alignments)
        self.flows: list[list[Flow]] = []
        natural = [1] * count
        words = [1] * count
        numeric = [True] * count
        seen = [False] * count
        for row in rows:
            flows: list[Flow] = []
            for column, spans in enumerate(row.cells):
                flow = Flow()
                tone = Tone.TABLE_HEADER if row.is_header else Tone.TEXT
                add_spans(flow, spans, tone, options, is_bold=row.is_header)
                flows.append(flow)
                text = flow.text
                natural[column] = max(natural[column], *(cells(part) for part in text.split("\n")))
                if text:
                    words[column] = max(words[column], *(cells(word) for word in text.split()), 1)
                    if not row.is_header:
                        seen[column] = True
                        numeric[column] = numeric[column] and _NUMBER.match(text) is not None
            self.flows.append(flows)
        self.alignments = [
            Alignment.RIGHT if alignment is Alignment.NONE and numeric[column] and seen[column] else alignment
            for column, alignment in enumerate(rows[0].alignments)
        ]
        self.widths = column_widths(natural, words, self.width - _GUTTER * (count - 1))


def column_widths(natural: Sequence[int], words: Sequence[int], room: int) -> list[int] | None:
    """Widths of columns that share `room`; None if they have too little of it."""
    if sum(natural) <= room:
        return list(natural)
    count = len(natural)
    least = [min(size, max(min(word, 16), _LEAST)) for size, word in zip(natural, words, strict=True)]
    if sum(least) > room:
        least = [min(size, _LEAST) for size in natural]
    if sum(least) > room:
        return None
    widths = list(least)
    left = room - sum(widths)
    open_columns = [column for column in range(count) if widths[column] < natural[column]]
    while left > 0 and open_columns:
        share = max(left // len(open_columns), 1)
        for column in list(open_columns):
            grown = min(share, natural[column] - widths[column], left)
            widths[column] += grown
            left -= grown
            if widths[column] >= natural[column]:
                open_columns.remove(column)
            if not left:
                break
    return widths


def table_lines(shape: TableShape, beside: Margin) -> list[Line]:
    """All lines of a table."""
    if shape.widths is None:
        return _list_lines(shape, beside)
    out: list[Line] = []
    for number, flows in enumerate(shape.flows):
        out.extend(row_lines(flows, shape.widths, shape.alignments, beside if not number else beside._replace(first=beside.rest), shape.options))
        if not number:
            out.append(_rule(shape.widths, beside, shape.options))
    return out


def _rule(widths: Sequence[int], beside: Margin, options: LayoutOptions) -> Line:
    text = "─┼─".join("─" * width for width in widths) if options.is_unicode else "-+-".join("-" * width for width in widths)
    return Line((*beside.rest, Run(text, styles.TABLE_RULE)), beside.size + len(text), beside.size + len(text))


def row_lines(flows: Sequence[Flow], widths: Sequence[int], alignments: Sequence[Alignment], beside: Margin, options: LayoutOptions) -> list[Line]:
    """Lines of one row."""
    wrapped = [wrap(flow.text, width, width) for flow, width in zip(flows, widths, strict=True)]
    bar = Run(" │ " if options.is_unicode else " | ", styles.TABLE_RULE)
    out: list[Line] = []
    for number in range(max(len(lines) for lines in wrapped)):
        runs: list[Run] = list(beside.rest if number else beside.first)
        for column, (flow, width) in enumerate(zip(flows, widths, strict=True)):
            if column:
                runs.append(bar)
            used = 0
            content: tuple[Run, ...] = ()
            if number < len(wrapped[column]):
                start, stop, _ = wrapped[column][number]
                content = flow.runs(start, stop)
                used = cells(flow.text[start:stop])
            left = right = 0
            match alignments[column]:
                case Alignment.RIGHT:
                    left = width - used
                case Alignment.CENTER:
                    left = (width - used) // 2
                    right = width - used - left
                case _:
                    right = width - used
            if left > 0:
                runs.append(Run(" " * left))
            runs.extend(content)
            if right > 0:
                runs.append(Run(" " * right))
        out.append(Line(tuple(runs), beside.size + sum(widths) + _GUTTER * (len(widths) - 1), beside.size))
    return out


def _list_lines(shape: TableShape, beside: Margin) -> list[Line]:
    """Rows as lists of `header: value`, for tables that have no room."""
    out: list[Line] = []
    header = shape.flows[0]
    prefix = beside.first
    for number, flows in enumerate(shape.flows[1:] or [header]):
        if number:
            text = ("─" if shape.options.is_unicode else "-") * min(shape.width, 12)
            out.append(Line((*beside.rest, Run(text, styles.TABLE_RULE)), beside.size + len(text), beside.size + len(text)))
        for title, flow in zip(header, flows, strict=True):
            joined = Flow()
            if flows is not header:
                _copy(title, joined)
                joined.add(": ", styles.TABLE_RULE)
            _copy(flow, joined)
            for start, stop, is_soft in wrap(joined.text, shape.width, shape.width):
                out.append(Line(prefix + joined.runs(start, stop), beside.size + cells(joined.text[start:stop]), beside.size, is_soft))
                prefix = beside.rest
    return out


def _copy(source: Flow, target: Flow) -> None:
    for run in source.runs(0, source.size):
        target.add(run.text, run.style, run.link)
