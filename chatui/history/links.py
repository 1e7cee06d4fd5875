"""Where a turn stands in the tree on disk: what it follows, how deep, how large.

Invariant: a cell of another type than its column's (a file is bytes that anything may have changed) is damage
of one turn: what it follows is then taken from the turn itself, and how deep it stands is counted.
"""

import sqlite3

from chatui.core.values import frozen
from chatui.history.codec import CodecError, decode_turn, parse
from chatui.history.columns import column_text, count_cell

DAMAGED_ROW = (
    "typeof(turn_id) <> 'text' OR typeof(parent_id) NOT IN ('text', 'null') OR typeof(depth) <> 'integer'"
)
"""Of the table `turns`: rows whose place in the tree is damaged."""


@frozen
class Link:
    """The place of a turn."""

    parent_id: str | None
    depth: int
    size_bytes: int
    stored_parent: object
    """The cell as it is, by which its alternatives are found."""


def link_of(connection: sqlite3.Connection, conversation: int, turn_id: str) -> Link | None:
    """The place of a turn; None if there is no such turn."""
    row = _row(connection, conversation, turn_id)
    if row is None:
        return None
    parent_id, depth = row[0], row[1]
    above, seen = parent_id, {turn_id}
    steps = 0
    while not isinstance(depth, int):
        steps += 1
        if above is None or above in seen or (next_row := _row(connection, conversation, above)) is None:
            depth = 1
            break
        seen.add(above)
        above, depth = next_row[0], next_row[1]
    else:
        return Link(parent_id, depth + steps, row[2], row[3])
    return Link(parent_id, steps, row[2], row[3])


def _row(
    connection: sqlite3.Connection, conversation: int, turn_id: str
) -> tuple[str | None, object, int, object] | None:
    row = connection.execute(
        "SELECT parent_id, depth, size_bytes, "
        "CASE WHEN typeof(parent_id) IN ('text', 'null') THEN NULL ELSE payload END "
        "FROM turns WHERE conversation = ? AND turn_id = ?",
        (conversation, column_text(turn_id)),
    ).fetchone()
    if row is None:
        return None
    stored, depth, size_bytes, payload = row
    parent_id = stored if stored is None or isinstance(stored, str) else _parent_told_by(payload)
    return parent_id, depth, count_cell(size_bytes), stored


def _parent_told_by(payload: str | bytes) -> str | None:
    try:
        return decode_turn(parse(payload)).parent_id
    except CodecError:
        return None
