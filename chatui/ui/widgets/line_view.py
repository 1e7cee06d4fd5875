"""A virtualised view of lines: only what is visible is turned into strips.

Only rows that changed are written.

Invariant: a repaint costs time in proportion to the rows of the screen, whatever the length of what is
shown; no layout pass is made for growing text; nothing is done while nothing changes. The idea is measured
in the repository's benchmarks: a layout pass per frame costs more than all of parsing and painting.
"""

from typing import TYPE_CHECKING

from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollDown, ScrollTo, ScrollUp
from textual.strip import Strip

from chatui.ui.links import PICTURE_LINK
from chatui.ui.painter import BLANK_ROW, Row
from chatui.ui.theme import ThemeStyles
from chatui.ui.widgets.line_window import LineWindow
from chatui.view.lines import Line
from chatui.view.plain_lines import cell_width

if TYPE_CHECKING:
    from chatui.view.lines import PictureBox


class LineView(LineWindow, inherit_bindings=False):
    """Base of the transcript and of the panes. A subclass says how many rows there are and gives them."""

    ALLOW_SELECT = False
    FOCUS_ON_CLICK = False
    """Who clicks, selects or follows a link goes on writing."""
    can_focus = True

    DEFAULT_CSS = """
    LineView {
        height: 1fr;
        width: 1fr;
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
    }
    """

    class LinkPressed(Message):
        """The person pressed a link; `link` is raw."""

        def __init__(self, view: "LineView", link: str, turn_index: int) -> None:
            super().__init__()
            self.view = view
            self.link = link
            self.turn_index = turn_index

    class LinkHovered(Message):
        """The pointer is over a link, or over none (empty)."""

        def __init__(self, link: str) -> None:
            super().__init__()
            self.link = link

    # What a subclass gives

    def content_height(self) -> int:
        """Number of rows of the whole content."""
        return 0

    def visible_rows(self, top: int, height: int) -> list[Row]:
        """Rows of the window."""
        return []

    def settle(self) -> int:
        """Lay out what is visible; returns the top row of the window."""
        return int(self.scroll_y)

    def to_start(self) -> None:
        """Go to the beginning."""
        self.scroll_rows(-self.content_height())

    def to_end(self) -> None:
        """Go to the end."""
        self.scroll_rows(self.content_height())

    def moved_by_person(self, top: int) -> None:
        """The scrollbar or Textual moved the window to this row."""

    def use_theme(self, styles: ThemeStyles) -> None:
        """Paint in another theme."""
        self._styles_of_theme = styles
        self._painter = None
        self._painted = []
        self.refresh()

    # Painting

    def content_changed(self) -> None:
        """The content changed: follow it and write the rows that look different."""
        if not self.is_mounted or self.window_height <= 0 or not self.window_width:
            return
        top = self.settle()
        self._fit_virtual_size()
        self._place(top)
        self._refresh_changed()

    def _fit_virtual_size(self) -> None:
        size = Size(self.window_width, self.content_height())
        if size == self.virtual_size:
            return
        self.set_reactive(ScrollView.virtual_size, size)
        if self.show_vertical_scrollbar:
            bar = self.vertical_scrollbar
            bar.window_virtual_size = size.height
            bar.window_size = self.window_height

    def _place(self, top: int) -> None:
        if top == self.scroll_y:
            return
        self._is_placing = True
        try:
            self.scroll_target_y = top
            self.scroll_y = top
        finally:
            self._is_placing = False

    def _rows(self) -> list[Row]:
        height = self.window_height
        rows = self.visible_rows(int(self.scroll_y), height)
        if len(rows) < height:
            rows.extend([BLANK_ROW] * (height - len(rows)))
        return rows

    def _refresh_changed(self) -> None:
        rows = self._rows()
        old = self._painted
        if len(old) != len(rows):
            self.rows_invalidated += len(rows)
            self.refresh()
            return
        width = self.window_width
        regions = [
            Region(0, y, width, 1)
            for y, (was, now) in enumerate(zip(old, rows, strict=True))
            if not same(was, now)
        ]
        if regions:
            self.rows_invalidated += len(regions)
            self.refresh(*regions)

    def render_lines(self, crop: Region) -> list[Strip]:
        """The strips of the window; Textual's styles cache is not needed, a row is painted whole."""
        rows = self._rows()
        self._painted = rows
        painter = self.painter
        strips: list[Strip] = []
        for y in range(crop.y, crop.bottom):
            strip = painter.paint(rows[y] if 0 <= y < len(rows) else BLANK_ROW)
            strips.append(
                strip if crop.x == 0 and crop.width >= painter.width else strip.crop(crop.x, crop.right)
            )
        return strips

    def render_line(self, y: int) -> Strip:
        """One strip of the window."""
        return self.render_lines(Region(0, y, self.window_width, 1))[0]

    def pictures_came(self) -> None:
        """Pixels are there that were not: write the rows of pictures that are in sight."""
        rows = (y for y, row in enumerate(self._painted) if row.line is not None and row.line.picture)
        regions = [Region(0, y, self.window_width, 1) for y in rows]
        if regions:
            self.refresh(*regions)

    def pictures_in_sight(self) -> "list[PictureBox]":
        """Pictures of which rows are in sight, from top to bottom, each once."""
        rows = (row.line.picture for row in self._painted if row.line is not None)
        return list({row.box.key: row.box for row in rows if row is not None}.values())

    def picture_link(self, box: "PictureBox") -> str:
        """The link of a picture in sight: its place among them."""
        return f"{PICTURE_LINK}{[seen.key for seen in self.pictures_in_sight()].index(box.key)}"

    # Scrolling

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Keep the bar in step; what Textual clamps in a resize is placed again, nobody wished it."""
        if self.show_vertical_scrollbar:
            self.vertical_scrollbar.position = new_value
        if int(old_value) != int(new_value) and not self._is_placing:
            self.call_later(self.content_changed)

    def _on_scroll_to(self, message: ScrollTo) -> None:
        message.stop()
        message.prevent_default()
        if message.y is not None:
            last = max(0, self.content_height() - self.window_height)
            self.moved_by_person(max(0, min(round(message.y), last)))
            self.content_changed()

    def _on_scroll_up(self, event: ScrollUp) -> None:
        event.stop()
        event.prevent_default()
        self.scroll_rows(-self.page_rows())

    def _on_scroll_down(self, event: ScrollDown) -> None:
        event.stop()
        event.prevent_default()
        self.scroll_rows(self.page_rows())

    def scroll_rows(self, rows: int) -> None:
        """Move the window by some rows, exactly."""
        top = max(0, min(int(self.scroll_y) + rows, self.content_height() - self.window_height))
        self.moved_by_person(top)
        self.content_changed()

    def page_rows(self) -> int:
        """Rows of a page: one row is kept for the eye."""
        return max(1, self.window_height - 2)

    def _on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        event.prevent_default()
        self.scroll_rows(self.wheel_rows)

    def _on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        event.prevent_default()
        self.scroll_rows(-self.wheel_rows)

    def _on_resize(self, event: events.Resize) -> None:
        self._painted = []
        self._painter = None
        self.content_changed()
        self.refresh()

    # Links

    def link_at(self, x: int, y: int) -> str:
        """The raw link under a cell of the window, or empty."""
        rows = self._painted
        if not 0 <= y < len(rows) or rows[y].line is None:
            return ""
        return link_in_line(rows[y].line, x - self.margin)

    def _on_mouse_move(self, event: events.MouseMove) -> None:
        link = self.link_at(event.x, event.y)
        if link != self._hovered:
            self._hovered = link
            self.post_message(self.LinkHovered(link))

    def _on_leave(self, event: events.Leave) -> None:
        if self._hovered:
            self._hovered = ""
            self.post_message(self.LinkHovered(""))


def same(was: Row, now: Row) -> bool:
    """Whether two rows look the same; lines are compared by identity first, then by value."""
    if was.line is now.line:
        return was[1:] == now[1:]
    return was == now


def link_in_line(line: Line | None, cell: int) -> str:
    """The link of the run that covers a cell."""
    if line is None or cell < 0:
        return ""
    at = 0
    for run in line.runs:
        at += cell_width(run.text)
        if cell < at:
            return run.link
    return ""
