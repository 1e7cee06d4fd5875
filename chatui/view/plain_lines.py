"""Plain text (prompts, reasoning, tool arguments) as wrapped lines.

Safe, cut by display width, never inside a grapheme.

Invariant: the text of the lines, joined over soft wraps, is the safe source; nothing is dropped but the
blanks at which a line was wrapped.
"""

import re
from collections.abc import Iterator

from chatui.core.safe_text import safe_block, safe_line
from chatui.view.layout.measure import cells as cells_of
from chatui.view.layout.measure import graphemes
from chatui.view.lines import PLAIN, Line, Run, Style

_WORDS = re.compile(r" +|[^ ]+")
TAB_CELLS = 4


def cell_width(text: str) -> int:
    """Display width of safe text."""
    return cells_of(text)


def cut_cells(text: str, cells: int) -> str:
    """The longest beginning of safe text that is at most `cells` wide."""
    if text.isascii():
        return text[:cells]
    taken: list[str] = []
    used = 0
    for grapheme, size in graphemes(text):
        used += size
        if used > cells:
            break
        taken.append(grapheme)
    return "".join(taken)


def skip_cells(text: str, cells: int) -> str:
    """Safe text without its first cells; of a wide character that is cut a blank is left."""
    if cells <= 0:
        return text
    if text.isascii():
        return text[cells:]
    at = used = 0
    for grapheme, size in graphemes(text):
        if used >= cells:
            break
        used += size
        at += len(grapheme)
    return " " * (used - cells) + text[at:] if used >= cells else ""


def clip_cells(text: str, cells: int, ellipsis: str = "…") -> str:
    """Safe text of one line, shortened with an ellipsis to at most `cells`."""
    if cells <= 0:
        return ""
    if cell_width(text) <= cells:
        return text
    return cut_cells(text, max(0, cells - cell_width(ellipsis))) + ellipsis if cells > 1 else ellipsis[:cells]


def one_line(text: str, cells: int | None = None, ellipsis: str = "…") -> str:
    """Text from outside as one safe line, white space folded, clipped to `cells`."""
    room = 4 * cells + 200 if cells is not None else len(text)
    folded = safe_line(" ".join(text[:room].split()))
    return folded if cells is None else clip_cells(folded, cells, ellipsis)


def _wrap_words(text: str, width: int) -> Iterator[tuple[str, str | None]]:
    """Pieces of one source line, each with what stood between it and the next one; None for the last."""
    if cell_width(text) <= width:
        yield text, None
        return
    line: list[str] = []
    used = 0
    for word in _WORDS.findall(text):
        cells = cell_width(word)
        if used + cells <= width:
            line.append(word)
            used += cells
            continue
        if word[0] == " ":
            yield "".join(line), word
            line, used = [], 0
            continue
        if line and (cells <= width or used == width):
            whole = "".join(line)
            kept = whole.rstrip(" ")
            yield kept, whole[len(kept) :]
            line, used = [], 0
        while used + cells > width:
            piece = cut_cells(word, width - used) or ("" if line else next(graphemes(word))[0])
            yield "".join(line) + piece, ""
            line, used = [], 0
            word = word[len(piece) :]
            cells = cell_width(word)
        if word:
            line.append(word)
            used += cells
    yield "".join(line), None


def plain_lines(
    text: str,
    width: int,
    style: Style = PLAIN,
    *,
    indent: str = "",
    indent_style: Style | None = None,
    most: int | None = None,
) -> list[Line]:
    """Lines of plain text from outside.

    Args:
        text: Raw text.
        width: Cells of a line, the indent included.
        style: Style of the text.
        indent: Safe decoration at the left of each line; not part of what is copied.
        indent_style: Style of the indent.
        most: Stop after this many lines.
    """
    at = cell_width(indent)
    room = max(1, width - at)
    prefix = (Run(indent, indent_style or style),) if indent else ()
    found: list[Line] = []
    if most is not None:
        text = text[: (most + 1) * max(room, 1) * 2]
    for source in safe_block(text.replace("\r\n", "\n").replace("\r", "\n")).split("\n"):
        for piece, join in _wrap_words(source.expandtabs(TAB_CELLS), room):
            runs = (*prefix, Run(piece, style)) if piece else prefix
            found.append(
                Line(
                    runs,
                    at + cell_width(piece),
                    content_at=at,
                    is_soft_wrapped=join is not None,
                    soft_join=join or "",
                )
            )
            if most is not None and len(found) >= most:
                return found
    return found


def runs_line(runs: tuple[Run, ...], *, content_at: int = 0, fill_style: Style | None = None) -> Line:
    """A line of runs whose text is already safe."""
    return Line(runs, sum(cell_width(run.text) for run in runs), content_at=content_at, fill_style=fill_style)


def spread_line(left: tuple[Run, ...], right: tuple[Run, ...], width: int, *, gap: int = 2) -> Line:
    """`left` at the left, `right` at the right end; the left one is clipped first when too narrow."""
    right_cells = sum(cell_width(run.text) for run in right)
    if right_cells > width:
        right = clip_runs(right, width)
        right_cells = sum(cell_width(run.text) for run in right)
    left = clip_runs(left, max(0, width - right_cells - gap))
    left_cells = sum(cell_width(run.text) for run in left)
    space = Run(" " * max(0, width - left_cells - right_cells))
    return Line(
        (*left, space, *right) if space.text else (*left, *right), max(width, left_cells + right_cells)
    )


def clip_runs(runs: tuple[Run, ...], cells: int) -> tuple[Run, ...]:
    """The beginning of some runs, at most `cells` wide, with an ellipsis when something was cut."""
    if sum(cell_width(run.text) for run in runs) <= cells:
        return runs
    kept: list[Run] = []
    left = cells
    for run in runs:
        width = cell_width(run.text)
        if width >= left:
            text = clip_cells(run.text + "  ", left) if left > 0 else ""
            if text:
                kept.append(run._replace(text=text))
            break
        kept.append(run)
        left -= width
    return tuple(kept)
