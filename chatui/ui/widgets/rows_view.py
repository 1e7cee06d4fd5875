"""The rows of a list: one strong and one weak text a row, one row marked.

Rows are virtual: only visible ones are made.
"""

from collections.abc import Sequence

from textual import events
from textual.message import Message

from chatui.core.safe_text import safe_line
from chatui.core.values import frozen
from chatui.ui.painter import Row
from chatui.ui.widgets.line_view import LineView
from chatui.view.lines import Gutter, Line, Run, Style, Tone
from chatui.view.plain_lines import cell_width, one_line, plain_lines, spread_line
from chatui.view.text_matches import FOUND

WIDE_CELLS = 70
"""From this width on a row that was found has room for its age."""
LEAST_CELLS = 12
"""A fact that has less room is not told."""


@frozen(kw_only=True)
class ListRow:
    """A row; all text is from outside and made safe here."""

    key: str
    strong: str
    weak: str = ""
    brief: str = ""
    """In place of the weak text where a preview tells all of it."""
    words: str = ""
    """Other words by which it is found."""
    is_dimmed: bool = False
    middle: str = ""
    """Faint words after the strong ones, where there is room."""
    excerpt: tuple[tuple[str, bool], ...] = ()
    """Words that were found, in pieces; True is a piece that matches."""


class RowsView(LineView):
    """Rows with one marked."""

    margin_cells = 0
    can_focus = False
    DEFAULT_CSS = "RowsView { scrollbar-size-vertical: 1; }"

    class Pressed(Message):
        """A row was clicked."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    rows: Sequence[ListRow] = ()
    at = 0
    empty_words = "Nothing found."
    is_previewed = False
    """A preview beside the rows tells what the brief ones leave out."""

    def show(self, rows: Sequence[ListRow], at: int = 0) -> None:
        """Show these rows."""
        self.rows = rows
        self.move_to(at)

    def move_to(self, at: int) -> None:
        """Mark a row and keep it visible."""
        self.at = max(0, min(at, len(self.rows) - 1))
        self.content_changed()

    def settle(self) -> int:
        """The window moves as little as needed."""
        top = min(int(self.scroll_y), max(0, len(self.rows) - self.window_height))
        if self.at < top:
            return self.at
        if self.at >= top + self.window_height:
            return self.at - self.window_height + 1
        return max(0, top)

    def moved_by_person(self, top: int) -> None:
        """The wheel moves the mark with the window."""
        self.at = max(top, min(self.at, top + self.window_height - 1, len(self.rows) - 1))
        self._is_placing = True
        self.scroll_y = top
        self._is_placing = False

    def content_height(self) -> int:
        """Number of rows."""
        return max(1, len(self.rows))

    def visible_rows(self, top: int, height: int) -> list[Row]:
        """Rows of the window."""
        width = self.window_width
        if not self.rows:
            return [
                Row(line, Gutter.PAGE, "overlay")
                for line in plain_lines(self.empty_words, width, Style(Tone.FAINT), indent="  ")
            ]
        found = [
            Row(
                self._line(self.rows[index], index == self.at, width),
                Gutter.PAGE,
                "raised" if index == self.at else "overlay",
            )
            for index in range(top, min(top + height, len(self.rows)))
        ]
        return found + [Row(None, Gutter.PAGE, "overlay")] * (height - len(found))

    def _line(self, row: ListRow, is_here: bool, width: int) -> Line:
        mark = f" {self._signs.marker if is_here else ' '} "
        tone = Tone.FAINT if row.is_dimmed else Tone.TEXT
        strong, weak = self._words(row, width - 6)
        left: tuple[Run, ...] = (
            Run(mark, Style(Tone.ACCENT, is_bold=True)),
            Run(strong, Style(tone, is_bold=is_here)),
        )
        room = width - cell_width(strong) - cell_width(weak) - 10
        if row.excerpt:
            left = (*left, Run("  "), *_marked(row.excerpt))
        elif row.middle and room >= 12:
            left = (*left, Run(f"  {one_line(row.middle, room)}", Style(Tone.FAINT)))
        right = (Run(f"{weak} ", Style(Tone.MUTED)),) if weak else ()
        return spread_line(left, right, width)

    def _words(self, row: ListRow, room: int) -> tuple[str, str]:
        """Strong and weak text of a row: facts go before the name is cut, and none is left as a stump."""
        if row.excerpt:
            weak = one_line(row.weak, room) if room + 6 >= WIDE_CELLS else ""
            return one_line(row.strong, max(4, room // 4)), weak
        strong = one_line(row.strong, 4 * room + 4)
        facts = one_line((self.is_previewed and row.brief) or row.weak, 4 * room + 4)
        if cell_width(strong) + cell_width(facts) <= room:
            return strong, facts
        first = whole_facts(facts, self._signs.dot, max(room - cell_width(strong), room // 3))
        strong = one_line(strong, max(4, room - cell_width(first))) if first else one_line(strong, room + 2)
        return strong, first

    async def _on_click(self, event: events.Click) -> None:
        index = int(self.scroll_y) + event.y
        if 0 <= index < len(self.rows):
            self.post_message(self.Pressed(index))


def whole_facts(text: str, dot: str, cells: int) -> str:
    """As many of the facts as there is room for, the first ones; a lone one is cut."""
    between = f" {dot} " if f" {dot} " in text else " · "
    facts = text.split(between)
    while len(facts) > 1 and cell_width(between.join(facts)) > cells:
        facts.pop()
    known = between.join(facts)
    return known if cell_width(known) <= cells else one_line(known, cells) if cells >= LEAST_CELLS else ""


def _marked(excerpt: tuple[tuple[str, bool], ...]) -> tuple[Run, ...]:
    """Pieces of text from outside."""
    return tuple(
        Run(safe_line(text), FOUND if is_match else Style(Tone.MUTED)) for text, is_match in excerpt if text
    )
