"""A widget of a few fixed lines, painted like the transcript.

Safe runs, no markup, written only when they change.
"""

from collections.abc import Sequence

from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from chatui.ui.painter import BLANK_ROW, Painter, Row
from chatui.ui.theme import ThemeStyles
from chatui.ui.widgets.line_view import link_in_line
from chatui.view.glyphs import Glyphs
from chatui.view.lines import Gutter, Line


class LinesWidget(Widget):
    """Shows the lines that `make_lines` gives for its width."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "LinesWidget { height: 1; width: 1fr; }"
    surface = "page"

    class LinkPressed(Message):
        """A link in the lines was pressed."""

        def __init__(self, link: str) -> None:
            super().__init__()
            self.link = link

    def __init__(self, styles: ThemeStyles, signs: Glyphs, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._styles_of_theme = styles
        self.signs = signs
        self._painter: Painter | None = None
        self._lines: Sequence[Line] | None = None
        self._lines_width = 0
        """What they were made for: a hidden widget has no width, and is painted before it hears of one."""

    def make_lines(self, width: int) -> Sequence[Line]:
        """The lines for this width; a subclass gives its own."""
        return ()

    def use_theme(self, styles: ThemeStyles) -> None:
        """Paint in another theme."""
        self._styles_of_theme = styles
        self._painter = None
        self.refresh()

    def lines_changed(self) -> None:
        """Look at the lines again and write them if they differ."""
        if not self.is_mounted:
            return
        width = self.size.width
        new = self.make_lines(width)
        if new != self._lines or width != self._lines_width:
            self._lines, self._lines_width = new, width
            self.refresh()

    def _on_resize(self, event: events.Resize) -> None:
        self._painter = None
        self._lines = None

    def render_lines(self, crop: Region) -> list[Strip]:
        """Strips of the lines."""
        width = self.size.width
        if self._painter is None or self._painter.width != width:
            self._painter = Painter(self._styles_of_theme, self.signs, width, width, 0)
        if self._lines is None or self._lines_width != width:
            self._lines, self._lines_width = self.make_lines(width), width
        lines = self._lines
        strips = []
        for y in range(crop.y, crop.bottom):
            row = (
                Row(lines[y], Gutter.PAGE, self.surface)
                if y < len(lines)
                else BLANK_ROW._replace(surface=self.surface)
            )
            strip = self._painter.paint(row)
            strips.append(strip if crop.x == 0 and crop.width >= width else strip.crop(crop.x, crop.right))
        return strips

    def render_line(self, y: int) -> Strip:
        """One strip."""
        return self.render_lines(Region(0, y, self.size.width, 1))[0]

    async def _on_click(self, event: events.Click) -> None:
        lines = self._lines or ()
        if 0 <= event.y < len(lines):
            link = link_in_line(lines[event.y], event.x)
            if link:
                self.post_message(self.LinkPressed(link))
