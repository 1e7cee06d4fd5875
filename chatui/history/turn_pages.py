"""Reading pieces of a long conversation: names and sizes of turns without their text, and turns by name.

Invariant: what is asked for costs what is read; the text of a conversation is never read whole, and no answer
here keeps the history from others for longer than a page, or the names of all turns, take. Damage of one turn
hides no other.
"""

import re
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from chatui.core.conversation import Conversation
from chatui.core.turn import Turn, TurnId
from chatui.core.turn_outline import TurnOutline
from chatui.history.columns import column_text, count_cell, read_text, text_cell
from chatui.history.database import Database
from chatui.history.links import link_of
from chatui.history.turn_reader import TurnReader

PAGE_TURNS: Final = 250
MANY_TURNS: Final = 1000
SIZES_AT_ONCE: Final = 500
FIRST_SIZED: Final = 64
"""Of so many turns at the beginning the size is told with the name: who asks goes there."""
_SIZES: Final = (
    "WITH RECURSIVE path (turn_id, parent_id, size_bytes) AS ("
    "SELECT turn_id, parent_id, size_bytes FROM turns WHERE conversation = ?1 AND turn_id = ?2 "
    "UNION SELECT t.turn_id, t.parent_id, t.size_bytes FROM path p JOIN turns t "
    "ON t.conversation = ?1 AND t.turn_id = p.parent_id LIMIT ?3) "
    "SELECT turn_id, parent_id, size_bytes FROM path"
)

_PARENTS: Final = (
    "SELECT number, parent_id FROM turns WHERE conversation = ? AND typeof(parent_id) IN ('text', 'null')"
)
_NAMES: Final = "SELECT number, turn_id FROM turns WHERE conversation = ? AND typeof(turn_id) = 'text'"
"""Both answered by an index alone."""


class TurnPages:
    """Reads the tables `conversations` and `turns` in pieces."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._reader = TurnReader(database.name)

    def before(
        self, conversation_id: str, turn_id: TurnId | None, count: int
    ) -> tuple[tuple[TurnOutline, ...], int]:
        """The last `count` turns of the path that ends with this turn, and how many are before them.

        Very many are found in one look at the links of the whole conversation: 3 microseconds for each.

        Raises:
            StoreError: the history cannot be read.
        """
        if count >= MANY_TURNS and (path := self._path(conversation_id, turn_id)) is not None:
            return path[-count:], max(0, len(path) - count)
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

    def _path(self, conversation_id: str, turn_id: TurnId | None) -> tuple[TurnOutline, ...] | None:
        """All turns of the path that ends with this one; None where the links are damaged."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT turn_id, parent_id, size_bytes FROM turns WHERE conversation = ? AND "
                "typeof(turn_id) = 'text' AND typeof(parent_id) IN ('text', 'null')",
                (_number(connection, conversation_id),),
            ).fetchall()
        path = _path_of({name: parent for name, parent, _ in rows}, turn_id)
        sizes = {name: count_cell(size) for name, _, size in rows}
        return None if path is None else _outlines(path, sizes, 0)

    def named(
        self, conversation_id: str, turn_id: TurnId | None, size_bytes: int
    ) -> tuple[TurnOutline, ...] | None:
        """All turns of the path that ends with this one; None where the links are damaged.

        Names and links stand in indexes, sizes in the turns themselves: leaving them out is a third of the
        time. All but the first turns are told with the size given here, until `sizes` were asked for.

        Raises:
            StoreError: the history cannot be read.
        """
        with self._database.reading() as connection:
            number = _number(connection, conversation_id)
            parents = dict(connection.execute(_PARENTS, (number,)))
            rows = connection.execute(_NAMES, (number,)).fetchall()
            path = _path_of({name: parents[row] for row, name in rows if row in parents}, turn_id)
            if path is None:
                return None
            places = ((name, link_of(connection, number, name)) for name in path[:FIRST_SIZED])
            sizes = {name: place.size_bytes for name, place in places if place is not None}
        return _outlines(path, sizes, size_bytes)

    def sizes(self, conversation_id: str) -> dict[TurnId, int]:
        """How much is stored of each turn of a conversation.

        Raises:
            StoreError: the history cannot be read.
        """
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT turn_id, size_bytes FROM turns WHERE conversation = ?",
                (_number(connection, conversation_id),),
            ).fetchall()
        return {TurnId(text_cell(name)): count_cell(size) for name, size in rows}

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

    def back(self, conversation: Conversation, turn_id: TurnId | None) -> Iterator[Turn]:
        """Turns of the path that ends with this one, the newest first, in pages as far as they are taken.

        Those that the conversation holds are not read.

        Raises:
            StoreError: the history cannot be read.
        """
        known = {turn.turn_id: turn for turn in conversation.turns}
        seen: set[TurnId] = set()
        at = turn_id
        while at is not None and at not in seen:
            if at not in known:
                outlines, _ = self.before(conversation.conversation_id, at, PAGE_TURNS)
                page = self.read(conversation.conversation_id, [outline.turn_id for outline in outlines])
                known = {turn.turn_id: turn for turn in page.turns}
            if (turn := known.get(at)) is None:
                return
            seen.add(at)
            yield turn
            at = turn.parent_id

    def with_surroundings(self, conversation: Conversation, turn: Turn, count: int) -> Conversation:
        """The conversation with so many turns of the path before a turn, the turn and its alternatives.

        Raises:
            StoreError: the history cannot be read.
        """
        outlines, earlier = self.before(conversation.conversation_id, turn.parent_id, count)
        names = [outline.turn_id for outline in outlines]
        page = self.read(conversation.conversation_id, [*names, turn.turn_id])
        first = names[0] if names else turn.turn_id
        return conversation.with_piece(page.turns, first, earlier)

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
        """How much is stored of the path that ends with this turn; a long one is added up in pieces.

        Raises:
            StoreError: the history cannot be read.
        """
        total = 0
        seen: set[str] = set()
        at: str | None = turn_id
        while at is not None:
            with self._database.reading() as connection:
                number = _number(connection, conversation_id)
                piece = connection.execute(_SIZES, (number, column_text(at), SIZES_AT_ONCE)).fetchall()
            at = None
            for stored_id, parent_id, size_bytes in piece:
                name = text_cell(stored_id)
                if name in seen:
                    return total
                seen.add(name)
                total += count_cell(size_bytes)
                at = None if parent_id is None else text_cell(parent_id)
        return total


def _path_of(parents: dict[str, str | None], turn_id: str | None) -> list[TurnId] | None:
    """The path that ends with a turn, its beginning first; None where the links are damaged."""
    path: list[TurnId] = []
    at = turn_id
    while at is not None:
        if at not in parents:  # it is missing, damaged, or was there already
            return None
        path.append(TurnId(at))
        at = parents.pop(at)
    path.reverse()
    return path


def _outlines(path: list[TurnId], sizes: Mapping[TurnId, int], size_bytes: int) -> tuple[TurnOutline, ...]:
    """Outlines of a path; one whose size is not known has this one."""
    parents = (None, *path)
    return tuple(
        TurnOutline(name, parent, sizes.get(name, size_bytes))
        for name, parent in zip(path, parents, strict=False)
    )


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
