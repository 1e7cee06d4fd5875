"""The turns of a transcript and what is known of their layout, without a widget.

Invariants: a turn is laid out only when it is looked at; only the last ones are kept laid out (`held_turns`),
of the rest only the height is known; a height is an estimate until its turn was laid out once at this width.
The text of turns that can be read again is held as long as it is looked at (`turn_entries`).
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from chatui.core.turn import Phase, Turn, TurnId
from chatui.ui.stepping import EarlyTurns
from chatui.ui.turns.heights import Heights
from chatui.ui.turns.held_turns import LaidOutTurns
from chatui.ui.turns.turn_entries import Entry, TurnEntries
from chatui.view.badge import Badge
from chatui.view.turn_options import TurnViewOptions

if TYPE_CHECKING:
    from chatui.core.turn_outline import TurnOutline
    from chatui.ui.turns.turn_source import TurnSource
    from chatui.view.turn_view import TurnView

LEAST_WIDTH = 8


class TurnList:
    """Turns in order, with the heights of all, the text of some and the layout of few."""

    def __init__(self, options: TurnViewOptions) -> None:
        self._options = options
        self._entries = TurnEntries()
        self._heights = Heights()
        self._laid_out = LaidOutTurns()
        self.early = EarlyTurns(self._entries)
        """Turns that are shown by their end, or as they were, until all of them is laid out."""
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

    def read_from(self, source: "TurnSource") -> None:
        """Hold in memory only what is looked at; the rest is read from here."""
        self._entries.source = source

    def turn(self, index: int) -> Turn:
        """A turn."""
        return self._entries.present(index)[0]

    def turn_id(self, index: int) -> TurnId:
        """The name of a turn."""
        return self._entries[index].turn_id

    def turn_ids(self) -> list[TurnId]:
        """The names of all turns."""
        return [entry.turn_id for entry in self._entries]

    def index_of(self, turn_id: TurnId) -> int | None:
        """Where a turn stands."""
        return self._entries.index_of(turn_id)

    def holding(self, wanted: str) -> list[int]:
        """Turns that may show a folded text; none that does is left out."""
        return self._entries.holding(wanted)

    def before(self, index: int) -> int:
        """Rows before a turn."""
        return self._heights.before(index)

    def find(self, row: int) -> tuple[int, int]:
        """The turn at a row, and the row inside of it."""
        return self._heights.find(row)

    # Content

    def show(self, turns: Sequence[tuple[Turn, Badge]]) -> None:
        """Hold other turns."""
        for index in self._laid_out:
            self._close(index)
        self._entries.show(turns)
        self._laid_out.clear()
        self._heights = Heights(self._estimate(entry) for entry in self._entries)

    def add(self, turn: Turn, badge: Badge) -> int:
        """One more at the end; returns where it stands."""
        self._heights.append(self._estimate(self._entries.add(turn, badge)))
        return len(self._entries) - 1

    def prepend(self, outlines: "Sequence[TurnOutline]") -> None:
        """More at the beginning, read when they are looked at; what is laid out stays so."""
        heights = [self._heights[index] for index in range(len(self._entries))]
        self._heights = Heights([*map(self._estimate, self._entries.prepend(outlines)), *heights])
        self._laid_out.prepended(len(outlines))

    def use_sizes(self, sizes: Iterable[tuple[TurnId, int]]) -> None:
        """Know better how large turns are that are not in memory."""
        heights = [self._heights[index] for index in range(len(self._entries))]
        for index, entry in self._entries.use_sizes(sizes):
            heights[index] = self._estimate(entry)
        self._heights = Heights(heights)

    def drop(self, turn_id: TurnId) -> bool:
        """Take a turn away; returns whether it was there."""
        gone = self._entries.index_of(turn_id)
        if gone is None:
            return False
        self._heights = Heights(self._heights[index] for index in range(len(self._entries)) if index != gone)
        self._close(gone)
        self._entries.drop(gone)
        self._laid_out.drop(gone)
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
        entry = self._entries.replace(index, turn, badge)
        view = entry.view
        if view is None:
            if is_seen:
                self.view(index)
            else:
                entry.measure()
                self._heights[index] = self._estimate(entry)
            return False
        view.set_badge(badge)
        has_more = view.update(turn, most=most)
        self._heights[index] = view.height
        return has_more

    def follow_again(self, index: int, *, most: int) -> bool:
        """Take more of a text that was too long for one call."""
        turn, badge = self._entries.present(index)
        return self.follow(index, turn, badge, is_seen=True, most=most)

    def settle(self, index: int) -> None:
        """The stream of a turn pauses: show exactly now what is put off while text streams fast."""
        view = self._entries[index].view
        if view is not None:
            view.settle()
            self._heights[index] = view.height

    def set_badge(self, index: int, badge: Badge) -> bool:
        """Another badge; returns whether something that is laid out looks different."""
        entry = self._entries[index]
        if entry.turn is None:  # it is read with the badge that it has then
            return False
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

    def toggle_folds(self) -> bool:
        """Fold every unfolded prompt, or unfold all if none is; returns whether they are unfolded now."""
        wanted = not any(entry.is_unfolded for entry in self._entries)
        for index, entry in enumerate(self._entries):
            if entry.is_unfolded is not wanted:
                self.toggle_fold(index)
        return wanted

    def toggle_all_details(self) -> bool:
        """The same for reasoning and tool blocks."""
        wanted = not any(entry.shows_details for entry in self._entries)
        for index, entry in enumerate(self._entries):
            if entry.shows_details is not wanted:
                self.toggle_details(index)
        return wanted

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
            self._heights[index] = self._estimate(entry)

    def use_options(self, options: TurnViewOptions) -> None:
        """Lay out in another way, when looked at."""
        self._options = options
        for index in self._laid_out:
            view = self._entries[index].view
            if view is not None:
                view.use_options(options, in_steps=self.early.most is not None)
                self.early.note(self._entries[index])
                self._heights[index] = view.height

    def view(self, index: int) -> "TurnView":
        """The laid-out turn; its exact height becomes known."""
        entry = self._entries[index]
        view = entry.view
        if view is None:
            from chatui.view.turn_view import TurnView

            turn, badge = self._entries.present(index)
            view = entry.view = TurnView(turn, badge, self._width, self._options, most=self.early.most)
            self.early.note(entry)
            view.set_foot_hint(self._foot_hint)
            if entry.is_unfolded:
                view.toggle_fold()
            if entry.shows_details:
                view.toggle_details()
        elif view.width != self._width:
            view.resize(self._width, in_steps=self.early.most is not None)
            self.early.note(entry)
        self._laid_out.use(index, view.height)
        while (older := self._laid_out.forget_oldest(self._may_be_closed)) is not None:
            self._close(older)
        self._heights[index] = view.height
        return view

    def lay_out_rest(self) -> None:
        """Show all of every turn at once."""
        for index in self.early.take_all():
            self.show_whole(index)

    def show_whole(self, index: int) -> None:
        """Show all of a turn."""
        view = self._entries[index].view
        if view is not None and view.is_early:
            view.show_whole()
            self._entries[index].revision += 1
            self._heights[index] = view.height

    def _may_be_closed(self, index: int) -> bool:
        return not self._entries[index].is_running

    def _close(self, index: int) -> None:
        view = self._entries[index].view
        if view is not None:
            view.close()
            self._entries[index].view = None

    def _estimate(self, entry: Entry) -> int:
        return 7 + entry.characters // max(LEAST_WIDTH, self._width) + entry.line_ends
