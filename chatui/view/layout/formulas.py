"""Formulas on the page: what stands for them, and that copying gives what was written.

Guards: a formula that is not understood is shown as it is written, whole; each piece of a line that stands
for a formula names its source. The conversion is loaded with the first formula.
"""

from collections.abc import Sequence
from typing import Final
from unicodedata import normalize

from chatui.core.late_pattern import late_pattern
from chatui.core.safe_text import safe_line
from chatui.markdown.blocks import Formula, Maths
from chatui.view.layout import styles
from chatui.view.layout.flow import wrap
from chatui.view.layout.margin import Margin
from chatui.view.layout.measure import cells
from chatui.view.layout.options import LayoutOptions
from chatui.view.lines import Line, Run

_INSET: Final = 2
_MARKS: Final = "[\u0300-\u036f\u20d0-\u20ff]*"
_FONTED: Final = late_pattern(
    f"(?P<bold>(?:[\U0001d400-\U0001d433\U0001d6a8-\U0001d6e1\U0001d7ce-\U0001d7d7]{_MARKS})+)"
    f"|(?:[\U0001d49c-\U0001d4cf\U0001d504-\U0001d537\u212c\u2130\u2131\u210b\u2110\u2112\u2133\u211b]{_MARKS})+"
)
"""Letters in bold; letters in script and in Fraktur."""
_ROOM_FOR_INSET: Final = 12


def maths_text(span: Maths, options: LayoutOptions) -> str | None:
    """What stands for a formula in running text; None: it is shown as it is written."""
    if not options.converts_maths or not options.is_unicode:
        return None
    from chatui.view.maths.conversion import formula_text

    return formula_text(span.body, is_open=span.is_open)


def pieces(text: str) -> list[tuple[str, bool, bool]]:
    """Text of a formula in pieces that are set alike: letters, bold, italic.

    Unicode has bold and script letters of its own for formulas, which most fonts of terminals lack: they are
    the plain letters, in bold and in italics.
    """
    out: list[tuple[str, bool, bool]] = []
    at = 0
    for found in _FONTED.finditer(text):
        if found.start() > at:
            out.append((text[at : found.start()], False, False))
        is_bold = found["bold"] is not None
        plain = "".join(normalize("NFKC", letter) if letter > "\uffff" else letter for letter in found[0])
        out.append((plain, is_bold, not is_bold))
        at = found.end()
    if at < len(text):
        out.append((text[at:], False, False))
    return out


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
    lines: list[Line] = []
    for number, row in enumerate(rows):
        prefix = beside.rest if number else beside.first
        signs = [
            Run(text, styles.style(beside.tone, is_bold=is_bold, is_italic=is_italic), "", source)
            for text, is_bold, is_italic in pieces(row)
        ]
        runs = (*prefix, *([Run(inset)] if inset else []), *signs)
        # To copying all rows are one piece of text.
        lines.append(Line(runs, at + cells(row), at, number < len(rows) - 1))
    return lines


def _inset(width: int) -> int:
    return _INSET if width > _ROOM_FOR_INSET else 0
