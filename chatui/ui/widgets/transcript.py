"""The transcript: turns to be read, searched, selected from and copied, by keys and by mouse.

Invariant: what is copied is the source; nothing of a conversation is changed here.
"""

from functools import cached_property
from typing import TYPE_CHECKING

from textual import events
from textual.message import Message

from chatui.ui.painter import is_code_label
from chatui.ui.widgets.marked_turns import MarkedTurns
from chatui.ui.widgets.turns_view import SHIFT_CELLS

if TYPE_CHECKING:
    from chatui.ui.turns.code_copying import CodeCopying

COPY_LINK = "chatui:copy"


class TranscriptView(MarkedTurns):
    """All turns of the conversation that is shown."""

    class Typed(Message):
        """A letter that means nothing here: the person writes."""

        def __init__(self, character: str) -> None:
            super().__init__()
            self.character = character

    class CodePressed(Message):
        """The copy hint of a code block was pressed."""

        def __init__(self, source: str) -> None:
            super().__init__()
            self.source = source

    # Who does what; each is made when it first has to do something

    @cached_property
    def _copying(self) -> "CodeCopying":
        """Which code block is copied next."""
        from chatui.ui.turns.code_copying import CodeCopying

        return CodeCopying()

    def next_code_to_copy(self) -> tuple[str, int, int] | None:
        """Source, number and total of the last visible code block; asked again, of the one before it."""
        top = self._window.top
        return self._copying.next(self._turns, self._window.seen(), top, top + self.window_height)

    def link_at(self, x: int, y: int) -> str:
        """The raw link under a cell; the copy hint of a code block is one too."""
        rows = self._painted
        line = rows[y].line if 0 <= y < len(rows) else None
        if line is not None and is_code_label(line) and x > self.margin + line.cells:
            return COPY_LINK
        if line is not None and line.picture is not None:
            cell = x - self.margin
            return self.picture_link(line.picture.box) if line.content_at <= cell < line.cells else ""
        return super().link_at(x, y)

    def _code_source_at(self, row: int) -> str:
        index, at = self._turns.find(int(self.scroll_y) + row)
        for start, region in self._turns.view(index).code_regions():
            if start + region.first_line <= at < start + region.stop_line:
                return region.source
        return ""

    # Keys and mouse

    def on_blur(self) -> None:
        """Who goes elsewhere selects no more with keys; what is marked stays."""
        self._end_caret()

    async def _on_key(self, event: events.Key) -> None:
        if self._caret_keys.key(event):
            event.stop()
            event.prevent_default()
        elif (
            event.is_printable
            and event.character
            # Where nothing is left to be read, what is typed is written.
            and (self.is_emptied or event.key not in self._bindings.key_to_bindings)
        ):
            event.stop()
            self.post_message(self.Typed(event.character))

    def _on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        if not self._wheel_moves_code(event, 1):
            super()._on_mouse_scroll_down(event)

    def _on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        if not self._wheel_moves_code(event, -1):
            super()._on_mouse_scroll_up(event)

    def _on_mouse_scroll_right(self, event: events.MouseScrollRight) -> None:
        event.prevent_default()
        _ = self.shift_code(SHIFT_CELLS, event.y)

    def _on_mouse_scroll_left(self, event: events.MouseScrollLeft) -> None:
        event.prevent_default()
        _ = self.shift_code(-SHIFT_CELLS, event.y)

    def _wheel_moves_code(self, event: events.MouseEvent, step: int) -> bool:
        """With Shift the wheel moves the code under the pointer sideways."""
        if not event.shift or not self._turns:
            return False
        if self._code_key(*self._turns.find(int(self.scroll_y) + event.y)) is None:
            return False
        event.stop()
        event.prevent_default()
        _ = self.shift_code(step * SHIFT_CELLS, event.y)
        return True

    async def _on_mouse_down(self, event: events.MouseDown) -> None:
        self._gesture.down(event)

    def _on_mouse_move(self, event: events.MouseMove) -> None:
        if "_gesture" in self.__dict__ and self._gesture.is_active:
            self._gesture.move(event)
        else:
            super()._on_mouse_move(event)

    async def _on_mouse_up(self, event: events.MouseUp) -> None:
        if self._gesture.up() or event.button != 1:
            return
        link = self.link_at(event.x, event.y)
        self.select(None)
        if link == COPY_LINK:
            self.post_message(self.CodePressed(self._code_source_at(event.y)))
        elif link:
            index = self._turns.find(int(self.scroll_y) + event.y)[0] if self._turns else -1
            self.post_message(self.LinkPressed(self, link, index))

    async def _on_click(self, event: events.Click) -> None:
        self._gesture.clicked(event)
