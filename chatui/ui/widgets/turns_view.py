"""The turns of a conversation over the line API, following the end only when asked to.

Invariant: it only connects: turns are laid out by `TurnList`, where the window stands is known by
`TurnWindow`; a turn that was never in sight is not laid out.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from chatui.core.turn import Turn, TurnId
from chatui.ui.painter import Row
from chatui.ui.stepping import STEP_CHARACTERS, in_the_next_turn
from chatui.ui.turns.code_shifts import CodeKey, CodeShifts
from chatui.ui.widgets.turns_window_view import TurnsWindowView
from chatui.view.badge import Badge
from chatui.view.layout.options import LayoutOptions
from chatui.view.lines import Gutter, Line

if TYPE_CHECKING:
    from chatui.core.turn_outline import TurnOutline
    from chatui.ui.pictures.gallery import Gallery
    from chatui.ui.turns.turn_source import TurnSource

Told = TypeVar("Told")
SHIFT_CELLS = 8
"""By which code that is not wrapped moves at once."""


class TurnsView(TurnsWindowView):
    """All turns of the conversation that is shown, to be read; marks are added by a subclass."""

    _is_laying_out = False
    """A step of a very long turn is on its way."""

    is_emptied = False
    """The last turn was taken away while it was read."""

    def on_mount(self) -> None:
        """From now on very long turns are laid out in steps, their end first."""
        self._turns.early.on_more = self._lay_out_soon

    def _lay_out_soon(self) -> None:
        if not self._is_laying_out:
            self._is_laying_out = True
            in_the_next_turn(self, self._lay_out_more)

    def _lay_out_more(self) -> None:
        self._is_laying_out = False
        whole = self._turns.early.lay_out_more()
        if whole is not None:
            self.lay_out_anew(lambda: self._window.lay_out_anew(lambda: self._turns.show_whole(whole)))
            self.content_changed()
        if self._turns.early:
            self._lay_out_soon()

    @cached_property
    def _shifts(self) -> CodeShifts:
        """How far code was moved sideways."""
        return CodeShifts()

    # What a subclass adds

    def forget_marks(self) -> None:
        """Other turns are shown: what was marked is not there any more."""

    def marks_moved(self, turns: int) -> None:
        """Some turns came before what is marked."""

    def marked(self, index: int, at: int, row: Row) -> Row:
        """A row with its marks."""
        del index, at
        return row

    # Content

    def show(self, turns: Sequence[tuple[Turn, Badge]]) -> None:
        """Show other turns, at their end."""
        self._picked = None
        self.is_emptied = False
        self._is_standing_still = False
        self.forget_marks()
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
            self.is_emptied = False
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

    def read_from(self, source: "TurnSource") -> None:
        """Read turns from here when they are looked at and not in memory."""
        self._turns.read_from(source)

    def prepend(self, turns: "Sequence[TurnOutline]") -> None:
        """Earlier turns stand above, read when they come into sight; what is read stays where it is."""
        self._turns.prepend(turns)
        self._window.prepended(len(turns))
        self._picked = None if self._picked is None else self._picked + len(turns)
        self.marks_moved(len(turns))
        if self._is_waiting_for_start:
            self._is_waiting_for_start = False
            self.to_start()
        else:
            self.content_changed()

    def use_sizes(self, sizes: Iterable[tuple[TurnId, int]]) -> None:
        """Know better how large earlier turns are; what is read stays where it is."""
        self._turns.use_sizes(sizes)
        self.content_changed()

    def wait_no_more(self) -> None:
        """Earlier turns cannot be read: they are asked for again when somebody goes there again."""
        self._is_waiting_for_start = False

    def drop(self, turn_id: TurnId) -> None:
        """Take a turn away (an unfinished one that was dismissed)."""
        if self._turns.drop(turn_id):
            self.is_emptied = not self._turns
            self._picked = None
            self.forget_marks()
            self.content_changed()

    def set_foot_hint(self, hint: str) -> None:
        """What to press before the keys of a failed turn's foot work."""
        if self._turns.set_foot_hint(hint):
            self.content_changed()

    def toggle_fold(self, index: int) -> None:
        """Fold or unfold the prompt of a turn."""
        if 0 <= index < len(self._turns):
            self._toggle(lambda: self._turns.toggle_fold(index))

    def toggle_details(self, index: int) -> None:
        """Unfold or fold reasoning and tool blocks of a turn."""
        if 0 <= index < len(self._turns):
            self._toggle(lambda: self._turns.toggle_details(index))

    def toggle_folds(self) -> bool:
        """Fold or unfold all long prompts; returns whether they are unfolded now."""
        return self._toggle(self._turns.toggle_folds)

    def toggle_all_details(self) -> bool:
        """Unfold or fold reasoning and tool blocks of all turns; returns whether they are unfolded now."""
        return self._toggle(self._turns.toggle_all_details)

    def _toggle(self, toggle: Callable[[], Told]) -> Told:
        """Fold or unfold; the text at the top stays there, whatever becomes of what is above it."""
        told: list[Told] = []
        self.lay_out_anew(lambda: self._window.lay_out_anew(lambda: told.append(toggle())))
        self.content_changed()
        return told[0]

    @property
    def layout_options(self) -> LayoutOptions:
        """How answers are laid out."""
        return self._options.layout

    def use_layout(self, layout: LayoutOptions) -> None:
        """Lay out answers in another way; what is read stays in sight."""
        if layout != self._options.layout:
            self._options = replace(self._options, layout=layout)
            self._shifts.forget()
            self.lay_out_anew(lambda: self._window.use_options(self._options))
            self.content_changed()

    def use_gallery(self, gallery: "Gallery") -> None:
        """Show pictures, as they can be shown now; what is read stays in sight."""
        if self.pictures is not gallery:
            self.pictures = gallery
            self._options = replace(self._options, pictures=gallery)
            gallery.listeners.append((self.pictures_came, self._lay_out_again))
            self._lay_out_again()
        elif gallery.look_again():
            self._lay_out_again()

    def _lay_out_again(self) -> None:
        self._painter = None
        self.lay_out_anew(lambda: self._window.use_options(self._options))
        self.content_changed()

    # Rows

    def visible_rows(self, top: int, height: int) -> list[Row]:
        """Rows of the window, the sticky name line included."""
        if not self._turns:
            return [Row(line) for line in self._welcome[top : top + height]]
        rows: list[Row] = []
        index, row = self._turns.find(top)
        view = self._turns.view(index)
        is_scrolled = height > 3 and view.name_row < row < view.height - 1
        sticky = Row(view.standing_line, Gutter.PAGE, "raised") if is_scrolled else None
        while len(rows) < height and index < len(self._turns):
            view = self._turns.view(index)
            for at in range(row, min(view.height, row + height - len(rows))):
                line, gutter = view.row(at)
                surface = "raised" if index == self._picked and at == view.name_row else "page"
                rows.append(self.marked(index, at, Row(line, gutter, surface, shift=self._shift(index, at))))
            index += 1
            row = 0
        if sticky is not None and rows:
            rows[0] = sticky
        return rows

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
