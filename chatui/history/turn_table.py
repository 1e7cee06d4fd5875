"""The tree of completed turns, written once and never changed.

Invariants: a turn id occurs once in a conversation; the summary columns and the search index change in the
transaction of the turn.
"""

import sqlite3
from collections.abc import Callable, Iterable

from chatui.core.conversation import Conversation
from chatui.core.errors import StoreError
from chatui.core.turn import Turn, TurnId
from chatui.history.catalog import update_filter
from chatui.history.codec import dump, encode_turn
from chatui.history.columns import (
    FIRST_WORDS_LENGTH,
    TITLE_LENGTH,
    column_text,
    one_line,
    stored_text,
)
from chatui.history.database import Database
from chatui.history.links import link_of
from chatui.history.turn_words import add_words


class TurnTable:
    """The tables `conversations` and `turns`. Methods with a connection run in the caller's transaction."""

    def __init__(self, database: Database, now: Callable[[], float]) -> None:
        self._name = database.name
        self._now = now
        self._numbers: dict[str, int] = {}

    def known_number(self, conversation_id: str) -> int | None:
        """The row of a conversation if it was asked for before."""
        return self._numbers.get(conversation_id)

    def number(self, connection: sqlite3.Connection, conversation_id: str) -> int | None:
        """The row of a conversation."""
        row = connection.execute(
            "SELECT number FROM conversations WHERE conversation_id = ?", (column_text(conversation_id),)
        ).fetchone()
        if row is None:
            self._numbers.pop(conversation_id, None)
            return None
        self._numbers[conversation_id] = row[0]
        return int(row[0])

    def number_or_new(self, connection: sqlite3.Connection, conversation_id: str, first: Turn) -> int:
        """The row of a conversation, made from its first turn if it is new."""
        number = self.number(connection, conversation_id)
        if number is None:
            self.keep(
                connection,
                Conversation(
                    conversation_id=conversation_id,
                    system=first.system,
                    created_at_epoch_s=first.started_at_epoch_s or self._now(),
                ),
            )
            number = self.number(connection, conversation_id)
            assert number is not None
            self.describe(connection, number, first)
        return number

    def keep(self, connection: sqlite3.Connection, conversation: Conversation) -> None:
        """Write the facts of a conversation; a title given here counts as chosen by the person."""
        title = column_text(conversation.title)
        connection.execute(
            "INSERT INTO conversations (conversation_id, title, is_title_chosen, system, created_at_epoch_s, "
            "updated_at_epoch_s) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (conversation_id) DO UPDATE SET system = excluded.system, "
            "is_title_chosen = CASE WHEN excluded.title IN ('', title) THEN is_title_chosen ELSE 1 END, "
            "title = CASE excluded.title WHEN '' THEN title ELSE excluded.title END",
            (
                conversation.conversation_id,
                title,
                bool(title),
                stored_text(conversation.system),
                conversation.created_at_epoch_s or self._now(),
                self._now(),
            ),
        )
        update_filter(connection, conversation.conversation_id)

    def insert(
        self,
        connection: sqlite3.Connection,
        conversation: int,
        turn: Turn,
        at_epoch_s: float | None = None,
        extra: str | bytes | None = None,
    ) -> bool:
        """Add a turn, make it the head, and say whether it is new. The parent, if it is there, is linked.

        A conversation deleted elsewhere while it goes on here comes back, or the turn would be purged.
        """
        is_now = at_epoch_s is None
        at_epoch_s = self._now() if at_epoch_s is None else at_epoch_s
        size = self._add(connection, conversation, turn, at_epoch_s, extra)
        if size is None:
            return False
        connection.execute(
            "UPDATE conversations SET turn_count = turn_count + 1, size_bytes = size_bytes + ?, "
            "head_turn_id = ?, deleted_at_epoch_s = NULL, "
            "updated_at_epoch_s = max(?, iif(?, 0, updated_at_epoch_s)) WHERE number = ?",
            (size, column_text(turn.turn_id), at_epoch_s, is_now, conversation),
        )
        self.describe(connection, conversation, turn)
        return True

    def copy_in(self, connection: sqlite3.Connection, conversation: int, turns: Iterable[Turn]) -> None:
        """Add turns of another conversation, before the last one of them is inserted."""
        at_epoch_s = self._now()
        sizes = [self._add(connection, conversation, turn, at_epoch_s, None) for turn in turns]
        new = [size for size in sizes if size is not None]
        connection.execute(
            "UPDATE conversations SET turn_count = turn_count + ?, size_bytes = size_bytes + ? "
            "WHERE number = ?",
            (len(new), sum(new), conversation),
        )

    def _add(
        self,
        connection: sqlite3.Connection,
        conversation: int,
        turn: Turn,
        at_epoch_s: float,
        extra: str | bytes | None,
    ) -> int | None:
        """A turn and its words; its size, or None if it is there already."""
        depth, parent_id = 1, None
        if turn.parent_id is not None:
            place = link_of(connection, conversation, turn.parent_id)
            if place is not None:
                depth, parent_id = place.depth + 1, column_text(turn.parent_id)
        payload = dump(encode_turn(turn))
        size = len(payload) if isinstance(payload, bytes) else len(payload.encode())
        inserted = connection.execute(
            "INSERT INTO turns "
            "(conversation, turn_id, parent_id, depth, committed_at_epoch_s, size_bytes, extra, payload) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (conversation, turn_id) DO NOTHING",
            (conversation, column_text(turn.turn_id), parent_id, depth, at_epoch_s, size, extra, payload),
        )
        if not inserted.rowcount:
            return None
        add_words(connection, inserted.lastrowid or 0, turn)
        return size

    def describe(self, connection: sqlite3.Connection, conversation: int, turn: Turn) -> None:
        """The summary columns that follow the newest turn, and those that the first one sets for good."""
        prompt = turn.prompt
        connection.execute(
            "UPDATE conversations SET provider = ?, model = ?, "
            "title = CASE title WHEN '' THEN ? ELSE title END, "
            "first_words = CASE first_words WHEN '' THEN ? ELSE first_words END WHERE number = ?",
            (
                column_text(turn.provider),
                column_text(turn.model or turn.requested_model),
                one_line(prompt, TITLE_LENGTH),
                one_line(prompt, FIRST_WORDS_LENGTH),
                conversation,
            ),
        )
        (conversation_id,) = connection.execute(
            "SELECT conversation_id FROM conversations WHERE number = ?", (conversation,)
        ).fetchone()
        update_filter(connection, conversation_id)

    def count_unfinished(self, connection: sqlite3.Connection, conversation: int) -> None:
        """Bring the number of unfinished turns up to date."""
        connection.execute(
            "UPDATE conversations SET unfinished_count = "
            "(SELECT count(*) FROM unfinished WHERE conversation = ?) WHERE number = ?",
            (conversation, conversation),
        )

    def touch(self, connection: sqlite3.Connection, conversation: int) -> None:
        """Move a conversation to the top of the list, also out of the deleted ones."""
        connection.execute(
            "UPDATE conversations SET updated_at_epoch_s = ?, deleted_at_epoch_s = NULL WHERE number = ?",
            (self._now(), conversation),
        )

    def set_head(self, connection: sqlite3.Connection, conversation_id: str, head: TurnId | None) -> None:
        """Show another path."""
        self._point_at(connection, conversation_id, "head_turn_id", head)

    def set_sent_from(
        self, connection: sqlite3.Connection, conversation_id: str, turn_id: TurnId | None
    ) -> None:
        """Send from this turn on; None sends all."""
        self._point_at(connection, conversation_id, "sent_from_turn_id", turn_id)

    def _point_at(
        self, connection: sqlite3.Connection, conversation_id: str, column: str, turn_id: TurnId | None
    ) -> None:
        changed = connection.execute(
            f"UPDATE conversations SET {column} = ? WHERE conversation_id = ? AND (? IS NULL OR EXISTS "  # noqa: S608
            "(SELECT 1 FROM turns WHERE conversation = conversations.number AND turn_id = ?))",
            (turn_id, conversation_id, turn_id, turn_id),
        )
        if not changed.rowcount:
            raise StoreError(self.no_turn(conversation_id, turn_id))

    def no_turn(self, conversation_id: str, turn_id: TurnId | None) -> str:
        """That there is no such turn, in words."""
        return f"No turn {turn_id!r} in conversation {conversation_id!r} of the history {self._name}"
