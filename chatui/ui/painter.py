"""Lines to Textual strips: the only place where a meaning becomes a colour on the screen.

Invariant: a strip is made once for each line object, gutter, surface and theme; text reaches the terminal
only as segments, never through markup.
"""

from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style as RichStyle
from textual.strip import Strip

from chatui.ui.theme import ThemeStyles
from chatui.view.glyphs import Glyphs
from chatui.view.lines import Gutter, Line, Run, Style, Tone
from chatui.view.plain_lines import cell_width, cut_cells, skip_cells

if TYPE_CHECKING:
    from chatui.ui.pictures.picture_painting import PictureSource, Rgb
    from chatui.view.lines import PictureRow

MARGIN_CELLS = 2
MOST_STRIPS = 600
"""Some windows full."""
MOST_PICTURE_STRIPS = 150
"""More than a window full: the line of a row of a picture holds the whole file."""

Strips: TypeAlias = OrderedDict[tuple[int, Gutter, str, int], tuple[Line, Strip]]


class Row(NamedTuple):
    """What one row of the screen shows."""

    line: Line | None
    gutter: Gutter = Gutter.PAGE
    surface: str = "page"
    selected: tuple[int, int] | None = None
    """Cells of the line that are selected, from and before."""
    caret: int | None = None
    """The cell of the line at which the reading caret stands."""
    shift: int = 0
    """Cells by which code that is not wrapped was moved to the left."""

    found: tuple[tuple[int, int], ...] = ()
    """Cells of the line, from and before, that hold what is searched for."""

    def line_cell(self, cell: int) -> int:
        """The cell of the line that is shown at a cell of the text column."""
        line = self.line
        return cell + self.shift if line is not None and cell >= line.content_at else cell

    def shown(self, first: int, stop: int) -> tuple[int, int]:
        """Where some cells of the line are in the text column."""
        edge = self.line.content_at if self.line is not None else 0

        def at(cell: int) -> int:
            return cell if cell < edge else max(edge, cell - self.shift)

        return at(first), at(stop)


BLANK_ROW = Row(None)


