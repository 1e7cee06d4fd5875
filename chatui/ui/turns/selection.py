"""A selection over virtual lines: two places in the conversation, not on the screen.

Invariant: what is copied is the text without decoration (bars, bullets, margins, padding), with soft wraps
joined; scrolling, new text and repainting do not move the selection.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from chatui.view.layout.measure import graphemes
from chatui.view.lines import PLAIN, Line, Run, Tone, soft_join
from chatui.view.plain_lines import cell_width, cut_cells, skip_cells

if TYPE_CHECKING:
    from chatui.ui.turns.turn_list import TurnList
    from chatui.view.layout.code import CodePlace

CodeAt: TypeAlias = "Callable[[int, int], CodePlace | None]"


class Place(NamedTuple):
    """A place in the conversation; places are ordered."""

    turn: int
    row: int
    cell: int


class Selection(NamedTuple):
    """From where the person began to where the person is."""

    anchor: Place
    focus: Place

    @property
    def start(self) -> Place:
        """The earlier end."""
        return min(self.anchor, self.focus)

    @property
    def stop(self) -> Place:
        """The later end."""
        return max(self.anchor, self.focus)

    @property
    def is_empty(self) -> bool:
        """Nothing is between the ends."""
        return self.anchor == self.focus

    def moved(self, turns: int) -> "Selection":
        """The same selection after turns came before."""
        return Selection(
            self.anchor._replace(turn=self.anchor.turn + turns),
            self.focus._replace(turn=self.focus.turn + turns),
        )

    def cells_of(self, turn: int, row: int, line: Line) -> tuple[int, int] | None:
        """The selected cells of a line, or None."""
        start, stop = self.start, self.stop
        if not start[:2] <= (turn, row) <= stop[:2]:
            return None
        first = start.cell if (turn, row) == start[:2] else 0
        last = stop.cell if (turn, row) == stop[:2] else line.cells + 1
        first = max(first, line.content_at)
        return (first, last) if last > first else None


def text_between(line: Line, first: int, last: int) -> str:
    """The text of a line between two cells, decoration left out."""
    first, last = max(first, line.content_at), max(last, 0)
    if any(run.style.tone is Tone.TABLE_RULE for run in line.runs):
        return _table_between(line, first, last)
    if any(run.source for run in line.runs):
        return sources_between(line, first, last, "")
    gap = next((run for run in line.runs if is_gap(run)), None)
    if gap is not None:
        at = sum(cell_width(run.text) for run in line.runs[: line.runs.index(gap)])
        whole = line.text
        left = Line((Run(cut_cells(whole, at)),), at, line.content_at)
        right_at = at + cell_width(gap.text)
        right = Line((Run(skip_cells(whole, right_at)),), line.cells - right_at)
        pieces = (text_between(left, first, last), text_between(right, first - right_at, last - right_at))
        return "  ".join(piece for piece in pieces if piece)
    text = line.text
    if text.isascii():
        return text[first:last]
    found: list[str] = []
    at = 0
    for grapheme, _ in graphemes(text):
        if first <= at < last:
            found.append(grapheme)
        at += cell_width(grapheme)
    return "".join(found)


def sources_between(line: Line, first: int, last: int, goes_on: str) -> str:
    """The text of a line between two cells, where some of it stands for another text: that text, whole.

    Args:
        line: A line in which a run has a source.
        first: The first cell.
        last: The cell after the last.
        goes_on: The source that was copied already and goes on in this line, or nothing.
    """
    found: list[str] = []
    at = 0
    copied = goes_on
    for run in line.runs:
        size = cell_width(run.text)
        begin, stop = max(first, at, line.content_at), min(last, at + size)
        if begin < stop and not run.source:
            found.append(cut_cells(skip_cells(run.text, begin - at), stop - begin))
        elif begin < stop and run.source != copied:
            found.append(run.source)
        if begin < stop:
            copied = run.source
        at += size
    return "".join(found)


def is_gap(run: Run) -> bool:
    """Whether a run only pushes what follows to the right edge, as on a name line."""
    return run.style is PLAIN and len(run.text) > 1 and not run.text.strip(" ")


def _table_between(line: Line, first: int, last: int) -> str:
    """The cells of a row of a table with a tab between two, as spreadsheets take it; no rules, no padding."""
    columns = [""]
    at = 0
    copied = ""
    for run in line.runs:
        size = cell_width(run.text)
        if run.style.tone is Tone.TABLE_RULE:
            if first < at + size and at < last and run.text.strip() not in ("", ":"):
                columns.append("")
            elif first <= at < last:
                columns[-1] += run.text
        elif run.source and at + size > first and at < last:
            columns[-1] += "" if run.source == copied else run.source
        elif at + size > first and at < last:
            text = skip_cells(run.text, max(0, first - at))
            columns[-1] += cut_cells(text, last - max(at, first))
        copied = run.source
        at += size
    return "\t".join(column.strip(" ") for column in columns)


def code_between(line: Line, place: "CodePlace", first: int, last: int) -> str:
    """The source of a row of code between two cells: tabs and blanks as they were received."""
    at = line.content_at
    text = "".join(run.text for run in line.runs)
    skipped = len(cut_cells(text, at))
    before = len(cut_cells(text, max(at, first))) - skipped
    stop = len(cut_cells(text, last)) - skipped if last < line.cells else len(text) - skipped
    return place.between(before, stop)


def selected_text(
    selection: Selection, lines: Iterable[tuple[int, int, Line]], code_at: CodeAt = lambda _turn, _row: None
) -> str:
    """The selected text, joined over soft wraps.

    Args:
        selection: What is selected.
        lines: Its lines, each with its turn and row.
        code_at: What a row of code shows of the source, None for every other row.
    """
    found: list[str] = []
    goes_on = ""
    for turn, row, line in lines:
        if line.picture is not None:
            # Its name stands on the line beside it: it is told only where that line is not selected.
            if (turn, row) == selection.start[:2]:
                found += [line.picture.box.name, "\n"]
            if (turn, row) == selection.stop[:2] and found and found[-1] == "\n":
                found.pop()
            continue
        if line.cells and line.content_at >= line.cells:
            continue  # nothing but decoration: the name of a code block's language
        cells = selection.cells_of(turn, row, line)
        is_last = (turn, row) == selection.stop[:2]
        code = code_at(turn, row)
        if cells is not None and code is not None:
            found.append(code_between(line, code, *cells))
        elif cells is not None:
            piece = sources_between(line, *cells, goes_on) if goes_on else text_between(line, *cells)
            found.append(piece if line.is_soft_wrapped else piece.rstrip(" "))
        is_continued = line.is_soft_wrapped and not line.soft_join and cells is not None
        goes_on = line.runs[-1].source if is_continued and line.runs else ""
        if not is_last:
            found.append(soft_join(line) if line.is_soft_wrapped else "\n")
    return "".join(found)


def word_cells(line: Line, cell: int) -> tuple[int, int]:
    """The cells of the word at a cell."""
    spans: list[tuple[int, int, bool]] = []
    at = 0
    for grapheme, _ in graphemes(line.text):
        width = cell_width(grapheme)
        spans.append((at, at + width, grapheme.isalnum() or grapheme in "_-."))
        at += width
    index = next((i for i, (start, stop, _) in enumerate(spans) if start <= cell < stop), None)
    if index is None:
        return line.content_at, line.cells
    kind = spans[index][2]
    first = last = index
    while first > 0 and spans[first - 1][2] == kind and spans[first - 1][0] >= line.content_at:
        first -= 1
    while last + 1 < len(spans) and spans[last + 1][2] == kind:
        last += 1
    return spans[first][0], spans[last][1]


def text_in(selection: Selection, turns: "TurnList") -> str:
    """The selected text of a conversation, as it is copied; turns that are not in memory are read for it."""
    start, stop = selection.start, selection.stop

    def code_at(index: int, row: int) -> "CodePlace | None":
        code = turns.view(index).code_at(row)
        return code[1] if code is not None else None

    lines = (
        (index, row, turns.view(index).row(row)[0])
        for index in range(start.turn, stop.turn + 1)
        for row in range(
            start.row if index == start.turn else 0,
            # A turn that runs may have fewer rows now: its thoughts fold when the answer begins.
            min(stop.row + 1 if index == stop.turn else 1 << 40, turns.view(index).height),
        )
    )
    return selected_text(selection, lines, code_at)
