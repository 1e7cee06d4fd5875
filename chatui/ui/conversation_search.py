"""Search in the conversation that is shown.

Turns are asked by their text, only turns that may match are read and laid out.

Invariants: each match is found in the text as it is shown, joined where a line is only wrapped, so that it
can be marked from its first row to its last; the number of matches is told only where all of them were found.
"""

from typing import TYPE_CHECKING, Final, NamedTuple

from chatui.core.turn import TurnId
from chatui.ui.selection import Place
from chatui.ui.turn_entries import folded_source
from chatui.ui.turn_list import TurnList
from chatui.view.text_matches import Match, find_text, source_pattern

if TYPE_CHECKING:
    from chatui.view.lines import Line
    from chatui.view.turn_view import TurnView

MOST_COUNTED: Final = 300
"""In so many turns at most all matches are found and counted: each has to be laid out."""


class Found(NamedTuple):
    """The match that was gone to."""

    start: Place
    stop: Place
    words: str
    """Which of how many it is, in words."""


class ConversationSearch:
    """Remembers where the last search stood."""

    def __init__(self) -> None:
        self._text = ""
        self._pattern = source_pattern("")
        self._at: Place | None = None
        self._matches: dict[TurnId, tuple[object, list[Match]]] = {}

    def forget_place(self) -> None:
        """Turns came before those that were searched: go on from what is read."""
        self._at = None

    def cells_of(self, line: "Line", text: str) -> tuple[tuple[int, int], ...]:
        """The cells of a line, from and before, that show a text."""
        return tuple((match.cell, match.stop_cell) for match in find_text([line], text.casefold()))

    def find(self, text: str, step: int, turns: TurnList, reading: tuple[int, int]) -> Found | None:
        """The next match from where the last one was (or from what is read).

        Args:
            text: What is looked for, in any case.
            step: 1 for the next match, -1 for the previous one, 0 for the same one again or the next.
            turns: The conversation.
            reading: The turn and row at the top of the window.
        """
        wanted = text.casefold()
        if wanted != self._text:
            self._text = wanted
            self._pattern = source_pattern(wanted)
            self._matches = {}
            self._at = None
        candidates = turns.holding(wanted)
        found = self._next(wanted, step, turns, candidates, reading)
        if found is None:
            return None
        index, match = found
        start = self._at = Place(index, match.row, match.cell)
        words = self._count(wanted, turns, candidates, start)
        return Found(start, Place(index, match.stop_row, match.stop_cell), words)

    def _next(
        self, wanted: str, step: int, turns: TurnList, candidates: list[int], reading: tuple[int, int]
    ) -> tuple[int, Match] | None:
        origin = self._at or Place(*reading, -1)
        is_beyond = step > 0 and self._at is not None
        if step < 0:
            ordered = sorted(candidates, key=lambda index: (index > origin.turn, -index))
        else:
            ordered = sorted(candidates, key=lambda index: (index < origin.turn, index))
        if origin.turn in candidates:  # the rest of its own turn comes last
            ordered.append(origin.turn)
        for at, index in enumerate(ordered):
            matches = self._matches_of(wanted, turns, index)
            if index == origin.turn and at == 0:
                place = (origin.row, origin.cell)
                if step < 0:
                    matches = [match for match in matches if match[:2] < place]
                else:
                    matches = [
                        match
                        for match in matches
                        if match[:2] > place or (match[:2] == place and not is_beyond)
                    ]
            if matches:
                return index, matches[-1 if step < 0 else 0]
        return None

    def _count(self, wanted: str, turns: TurnList, candidates: list[int], at: Place) -> str:
        if len(candidates) > MOST_COUNTED:
            return "one of many"
        total = number = 0
        for index in candidates:
            for match in self._matches_of(wanted, turns, index):
                total += 1
                number += (index, match.row, match.cell) <= at
        return f"{number} of {total}"

    def _matches_of(self, wanted: str, turns: TurnList, index: int) -> list[Match]:
        turn_id = turns.turn_id(index)
        key = turns.layout_key(index)
        known = self._matches.get(turn_id)
        if known is None or known[0] != key:
            # Only what may show it is laid out: the candidates were asked by all that is stored of a turn.
            is_there = self._pattern.search(folded_source(turns.turn(index)))
            found = self._find_in(turns.view(index), wanted) if is_there else []
            known = self._matches[turn_id] = (key, found)
        return known[1]

    def _find_in(self, view: "TurnView", wanted: str) -> list[Match]:
        return list(find_text([view.row(row)[0] for row in range(view.height)], wanted))
