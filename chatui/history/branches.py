"""Finding the way through a tree on disk: which end of a branch is shown when a turn of it is wanted.

Invariant: turns are not read, only the links between them, so that the way costs the same for long answers;
links that a damaged file has in a circle are followed once.
"""

import sqlite3
from typing import Final

from chatui.core.errors import StoreError
from chatui.core.turn import TurnId
from chatui.core.values import frozen
from chatui.history.columns import column_text, count_cell, text_cell
from chatui.history.links import link_of

_NEWEST_CHILD: Final = (
    "SELECT turn_id FROM turns WHERE conversation = ? AND parent_id = ? ORDER BY number DESC LIMIT 1"
)


@frozen
class Branch:
    """A path that holds a wanted turn."""

    head: TurnId | None
    """Where it ends: as it is shown now if it holds the turn, else where the turn's branch was left."""
    turns_below: int
    """Turns of the path after the wanted one."""


def find_branch(connection: sqlite3.Connection, conversation_id: str, turn_id: TurnId) -> Branch:
    """The path to show when this turn is wanted.

    Raises:
        StoreError: there is no such turn.
    """
    row = connection.execute(
        "SELECT c.number, c.head_turn_id, t.depth FROM conversations c "
        "JOIN turns t ON t.conversation = c.number WHERE c.conversation_id = ? AND t.turn_id = ?",
        (column_text(conversation_id), column_text(turn_id)),
    ).fetchone()
    if row is None:
        raise StoreError(f"No turn {turn_id!r} in conversation {conversation_id!r}")
    number, depth = row[0], count_cell(row[2])
    head = None if row[1] is None else text_cell(row[1])
    below = _steps_up(connection, number, head, turn_id, depth)
    if below is not None:
        return Branch(TurnId(text_cell(head)), below)
    at, below = str(turn_id), 0
    seen: set[str] = set()
    while (
        at not in seen and (child := connection.execute(_NEWEST_CHILD, (number, at)).fetchone()) is not None
    ):
        seen.add(at)
        at, below = text_cell(child[0]), below + 1
    return Branch(TurnId(at), below)


def shown_branch(connection: sqlite3.Connection, conversation_id: str) -> Branch:
    """The path that was shown last, all of it."""
    row = connection.execute(
        "SELECT c.head_turn_id, t.depth FROM conversations c "
        "LEFT JOIN turns t ON t.conversation = c.number AND t.turn_id = c.head_turn_id "
        "WHERE c.conversation_id = ?",
        (column_text(conversation_id),),
    ).fetchone()
    head, depth = (None, None) if row is None else row
    return Branch(None if head is None else TurnId(text_cell(head)), count_cell(depth))


def _steps_up(
    connection: sqlite3.Connection, number: int, head: str | None, turn_id: str, depth: int
) -> int | None:
    """How many turns the shown path has after this one; None if it does not hold it."""
    at, below = head, 0
    seen: set[str] = set()
    while at is not None and at != turn_id:
        if at in seen:
            return None
        seen.add(at)
        place = link_of(connection, number, at)
        if place is None or place.depth <= depth:
            return None
        at, below = place.parent_id, below + 1
    return below if at is not None else None
