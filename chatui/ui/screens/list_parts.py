"""What stands around the rows of a list: the filter above them, the preview beside them.

Invariant: what is shown of the marked row is made for it alone, and never higher than the window.
"""

from collections.abc import Callable, Sequence

from chatui.ui.theme import ThemeStyles
from chatui.ui.widgets.one_line import LinesWidget
from chatui.ui.widgets.rows_view import ListRow
from chatui.ui.writing.text_field import TextField
from chatui.view.glyphs import Glyphs
from chatui.view.lines import Line, Run, Style, Tone
from chatui.view.plain_lines import cell_width, spread_line

Preview = Callable[[str, int], Sequence[Line]]


def matching(rows: Sequence[ListRow], wanted: str) -> list[ListRow]:
    """Rows that hold every wanted word; those whose strong text begins with it come first."""
    words = wanted.casefold().split()
    if not words:
        return list(rows)
    found: list[tuple[int, int, ListRow]] = []
    for index, row in enumerate(rows):
        strong = row.strong.casefold()
        whole = f"{strong} {row.weak.casefold()} {row.words.casefold()}"
        if all(word in whole for word in words):
            rank = 0 if strong.startswith(words[0]) else 1 if all(word in strong for word in words) else 2
            found.append((rank, index, row))
    return [row for _, _, row in sorted(found, key=lambda item: item[:2])]


class FilterLine(LinesWidget):
    """Title and filter field."""

    surface = "overlay"
    title_text = ""
    placeholder = "type to filter"
    count_text = ""

    def __init__(self, title: str, styles: ThemeStyles, signs: Glyphs) -> None:
        super().__init__(styles, signs)
        self.title_text = title
        self.field = TextField()

    def make_lines(self, width: int) -> Sequence[Line]:
        """Title, field, number of rows; what is typed has room before all else."""
        title = Run(f" {self.title_text}  ", Style(Tone.ACCENT, is_bold=True))
        right = (Run(f"{self.count_text} ", Style(Tone.FAINT)),)
        written = cell_width(self.field.text)
        if cell_width(title.text) + written + len(self.count_text) + 3 > width and written:
            title = Run(" ")
        room = width - cell_width(title.text) - len(self.count_text) - 4
        runs = self.field.runs(max(4, room), self.placeholder)
        rule = Line((Run(self.signs.rule * width, Style(Tone.RULE)),), width)
        return [spread_line((title, *runs), right, width), rule]


class PreviewLines(LinesWidget):
    """What the marked row holds."""

    surface = "raised"
    DEFAULT_CSS = "PreviewLines { height: 100%; width: 45%; display: none; }"
    make: Preview | None = None
    key = ""

    def make_lines(self, width: int) -> Sequence[Line]:
        """The preview of the marked row."""
        return list(self.make(self.key, width))[: max(1, self.size.height)] if self.make and self.key else []
