"""The mouse selects in the transcript: drag, double click, triple click, with scrolling at the edges.

Invariant: the timer of the scrolling runs only while the button is down beyond an edge.
"""

from typing import TYPE_CHECKING

from textual import events
from textual.timer import Timer

from chatui.ui.turns.selection import Place, Selection, word_cells

if TYPE_CHECKING:
    from chatui.ui.widgets.marked_turns import MarkedTurns

SCROLL_EVERY_S = 0.05


class SelectionGesture:
    """One press of the button, from down to up."""

    def __init__(self, view: "MarkedTurns") -> None:
        self._view = view
        self._is_down = False
        self._anchor: Place | None = None
        """None also after what was pressed on is not there any more."""
        self._has_moved = False
        self._pointer = (0, 0)
        self._timer: Timer | None = None

    @property
    def is_active(self) -> bool:
        """The button is down."""
        return self._is_down

    def down(self, event: events.MouseDown) -> None:
        """The button goes down."""
        if event.button != 1 or not self._view.turn_count:
            return
        self._is_down = True
        self._anchor = self._view.place_at(event.x, event.y)
        self._has_moved = False
        self._view.capture_mouse()

    def move(self, event: events.MouseMove) -> None:
        """The pointer moves while the button is down."""
        if self._anchor is None:
            return
        self._pointer = (event.x, event.y)
        self._view.hold_still()
        self._has_moved = True
        self._extend()
        beyond = self._beyond(event.y)
        if beyond and self._timer is None:
            self._timer = self._view.set_interval(SCROLL_EVERY_S, self._scroll)
        elif not beyond:
            self._stop_timer()

    def up(self) -> bool:
        """The button goes up; returns whether something was selected."""
        was_active = self._is_down
        self._is_down = False
        self._anchor = None
        self._stop_timer()
        if was_active:
            self._view.release_mouse()
        return was_active and self._has_moved

    def moved(self, turns: int) -> None:
        """Turns came before the one that was pressed on."""
        if self._anchor is not None:
            self._anchor = self._anchor._replace(turn=self._anchor.turn + turns)

    def lose_anchor(self) -> None:
        """What was pressed on is gone: the rest of this press selects nothing, and is no click."""
        self._anchor = None
        self._has_moved = True
        self._stop_timer()

    def clicked(self, event: events.Click) -> None:
        """A second click selects the word, a third the line."""
        if event.chain == 1 or not self._view.turn_count:
            return
        place = self._view.place_at(event.x, event.y)
        line = self._view.line_at(place)
        first, last = word_cells(line, place.cell) if event.chain == 2 else (0, line.cells)
        self._view.select(Selection(place._replace(cell=first), place._replace(cell=last)))

    def _beyond(self, y: int) -> int:
        if y < 0:
            return y
        return max(0, y - self._view.window_height + 1)

    def _extend(self) -> None:
        if self._anchor is None:
            return
        x, y = self._pointer
        height = self._view.window_height
        focus = self._view.place_at(x, max(0, min(y, height - 1)))
        self._view.select(Selection(self._anchor, focus))

    def _scroll(self) -> None:
        beyond = self._beyond(self._pointer[1])
        if not beyond or self._anchor is None:
            self._stop_timer()
            return
        self._view.scroll_rows(max(-3, min(3, beyond)))
        self._extend()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
