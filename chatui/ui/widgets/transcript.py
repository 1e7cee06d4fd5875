"""The transcript: turns of a conversation over the line API, following the end only when asked to.

Invariant: it only connects: turns are laid out by `TurnList`, where the window stands is known by
`TurnWindow`.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from textual import events
from textual.message import Message

from chatui.core.turn import Turn, TurnId
from chatui.ui.caret_keys import CaretKeys
from chatui.ui.code_copying import CodeCopying
from chatui.ui.code_shifts import CodeKey, CodeShifts
from chatui.ui.conversation_search import ConversationSearch
from chatui.ui.link_walking import FoundLink, next_link
from chatui.ui.painter import Row, is_code_label
from chatui.ui.selection import Place, Selection, selected_text
from chatui.ui.selection_gesture import SelectionGesture
from chatui.ui.theme import ThemeStyles
from chatui.ui.turn_list import TurnList
from chatui.ui.turn_window import TurnWindow
from chatui.ui.widgets.line_view import LineView
from chatui.view.badge import Badge
from chatui.view.glyphs import Glyphs
from chatui.view.layout.options import LayoutOptions
from chatui.view.lines import Gutter, Line
from chatui.view.turn_options import TurnViewOptions

if TYPE_CHECKING:
    from chatui.view.layout.code import CodePlace

COPY_LINK = "chatui:copy"
SHIFT_CELLS = 8
"""By which code that is not wrapped moves at once."""
STEP_CHARACTERS = 6000
"""Text taken between two looks at the event loop, so that keys are never late."""


class TranscriptView(LineView):
    """All turns of the conversation that is shown."""

    class FollowingChanged(Message):
        """The view began or ceased to follow the end, or new text came below the window."""

        def __init__(self, is_following: bool, has_news: bool) -> None:
            super().__init__()
            self.is_following = is_following
            self.has_news = has_news

    class SelectionChanged(Message):
        """Something is selected, or nothing any more."""

    class EarlierWanted(Message):
        """The person goes to turns that are not loaded yet."""

        def __init__(self, *, is_all: bool) -> None:
            super().__init__()
            self.is_all = is_all

    class Typed(Message):
        """A letter that means nothing here: the person writes."""

        def __init__(self, character: str) -> None:
            super().__init__()
            self.character = character

    class CopyWanted(Message):
        """Text was selected with keys, and is to be copied."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class CodePressed(Message):
        """The copy hint of a code block was pressed."""

        def __init__(self, source: str) -> None:
            super().__init__()
            self.source = source

    def __init__(
        self,
        options: TurnViewOptions,
        styles: ThemeStyles,
        signs: Glyphs,
        *,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(styles, signs, id=id)
        self._turns = TurnList(options)
        self._window = TurnWindow(self._turns)
        self._welcome: list[Line] = []
        self._selection: Selection | None = None
        self._gesture = SelectionGesture(self)
        self._caret_keys = CaretKeys(self)
        self._is_standing_still = False
        """The end is not followed because something is being selected."""
        self._link: FoundLink | None = None
        self._shifts = CodeShifts()
        self._options = options
        self._search = ConversationSearch()
        self._copying = CodeCopying()
        self._picked: int | None = None
        self.has_news = False
        self.earlier_turns = 0
        """Turns before the first one that are not loaded."""
        self._is_waiting_for_start = False
        self._told_following = (True, False)

    # Content

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

    def show(self, turns: Sequence[tuple[Turn, Badge]]) -> None:
        """Show other turns, at their end."""
        self._picked = None
        self._selection = None
        self._link = None
        self._is_standing_still = False
        self._caret_keys.end()
        self._shifts.forget()
        self._turns.use_width(self.text_width)
        self._turns.show(turns)
        self.to_end()

    def show_welcome(self, lines: Sequence[Line]) -> None:
        """What is shown while there is no turn."""
        self._welcome = list(lines)
        if not self._turns:
            self.content_changed()

    def put(self, turn: Turn, badge: Badge) -> bool:
        """Add a turn, or follow one that is known; returns whether text is left for `take_more`."""
        index = self._turns.index_of(turn.turn_id)
        if index is None:
            index = self._turns.add(turn, badge)
            self._picked = None
        is_seen = self.is_following or index in self._window.seen()
        has_more = self._turns.follow(index, turn, badge, is_seen=is_seen, most=STEP_CHARACTERS)
        if not self.is_following and not self.has_news and self._window.is_below(index):
            self.has_news = True
        self.content_changed()
        return has_more

    def take_more(self, turn_id: TurnId) -> bool:
        """Lay out the next piece of a turn that did not fit into one step."""
        index = self._turns.index_of(turn_id)
        if index is None:
            return False
        has_more = self._turns.follow_again(index, most=STEP_CHARACTERS)
        self.content_changed()
        return has_more

    def settle_text(self, turn_id: TurnId) -> None:
        """The stream of a turn pauses: show exactly now what is put off while text streams fast."""
        index = self._turns.index_of(turn_id)
        if index is not None:
            self._turns.settle(index)
            self.content_changed()

    def set_badge(self, turn_id: TurnId, badge: Badge) -> None:
        """Show another badge; nothing else is laid out again."""
        index = self._turns.index_of(turn_id)
        if index is not None and self._turns.set_badge(index, badge):
            self.content_changed()

    def prepend(self, turns: Sequence[tuple[Turn, Badge]]) -> None:
        """Show earlier turns above; what is read stays where it is."""
        self._turns.prepend(turns)
        self._window.prepended(len(turns))
        self._search.forget_place()
        self._picked = None if self._picked is None else self._picked + len(turns)
        if self._selection is not None:
            self._selection = self._selection.moved(len(turns))
        self._link = None
        if self._caret_keys.caret is not None:
            self._caret_keys.caret.moved(len(turns))
        if self._is_waiting_for_start:
            self._is_waiting_for_start = False
            self.to_start()
        else:
            self.content_changed()

    def drop(self, turn_id: TurnId) -> None:
        """Take a turn away (an unfinished one that was dismissed)."""
        if self._turns.drop(turn_id):
            self._caret_keys.end()
            self._selection = None
            self._link = None
            self._picked = None
            self.content_changed()

    def set_foot_hint(self, hint: str) -> None:
        """What to press before the keys of a failed turn's foot work."""
        if self._turns.set_foot_hint(hint):
            self.content_changed()

    def toggle_fold(self, index: int) -> None:
        """Fold or unfold the prompt of a turn."""
        if 0 <= index < len(self._turns):
            self._turns.toggle_fold(index)
            self.content_changed()

    def toggle_details(self, index: int) -> None:
        """Unfold or fold reasoning and tool blocks of a turn."""
        if 0 <= index < len(self._turns):
            self._turns.toggle_details(index)
            self.content_changed()

    @property
    def layout_options(self) -> LayoutOptions:
        """How answers are laid out."""
        return self._options.layout

    def use_layout(self, layout: LayoutOptions) -> None:
        """Lay out answers in another way; what is read stays in sight."""
        if layout != self._options.layout:
            self._options = replace(self._options, layout=layout)
            self._shifts.forget()
            self._window.use_options(self._options)
            self.content_changed()

    # Layout and moving

    def content_height(self) -> int:
        """Rows of all turns."""
        return self._turns.height if self._turns else len(self._welcome)

    def settle(self) -> int:
        """Lay out what is in sight exactly; returns its top row."""
        self._window.use_width(self.text_width)
        top = self._window.settle(self.window_height)
        self._tell_following()
        return top

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

    def to_code(self, step: int) -> None:
        """To the next or previous code block."""
        found = self._window.next_code(step)
        if found is not None:
            self.to_place(*found, context=1)

    def search(self, text: str, step: int) -> str:
        """Go to the next (or previous) place that holds this text; says what was found."""
        if not text or not self._turns:
            self.select(None)
            return ""
        found = self._search.find(
            text, step, self._turns.turns(), self._turns.view, self._turns.layout_key, self.reading
        )
        if found is None:
            self.select(None)
            return "not found"
        place, stop, number, total = found
        self.to_place(place.turn, place.row, context=self.window_height // 3)
        self.select(Selection(place, place._replace(cell=stop)))
        return f"{number} of {total}"

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
        self.content_changed()
        is_wanting = self.earlier_turns and not self._is_waiting_for_start and not self.is_following
        if is_wanting and self._window.is_near_start:
            self.post_message(self.EarlierWanted(is_all=False))

    # Rows

    def visible_rows(self, top: int, height: int) -> list[Row]:
        """Rows of the window, the sticky name line included."""
        if not self._turns:
            return [Row(line) for line in self._welcome[top : top + height]]
        rows: list[Row] = []
        index, row = self._turns.find(top)
        view = self._turns.view(index)
        sticky = Row(view.name_line, Gutter.PAGE, "raised") if height > 3 and row > view.name_row else None
        while len(rows) < height and index < len(self._turns):
            view = self._turns.view(index)
            for at in range(row, min(view.height, row + height - len(rows))):
                line, gutter = view.row(at)
                surface = "raised" if index == self._picked and at == view.name_row else "page"
                rows.append(
                    Row(
                        line,
                        gutter,
                        surface,
                        self._selected(index, at, line),
                        self._caret_cell(index, at),
                        self._shift(index, at),
                    )
                )
            index += 1
            row = 0
        if sticky is not None and rows:
            rows[0] = sticky
        return rows

    # Selection and copying

    def _selected(self, index: int, row: int, line: Line) -> tuple[int, int] | None:
        link = self._link
        if link is not None and link.place[:2] == (index, row):
            return link.place.cell, link.stop
        return self._selection.cells_of(index, row, line) if self._selection is not None else None

    def _caret_cell(self, index: int, row: int) -> int | None:
        caret = self._caret_keys.caret
        return caret.place.cell if caret is not None and caret.place[:2] == (index, row) else None

    def _shift(self, index: int, row: int) -> int:
        key = self._code_key(index, row) if self._shifts else None
        return self._shifts.of(key) if key is not None else 0

    def _code_key(self, index: int, row: int) -> CodeKey | None:
        code = self._turns.view(index).code_at(row)
        return CodeKey(self._turns.turn(index).turn_id, code[0], code[1].block) if code else None

    def shift_code(self, cells: int, y: int | None = None) -> bool:
        """Move code that is cut at the edge: the block at a row of the window, or all in sight."""
        top = int(self.scroll_y)
        most: dict[CodeKey, int] = {}
        for at in range(top, min(top + self.window_height, self.content_height())):
            if not self._turns:
                break
            index, row = self._turns.find(at)
            key = self._code_key(index, row)
            if key is not None:
                line = self._turns.view(index).row(row)[0]
                most[key] = max(most.get(key, 0), line.cells + 1 - self.text_width)
        if y is not None:
            wanted = self._code_key(*self._turns.find(top + y)) if self._turns else None
            most = {key: size for key, size in most.items() if key == wanted}
        has_moved = self._shifts.move(most.items(), cells)
        if has_moved:
            self.content_changed()
        return has_moved

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
                self._go_on()
            self.content_changed()

    @property
    def turn_list(self) -> TurnList:
        """The turns and their layout."""
        return self._turns

    @property
    def is_selecting(self) -> bool:
        """A caret for selecting with keys is shown."""
        return self._caret_keys.caret is not None

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
        self._caret_keys.end()
        self.select(None)

    def caret_changed(self) -> None:
        """The caret came, moved or went."""
        if not self.is_selecting and self._selection is None:
            self._go_on()
        self.post_message(self.SelectionChanged())
        self.content_changed()

    def hold_still(self) -> None:
        """While something is selected the text does not move away under it."""
        if self.is_following:
            self._window.stand_still()
            self._is_standing_still = True

    def _go_on(self) -> None:
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
        if self.is_selecting:
            self.hold_still()

    # Links

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
        if selection is None or not self._turns:
            return ""
        start, stop = selection.start, selection.stop
        lines = (
            (index, row, self._turns.view(index).row(row)[0])
            for index in range(start.turn, stop.turn + 1)
            for row in range(
                start.row if index == start.turn else 0,
                (stop.row + 1) if index == stop.turn else self._turns.view(index).height,
            )
        )
        return selected_text(selection, lines, self._code_place)

    def _code_place(self, index: int, row: int) -> "CodePlace | None":
        code = self._turns.view(index).code_at(row)
        return code[1] if code is not None else None

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
        return super().link_at(x, y)

    def _code_source_at(self, row: int) -> str:
        index, at = self._turns.find(int(self.scroll_y) + row)
        for start, region in self._turns.view(index).code_regions():
            if start + region.first_line <= at < start + region.stop_line:
                return region.source
        return ""

    # Mouse

    def on_blur(self) -> None:
        """Who goes elsewhere selects no more with keys; what is marked stays."""
        self._caret_keys.end()

    async def _on_key(self, event: events.Key) -> None:
        if self._caret_keys.key(event):
            event.stop()
            event.prevent_default()
        elif event.is_printable and event.character and event.key not in self._bindings.key_to_bindings:
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
        if self._gesture.is_active:
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
