"""A caret over laid-out turns: where the next letter, word, row or turn begins, without a widget.

Invariant: the caret stands on a letter of the text or just behind the last one of its row, never on
decoration; a row is laid out only when the caret comes to it.
"""

from enum import Enum

from chatui.ui.turns.selection import Place, Selection
from chatui.ui.turns.turn_list import TurnList
from chatui.view.layout.measure import graphemes
from chatui.view.lines import Line


class Move(Enum):
    """Where the caret goes."""

    LEFT = "left"
    RIGHT = "right"
    UP = "up"
    DOWN = "down"
    WORD_LEFT = "word left"
    WORD_RIGHT = "word right"
    ROW_START = "row start"
    ROW_END = "row end"
    PAGE_UP = "page up"
    PAGE_DOWN = "page down"
    TURN_UP = "turn up"
    TURN_DOWN = "turn down"
    START = "start"
    END = "end"


class ReadingCaret:
    """A caret, and the place from where it selects."""

    def __init__(self, turns: TurnList, place: Place) -> None:
        self._turns = turns
        self.place = self._on_text(place)
        self.anchor: Place | None = None
        self.takes_rows = False
        """Whole rows are selected."""
        self._wanted_cell = self.place.cell

    @property
    def selection(self) -> Selection | None:
        """What is selected, or None."""
        if self.anchor is None:
            return None
        if not self.takes_rows:
            return Selection(
                self.anchor, self._after(self.place) if self.place >= self.anchor else self.place
            )
        first, last = sorted((self.anchor, self.place))
        return Selection(first._replace(cell=0), last._replace(cell=self._line(last).cells))

    def mark(self, *, takes_rows: bool) -> None:
        """Select from here on, or no more."""
        if self.anchor is not None and takes_rows is self.takes_rows:
            self.anchor = None
        else:
            self.anchor = self.anchor or self.place
            self.takes_rows = takes_rows

    def stand_at(self, row: int) -> None:
        """The turn of the caret was laid out anew: its text is in this row now, and nothing is marked."""
        self.anchor = None
        self.place = self._on_text(self.place._replace(row=row))

    def moved(self, turns: int) -> None:
        """Turns came before."""
        self.place = self.place._replace(turn=self.place.turn + turns)
        if self.anchor is not None:
            self.anchor = self.anchor._replace(turn=self.anchor.turn + turns)

    def go(self, move: Move, page_rows: int) -> None:
        """Move."""
        place = self.place
        match move:
            case Move.LEFT:
                place = self._step(place, -1)
            case Move.RIGHT:
                place = self._step(place, 1)
            case Move.WORD_LEFT:
                place = self._word(place, -1)
            case Move.WORD_RIGHT:
                place = self._word(place, 1)
            case Move.ROW_START:
                place = place._replace(cell=0)
            case Move.ROW_END:
                place = place._replace(cell=self._line(place).cells)
            case Move.TURN_UP:
                place = Place(place.turn if place.row else max(0, place.turn - 1), 0, 0)
            case Move.TURN_DOWN:
                place = Place(min(place.turn + 1, len(self._turns) - 1), 0, 0)
            case Move.START:
                place = Place(0, 0, 0)
            case Move.END:
                last = len(self._turns) - 1
                place = Place(last, self._turns.view(last).height - 1, 0)
            case Move.UP | Move.DOWN | Move.PAGE_UP | Move.PAGE_DOWN:
                rows = page_rows if move in (Move.PAGE_UP, Move.PAGE_DOWN) else 1
                place = self._rows(place, -rows if move in (Move.UP, Move.PAGE_UP) else rows)
                self.place = self._on_text(place._replace(cell=self._wanted_cell))
                return
        self.place = self._on_text(place)
        self._wanted_cell = self.place.cell

    def _line(self, place: Place) -> Line:
        view = self._turns.view(place.turn)
        return view.row(min(place.row, view.height - 1))[0]  # a turn that runs may have fewer rows now

    def _on_text(self, place: Place) -> Place:
        view = self._turns.view(place.turn)
        place = place._replace(row=max(0, min(place.row, view.height - 1)))
        stops = self._stops(place)
        return place._replace(cell=max((cell for cell in stops if cell <= place.cell), default=stops[0]))

    def _edge(self, place: Place) -> int:
        line = self._line(place)
        return min(line.content_at, line.cells)

    def _stops(self, place: Place) -> list[int]:
        """Cells of a row on which the caret may stand, the one behind its end included."""
        line = self._line(place)
        edge = self._edge(place)
        at = 0
        found: list[int] = []
        for _, size in graphemes(line.text):
            if at >= edge:
                found.append(at)
            at += size
        found.append(max(at, edge))
        return found

    def _after(self, place: Place) -> Place:
        """The place behind the letter at the caret."""
        return place._replace(cell=next((c for c in self._stops(place) if c > place.cell), place.cell))

    def _rows(self, place: Place, rows: int) -> Place:
        turn, row = place.turn, place.row + rows
        while row < 0 and turn > 0:
            turn -= 1
            row += self._turns.view(turn).height
        while row >= self._turns.view(turn).height and turn < len(self._turns) - 1:
            row -= self._turns.view(turn).height
            turn += 1
        return Place(turn, max(0, min(row, self._turns.view(turn).height - 1)), place.cell)

    def _step(self, place: Place, step: int) -> Place:
        stops = self._stops(place)
        beyond = [cell for cell in stops if (cell > place.cell if step > 0 else cell < place.cell)]
        if beyond:
            return place._replace(cell=beyond[0] if step > 0 else beyond[-1])
        other = self._rows(place, step)
        if other[:2] == place[:2]:
            return place
        return other._replace(cell=0 if step > 0 else self._line(other).cells)

    def _letters(self, place: Place) -> list[tuple[int, bool]]:
        """Cells of a row's letters, and whether each belongs to a word."""
        edge = self._edge(place)
        at = 0
        found: list[tuple[int, bool]] = []
        for text, size in graphemes(self._line(place).text):
            if at >= edge:
                found.append((at, not text.isspace()))
            at += size
        return found

    def _word(self, place: Place, step: int) -> Place:
        while True:
            letters = self._letters(place)
            begins = [
                cell
                for index, (cell, is_word) in enumerate(letters)
                if is_word and (not index or not letters[index - 1][1])
            ]
            found = [cell for cell in begins if (cell > place.cell if step > 0 else cell < place.cell)]
            if found:
                return place._replace(cell=found[0] if step > 0 else found[-1])
            other = self._rows(place, step)
            if other[:2] == place[:2]:
                return place
            place = other._replace(cell=-1 if step > 0 else self._line(other).cells + 1)
