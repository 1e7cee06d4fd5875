"""The window of a view of lines: its size, its bar and its painter.

Invariant: the text column is as wide as can be read, and no wider than the window.
"""

from typing import TYPE_CHECKING, ClassVar

from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar

from chatui.ui.painter import MARGIN_CELLS, Painter, Row
from chatui.ui.theme import ThemeStyles
from chatui.ui.widgets.quick_scroll_bar import QuickScrollBar
from chatui.view.glyphs import Glyphs

if TYPE_CHECKING:
    from chatui.ui.pictures.picture_painting import PictureSource

MOST_TEXT_CELLS = 100
WHEEL_ROWS = 3


class LineWindow(ScrollView, inherit_bindings=False):
    """Base of `LineView`: what it is before anything is in it."""

    margin_cells: ClassVar[int] = MARGIN_CELLS

    def __init__(self, styles: ThemeStyles, signs: Glyphs, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._styles_of_theme = styles
        self._signs = signs
        self._painter: Painter | None = None
        self._painted: list[Row] = []
        self._is_placing = False
        self._hovered = ""
        self.wheel_rows = WHEEL_ROWS
        self.pictures: PictureSource | None = None
        self.rows_invalidated = 0
        """For tests of the budget."""

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        """Our own bar; made when it is first asked for, as Textual does."""
        bar = self._vertical_scrollbar
        if bar is None:
            bar = self._vertical_scrollbar = QuickScrollBar()
            bar.display = False
            self.app._start_widget(self, bar)  # noqa: SLF001 - what Textual does for its own bar
        return bar

    @property
    def window_height(self) -> int:
        """Rows that can be seen."""
        return self.scrollable_content_region.height

    @property
    def window_width(self) -> int:
        """Cells that can be seen, the scrollbar not counted."""
        return self.scrollable_content_region.width

    @property
    def margin(self) -> int:
        """Cells at the left, less in a very narrow window."""
        return self.margin_cells if self.window_width > 24 else min(1, self.margin_cells)

    @property
    def text_width(self) -> int:
        """Cells of the text column."""
        return max(4, min(MOST_TEXT_CELLS, self.window_width - 2 * self.margin))

    @property
    def painter(self) -> Painter:
        """The painter of this width and theme."""
        width = self.window_width
        found = self._painter
        if found is None or found.width != width:
            found = self._painter = Painter(
                self._styles_of_theme, self._signs, width, self.text_width, self.margin, self.pictures
            )
        return found
