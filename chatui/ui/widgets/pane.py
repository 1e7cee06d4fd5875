"""A pane beside the transcript: a title and lines that follow one turn.

With the transcript's own machinery.
"""

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Vertical

from chatui.core.turn import Turn
from chatui.ui.painter import Row
from chatui.ui.theme import ThemeStyles
from chatui.ui.widgets.line_view import LineView
from chatui.ui.widgets.one_line import LinesWidget
from chatui.view.glyphs import Glyphs
from chatui.view.lines import Line, Run, Style, Tone
from chatui.view.pane_views import PaneContent
from chatui.view.plain_lines import plain_lines, spread_line
from chatui.view.sections import SectionStack


class PaneTitle(LinesWidget):
    """The name of a pane and its key."""

    name_text = ""
    key_text = ""

    def make_lines(self, width: int) -> list[Line]:
        """Name at the left, key at the right."""
        name = Run(" " + self.name_text, Style(Tone.TEXT, is_bold=True))
        return [spread_line((name,), (Run(self.key_text + " ", Style(Tone.FAINT)),), width)]


class PaneLines(LineView):
    """The lines of a pane."""

    margin_cells = 1
    DEFAULT_CSS = "PaneLines { scrollbar-size-vertical: 1; }"

    def __init__(
        self,
        make: Callable[[int], PaneContent],
        empty_words: str,
        styles: ThemeStyles,
        signs: Glyphs,
        *,
        id: str,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(styles, signs, id=id)
        self._make = make
        self._content: PaneContent | None = None
        self._width = 0
        self._empty_words = empty_words
        self._empty: list[Line] = []
        self._stack = SectionStack()
        self._turn: Turn | None = None
        self.is_following = True

    def show(self, turn: Turn | None, *, most: int | None = None) -> bool:
        """Follow this turn; returns whether text is left for another call."""
        if turn is None or self._turn is None or turn.turn_id != self._turn.turn_id:
            self.is_following = True
        self._turn = turn
        if not self.is_mounted or not self.display or self.window_width <= 0:
            return False
        has_more = self._ready().follow(turn, most=most)
        self.content_changed()
        return has_more

    def make_anew(self) -> None:
        """Lay out in another way."""
        self._content = None
        if self._turn is not None and self.display:
            self.content_changed()

    def settle_text(self) -> None:
        """The stream pauses: show exactly now what was put off."""
        if self._content is not None and self.display:
            self._content.settle()
            self.content_changed()

    def _ready(self) -> PaneContent:
        content = self._content
        if content is None:
            content = self._content = self._make(self.text_width)
            self._width = self.text_width
            content.follow(self._turn)
        elif self._width != self.text_width:
            self._width = self.text_width
            content.resize(self.text_width)
        return content

    def settle(self) -> int:
        """Lay out; returns the top row."""
        content = self._ready()
        self._stack = SectionStack([section for section in content.sections() if section.height])
        if not self._stack.height:
            self._empty = plain_lines(self._empty_words, self.text_width, Style(Tone.FAINT))
        return self._followed_top() if self.is_following else min(int(self.scroll_y), self._last_top())

    def _last_top(self) -> int:
        return max(0, self.content_height() - self.window_height)

    def _followed_top(self) -> int:
        """The end, unless what begins above it is to be seen from its beginning."""
        section = self._content.at_hand() if self._content is not None else None
        stack = self._stack
        start = next(
            (start for start, known in zip(stack.starts, stack.sections, strict=True) if known is section),
            None,
        )
        return self._last_top() if start is None else min(start, self._last_top())

    def content_height(self) -> int:
        """Number of rows."""
        return self._stack.height or len(self._empty)

    def moved_by_person(self, top: int) -> None:
        """Follow only from where it is followed."""
        self.is_following = top == self._followed_top()
        self._is_placing = True
        self.scroll_y = top
        self._is_placing = False

    def visible_rows(self, top: int, height: int) -> list[Row]:
        """Rows of the window."""
        stack = self._stack
        if not stack.height:
            return [Row(line) for line in self._empty[top : top + height]]
        rows: list[Row] = []
        for index in range(top, min(top + height, stack.height)):
            at, line = stack.at(index)
            rows.append(Row(stack.sections[at].line(line)))
        return rows

    def to_start(self) -> None:
        """Go to the beginning."""
        self.scroll_rows(-self.content_height())


class Pane(Vertical):
    """Title and lines."""

    DEFAULT_CSS = """
    Pane { height: 1fr; width: 1fr; }
    """

    def __init__(
        self,
        name_text: str,
        key_text: str,
        empty_words: str,
        make: Callable[[int], PaneContent],
        styles: ThemeStyles,
        signs: Glyphs,
        *,
        id: str,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(id=id)
        self._title = PaneTitle(styles, signs)
        self._title.name_text = name_text
        self._title.key_text = key_text
        self.lines = PaneLines(make, empty_words, styles, signs, id=f"{id}-lines")

    def compose(self) -> ComposeResult:
        """Title above the lines."""
        yield self._title
        yield self.lines

    def use_theme(self, styles: ThemeStyles) -> None:
        """Paint in another theme."""
        self._title.use_theme(styles)
        self.lines.use_theme(styles)
