"""Moving through the turns of a conversation, and following its end only when asked to.

Invariant: where the window stands is known by `TurnWindow`; each move is told once, and turns that are not
loaded are asked for when the window comes near them.
"""

from collections.abc import Callable

from textual.message import Message

from chatui.core.turn import Turn, TurnId
from chatui.ui.theme import ThemeStyles
from chatui.ui.turns.selection import Place
from chatui.ui.turns.turn_list import TurnList
from chatui.ui.turns.turn_window import TurnWindow
from chatui.ui.widgets.line_view import LineView
from chatui.view.glyphs import Glyphs
from chatui.view.lines import Line
from chatui.view.turn_options import TurnViewOptions


class TurnsWindowView(LineView):
    """A window over turns; what its rows show is for a subclass."""

    class FollowingChanged(Message):
        """The view began or ceased to follow the end, or new text came below the window."""

        def __init__(self, is_following: bool, has_news: bool) -> None:
            super().__init__()
            self.is_following = is_following
            self.has_news = has_news

    class EarlierWanted(Message):
        """The person goes to turns that are not loaded yet."""

        def __init__(self, *, is_all: bool) -> None:
            super().__init__()
            self.is_all = is_all

    def __init__(
        self,
        options: TurnViewOptions,
        styles: ThemeStyles,
        signs: Glyphs,
        *,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(styles, signs, id=id)
        self._options = options
        self._turns = TurnList(options)
        self._window = TurnWindow(self._turns)
        self._welcome: list[Line] = []
        self._picked: int | None = None
        self.has_news = False
        self.earlier_turns = 0
        """Turns before the first one that are not loaded."""
        self._is_waiting_for_start = False
        self._is_standing_still = False
        """The end is not followed because something is being selected."""
        self._told_following = (True, False)

    # What is there

    @property
    def is_following(self) -> bool:
        """The end is followed."""
        return self._window.is_following

    @property
    def turn_count(self) -> int:
        """Number of turns."""
        return len(self._turns)

    def turn(self, index: int) -> Turn:
        """A turn."""
        return self._turns.turn(index)

    def index_of(self, turn_id: TurnId) -> int | None:
        """Where a turn stands; None if it is not known here (yet)."""
        return self._turns.index_of(turn_id)

    @property
    def turn_list(self) -> TurnList:
        """The turns and their layout."""
        return self._turns

    # Layout and moving

    def content_height(self) -> int:
        """Rows of all turns."""
        return self._turns.height if self._turns else len(self._welcome)

    def settle(self) -> int:
        """Lay out what is in sight exactly; returns its top row."""
        width = self.text_width
        if width != self._turns.width:
            self.lay_out_anew(lambda: self._window.use_width(width))
        top = self._window.settle(self.window_height)
        self._tell_following()
        return top

    def lay_out_anew(self, lay_out: Callable[[], None]) -> None:
        """Lay turns out in another way; a subclass has marks that stand in their rows."""
        lay_out()

    @property
    def reading(self) -> tuple[int, int]:
        """The turn and row at the top of the window."""
        return self._window.reading

    def moved_by_person(self, top: int) -> None:
        """The scrollbar was moved."""
        self._window.hold_row(top)
        self._moved()

    def scroll_rows(self, rows: int) -> None:
        """Move by some rows, exactly."""
        self._window.move(rows)
        self._moved()

    def to_end(self) -> None:
        """Go to the end and follow it."""
        self._window.follow_end()
        self._moved()

    def to_start(self) -> None:
        """Go to the beginning; of a long conversation it is read first."""
        if self._turns and self.earlier_turns:
            self._is_waiting_for_start = True
            self.post_message(self.EarlierWanted(is_all=True))
        elif self._turns:
            self._window.hold(0, 0)
            self._moved()
            self.settle()
            self._picked = 0 if self.is_following else None

    def to_place(self, index: int, row: int = 0, *, context: int = 0) -> None:
        """Bring a row of a turn to the top of the window, `context` rows below it."""
        self._window.show(index, row, context=context)
        self._moved()

    def to_turn(self, step: int) -> None:
        """To the beginning of the next turn, or of this or the previous one."""
        if not self._turns:
            return
        last = len(self._turns) - 1
        picked = self.picked
        index, row = self.reading
        if picked is not None or self.content_height() <= self.window_height:
            wanted = (last if picked is None else picked) + step
        elif step < 0:
            wanted = index if row else index - 1
        else:
            wanted = index + 1
        if wanted > last:
            self.to_end()
            return
        wanted = max(0, wanted)
        self.to_place(wanted)
        self.settle()
        # Near the end a turn cannot come to the top of the window: then it is picked, as its name line says.
        self._picked = None if self.reading == (wanted, 0) and not self.is_following else wanted

    @property
    def picked(self) -> int | None:
        """The turn that was gone to though it is not at the top of the window."""
        return self._picked if self._picked is not None and self._picked < len(self._turns) else None

    def to_code(self, step: int) -> bool:
        """To the next or previous code block; returns whether there is one."""
        found = self._window.next_code(step)
        if found is not None:
            self.to_place(*found, context=1)
        return found is not None

    def hold_still(self) -> None:
        """While something is selected the text does not move away under it."""
        if self.is_following:
            self._window.stand_still()
            self._is_standing_still = True

    def go_on(self) -> None:
        """Follow the end again if it was left only to select something."""
        if self._is_standing_still:
            self._is_standing_still = False
            self._window.follow_end()

    def bring_into_sight(self, place: Place) -> None:
        """Move the window no further than is needed to see a row."""
        row = self._turns.before(place.turn) + place.row
        top = int(self.scroll_y)
        first = top + (1 if row > 0 and self.window_height > 3 else 0)  # below the name line that stays
        last = top + self.window_height - 1
        if not first <= row <= last:
            self.scroll_rows(row - first if row < first else row - last)

    def _tell_following(self) -> None:
        self.has_news = self.has_news and not self.is_following
        told = (self.is_following, self.has_news)
        if told != self._told_following:
            self._told_following = told
            self.post_message(self.FollowingChanged(*told))

    def _moved(self) -> None:
        """Show where the window is now, and say what that means."""
        self._picked = None
        self._is_standing_still = False
        self._is_waiting_for_start = False  # the last wish counts
        self.content_changed()
        is_wanting = self.earlier_turns and not self.is_following
        if is_wanting and self._window.is_near_start:
            self.post_message(self.EarlierWanted(is_all=False))
