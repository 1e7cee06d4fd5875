"""Deleting for good.

Invariants: what was deleted for good is nowhere in the file, its free pages or its -wal; a deletion by a
person can be undone until it is purged; the index forgets a turn in the transaction that removes it.
"""

import sqlite3
from collections.abc import Callable

from chatui.core.errors import StoreError
from chatui.history.catalog import DELETED_KEPT_S
from chatui.history.codec import CodecError
from chatui.history.database import Database
from chatui.history.schema import SCHEMA_VERSION
from chatui.history.turn_reader import read_turn
from chatui.history.turn_words import remove_words

_TABLES = ("stashes", "drafts", "unfinished_text", "unfinished", "claims", "turns", "conversations")
_PURGED_AT_ONCE = 20
"""Conversations removed in one transaction, so that another process never waits for long."""


class Removal:
    """Removes rows, index entries and the traces of both."""

    def __init__(self, database: Database, now: Callable[[], float]) -> None:
        self._database = database
        self._now = now

    def purge(self, *, older_than_s: float = DELETED_KEPT_S) -> int:
        """Remove conversations that were deleted longer ago than this; return how many.

        Raises:
            StoreError: they could not be removed.
        """
        count = 0
        while purged := self.purge_some(older_than_s=older_than_s):
            count += purged
        return count

    def purge_some(self, *, older_than_s: float = DELETED_KEPT_S) -> int:
        """Remove a few of them; costs a look into a small index if there are none.

        Raises:
            StoreError: they could not be removed.
        """
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT number, conversation_id FROM conversations "
                "WHERE deleted_at_epoch_s IS NOT NULL AND deleted_at_epoch_s <= ? LIMIT ?",
                (self._now() - older_than_s, _PURGED_AT_ONCE),
            ).fetchall()
        if rows:
            with self._database.writing() as connection:
                for number, conversation_id in rows:
                    _remove(connection, number, conversation_id)
        return len(rows)

    def remove(self, conversation_id: str) -> None:
        """Remove one conversation for good, with its traces in free pages, index and -wal.

        Raises:
            StoreError: there is none of that name, or it could not be removed.
        """
        with self._database.writing() as connection:
            row = connection.execute(
                "SELECT number FROM conversations WHERE conversation_id = ?", (conversation_id,)
            ).fetchone()
            if row is None:
                raise StoreError(f"No conversation {conversation_id!r} in the history {self._database.name}")
            _remove(connection, row[0], conversation_id)
            # Merging the index into one piece drops the words of the removed entries.
            connection.execute("INSERT INTO turn_words (turn_words) VALUES ('optimize')")
        self._wipe()

    def forget(self, conversation_id: str) -> None:
        """Remove one conversation, if it is there; its traces go when something is deleted for good.

        Raises:
            StoreError: it could not be removed.
        """
        with self._database.writing() as connection:
            for (number,) in connection.execute(
                "SELECT number FROM conversations WHERE conversation_id = ?", (conversation_id,)
            ).fetchall():
                _remove(connection, number, conversation_id)

    def remove_all(self) -> int:
        """Remove everything for good: conversations, unfinished turns, drafts and stashed prompts.

        Returns:
            How many conversations there were.

        Raises:
            StoreError: it could not be removed; another chatui may hold the file.
        """
        with self._database.writing() as connection:
            (count,) = connection.execute("SELECT count(*) FROM conversations").fetchone()
            connection.execute("INSERT INTO turn_words (turn_words) VALUES ('delete-all')")
            for table in _TABLES:
                connection.execute(f"DELETE FROM {table}")  # noqa: S608 - constants
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        self._wipe()
        return int(count)

    def _wipe(self) -> None:
        """Write the file anew without free pages, and empty the -wal, where old pages are too."""
        with self._database.alone() as connection:
            connection.execute("VACUUM")
            busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise StoreError(
                f"Deleted, but traces remain in {self._database.name}-wal while another program reads it",
                "Close the other chatui and run the command again.",
            )


def _remove(connection: sqlite3.Connection, number: int, conversation_id: str) -> None:
    for turn, payload in connection.execute(
        "SELECT number, payload FROM turns WHERE conversation = ?", (number,)
    ).fetchall():
        try:
            remove_words(connection, turn, read_turn(payload))
        except CodecError:
            continue  # its index entries point to no turn and are never shown; `check` counts them
    connection.execute("DELETE FROM drafts WHERE conversation_id = ?", (conversation_id,))
    connection.execute("DELETE FROM stashes WHERE conversation_id = ?", (conversation_id,))
    connection.execute("DELETE FROM claims WHERE conversation_id = ?", (conversation_id,))
    connection.execute("DELETE FROM conversations WHERE number = ?", (number,))
