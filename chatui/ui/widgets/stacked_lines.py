"""Lines between transcript and composer that take no room while there is nothing to say."""

from chatui.ui.widgets.one_line import LinesWidget

MOST_LINES = 8


class StackedLines(LinesWidget):
    """A widget as high as its lines; none hides it."""

    DEFAULT_CSS = "StackedLines { height: 1; width: 1fr; display: none; }"
    surface = "raised"

    def content_changed(self) -> None:
        """Look at the lines again: their number may have changed."""
        width = self.size.width or self.app.size.width
        height = min(MOST_LINES, len(self.make_lines(width)))
        self.display = height > 0
        self.styles.height = max(1, height)
        self.lines_changed()
