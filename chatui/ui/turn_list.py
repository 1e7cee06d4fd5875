"""The turns of a transcript and what is known of their layout, without a widget.

Invariants: a turn is laid out only when it is looked at; only the last ones are kept laid out, up to
`MOST_LAID_OUT` turns and `MOST_ROWS_LAID_OUT` rows, of the rest only the height is known; a height is an
estimate until its turn was laid out once at this width.
"""

import itertools
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chatui.core.turn import Phase, Turn, TurnId
from chatui.ui.heights import Heights
from chatui.view.badge import Badge
from chatui.view.turn_options import TurnViewOptions

if TYPE_CHECKING:
    from chatui.view.turn_view import TurnView

MOST_LAID_OUT = 200
LEAST_LAID_OUT = 24
"""More turns than a window shows: these are kept, however long they are."""
MOST_ROWS_LAID_OUT = 1500
"""Some windows full: a laid-out row is a hundred times as large as its text."""
LEAST_WIDTH = 8


@dataclass(slots=True)
class Entry:
    """A turn and what is known of its look."""

    turn: Turn
    badge: Badge
    view: "TurnView | None" = None
    is_unfolded: bool = False
    shows_details: bool = False
    revision: int = 0
    """How often the turn was replaced."""


class TurnList:
    """Turns in order, with the heights of all and the layout of some."""

    def __init__(self, options: TurnViewOptions) -> None:
        self._options = options
        self._entries: list[Entry] = []
        self._index_of: dict[TurnId, int] = {}
        self._heights = Heights()
        self._laid_out: OrderedDict[int, int] = OrderedDict()
        """Turns that are laid out and the rows of each, the one looked at last at the end."""
        self._rows_laid_out = 0
        self._width = 80
        self._foot_hint = ""

    def __len__(self) -> int:
        return len(self._entries)

    def __bool__(self) -> bool:
        return bool(self._entries)

    @property
    def width(self) -> int:
        """Cells of the text column."""
        return self._width

    @property
    def height(self) -> int:
        """Rows of all turns."""
        return self._heights.total

    def turn(self, index: int) -> Turn:
        """A turn."""
        return self._entries[index].turn

    def turns(self) -> list[Turn]:
        """All turns."""
        return [entry.turn for entry in self._entries]

    def index_of(self, turn_id: TurnId) -> int | None:
        """Where a turn stands."""
        return self._index_of.get(turn_id)

    def before(self, index: int) -> int:
        """Rows before a turn."""
        return self._heights.before(index)

    def find(self, row: int) -> tuple[int, int]:
        """The turn at a row, and the row inside of it."""
        return self._heights.find(row)

    # Content

    def show(self, turns: Sequence[tuple[Turn, Badge]]) -> None:
        """Hold other turns."""
        self._entries = [Entry(turn, badge) for turn, badge in turns]
        self._index_of = {entry.turn.turn_id: index for index, entry in enumerate(self._entries)}
        self._laid_out.clear()
        self._rows_laid_out = 0
        self._heights = Heights(self._estimate(entry.turn) for entry in self._entries)

    def add(self, turn: Turn, badge: Badge) -> int:
        """One more at the end; returns where it stands."""
        index = len(self._entries)
        self._entries.append(Entry(turn, badge))
        self._index_of[turn.turn_id] = index
        self._heights.append(self._estimate(turn))
        return index

    def prepend(self, turns: Sequence[tuple[Turn, Badge]]) -> None:
        """More at the beginning; what is laid out stays so."""
        count = len(turns)
        heights = [self._estimate(turn) for turn, _ in turns]
        heights.extend(self._heights[index] for index in range(len(self._entries)))
        self._entries = [*(Entry(turn, badge) for turn, badge in turns), *self._entries]
        self._index_of = {entry.turn.turn_id: index for index, entry in enumerate(self._entries)}
        self._laid_out = OrderedDict((index + count, rows) for index, rows in self._laid_out.items())
        self._heights = Heights(heights)

    def drop(self, turn_id: TurnId) -> bool:
        """Take a turn away; returns whether it was there."""
        left = [(entry.turn, entry.badge) for entry in self._entries if entry.turn.turn_id != turn_id]
        if len(left) == len(self._entries):
            return False
        self.show(left)
        return True

    def follow(self, index: int, turn: Turn, badge: Badge, *, is_seen: bool, most: int) -> bool:
        """A turn has changed; returns whether text is left for another call.

        Args:
            index: Where it stands.
            turn: The turn now.
            badge: Its badge now.
            is_seen: It is in the window (or soon will be); otherwise only its height is estimated.
            most: Characters of new text to take now.
        """
        entry = self._entries[index]
        entry.revision += entry.turn is not turn
        entry.turn = turn
        entry.badge = badge
        view = entry.view
        if view is None:
            if is_seen:
                self.view(index)
            else:
                self._heights[index] = self._estimate(turn)
            return False
        view.set_badge(badge)
        has_more = view.update(turn, most=most)
        self._heights[index] = view.height
        return has_more

    def follow_again(self, index: int, *, most: int) -> bool:
        """Take more of a text that was too long for one call."""
        entry = self._entries[index]
        return self.follow(index, entry.turn, entry.badge, is_seen=True, most=most)

    def settle(self, index: int) -> None:
        """The stream of a turn pauses: show exactly now what is put off while text streams fast."""
        view = self._entries[index].view
        if view is not None:
            view.settle()
            self._heights[index] = view.height

    def set_badge(self, index: int, badge: Badge) -> bool:
        """Another badge; returns whether something that is laid out looks different."""
        entry = self._entries[index]
        entry.badge = badge
        return entry.view is not None and entry.view.set_badge(badge)

    def set_foot_hint(self, hint: str) -> bool:
        """What to press before the keys of a failed turn's foot work; returns whether that changed."""
        if hint == self._foot_hint:
            return False
        self._foot_hint = hint
        for index in self._laid_out:
            view = self._entries[index].view
            if view is not None and view.turn.phase is Phase.FAILED:
                view.set_foot_hint(hint)
                self._heights[index] = view.height
        return True

    def toggle_fold(self, index: int) -> None:
        """Fold or unfold the prompt of a turn."""
        entry = self._entries[index]
        entry.is_unfolded = not entry.is_unfolded
        if entry.view is not None:
            entry.view.toggle_fold()
            self._heights[index] = entry.view.height

    def toggle_details(self, index: int) -> None:
        """Unfold or fold reasoning and tool blocks of a turn."""
        entry = self._entries[index]
        entry.shows_details = not entry.shows_details
        if entry.view is not None:
            entry.view.toggle_details()
            self._heights[index] = entry.view.height

    # Layout

    def layout_key(self, index: int) -> object:
        """Equal as long as the rows of a turn are the same."""
        entry = self._entries[index]
        return entry.revision, self._width, id(self._options), entry.is_unfolded, entry.shows_details

    def use_width(self, width: int) -> None:
        """Lay out for another width, when looked at."""
        if width == self._width:
            return
        self._width = width
        for index, entry in enumerate(self._entries):
            self._heights[index] = self._estimate(entry.turn)

    def use_options(self, options: TurnViewOptions) -> None:
        """Lay out in another way, when looked at."""
        self._options = options
        for index in self._laid_out:
            view = self._entries[index].view
            if view is not None:
                view.use_options(options)
                self._heights[index] = view.height

    def view(self, index: int) -> "TurnView":
        """The laid-out turn; its exact height becomes known."""
        entry = self._entries[index]
        view = entry.view
        if view is None:
            from chatui.view.turn_view import TurnView

            view = entry.view = TurnView(entry.turn, entry.badge, self._width, self._options)
            view.set_foot_hint(self._foot_hint)
            if entry.is_unfolded:
                view.toggle_fold()
            if entry.shows_details:
                view.toggle_details()
        elif view.width != self._width:
            view.resize(self._width)
        self._rows_laid_out += view.height - self._laid_out.get(index, 0)
        self._laid_out[index] = view.height
        self._laid_out.move_to_end(index)
        self._forget_oldest()
        self._heights[index] = view.height
        return view

    def _forget_oldest(self) -> None:
        """Forget the layout of turns that were not looked at for long, of the window none."""
        while len(self._laid_out) > MOST_LAID_OUT or self._rows_laid_out > MOST_ROWS_LAID_OUT:
            older = itertools.islice(self._laid_out, max(0, len(self._laid_out) - LEAST_LAID_OUT))
            found = next((i for i in older if self._entries[i].turn.phase is not Phase.RECEIVING), None)
            if found is None:
                return
            self._entries[found].view = None
            self._rows_laid_out -= self._laid_out.pop(found)

    def _estimate(self, turn: Turn) -> int:
        width = max(LEAST_WIDTH, self._width)
        rows = 5
        for text in (turn.prompt, turn.text):
            rows += len(text) // width + text.count("\n") + 1
        return rows
