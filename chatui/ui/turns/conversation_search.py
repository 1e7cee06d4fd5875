"""Search in the conversation that is shown.

Turns are asked by their text, only turns that may match are read and laid out.

Invariants: each match is found in the text as it is shown, joined where a line is only wrapped, so that it
can be marked from its first row to its last; the number of matches is told only where all of them were found.
"""

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from chatui.core.turn import TurnId
from chatui.ui.turns.selection import Place
from chatui.ui.turns.turn_entries import folded_source
from chatui.ui.turns.turn_list import TurnList
from chatui.view.text_matches import Match, find_text, source_pattern

if TYPE_CHECKING:
    from chatui.view.lines import Line

MOST_COUNTED: Final = 300
"""In so many turns at most all matches are found and counted: each has to be laid out."""
ROWS: Final = 250
"""Rows looked through in one step."""
WAITING: Final = 1 << 20
"""As many rows as there can be: who lays a turn out has a turn of the loop."""
MOST_TRIES: Final = 3
"""So often a turn that changes while it is looked through begins anew; then it is looked through at once."""


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
        """The next match, at once, as `looking` finds it."""
        looking = self.looking(text, step, turns, reading)
        for _ in looking.steps:
            turns.lay_out_rest()
        return looking.found

    def looking(self, text: str, step: int, turns: TurnList, reading: tuple[int, int]) -> "Looking":
        """Look for the next match from where the last one was (or from what is read).

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
        return Looking(self, wanted, step, turns, reading)

    def run(
        self, looking: "Looking", turns: TurnList, step: int, reading: tuple[int, int]
    ) -> Generator[int, None, None]:
        """Find the next match, then count all; gives how many rows each step looked through."""
        wanted = looking.wanted
        candidates = turns.holding(wanted)
        found = yield from self._next(wanted, step, turns, candidates, reading)
        if found is None:
            return
        index, match = found
        start = self._at = Place(index, match.row, match.cell)
        looking.found = Found(start, Place(index, match.stop_row, match.stop_cell), "")
        words = yield from self._count(wanted, turns, candidates, start)
        looking.found = looking.found._replace(words=words)

    def _next(
        self, wanted: str, step: int, turns: TurnList, candidates: list[int], reading: tuple[int, int]
    ) -> Generator[int, None, tuple[int, Match] | None]:
        origin = self._at or Place(*reading, -1)
        is_beyond = step > 0 and self._at is not None
        if step < 0:
            ordered = sorted(candidates, key=lambda index: (index > origin.turn, -index))
        else:
            ordered = sorted(candidates, key=lambda index: (index < origin.turn, index))
        if origin.turn in candidates:  # the rest of its own turn comes last
            ordered.append(origin.turn)
        for at, index in enumerate(ordered):
            matches = yield from self._matches_of(wanted, turns, index)
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

    def _count(
        self, wanted: str, turns: TurnList, candidates: list[int], at: Place
    ) -> Generator[int, None, str]:
        if len(candidates) > MOST_COUNTED:
            return "one of many"
        total = number = 0
        for index in candidates:
            for match in (yield from self._matches_of(wanted, turns, index)):
                total += 1
                number += (index, match.row, match.cell) <= at
        return f"{number} of {total}"

    def _matches_of(self, wanted: str, turns: TurnList, index: int) -> Generator[int, None, list[Match]]:
        turn_id = turns.turn_id(index)
        known = self._matches.get(turn_id)
        tries = 0
        while known is None or known[0] != turns.layout_key(index):
            # Only what may show it is laid out: the candidates were asked by all that is stored of a turn.
            key = turns.layout_key(index)
            is_there = self._pattern.search(folded_source(turns.turn(index)))
            found: list[Match] | None = []
            if is_there:
                found = yield from self._find_in(turns, index, wanted, is_whole=tries >= MOST_TRIES)
            if found is not None:
                known = self._matches[turn_id] = (key, found)
            tries += 1
        return known[1]

    def _find_in(
        self, turns: TurnList, index: int, wanted: str, *, is_whole: bool
    ) -> Generator[int, None, list[Match] | None]:
        """All matches of a turn; None if it was laid out anew while others had their turn."""
        if is_whole:
            turns.show_whole(index)
        while turns.view(index).is_early:
            yield WAITING
        view, key = turns.view(index), turns.layout_key(index)
        found: list[Match] = []
        row = 0
        while row < view.height:
            lines: list[Line] = []
            stop = min(row + ROWS, view.height)
            while row + len(lines) < stop:
                line = view.row(row + len(lines))[0]
                lines.append(line)
                # What is only wrapped is one text: it is looked through in one piece.
                if row + len(lines) == stop < view.height and line.is_soft_wrapped:
                    stop += 1
            for match in find_text(lines, wanted):
                found.append(match._replace(row=row + match.row, stop_row=row + match.stop_row))
            row = stop
            if not is_whole:
                yield len(lines)
                if turns.layout_key(index) != key or turns.view(index) is not view:
                    return None
        return found


class Looking:
    """One search on its way."""

    def __init__(
        self,
        search: ConversationSearch,
        wanted: str,
        step: int,
        turns: TurnList,
        reading: tuple[int, int],
    ) -> None:
        self.wanted = wanted
        self.found: Found | None = None
        """Where the match is, as soon as it is known; in words when all are counted."""
        self.steps: Iterator[int] = search.run(self, turns, step, reading)
        """How many rows each step looked through."""
