"""Search in the conversation that is shown.

Turns are asked by their text, only turns that match are laid out.

Invariant: each match is found in a line as it is shown, so that it can be marked; a text that spans a line
end is found only by its parts.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from chatui.core.turn import Turn, TurnId
from chatui.ui.selection import Place
from chatui.view.plain_lines import cell_width

if TYPE_CHECKING:
    from chatui.view.turn_view import TurnView

Found = tuple[Place, int, int, int]
"""Where it begins, the cell before which it ends, its number and how many there are."""


class ConversationSearch:
    """Remembers where the last search stood."""

    def __init__(self) -> None:
        self._text = ""
        self._at: Place | None = None
        self._places: dict[TurnId, tuple[object, list[tuple[int, int, int]]]] = {}

    def forget_place(self) -> None:
        """Turns came before those that were searched: go on from what is read."""
        self._at = None

    def find(
        self,
        text: str,
        step: int,
        turns: Sequence[Turn],
        view_of: "Callable[[int], TurnView]",
        key_of: Callable[[int], object],
        reading: tuple[int, int],
    ) -> Found | None:
        """The next match from where the last one was (or from what is read)."""
        wanted = text.casefold()
        if wanted != self._text:
            self._text = wanted
            self._places = {}
            self._at = None
        places = self._all(wanted, turns, view_of, key_of)
        if not places:
            return None
        origin = self._at or Place(reading[0], reading[1], -1)
        if step < 0:
            index = max((i for i, (place, _) in enumerate(places) if place < origin), default=len(places) - 1)
        elif step > 0 and self._at is not None:
            index = next((i for i, (place, _) in enumerate(places) if place > origin), 0)
        else:
            index = next((i for i, (place, _) in enumerate(places) if place >= origin), 0)
        place, stop = places[index]
        self._at = place
        return place, stop, index + 1, len(places)

    def _all(
        self,
        wanted: str,
        turns: Sequence[Turn],
        view_of: "Callable[[int], TurnView]",
        key_of: Callable[[int], object],
    ) -> list[tuple[Place, int]]:
        found: list[tuple[Place, int]] = []
        for index, turn in enumerate(turns):
            if wanted.split(" ")[0] not in (turn.text + turn.prompt).casefold():
                continue
            key = key_of(index)
            known = self._places.get(turn.turn_id)
            if known is None or known[0] != key:
                known = self._places[turn.turn_id] = (key, _matches(view_of(index), wanted))
            found.extend((Place(index, row, first), stop) for row, first, stop in known[1])
        return found


def _matches(view: "TurnView", wanted: str) -> list[tuple[int, int, int]]:
    found: list[tuple[int, int, int]] = []
    for row in range(view.height):
        line = view.row(row)[0]
        text = line.text
        folded = text.casefold()
        if len(folded) != len(text):  # a letter that folds into two would shift the marks
            folded = text.lower() if len(text.lower()) == len(text) else text
        at = folded.find(wanted)
        while at >= 0:
            first = cell_width(text[:at])
            found.append((row, first, first + cell_width(text[at : at + len(wanted)])))
            at = folded.find(wanted, at + len(wanted))
    return found
