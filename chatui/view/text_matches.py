"""Where laid-out lines show a text, also across the end of a line that is only wrapped.

Invariant: what is found is what a person reads: decoration at the left is skipped, wrapped lines are joined
by what stood between them in the source; a match has the cells of each row it covers.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from chatui.view.lines import Line, Run, Style, Tone, soft_join
from chatui.view.plain_lines import cell_width, cut_cells

FOUND: Final = Style(Tone.ACCENT, is_bold=True, is_underlined=True)
"""What matches is told by weight and line, not by colour alone."""
_WORD: Final = re.compile(r"[^\W_]+(?:_+[^\W_]+)*")
_MARKS: Final = r"\]\([^)\s]{0,2000}\)|\]\[[^\]]{0,999}\]|&#?\w{1,32};"
"""What a source may have between two words that are shown side by side, with letters in it."""
_WIDEST_GAP: Final = 500
"""So many marks and signs at most may stand there: the question costs its source, however often it begins."""
_PLAIN: Final = r"[\W_]"
_STORED: Final = r'\\u[0-9a-f]{4}|\\[bfnrt/"\\]|[^\w\\]|_'
"""In JSON a backslash and what follows it are one character."""
_FIRST_DENSE: Final = "\u2e80"
"""From here on scripts write no blanks between words."""


class Match(NamedTuple):
    """From where to before where; rows and cells."""

    row: int
    cell: int
    stop_row: int
    stop_cell: int


def source_pattern(wanted: str, *, is_stored: bool = False) -> re.Pattern[str]:
    """What the folded source of a text matches wherever it may show this: for asking many texts quickly.

    Between the words of the source may stand whatever is not shown, or shown as a blank: line ends, marks,
    targets of links.

    Args:
        wanted: What is looked for, folded.
        is_stored: The source is asked as JSON has it.
    """
    words = _WORD.findall(wanted)
    if words:
        between = _STORED if is_stored else _PLAIN
        # Possessive: what was passed over is not looked at again, so no source takes more than two looks.
        most = f"{{0,{_WIDEST_GAP}}}+"
        gap = f"(?:(?:{between}){most}|(?:{_MARKS}|{between}){most})"
        return re.compile(gap.join(map(re.escape, words)))
    signs = [json.dumps(sign, ensure_ascii=False)[1:-1] if is_stored else sign for sign in wanted.split()]
    return re.compile(r"(?:\\[bfnrt]|\s)*".join(map(re.escape, signs)))


def find_text(lines: Sequence[Line], wanted: str, *, is_word: bool = False) -> Iterator[Match]:
    """All places that show a folded text.

    Args:
        lines: Laid-out lines, the last one of them not wrapped.
        wanted: What is looked for, folded (`str.casefold`).
        is_word: Only where it is no part of a longer word.
    """
    row = 0
    while wanted and row < len(lines):
        stop = row + 1
        while stop < len(lines) and lines[stop - 1].is_soft_wrapped:
            stop += 1
        yield from _find_in_one(lines[row:stop], row, wanted, is_word=is_word)
        row = stop


def _find_in_one(lines: Sequence[Line], row: int, wanted: str, *, is_word: bool) -> Iterator[Match]:
    """Places in lines that are one line of the source, wrapped."""
    texts: list[str] = []
    starts: list[int] = []
    """Where the text of each line begins in all of them."""
    skipped: list[int] = []
    """Letters of decoration at the left of each, which are not in the text."""
    size = 0
    for at, line in enumerate(lines):
        whole = line.text
        skipped.append(len(cut_cells(whole, min(line.content_at, line.cells))) if at else 0)
        text = whole[skipped[-1] :]
        if at < len(lines) - 1:
            text += soft_join(line)
        texts.append(text)
        starts.append(size)
        size += len(text)
    text = _folded("".join(texts))

    def place(letter: int) -> tuple[int, int]:
        at = bisect_right(starts, letter) - 1
        return at, cell_width(lines[at].text[: skipped[at] + letter - starts[at]])

    first = text.find(wanted)
    while first >= 0:
        stop = first + len(wanted)
        if not is_word or _is_word(text, first, stop):
            begin, cell = place(first)
            end, last_cell = place(stop - 1)
            last = skipped[end] + stop - 1 - starts[end]
            stop_cell = last_cell + cell_width(lines[end].text[last : last + 1])
            yield Match(row + begin, cell, row + end, stop_cell)
        first = text.find(wanted, stop)


def _folded(text: str) -> str:
    """In one case, each letter where it was: one that folds into two would shift the marks."""
    for folded in (text.casefold(), text.lower()):
        if len(folded) == len(text):
            return folded
    return text


def _is_word(text: str, first: int, stop: int) -> bool:
    return not any(
        0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum() and text[first] < _FIRST_DENSE
        for at in (first, stop)
    )


def mark_text(lines: Sequence[Line], words: Sequence[str], style: Style = FOUND) -> list[Line]:
    """The lines with all places of these words in another style."""
    cells: dict[int, list[tuple[int, int]]] = {}
    for word in words:
        for match in find_text(lines, word.casefold(), is_word=True):
            for row in range(match.row, match.stop_row + 1):
                first = match.cell if row == match.row else lines[row].content_at
                stop = match.stop_cell if row == match.stop_row else lines[row].cells
                cells.setdefault(row, []).append((first, stop))
    return [_restyled(line, cells[row], style) if row in cells else line for row, line in enumerate(lines)]


def _restyled(line: Line, spans: Sequence[tuple[int, int]], style: Style) -> Line:
    runs: list[Run] = []
    at = 0
    for run in line.runs:
        size = cell_width(run.text)
        edges = {edge - at for span in spans for edge in span if at < edge < at + size}
        for first, stop in pairwise(sorted({0, size} | edges)):
            text = cut_cells(run.text, stop)[len(cut_cells(run.text, first)) :]
            is_found = any(start <= at + first < end for start, end in spans)
            runs.append(run._replace(text=text, style=style if is_found else run.style))
        at += size
    return Line(
        tuple(runs),
        line.cells,
        content_at=line.content_at,
        is_soft_wrapped=line.is_soft_wrapped,
        fill_style=line.fill_style,
        soft_join=line.soft_join,
        picture=line.picture,
    )
