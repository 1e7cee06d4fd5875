"""The transcript: turns of a conversation over the line API, laid out lazily, following the end only when asked to.

Invariants: the window is held by a place in a turn (not by a row number), so estimates that become exact above it do
not move what is read; the end is followed only while the person is at the end; only what was shown is laid out, and
only the last `MOST_LAID_OUT` turns are kept laid out.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from textual import events
from textual.message import Message

from chatui.core.turn import Phase, Turn, TurnId
from chatui.ui.heights import Heights
from chatui.ui.painter import Row, is_code_label
from chatui.ui.conversation_search import ConversationSearch
from chatui.ui.selection import Place, Selection, selected_text
from chatui.ui.selection_gesture import SelectionGesture
from chatui.ui.widgets.line_view import LineView
from chatui.view.badge import Badge
from chatui.view.lines import Line
from chatui.view.sections import Gutter
from chatui.view.turn_view import TurnView, TurnViewOptions

MOST_LAID_OUT = 200
COPY_LINK = "chatui:copy"
STEP_CHARACTERS = 6000
"""Text taken between two looks at the event loop, so that keys are never late."""


@dataclass(slots=True)
class Entry:
    """A turn and what is known of its look."""

    turn: Turn
    badge: Badge
    view: TurnView | None = None
    is_unfolded: bool = False
    revision: int = field(default=0)


class TranscriptView(LineView):
    """All turns of the conversation that is shown."""

    class FollowingChanged(Message):
        """The view began or ceased to follow the end, or new text came below the window."""

        def __init__(self, is_following: bool, has_news: bool) -> None:
            super().__init__()
            self.is_following = is_following
            self.has_news = has_news

    class CodePressed(Message):
        """The copy hint of a code block was pressed."""

        def __init__(self, source: str) -> None:
            super().__init__()
            self.source = source

    def __init__(self, options: TurnViewOptions, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self._options = options
        self._entries: list[Entry] = []
        self._index_of: dict[TurnId, int] = {}
        self._heights = Heights()
        self._laid_out: OrderedDict[int, None] = OrderedDict()
        self._anchor = (0, 0)
        self._welcome: list[Line] = []
        self._selection: Selection | None = None
        self._laid_width = 0
        self._gesture = SelectionGesture(self)
        self._search = ConversationSearch()
        self.is_following = True
        self.has_news = False
        self.current_turn: int | None = None
        """Index of a turn that is marked for keys; None is the last."""

    # Content

    @property
    def turn_count(self) -> int:
        """Number of turns."""
        return len(self._entries)

    def turn(self, index: int) -> Turn:
        """A turn."""
        return self._entries[index].turn

    def index_of(self, turn_id: TurnId) -> int | None:
        """Where a turn stands."""
        return self._index_of.get(turn_id)

    def show(self, turns: Sequence[tuple[Turn, Badge]], *, is_at_end: bool = True) -> None:
        """Show other turns."""
        self._entries = [Entry(turn, badge) for turn, badge in turns]
        self._index_of = {entry.turn.turn_id: index for index, entry in enumerate(self._entries)}
        self._laid_out.clear()
        self._selection = None
        self._laid_width = self.text_width
        self._heights = Heights(self._estimate(entry.turn) for entry in self._entries)
        self._anchor = (0, 0)
        self._follow(is_at_end)
        self.content_changed()

    def show_welcome(self, lines: Sequence[Line]) -> None:
        """What is shown while there is no turn."""
        self._welcome = list(lines)
        if not self._entries:
            self.content_changed()

    def put(self, turn: Turn, badge: Badge) -> bool:
        """Add a turn, or follow one that is known; returns whether text is left for `take_more`."""
        index = self._index_of.get(turn.turn_id)
        if index is None:
            index = len(self._entries)
            self._entries.append(Entry(turn, badge))
            self._index_of[turn.turn_id] = index
            self._heights.append(self._estimate(turn))
        has_more = self._update(index, turn, badge)
        if not self.is_following and not self.has_news and self._is_below(index):
            self.has_news = True
            self.post_message(self.FollowingChanged(self.is_following, self.has_news))
        self.content_changed()
        return has_more

    def take_more(self, turn_id: TurnId) -> bool:
        """Lay out the next piece of a turn that did not fit into one step."""
        index = self._index_of.get(turn_id)
        if index is None:
            return False
        entry = self._entries[index]
        has_more = self._update(index, entry.turn, entry.badge)
        self.content_changed()
        return has_more

    def set_badge(self, turn_id: TurnId, badge: Badge) -> None:
        """Show another badge; nothing else is laid out again."""
        index = self._index_of.get(turn_id)
        if index is None:
            return
        entry = self._entries[index]
        entry.badge = badge
        if entry.view is not None and entry.view.set_badge(badge):
            self.content_changed()

    def remove(self, turn_id: TurnId) -> None:
        """Take a turn away (an unfinished one that was dismissed)."""
        left = [(entry.turn, entry.badge) for entry in self._entries if entry.turn.turn_id != turn_id]
        if len(left) != len(self._entries):
            self.show(left)

    def set_foot_hint(self, hint: str) -> None:
        """What to press before the keys of a failed turn's foot work."""
        for index in list(self._laid_out):
            view = self._entries[index].view
            if view is not None and view.turn.phase is Phase.FAILED:
                view.set_foot_hint(hint)
                self._heights[index] = view.height
        self._foot_hint = hint
        self.content_changed()

    _foot_hint = ""

    def toggle_fold(self, index: int) -> None:
        """Fold or unfold the prompt of a turn."""
        entry = self._entries[index]
        entry.is_unfolded = not entry.is_unfolded
        if entry.view is not None:
            entry.view.toggle_fold()
            self._heights[index] = entry.view.height
        self.content_changed()

    def use_options(self, options: TurnViewOptions) -> None:
        """Lay out in another way."""
        self._options = options
        for index in list(self._laid_out):
            self._entries[index].view = None
        self._laid_out.clear()
        self.content_changed()

    # Layout

    def _estimate(self, turn: Turn) -> int:
        width = max(8, self.text_width)
        rows = 4
        for text in (turn.prompt, turn.text):
            rows += len(text) // width + text.count("\n") + 1
        return rows

    def _is_below(self, index: int) -> bool:
        return self._heights.before(index + 1) > int(self.scroll_y) + self.window_height

    def _update(self, index: int, turn: Turn, badge: Badge) -> bool:
        entry = self._entries[index]
        entry.turn = turn
        entry.badge = badge
        view = entry.view
        if view is None:
            if index not in self._visible_indexes() and not self.is_following:
                self._heights[index] = self._estimate(turn)
                return False
            self._view(index)
            return False
        view.set_badge(badge)
        has_more = view.update(turn, most=STEP_CHARACTERS)
        self._heights[index] = view.height
        return has_more

    def _visible_indexes(self) -> range:
        if not self._entries or self.window_height <= 0:
            return range(0)
        top = int(self.scroll_y)
        first, _ = self._heights.find(top)
        last, _ = self._heights.find(top + self.window_height - 1)
        return range(first, last + 1)

    def _view(self, index: int) -> TurnView:
        """The laid-out turn; its exact height becomes known."""
        entry = self._entries[index]
        view = entry.view
        if view is None:
            view = entry.view = TurnView(entry.turn, entry.badge, self.text_width, self._options)
            view.set_foot_hint(self._foot_hint)
            if entry.is_unfolded:
                view.toggle_fold()
        elif view.width != self.text_width:
            view.resize(self.text_width)
        self._laid_out[index] = None
        self._laid_out.move_to_end(index)
        if len(self._laid_out) > MOST_LAID_OUT:
            self._forget_oldest()
        self._heights[index] = view.height
        return view

    def _forget_oldest(self) -> None:
        for index in self._laid_out:
            entry = self._entries[index]
            if entry.turn.phase is not Phase.RECEIVING:
                entry.view = None
                del self._laid_out[index]
                return

    def content_height(self) -> int:
        """Rows of all turns."""
        return self._heights.total if self._entries else len(self._welcome)

    def settle(self) -> int:
        """Lay out the window exactly around its anchor; returns its top row."""
        if not self._entries:
            return 0
        if self._laid_width != self.text_width:
            self._laid_width = self.text_width
            for index, entry in enumerate(self._entries):
                self._heights[index] = self._estimate(entry.turn)
        if not self.is_following:
            top = self._settle_at_anchor()
            if top is not None:
                return top
        return self._settle_at_end()

    def _settle_at_anchor(self) -> int | None:
        index, row = self._anchor
        index = min(index, len(self._entries) - 1)
        first = self._view(index)
        row = min(row, first.height - 1)
        left = self.window_height - (first.height - row)
        at = index + 1
        while left > 0 and at < len(self._entries):
            left -= self._view(at).height
            at += 1
        if left > 0:
            return None
        self._anchor = (index, row)
        return self._heights.before(index) + row

    def _settle_at_end(self) -> int:
        left = self.window_height
        at = len(self._entries) - 1
        while left > 0 and at >= 0:
            left -= self._view(at).height
            at -= 1
        top = max(0, self._heights.total - self.window_height)
        self._anchor = self._heights.find(top)
        return top

    def moved_by_person(self, top: int) -> None:
        """Hold the window at this row; following begins again at the end."""
        self._anchor = self._heights.find(max(0, top))
        self._follow(top >= self.content_height() - self.window_height)

    def _follow(self, is_following: bool) -> None:
        has_news = self.has_news and not is_following
        if is_following != self.is_following or has_news != self.has_news:
            self.is_following = is_following
            self.has_news = has_news
            self.post_message(self.FollowingChanged(is_following, has_news))

    def scroll_rows(self, rows: int) -> None:
        """Move by some rows; turns that come into the window are laid out first, so the step is exact."""
        if not self._entries:
            return
        index, row = self._heights.find(int(self.scroll_y))
        row += rows
        while row < 0 and index > 0:
            index -= 1
            row += self._view(index).height
        while index < len(self._entries) - 1 and row >= self._view(index).height:
            row -= self._view(index).height
            index += 1
        row = max(0, min(row, self._view(index).height - 1))
        self._hold((index, row))

    def _hold(self, anchor: tuple[int, int]) -> None:
        self._anchor = anchor
        top = self._heights.before(anchor[0]) + anchor[1]
        self._follow(top >= self._heights.total - self.window_height)
        self.content_changed()
        if not self.is_following and self._heights.total - self.window_height <= int(self.scroll_y):
            self._follow(True)

    def to_end(self) -> None:
        """Go to the end and follow it."""
        self._follow(True)
        self.content_changed()

    def to_start(self) -> None:
        """Go to the beginning."""
        self._hold((0, 0))

    def to_place(self, index: int, row: int = 0, *, context: int = 0) -> None:
        """Bring a row of a turn to the top of the window, `context` rows below it."""
        self._view(index)
        self._anchor = (index, row)
        top = max(0, self._heights.before(index) + row - context)
        self._hold(self._heights.find(top))

    # Rows

    def visible_rows(self, top: int, height: int) -> list[Row]:
        """Rows of the window, the sticky name line included."""
        if not self._entries:
            return [Row(line) for line in self._welcome[top : top + height]]
        rows: list[Row] = []
        index, row = self._heights.find(top)
        sticky = self._sticky(index, row) if height > 3 else None
        while len(rows) < height and index < len(self._entries):
            view = self._entries[index].view or self._view(index)
            stop = min(view.height, row + height - len(rows))
            for at in range(row, stop):
                line, gutter = view.row(at)
                rows.append(Row(line, gutter, "page", self._selected(index, at, line)))
            index += 1
            row = 0
        if sticky is not None and rows:
            rows[0] = sticky
        return rows

    def _sticky(self, index: int, row: int) -> Row | None:
        view = self._entries[index].view or self._view(index)
        return Row(view.name_line, Gutter.PAGE, "raised") if row > view.name_row else None

    def _selected(self, index: int, row: int, line: Line) -> tuple[int, int] | None:
        return self._selection.cells_of(index, row, line) if self._selection is not None else None

    # Selection

    @property
    def selection(self) -> Selection | None:
        """What is selected."""
        return self._selection

    def select(self, selection: Selection | None) -> None:
        """Select, or select nothing."""
        if selection != self._selection:
            self._selection = selection
            self.content_changed()

    def place_at(self, x: int, y: int) -> Place:
        """The place under a cell of the window (or beyond its edges)."""
        row = max(0, min(int(self.scroll_y) + y, self.content_height() - 1))
        index, at = self._heights.find(row)
        return Place(index, at, max(0, x - self.margin))

    def line_at(self, place: Place) -> Line:
        """The line of a place."""
        return self._view(place.turn).row(place.row)[0]

    def selected_text(self) -> str:
        """The selected text as it is copied."""
        selection = self._selection
        if selection is None or not self._entries:
            return ""
        lines = (
            (index, row, self._view(index).row(row)[0])
            for index in range(selection.start.turn, selection.stop.turn + 1)
            for row in range(
                selection.start.row if index == selection.start.turn else 0,
                (selection.stop.row + 1) if index == selection.stop.turn else self._view(index).height,
            )
        )
        return selected_text(selection, lines)

    def view_of(self, index: int) -> TurnView:
        """The laid-out turn."""
        return self._view(index)

    @property
    def reading(self) -> tuple[int, int]:
        """The turn and row at the top of the window."""
        return self._heights.find(int(self.scroll_y))

    # Moving by what is in the text

    def to_turn(self, step: int) -> None:
        """To the beginning of the next turn, or of this or the previous one."""
        if not self._entries:
            return
        index, row = self.reading
        if step > 0:
            if index + 1 < len(self._entries):
                self.to_place(index + 1)
            else:
                self.to_end()
        else:
            self.to_place(index if row else max(0, index - 1))

    def to_code(self, step: int) -> None:
        """To the next or previous code block."""
        index, row = self.reading
        while 0 <= index < len(self._entries):
            rows = [start + region.first_line for start, region in self._view(index).code_regions()]
            wanted = [at for at in rows if (at > row + 1 if step > 0 else at < row + 1)]
            if wanted:
                self.to_place(index, wanted[0] if step > 0 else wanted[-1], context=1)
                return
            index += step
            row = -2 if step > 0 else 1 << 40

    def next_code_to_copy(self) -> tuple[str, int, int] | None:
        """The source of the last visible code block; asked again, of the one before it."""
        found: list[tuple[int, int, str]] = []
        top = int(self.scroll_y)
        for index in self._visible_indexes():
            before = self._heights.before(index)
            for start, region in self._view(index).code_regions():
                first, stop = before + start + region.first_line, before + start + region.stop_line
                if stop > top and first < top + self.window_height:
                    found.append((first, index, region.source))
        if not found:
            for index in range(len(self._entries) - 1, max(-1, len(self._entries) - 50), -1):
                regions = self._view(index).code_regions()
                if regions:
                    found = [(0, index, region.source) for _, region in regions]
                    break
        if not found:
            return None
        sources = [source for _, _, source in found]
        self._copied = (self._copied - 1) % len(sources) if self._copy_list == sources else len(sources) - 1
        self._copy_list = sources
        return sources[self._copied], self._copied + 1, len(sources)

    _copied = 0
    _copy_list: ClassVar[list[str]] = []

    def search(self, text: str, step: int) -> str:
        """Go to the next place (or, for a negative step, the previous one) that holds this text; says what was found."""
        turns = [entry.turn for entry in self._entries]
        if not text or not turns:
            self.select(None)
            return ""
        found = self._search.find(text, step, turns, self._view, self.reading)
        if found is None:
            self.select(None)
            return "not found"
        place, stop, number, total = found
        self.to_place(place.turn, place.row, context=self.window_height // 3)
        self.select(Selection(place, place._replace(cell=stop)))
        return f"{number} of {total}"

    def link_at(self, x: int, y: int) -> str:
        """The raw link under a cell; the copy hint of a code block is one too."""
        rows = self._painted
        line = rows[y].line if 0 <= y < len(rows) else None
        if line is not None and is_code_label(line) and x > self.margin + line.cells:
            return COPY_LINK
        return super().link_at(x, y)

    def code_source_at(self, row: int) -> str:
        """The source of the code block at a row of the window."""
        index, at = self._heights.find(int(self.scroll_y) + row)
        for start, region in self._view(index).code_regions():
            if start + region.first_line <= at < start + region.stop_line:
                return region.source
        return ""

    # Mouse

    def _on_mouse_down(self, event: events.MouseDown) -> None:
        self._gesture.down(event)

    def _on_mouse_move(self, event: events.MouseMove) -> None:
        if self._gesture.is_active:
            self._gesture.move(event)
        else:
            super()._on_mouse_move(event)

    def _on_mouse_up(self, event: events.MouseUp) -> None:
        if not self._gesture.up() and event.button == 1:
            link = self.link_at(event.x, event.y)
            self.select(None)
            if link == COPY_LINK:
                self.post_message(self.CodePressed(self.code_source_at(event.y)))
            elif link:
                index = self._heights.find(int(self.scroll_y) + event.y)[0] if self._entries else -1
                self.post_message(self.LinkPressed(self, link, index))

    def _on_click(self, event: events.Click) -> None:
        self._gesture.clicked(event)
