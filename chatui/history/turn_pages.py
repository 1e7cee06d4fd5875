"""Reading pieces of a long conversation: names and sizes of turns without their text, and turns by name.

Invariant: what is asked for costs what is read; a conversation is never read whole, and no answer here keeps
the history from others for longer than a page takes. Damage of one turn hides no other.
"""

import re
import sqlite3
from collections.abc import Collection, Iterator

from chatui.core.conversation import Conversation
from chatui.core.turn import TurnId
from chatui.core.turn_outline import TurnOutline
from chatui.history.columns import column_text, number_cell, read_text, text_cell
from chatui.history.database import Database
from chatui.history.links import link_of
from chatui.history.turn_reader import TurnReader


class TurnPages:
    """Reads the tables `conversations` and `turns` in pieces."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._reader = TurnReader(database.name)

    def before(
        self, conversation_id: str, turn_id: TurnId | None, count: int
    ) -> tuple[tuple[TurnOutline, ...], int]:
        """The last `count` turns of the path that ends with this turn, and how many are before them.

        Raises:
            StoreError: the history cannot be read.
        """
        found: list[TurnOutline] = []
        seen: set[str] = set()
        earlier = 0
        at: str | None = turn_id
        with self._database.reading() as connection:
            number = _number(connection, conversation_id)
            while at is not None and len(found) < count and at not in seen:
                place = link_of(connection, number, at)
                if place is None:
                    return tuple(reversed(found)), 0
                seen.add(at)
                parent = None if place.parent_id is None else TurnId(place.parent_id)
                found.append(TurnOutline(TurnId(at), parent, place.size_bytes))
                at, earlier = parent, max(0, place.depth - 1)
        return tuple(reversed(found)), earlier

    def read(self, conversation_id: str, turn_ids: Collection[TurnId]) -> Conversation:
        """A conversation of only these turns and their alternatives; those that are gone are not there.

        Raises:
            StoreError: the history cannot be read.
        """
        page = Conversation(conversation_id=conversation_id)
        with self._database.reading() as connection:
            number = _number(connection, conversation_id)
            found = (_parent(connection, number, turn_id) for turn_id in turn_ids)
            parents = {parent[0] for parent in found if parent is not None}
            return self._reader.families(connection, page, number, parents)

    def kept(self, conversation_id: str, turn_ids: Collection[TurnId]) -> set[TurnId]:
        """Which of these turns can be read again.

        Raises:
            StoreError: the history cannot be read.
        """
        with self._database.reading() as connection:
            number = _number(connection, conversation_id)
            return {name for name in turn_ids if _parent(connection, number, name) is not None}

    def holding(
        self, conversation_id: str, pattern: re.Pattern[str], among: Collection[TurnId] | None = None
    ) -> set[TurnId]:
        """Turns whose folded JSON matches; some more than those whose text does.

        Args:
            conversation_id: Whose turns.
            pattern: What the JSON of a turn must match; it takes the JSON's escapes into account.
            among: Look at these turns only; None is all.

        Raises:
            StoreError: the history cannot be read.
        """
        with self._database.reading() as connection:
            number = _number(connection, conversation_id)
            rows = _payloads(connection, number, among)
            return {
                TurnId(text_cell(name))
                for name, payload in rows
                if pattern.search(_readable(payload).casefold())
            }

    def size_bytes_before(self, conversation_id: str, turn_id: TurnId | None) -> int:
        """How much is stored of the path that ends with this turn.

        Raises:
            StoreError: the history cannot be read.
        """
        with self._database.reading() as connection:
            (size,) = connection.execute(
                "WITH RECURSIVE path (turn_id, parent_id, size_bytes) AS ("
                "SELECT turn_id, parent_id, size_bytes FROM turns WHERE conversation = ?1 AND turn_id = ?2 "
                "UNION SELECT t.turn_id, t.parent_id, t.size_bytes FROM path p JOIN turns t "
                "ON t.conversation = ?1 AND t.turn_id = p.parent_id) "
                "SELECT coalesce(sum(size_bytes), 0) FROM path",
                (_number(connection, conversation_id), column_text(turn_id or "")),
            ).fetchone()
        return int(number_cell(size))


def _payloads(
    connection: sqlite3.Connection, number: int, among: Collection[TurnId] | None
) -> Iterator[tuple[str, str | bytes]]:
    if among is None:
        yield from connection.execute("SELECT turn_id, payload FROM turns WHERE conversation = ?", (number,))
        return
    for turn_id in among:
        yield from connection.execute(
            "SELECT turn_id, payload FROM turns WHERE conversation = ? AND turn_id = ?",
            (number, column_text(turn_id)),
        )


def _readable(payload: object) -> str:
    """The JSON of a turn as far as it can be read; a damaged one is not found, and hides no other."""
    try:
        return read_text(payload) if isinstance(payload, str | bytes) else ""
    except UnicodeDecodeError:
        return ""


def _number(connection: sqlite3.Connection, conversation_id: str) -> int:
    """The row of a conversation, 0 if there is none."""
    row = connection.execute(
        "SELECT number FROM conversations WHERE conversation_id = ?", (column_text(conversation_id),)
    ).fetchone()
    return 0 if row is None else int(row[0])


def _parent(connection: sqlite3.Connection, number: int, turn_id: TurnId) -> tuple[str | None] | None:
    """The turn that a turn follows; None if there is no such turn."""
    row: tuple[str | None] | None = connection.execute(
        "SELECT parent_id FROM turns WHERE conversation = ? AND turn_id = ?", (number, column_text(turn_id))
    ).fetchone()
    return row
