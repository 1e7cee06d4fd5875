"""The turns with what is marked in them: a selection by mouse or keys, the link at hand, a match of a search.

Invariant: what is marked is what was marked: a mark stands at a place in a turn, moves with what comes before
it, and goes where its rows are laid out anew.
"""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from textual.message import Message

from chatui.ui.painter import Row
from chatui.ui.turns.selection import Place, Selection, text_in
from chatui.ui.widgets.turns_view import TurnsView
from chatui.view.lines import Line

if TYPE_CHECKING:
    from chatui.ui.search_run import SearchRun
    from chatui.ui.turns.caret_keys import CaretKeys
    from chatui.ui.turns.conversation_search import ConversationSearch, Found
    from chatui.ui.turns.link_walking import FoundLink
    from chatui.ui.turns.reading_caret import ReadingCaret
    from chatui.ui.turns.selection_gesture import SelectionGesture


class MarkedTurns(TurnsView):
    """Turns of which something may be marked."""

    class SelectionChanged(Message):
        """Something is selected, or nothing any more."""

    class CopyWanted(Message):
        """Text was selected with keys, and is to be copied."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    _selection: Selection | None = None
    _link: "FoundLink | None" = None
    _searched = ""
    """What is searched for: all that is in sight of it is marked."""
    _search_run: "SearchRun | None" = None

    # Who does what; each is made when it first has to do something

    @cached_property
    def _gesture(self) -> "SelectionGesture":
        """Selecting with the mouse."""
        from chatui.ui.turns.selection_gesture import SelectionGesture

        return SelectionGesture(self)

    @cached_property
    def _caret_keys(self) -> "CaretKeys":
        """Selecting with keys."""
        from chatui.ui.turns.caret_keys import CaretKeys

        return CaretKeys(self)

    @cached_property
    def _search(self) -> "ConversationSearch":
        """Search in the conversation; made when somebody searches."""
        from chatui.ui.turns.conversation_search import ConversationSearch

        return ConversationSearch()

    # Marks

    def forget_marks(self) -> None:
        """Other turns are shown: what was marked is not there any more."""
        self.stop_searching()
        self._selection = None
        self._link = None
        self._end_caret()
        if "_gesture" in self.__dict__:
            self._gesture.lose_anchor()

    def lay_out_anew(self, lay_out: Callable[[], None]) -> None:
        """Lay turns out in another way: the caret stays at its text, marks where no row changes."""
        caret, marked = self._caret, self._marked_turns()
        before = [self._turns.layout_key(turn) for turn in marked]
        mark = self._turns.view(caret.place.turn).mark(caret.place.row) if caret is not None else None
        lay_out()
        if before == [self._turns.layout_key(turn) for turn in marked]:
            return
        if caret is not None and mark is not None:
            caret.stand_at(self._turns.view(caret.place.turn).row_at(mark))
        if "_gesture" in self.__dict__:
            self._gesture.lose_anchor()
        self.select(None)
        self._link = None

    def _marked_turns(self) -> list[int]:
        """The turns in which a mark begins or ends."""
        places = [*(self._selection or ())]
        places += [self._link.place] if self._link is not None else []
        places += [self._caret.place] if self._caret is not None else []
        return [place.turn for place in places]

    def marks_moved(self, turns: int) -> None:
        """Some turns came before what is marked."""
        if "_search" in self.__dict__:
            self._search.forget_place()
        if self._search_run is not None:
            self._search_run.begin_anew()
        if "_gesture" in self.__dict__:
            self._gesture.moved(turns)
        self._link = None
        if self._selection is not None:
            self._selection = self._selection.moved(turns)
        if self._caret is not None:
            self._caret.moved(turns)

    def marked(self, index: int, at: int, row: Row) -> Row:
        """A row with what is selected of it, and the caret."""
        line = row.line
        if line is None:
            return row
        if self._searched:
            row = row._replace(found=self._search.cells_of(line, self._searched))
        if (self._selection or self._link or self._caret) is None:
            return row
        return row._replace(selected=self._selected(index, at, line), caret=self._caret_cell(index, at))

    def search(self, text: str, step: int) -> str:
        """Go to the next (or previous) place that holds this text, at once; says what was found."""
        self.stop_searching()
        self._searched = text
        found = self._search.find(text, step, self._turns, self.reading) if text and self._turns else None
        return self._go_to(found) if text and self._turns else self._mark_nothing()

    def look_for(self, text: str, step: int, tell: Callable[[str], None]) -> None:
        """The same in steps, so that keys are answered meanwhile; tells what is said of it, now or later."""
        self.stop_searching()
        self._searched = text
        if not text or not self._turns:
            tell(self._mark_nothing())
            return
        from chatui.ui.search_run import SearchRun

        self._search_run = SearchRun(
            self,
            lambda: self._search.looking(text, step, self._turns, self.reading),
            lambda looking: self._go_to(looking.found),
        )
        self._search_run.start(tell)

    def stop_searching(self) -> None:
        """A search that runs looks no further."""
        if self._search_run is not None:
            self._search_run.stop()
            self._search_run = None

    def _mark_nothing(self) -> str:
        self.select(None)
        self.content_changed()
        return ""

    def _go_to(self, found: "Found | None") -> str:
        if found is None:
            self._mark_nothing()
            return "not found"
        self.to_place(found.start.turn, found.start.row, context=self.window_height // 3)
        self.hold_still()  # what was found near the end of an answer that comes does not run away
        self.select(Selection(found.start, found.stop))
        return found.words

    def _selected(self, index: int, row: int, line: Line) -> tuple[int, int] | None:
        link = self._link
        if link is not None and link.place[:2] == (index, row):
            return link.place.cell, link.stop
        return self._selection.cells_of(index, row, line) if self._selection is not None else None

    def _caret_cell(self, index: int, row: int) -> int | None:
        caret = self._caret
        return caret.place.cell if caret is not None and caret.place[:2] == (index, row) else None

    @property
    def selection(self) -> Selection | None:
        """What is selected."""
        return self._selection

    def select(self, selection: Selection | None) -> None:
        """Select, or select nothing."""
        if selection != self._selection:
            if (selection is None) != (self._selection is None):
                self.post_message(self.SelectionChanged())
            self._selection = selection
            self._link = None
            if selection is None and not self.is_selecting:
                self.go_on()
            self.content_changed()

    @property
    def _caret(self) -> "ReadingCaret | None":
        return self._caret_keys.caret if "_caret_keys" in self.__dict__ else None

    def _end_caret(self) -> None:
        if "_caret_keys" in self.__dict__:
            self._caret_keys.end()

    @property
    def is_selecting(self) -> bool:
        """A caret for selecting with keys is shown."""
        return self._caret is not None

    def select_with_keys(self, *, takes_rows: bool | None = None) -> None:
        """Show a caret at what is selected or found, else in the middle of the window."""
        if not self._turns:
            return
        place = self._link.place if self._link is not None else None
        if place is None and self._selection is not None:
            place = self._selection.start
        if place is None:
            rows = min(self.window_height, self.content_height())
            place = Place(*self._turns.find(int(self.scroll_y) + max(0, rows // 2)), 0)
        self._caret_keys.begin(place, takes_rows=takes_rows)

    def leave_selecting(self) -> None:
        """Take the caret and what it selected away."""
        self._end_caret()
        self.leave_search()

    def leave_search(self) -> None:
        """Nothing that was searched for, and nothing else, is marked any more."""
        self.stop_searching()
        self._searched = ""
        self.select(None)
        self.content_changed()

    def caret_changed(self) -> None:
        """The caret came, moved or went."""
        if not self.is_selecting and self._selection is None:
            self.go_on()
        self.post_message(self.SelectionChanged())
        self.content_changed()

    @property
    def link_at_hand(self) -> tuple[str, int] | None:
        """The raw link that keys went to, and its turn."""
        return (self._link.link, self._link.place.turn) if self._link is not None else None

    def to_link(self, step: int) -> str:
        """Go to the next or previous link; returns it, or empty."""
        if not self._turns:
            return ""
        if self._link is not None:
            origin = self._link.place
        else:
            top = int(self.scroll_y)
            edge = top if step > 0 else top + self.window_height - 1
            origin = Place(*self._turns.find(edge), -1 if step > 0 else 1 << 30)
        from chatui.ui.turns.link_walking import next_link

        found = next_link(self._turns, origin, step)
        if found is None:
            return ""
        self.bring_into_sight(found.place)
        self._link = found
        self.content_changed()
        return found.link

    def leave_link(self) -> bool:
        """No link is at hand any more; returns whether one was."""
        was = self._link is not None
        self._link = None
        if was:
            self.content_changed()
        return was

    def bring_into_sight(self, place: Place) -> None:
        """Move the window no further than is needed to see a row; who selects does not follow the end."""
        super().bring_into_sight(place)
        if self.is_selecting:
            self.hold_still()

    def place_at(self, x: int, y: int) -> Place:
        """The place under a cell of the window (or beyond its edges)."""
        row = max(0, min(int(self.scroll_y) + y, self.content_height() - 1))
        index, at = self._turns.find(row)
        shown = Row(self._turns.view(index).row(at)[0], shift=self._shift(index, at))
        return Place(index, at, max(0, shown.line_cell(x - self.margin)))

    def line_at(self, place: Place) -> Line:
        """The line of a place."""
        return self._turns.view(place.turn).row(place.row)[0]

    def selected_text(self) -> str:
        """The selected text as it is copied."""
        selection = self._selection
        return text_in(selection, self._turns) if selection is not None and self._turns else ""
