"""Formulas on the page: what stands for them, and that copying gives what was written.

Guards: a formula that is not understood is shown as it is written, whole; each piece of a line that stands
for a formula names its source. The conversion is loaded with the first formula.
"""

from collections.abc import Sequence
from typing import Final

from chatui.core.safe_text import safe_line
from chatui.markdown.blocks import Formula, Maths
from chatui.view.layout import styles
from chatui.view.layout.flow import wrap
from chatui.view.layout.margin import Margin
from chatui.view.layout.measure import cells
from chatui.view.layout.options import LayoutOptions
from chatui.view.lines import Line, Run

_INSET: Final = 2
_ROOM_FOR_INSET: Final = 12


def maths_text(span: Maths, options: LayoutOptions) -> str | None:
    """What stands for a formula in running text; None: it is shown as it is written."""
    if not options.converts_maths or not options.is_unicode:
        return None
    from chatui.view.maths.conversion import formula_text

    return formula_text(span.body, is_open=span.is_open)


def formula_rows(block: Formula, width: int, options: LayoutOptions) -> tuple[str, ...] | None:
    """The rows that stand for a formula on lines of its own; None: it is shown as it is written."""
    if not options.converts_maths or not options.is_unicode:
        return None
    from chatui.view.maths.conversion import formula_box, formula_text

    width -= _inset(width)
    box = formula_box(block.body, is_block=True, is_open=block.is_open)
    if box is not None and box.width <= width:
        return tuple(map(safe_line, box.rows))
    # What is wider than the page loses its columns, but not its signs.
    text = formula_text(block.body, is_open=block.is_open)
    if text is None:
        return None
    text = safe_line(text)
    return tuple(text[start:stop] for start, stop, _ in wrap(text, width, width))


def formula_lines(block: Formula, rows: Sequence[str], beside: Margin, width: int) -> list[Line]:
    """Lines of such rows."""
    source = "\n".join(block.lines)
    inset = " " * _inset(width)
    at = beside.size + len(inset)
    look = styles.style(beside.tone)
    lines: list[Line] = []
    for number, row in enumerate(rows):
        prefix = beside.rest if number else beside.first
        runs = (*prefix, *([Run(inset)] if inset else []), Run(row, look, "", source))
        # To copying all rows are one piece of text.
        lines.append(Line(runs, at + cells(row), at, number < len(rows) - 1))
    return lines


def _inset(width: int) -> int:
    return _INSET if width > _ROOM_FOR_INSET else 0
