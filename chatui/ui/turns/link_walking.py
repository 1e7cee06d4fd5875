"""Links of a conversation one after the other, for those who have no mouse.

Invariant: only turns that are come to are laid out; a link that goes on in the next row counts once.
"""

from typing import NamedTuple

from chatui.ui.turns.selection import Place
from chatui.ui.turns.turn_list import TurnList
from chatui.view.layout.measure import cells
from chatui.view.lines import Line


class FoundLink(NamedTuple):
    """A link, where it stands and before which cell it ends."""

    place: Place
    stop: int
    link: str


def next_link(turns: TurnList, origin: Place, step: int) -> FoundLink | None:
    """The first link after a place, or the last one before it."""
    index = origin.turn
    while 0 <= index < len(turns):
        found = links_of_turn(turns, index)
        if step > 0:
            wanted = next((link for link in found if link.place > origin), None)
        else:
            wanted = next((link for link in reversed(found) if link.place < origin), None)
        if wanted is not None:
            return wanted
        index += step
    return None


def links_of_turn(turns: TurnList, index: int) -> list[FoundLink]:
    """All links of a turn, in order."""
    view = turns.view(index)
    found: list[FoundLink] = []
    goes_on = ""
    for row in range(view.height):
        line = view.row(row)[0]
        here = _links_of_line(line, index, row)
        if here and here[0].link == goes_on and here[0].place.cell <= line.content_at:
            found.extend(here[1:])
        else:
            found.extend(here)
        goes_on = line.runs[-1].link if line.is_soft_wrapped and line.runs else ""
    return found


def _links_of_line(line: Line, turn: int, row: int) -> list[FoundLink]:
    found: list[FoundLink] = []
    at = 0
    before = ""
    for run in line.runs:
        size = cells(run.text)
        if run.link and run.link == before:
            found[-1] = found[-1]._replace(stop=at + size)
        elif run.link:
            found.append(FoundLink(Place(turn, row, at), at + size, run.link))
        before = run.link
        at += size
    return found
