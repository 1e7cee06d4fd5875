"""Lines between transcript and composer that take no room, and cost nothing, while there is nothing to say.

Invariant: such a widget is made part of the screen when it has its first line, always at its own place.
"""

from collections.abc import Sequence

from textual.widget import Widget

from chatui.ui.theme import ThemeStyles
from chatui.ui.widgets.one_line import LinesWidget

MOST_LINES = 8


class StackedLines(LinesWidget):
    """A widget as high as its lines; none hides it."""

    DEFAULT_CSS = "StackedLines { height: 1; width: 1fr; display: none; }"
    surface = "raised"
    followers: Sequence[Widget] = ()
    """What stands below it, from top to bottom; the last of them is always there."""

    @property
    def room(self) -> int:
        """Lines that it may have: a quarter of the window at most."""
        return max(1, min(MOST_LINES, self.app.size.height // 4))

    def content_changed(self) -> None:
        """Look at the lines again: their number may have changed."""
        if not self.is_attached:
            self._join()
            return
        width = self.size.width or self.app.size.width
        height = min(self.room, len(self.make_lines(width)))
        self.display = height > 0
        self.styles.height = max(1, height)
        self.lines_changed()

    def _join(self) -> None:
        """Take the place in the screen, now that there is something to say."""
        below = next((widget for widget in self.followers if widget.is_attached), None)
        if below is not None and self.make_lines(self.app.size.width):
            _ = self.app.screen_stack[0].mount(self, before=below)
            self.content_changed()

    def window_changed(self) -> None:
        """The window has another size: fewer or more lines have room."""
        if self.is_attached and self.make_lines(self.app.size.width):
            self.content_changed()

    def use_theme(self, styles: ThemeStyles) -> None:
        """Paint in another theme, now or when it is first shown."""
        self._styles_of_theme = styles
        self._painter = None
        if self.is_attached:
            self.refresh()
