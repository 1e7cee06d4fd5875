"""Selecting with keys: a caret in the transcript that moves, marks and copies.

Invariant: while it is there the text stands still, also while more of it comes; Esc ends the marking first,
then the caret; no key of it reaches a conversation.
"""

from typing import TYPE_CHECKING, Final

from textual import events

from chatui.ui.turns.reading_caret import Move, ReadingCaret
from chatui.ui.turns.selection import Place

if TYPE_CHECKING:
    from chatui.ui.widgets.marked_turns import MarkedTurns

MOVES: Final = {
    "left": Move.LEFT,
    "h": Move.LEFT,
    "right": Move.RIGHT,
    "l": Move.RIGHT,
    "up": Move.UP,
    "k": Move.UP,
    "down": Move.DOWN,
    "j": Move.DOWN,
    "ctrl+left": Move.WORD_LEFT,
    "b": Move.WORD_LEFT,
    "ctrl+right": Move.WORD_RIGHT,
    "w": Move.WORD_RIGHT,
    "home": Move.ROW_START,
    "0": Move.ROW_START,
    "end": Move.ROW_END,
    "dollar_sign": Move.ROW_END,
    "pageup": Move.PAGE_UP,
    "pagedown": Move.PAGE_DOWN,
    "space": Move.PAGE_DOWN,
    "left_square_bracket": Move.TURN_UP,
    "right_square_bracket": Move.TURN_DOWN,
    "ctrl+home": Move.START,
    "g": Move.START,
    "ctrl+end": Move.END,
    "G": Move.END,
}
"""Arrows and the letters of vi; Shift with an arrow marks at once."""


class CaretKeys:
    """The caret of a transcript, while there is one."""

    def __init__(self, view: "MarkedTurns") -> None:
        self._view = view
        self.caret: ReadingCaret | None = None

    def begin(self, place: Place, *, takes_rows: bool | None = None) -> None:
        """Put the caret at a place, marking already if asked."""
        caret = self.caret = ReadingCaret(self._view.turn_list, place)
        if takes_rows is not None:
            caret.mark(takes_rows=takes_rows)
        self._view.hold_still()
        self._show()

    def end(self) -> None:
        """Take the caret away."""
        if self.caret is not None:
            self.caret = None
            self._view.caret_changed()

    def key(self, event: events.Key) -> bool:
        """Take a key; returns whether it meant something here."""
        caret = self.caret
        if caret is None:
            return False
        key = event.key
        plain = key.replace("shift+", "")
        if key == "escape":
            if caret.anchor is not None:
                caret.anchor = None
                self._show()
            else:
                self._view.select(None)
                self.end()
        elif key in ("v", "V"):
            caret.mark(takes_rows=key == "V")
            self._show()
        elif key in ("y", "enter", "ctrl+c"):
            self._copy(caret)
        elif key in MOVES or plain in MOVES:
            if "shift+" in key and caret.anchor is None:
                caret.mark(takes_rows=False)
            caret.go(MOVES.get(key) or MOVES[plain], self._view.page_rows())
            self._show()
        else:
            return event.is_printable
        return True

    def _copy(self, caret: ReadingCaret) -> None:
        """Copy what is marked, or the row of the caret."""
        if caret.anchor is None:
            caret.mark(takes_rows=True)
            self._show()
        self._view.post_message(self._view.CopyWanted(self._view.selected_text()))
        self._view.select(None)
        self.end()

    def _show(self) -> None:
        caret = self.caret
        if caret is not None:
            self._view.select(caret.selection)
            self._view.bring_into_sight(caret.place)
            self._view.caret_changed()