class Painter:
    """Makes and keeps strips of one width in one theme."""

    def __init__(
        self,
        styles: ThemeStyles,
        signs: Glyphs,
        width: int,
        text_width: int,
        margin: int,
        pictures: "PictureSource | None" = None,
    ) -> None:
        self.styles = styles
        self._pictures = pictures
        self.width = width
        self.text_width = text_width
        self.margin = margin
        self._bars = {
            Gutter.PERSON: (signs.person_bar, Style(Tone.ACCENT)),
            Gutter.ASIDE: (signs.column, Style(Tone.FAINT)),
        }
        self._cut_marks = (signs.before, signs.after)
        self._copy_hint = f"copy {signs.control}Y"
        self._strips: Strips = OrderedDict()
        self._picture_strips: Strips = OrderedDict()
        self._blanks: dict[str, Strip] = {}
        self.strips_made = 0
        """For tests of the budget: how many strips were built."""

    def paint(self, row: Row) -> Strip:
        """The strip of a row."""
        line = row.line
        if line is None:
            return self._blank(row.surface)
        if line.picture is not None and self._pictures is not None:
            return self._paint_picture(row, line, line.picture, self._pictures)
        if row.selected is not None or row.caret is not None or row.found:
            strip = self._make(line, row.gutter, row.surface, row.shift)
            for found in row.found:
                strip = self._mark(strip, row.shown(*found), self._found_look(row, line))
            if row.selected is not None:
                selected = self.styles.rich(Style(), is_selected=True)
                strip = self._mark(strip, row.shown(*row.selected), selected)
            if row.caret is not None:
                strip = self._mark(strip, row.shown(row.caret, row.caret + 1), self._caret_look(row))
            return strip
        key = (id(line), row.gutter, row.surface, row.shift)
        known = self._strips.get(key)
        if known is not None:
            self._strips.move_to_end(key)
            return known[1]
        strip = self._make(line, row.gutter, row.surface, row.shift)
        self._strips[key] = (line, strip)
        if len(self._strips) > MOST_STRIPS:
            self._strips.popitem(last=False)
        return strip

    def _paint_picture(self, row: Row, line: Line, picture: "PictureRow", source: "PictureSource") -> Strip:
        """A row of a picture; blank, and not kept, until its pixels are there."""
        from chatui.ui.pictures.picture_painting import picture_segments

        # Code is shifted, a picture is not: in the key stands what the terminal knows it by.
        key = (id(line), row.gutter, row.surface, source.sent_as(picture.box))
        is_selected = row.selected is not None
        found = self._picture_strips.get(key)
        if found is not None and not is_selected and row.caret is None:
            self._picture_strips.move_to_end(key)
            return found[1]
        selection = self._rgb("selection") if is_selected else None
        segments = picture_segments(source, picture, self._rgb(row.surface), selection)
        strip = self._make(line, row.gutter, row.surface, 0, segments)
        if row.caret is not None:
            return self._mark(strip, row.shown(row.caret, row.caret + 1), self._caret_look(row))
        if segments is not None and not is_selected:
            self._picture_strips[key] = (line, strip)
            if len(self._picture_strips) > MOST_PICTURE_STRIPS:
                self._picture_strips.popitem(last=False)
        return strip

    def _rgb(self, colour: str) -> "Rgb":
        red, green, blue = self.styles.colour(colour).get_truecolor()
        return red, green, blue

    def _blank(self, surface: str) -> Strip:
        found = self._blanks.get(surface)
        if found is None:
            found = Strip([Segment(" " * self.width, self.styles.surface(surface))], self.width)
            self._blanks[surface] = found
        return found

    def _make(
        self, line: Line, gutter: Gutter, surface: str, shift: int, picture: list[Segment] | None = None
    ) -> Strip:
        """A strip; `picture` stands in the place of the line's last run."""
        self.strips_made += 1
        rich = self.styles.rich
        page = self.styles.surface(surface)
        segments: list[Segment] = []
        used = self.margin
        if gutter is not Gutter.PAGE and self.margin:
            if self.margin > 1:
                segments.append(Segment(" " * (self.margin - 1), page))
            bar, look = self._bars[gutter]
            segments.append(Segment(bar, rich(look, surface)))
        elif self.margin:
            segments.append(Segment(" " * self.margin, page))
        is_cut = line.fill_style is not None and (shift > 0 or line.cells > self.text_width)
        runs = line.runs[:-1] if picture is not None else line.runs
        for run in self._cut_runs(line, shift) if is_cut else runs:
            text = run.text
            cells = len(text) if text.isascii() else cell_len(text)
            if used + cells > self.width:
                text = cut_cells(text, max(0, self.width - used))
                cells = cell_len(text)
            if text:
                segments.append(Segment(text, rich(run.style, surface)))
                used += cells
        if picture is not None:
            segments += picture
            used += cell_width(line.runs[-1].text)
        if line.fill_style is not None:
            stop = min(self.width, self.margin + self.text_width)
            hint = self._code_hint(line)
            if hint and stop - used > len(hint) + 4:
                room = stop - used - len(hint) - 2
                segments.append(Segment(" " * room, rich(line.fill_style, surface)))
                segments.append(Segment(hint, rich(Style(Tone.CODE_GUTTER, is_raised=True), surface)))
                used += room + len(hint)
            if stop > used:
                segments.append(Segment(" " * (stop - used), rich(line.fill_style, surface)))
                used = stop
        if used < self.width:
            segments.append(Segment(" " * (self.width - used), page))
        return Strip(segments, used).crop(0, self.width) if used > self.width else Strip(segments, self.width)

    def _code_hint(self, line: Line) -> str:
        """The hint on the label line of a code block; painted, so never part of what is copied."""
        return self._copy_hint if is_code_label(line) and self.margin else ""

    def _cut_runs(self, line: Line, shift: int) -> list[Run]:
        """The piece of a long line of code that is in sight, with a mark at each edge where it was cut."""
        before, after = self._cut_marks
        mark = Style(Tone.ACCENT, is_raised=True)
        edge = line.content_at
        room = max(1, self.text_width - edge - 1)
        runs: list[Run] = []
        at = used = 0
        for run in line.runs:
            if at < edge:
                runs.append(run)
            else:
                text = cut_cells(skip_cells(run.text, max(0, edge + shift - at)), room - used)
                if text:
                    runs.append(run._replace(text=text))
                    used += cell_width(text)
                if used >= room:
                    break
            at += cell_width(run.text)
            if at == edge and shift and line.cells > edge and runs[-1].text.endswith(" "):
                runs[-1:] = [runs[-1]._replace(text=runs[-1].text[:-1]), Run(before, mark)]
        if line.cells - shift > edge + room:
            runs.append(Run(" " * (room - used), mark))
            runs.append(Run(after, mark))
        return runs

    def _found_look(self, row: Row, line: Line) -> RichStyle:
        """By weight and line, not by colour alone, on the surface that is there."""
        is_code = line.fill_style is not None
        look = Style(Tone.ACCENT, is_bold=True, is_underlined=True, is_raised=is_code)
        return self.styles.rich(look, row.surface)

    def _caret_look(self, row: Row) -> RichStyle:
        """Reversed text; where text is selected already, the plain page: no theme has one colour for both."""
        is_selected = row.selected is not None and row.selected[0] <= (row.caret or 0) < row.selected[1]
        look = RichStyle(reverse=not is_selected, underline=True)
        return RichStyle.combine([self.styles.rich(Style()), look])

    def _mark(self, strip: Strip, selected: tuple[int, int], mark: RichStyle) -> Strip:
        start, stop = (max(0, min(self.width, cell + self.margin)) for cell in selected)
        if start >= stop:
            return strip
        cuts = sorted({start, stop, self.width} - {0})
        at = 0
        segments: list[Segment] = []
        for stop_cell, piece in zip(cuts, strip.divide(cuts), strict=False):
            is_inside = start <= at < stop
            for text, style, control in piece:
                marked = RichStyle.combine([style or RichStyle.null(), mark]) if is_inside else style
                segments.append(Segment(text, marked, control))
            at = stop_cell
        return Strip(segments, self.width)


def is_code_label(line: Line) -> bool:
    """Whether this is the line of a code block that names its language."""
    return line.fill_style is not None and any(run.style.tone is Tone.CODE_LABEL for run in line.runs)
