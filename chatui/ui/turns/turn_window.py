"""Which rows of a conversation are in the window, without a widget.

Invariants: the window is held by a place in a turn, not by a row number, so estimates that become exact
above it do not move what is read; the end is followed only while the person is at the end.
"""

from collections.abc import Callable

from chatui.ui.turns.turn_list import TurnList
from chatui.view.turn_options import TurnViewOptions

NEAR_TURNS = 20
"""So near to the first loaded turn, earlier ones are wanted."""


class TurnWindow:
    """A window over a list of turns."""

    def __init__(self, turns: TurnList) -> None:
        self._turns = turns
        self._anchor = (0, 0)
        self.height = 0
        """Rows of the window."""
        self.top = 0
        """The first row in sight, after `settle`."""
        self.is_following = True
        self._is_held = False
        """It stands still, whatever comes below."""

    @property
    def reading(self) -> tuple[int, int]:
        """The turn and row at the top."""
        return self._turns.find(self.top)

    @property
    def is_near_start(self) -> bool:
        """Little is left above."""
        return self._anchor[0] < NEAR_TURNS

    def seen(self) -> range:
        """The turns in sight."""
        if not self._turns or self.height <= 0:
            return range(0)
        first, _ = self._turns.find(self.top)
        last, _ = self._turns.find(self.top + self.height - 1)
        return range(first, last + 1)

    def is_below(self, index: int) -> bool:
        """Whether a turn ends below the window."""
        return self._turns.before(index + 1) > self.top + self.height

    # Moving

    def follow_end(self) -> None:
        """Go to the end and follow it."""
        self._is_held = False
        self.is_following = True

    def stand_still(self) -> None:
        """Hold what is in sight, also at the end."""
        if self._turns:
            self._anchor = self.reading
            self.is_following = False
            self._is_held = True

    def hold(self, index: int, row: int) -> None:
        """Put a row of a turn at the top; at the end it is followed again."""
        self._is_held = False
        self._anchor = (index, row)
        top = self._settle_at_anchor()
        self.is_following = top is None or top >= self._last_top()

    def hold_row(self, top: int) -> None:
        """Put a row of the conversation at the top, as the scrollbar asks for it."""
        self._is_held = False
        self._anchor = self._turns.find(max(0, top))
        self.is_following = top >= self._last_top()

    def move(self, rows: int) -> None:
        """Move by some rows; turns that come into sight are laid out first, so the step is exact."""
        if not self._turns:
            return
        index, row = self.reading
        row += rows
        while row < 0 and index > 0:
            index -= 1
            row += self._turns.view(index).height
        while index < len(self._turns) - 1 and row >= self._turns.view(index).height:
            row -= self._turns.view(index).height
            index += 1
        self.hold(index, max(0, min(row, self._turns.view(index).height - 1)))

    def show(self, index: int, row: int = 0, *, context: int = 0) -> None:
        """Bring a row of a turn to the top, `context` rows below it."""
        while context and row < context and index > 0:
            index -= 1
            row += self._turns.view(index).height
        self.hold(index, max(0, row - context))

    def prepended(self, count: int) -> None:
        """Turns came before the first one."""
        self._anchor = (self._anchor[0] + count, self._anchor[1])

    def next_code(self, step: int) -> tuple[int, int] | None:
        """Turn and row of the next (or previous) code block."""
        index, row = self.reading
        while 0 <= index < len(self._turns):
            rows = [start + region.first_line for start, region in self._turns.view(index).code_regions()]
            wanted = [at for at in rows if (at > row + 1 if step > 0 else at < row + 1)]
            if wanted:
                return index, wanted[0] if step > 0 else wanted[-1]
            index += step
            row = -2 if step > 0 else 1 << 40
        return None

    # Layout

    def use_width(self, width: int) -> None:
        """Lay out at another width; the text at the top stays at the top."""
        if width != self._turns.width:
            self.lay_out_anew(lambda: self._turns.use_width(width))

    def use_options(self, options: TurnViewOptions) -> None:
        """Lay out in another way; the text at the top stays at the top."""
        self.lay_out_anew(lambda: self._turns.use_options(options))

    def lay_out_anew(self, lay_out: Callable[[], object]) -> None:
        """Lay out in any other way; the text at the top stays at the top."""
        if not self._turns or self.is_following:
            lay_out()
            return
        index, row = self._anchor
        index = min(index, len(self._turns) - 1)
        mark = self._turns.view(index).mark(row)
        lay_out()
        self._anchor = (index, self._turns.view(index).row_at(mark))

    def settle(self, height: int) -> int:
        """Lay out what is in sight exactly; returns the row at the top."""
        self.height = height
        if not self._turns:
            self.top = 0
        else:
            top = None if self.is_following else self._settle_at_anchor()
            if top is None and self._is_held:
                index, row = self._anchor
                top = max(0, min(self._turns.before(index) + row, self._last_top()))
            elif top is None:
                self.is_following = True
                top = self._settle_at_end()
            self.top = top
        return self.top

    def _last_top(self) -> int:
        return self._turns.height - self.height

    def _settle_at_anchor(self) -> int | None:
        """The row at the top, or None if the end comes into sight."""
        index, row = self._anchor
        index = min(index, len(self._turns) - 1)
        first = self._turns.view(index)
        row = min(row, first.height - 1)
        left = self.height - (first.height - row)
        at = index + 1
        while left > 0 and at < len(self._turns):
            left -= self._turns.view(at).height
            at += 1
        if left > 0:
            return None
        self._anchor = (index, row)
        return self._turns.before(index) + row

    def _settle_at_end(self) -> int:
        left = self.height
        at = len(self._turns) - 1
        while left > 0 and at >= 0:
            left -= self._turns.view(at).height
            at -= 1
        top = max(0, self._last_top())
        self._anchor = self._turns.find(top)
        return top
