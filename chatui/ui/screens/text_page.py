"""A page of lines over the chat, to be read and copied: the next request, the details of a turn.

Invariant: what is shown is safe lines; what is copied is the source they were made from.
"""

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.dom import DOMNode
from textual.geometry import Size
from textual.screen import ModalScreen

from chatui.ui.painter import Row
from chatui.ui.theme import ThemeStyles
from chatui.ui.widgets.key_hints import LEAVES, KeyHints, Keys
from chatui.ui.widgets.line_view import LineView
from chatui.ui.widgets.one_line import LinesWidget
from chatui.view.glyphs import Glyphs
from chatui.view.lines import Gutter, Line, Run, Style, Tone
from chatui.view.plain_lines import clip_runs, one_line, runs_line, spread_line

MakeLines = Callable[[int], Sequence[Line]]
KEYS: Final[Keys] = (LEAVES, ("y", "copies"), ("Up Down PgDn", "move"))
NARROW_CELLS: Final = 116
TALL_ROWS: Final = 16


class PageLines(LineView):
    """All lines of the page; only those in sight are painted."""

    margin_cells = 1
    DEFAULT_CSS = "PageLines { background: $panel; scrollbar-color: $rule; scrollbar-background: $panel; }"

    def __init__(self, make: MakeLines, styles: ThemeStyles, signs: Glyphs) -> None:
        super().__init__(styles, signs)
        self._make = make
        self._lines: Sequence[Line] = ()
        self._lines_width = 0

    def content_height(self) -> int:
        """Number of lines."""
        width = max(4, self.window_width - 2 * self.margin)
        if width != self._lines_width:
            self._lines = self._make(width)
            self._lines_width = width
        return max(1, len(self._lines))

    def renew(self) -> None:
        """The lines are others now."""
        self._lines_width = 0
        self.content_changed()

    def settle(self) -> int:
        """The window stays where it is, as far as there are lines."""
        return max(0, min(int(self.scroll_y), self.content_height() - self.window_height))

    def moved_by_person(self, top: int) -> None:
        """The window goes where it is moved to."""
        self._is_placing = True
        self.scroll_y = top
        self._is_placing = False

    def visible_rows(self, top: int, height: int) -> list[Row]:
        """Rows of the window."""
        self.content_height()
        lines = self._lines[top : top + height]
        rows = [Row(line, Gutter.PAGE, "overlay") for line in lines]
        return rows + [Row(None, Gutter.PAGE, "overlay")] * (height - len(rows))


class PageBar(LinesWidget):
    """The title, and a thin rule where there is room for one."""

    surface = "overlay"

    def __init__(self, left: str, right: str, styles: ThemeStyles, signs: Glyphs) -> None:
        super().__init__(styles, signs)
        self.left = left
        self.right = right

    def make_lines(self, width: int) -> Sequence[Line]:
        """Title and state in one line, then the rule."""
        left = (Run(f" {one_line(self.left, max(4, width - 4))}", Style(Tone.ACCENT, is_bold=True)),)
        right = (Run(f"{self.right} ", Style(Tone.FAINT)),)
        rule = Line((Run(self.signs.rule * width, Style(Tone.RULE)),), width)
        if len(self.right) + len(left[0].text) + 4 > width:
            return [runs_line(clip_runs(left, width)), rule]
        return [spread_line(left, right, width), rule]


def mark_room(screen: DOMNode, size: Size) -> None:
    """The classes `-narrow` and `-tall`, by which pages take the whole width, or rows for a rule."""
    screen.set_class(size.width < NARROW_CELLS, "-narrow")
    screen.set_class(size.height >= TALL_ROWS, "-tall")


class TextPage(ModalScreen[str | None]):
    """Shows lines; gives nothing."""

    ALLOW_SELECT: ClassVar[bool] = False
    DEFAULT_CSS = """
    TextPage { align: center top; background: $background 55%; }
    TextPage #page { width: 100%; height: 1fr; align: center top; background: $background; }
    TextPage.-tall #page { margin: 2 0 3 0; }
    TextPage #box { width: 110; height: 100%; background: $panel; }
    TextPage.-narrow #box { width: 100%; }
    TextPage.-tall PageBar { height: 2; }
    """

    def __init__(
        self,
        title: str,
        make: MakeLines,
        source: str,
        copy: Callable[[str, str], str],
        styles: ThemeStyles,
        signs: Glyphs,
    ) -> None:
        super().__init__()
        self._source = source
        self._copy = copy
        self.box = Container(id="box")
        self.bar = PageBar(title, "", styles, signs)
        self.lines = PageLines(make, styles, signs)
        self.foot = KeyHints(KEYS, styles, signs)

    def compose(self) -> ComposeResult:
        """Title, lines, keys."""
        with Container(id="page"), self.box:
            yield self.bar
            yield self.lines
            yield self.foot

    def on_resize(self, event: events.Resize) -> None:
        """No slivers of the chat at the sides of a small window, and no rule where rows are few."""
        mark_room(self, event.size)

    def leave(self) -> None:
        """Close."""
        if self.app.screen is self:  # a key behind the one that closed it finds it closed
            _ = self.dismiss(None)

    def on_key(self, event: events.Key) -> None:
        """Move, copy, leave."""
        event.stop()
        event.prevent_default()
        self.foot.tell("")
        page = self.lines.page_rows()
        steps = {"up": -1, "k": -1, "down": 1, "j": 1, "pageup": -page, "b": -page}
        steps |= {"pagedown": page, "space": page, "home": -(10**9), "g": -(10**9), "end": 10**9, "G": 10**9}
        if event.key in ("escape", "q", "enter", "ctrl+c", "f10", "ctrl+t", "f12"):
            self.leave()
        elif event.key in steps:
            self.lines.scroll_rows(steps[event.key])
        elif event.key in ("y", "c", "ctrl+y"):
            self.foot.tell(self._copy(self._source, "this page"))

    def on_click(self, event: events.Click) -> None:
        """A click beside the page leaves it."""
        if not self.box.region.contains(event.screen_x, event.screen_y):
            self.leave()

    def renew(self, source: str, state: str = "") -> None:
        """The lines are others now, made from this source; where one reads stays. The bar tells `state`."""
        self._source = source
        self.bar.right = state
        self.bar.lines_changed()
        self.lines.renew()

    def use_theme(self, styles: ThemeStyles) -> None:
        """Paint in another theme."""
        for part in (self.bar, self.lines, self.foot):
            part.use_theme(styles)
