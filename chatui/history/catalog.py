"""The list of conversations, and what a person does to a whole one: rename, pin, tag, archive, delete.

Invariants: the list reads summary columns only, in the order of one index; a deletion can be undone until it
is purged, and nothing is ever purged because of its age alone unless the person deleted it.
"""

import os
import sqlite3
from collections.abc import Callable, Iterable
from typing import Any, Final

from chatui.core.errors import StoreError
from chatui.history.columns import column_text, count_cell, number_cell, text_cell
from chatui.history.database import Database
from chatui.history.owners import Owners
from chatui.history.search_words import fold
from chatui.history.summaries import Summary, is_temporary_id

DELETED_KEPT_S: Final = 24 * 3600.0
"""How long a deletion can be undone."""

_COLUMNS: Final = (
    "conversation_id, title, is_title_chosen, first_words, provider, model, tags, created_at_epoch_s, "
    "updated_at_epoch_s, turn_count, unfinished_count, size_bytes, is_pinned, is_archived, "
    "deleted_at_epoch_s IS NOT NULL"
)
_ORDER: Final = "is_pinned DESC, updated_at_epoch_s DESC"

_COMMITTED_LAST: Final = (
    "SELECT conversation_id FROM turns t JOIN conversations c ON c.number = t.conversation "
    "WHERE c.deleted_at_epoch_s IS NULL AND c.is_archived = 0 ORDER BY t.number DESC LIMIT 1"
)


class Catalog:
    """The table of conversations."""

    def __init__(self, database: Database, owners: Owners, now: Callable[[], float]) -> None:
        self._database = database
        self._owners = owners
        self._now = now

    def list(
        self,
        *,
        limit: int = 50,
        offset: int = 0,
        query: str = "",
        is_archived: bool = False,
        is_deleted: bool = False,
    ) -> tuple[Summary, ...]:
        """Conversations, pinned ones first, then the newest.

        Every word of `query` has to occur in title, first words, model, provider or `#tag`.

        Raises:
            StoreError: the history cannot be read.
        """
        words = fold(column_text(query)).split()
        wanted = "".join(" AND instr(filter_text, ?)" for _ in words)
        with self._database.reading() as connection:
            # The inner query is answered by the index alone; only the rows of one page are read.
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM conversations WHERE number IN ("  # noqa: S608 - only constants
                f" SELECT number FROM conversations WHERE (deleted_at_epoch_s IS NULL) = ?"
                f" AND is_archived = ?{wanted} ORDER BY {_ORDER} LIMIT ? OFFSET ?"
                f") ORDER BY {_ORDER}",
                (not is_deleted, is_archived, *words, limit, offset),
            ).fetchall()
            return tuple(self._summary(connection, row) for row in rows)

    def summary(self, conversation_id: str) -> Summary | None:
        """One conversation, archived and deleted ones included.

        Raises:
            StoreError: the history cannot be read.
        """
        with self._database.reading() as connection:
            row = connection.execute(
                f"SELECT {_COLUMNS} FROM conversations WHERE conversation_id = ?",  # noqa: S608 - constant
                (conversation_id,),
            ).fetchone()
            return None if row is None else self._summary(connection, row)

    def latest(self) -> str | None:
        """The conversation that was used last, neither archived nor deleted.

        A clock that was put back leaves times that are still to come: then the order of the turns tells.

        Raises:
            StoreError: the history cannot be read.
        """
        with self._database.reading() as connection:
            # One step into the index for pinned ones and one for the others.
            rows = [
                connection.execute(
                    "SELECT updated_at_epoch_s, conversation_id FROM conversations "
                    "WHERE (deleted_at_epoch_s IS NULL) = 1 AND is_archived = 0 AND is_pinned = ? "
                    "ORDER BY updated_at_epoch_s DESC LIMIT 1",
                    (pinned,),
                ).fetchone()
                for pinned in (0, 1)
            ]
            found = [(number_cell(row[0]), str(row[1])) for row in rows if row is not None]
            at_epoch_s, name = max(found, default=(0.0, ""))
            if at_epoch_s > self._now():
                row = connection.execute(_COMMITTED_LAST).fetchone()
                name = name if row is None else row[0]
        return name or None

    def count(self) -> int:
        """How many conversations there are, without deleted ones."""
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT count(*) FROM conversations WHERE (deleted_at_epoch_s IS NULL) = 1"
            ).fetchone()
        return int(row[0])

    def resolve(self, text: str) -> str:
        """The id that `text` is, or is the beginning of.

        Raises:
            StoreError: no conversation or several begin so.
        """
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT conversation_id FROM conversations "
                "WHERE conversation_id >= ? AND conversation_id < ? ORDER BY conversation_id LIMIT 4",
                (column_text(text), column_text(text) + "\U0010ffff"),
            ).fetchall()
        found = [row[0] for row in rows]
        if text in found:
            return text
        if not text or not found:
            raise StoreError(f"No conversation {text!r}", "`chatui history list` shows their ids.")
        if len(found) > 1:
            raise StoreError(f"Several conversations begin with {text!r}: {', '.join(found)}")
        return str(found[0])

    def rename(self, conversation_id: str, title: str) -> None:
        """Give a conversation a title; an empty one brings back the automatic title.

        Raises:
            StoreError: it could not be saved.
        """
        title = " ".join(column_text(title).split())
        with self._database.writing() as connection:
            if title:
                change = "title = ?, is_title_chosen = 1"
                self._change(connection, conversation_id, change, title)
            else:
                self._change(connection, conversation_id, "title = first_words, is_title_chosen = 0")

    def suggest_title(self, conversation_id: str, title: str) -> None:
        """Give an automatic title, unless the person chose one.

        Raises:
            StoreError: it could not be saved.
        """
        title = " ".join(column_text(title).split())
        with self._database.writing() as connection:
            change = "title = CASE WHEN is_title_chosen THEN title ELSE ? END"
            self._change(connection, conversation_id, change, title)

    def pin(self, conversation_id: str, is_pinned: bool = True) -> None:
        """Keep a conversation at the top of the list, or no longer."""
        with self._database.writing() as connection:
            self._change(connection, conversation_id, "is_pinned = ?", is_pinned)

    def archive(self, conversation_id: str, is_archived: bool = True) -> None:
        """Take a conversation out of the list without deleting it, or bring it back."""
        with self._database.writing() as connection:
            self._change(connection, conversation_id, "is_archived = ?", is_archived)

    def tag(self, conversation_id: str, tags: Iterable[str]) -> None:
        """Replace the tags of a conversation. A tag is one word; a leading `#` is not part of it."""
        words = sorted({word for tag in tags for word in column_text(tag).replace("#", " ").split()})
        with self._database.writing() as connection:
            self._change(connection, conversation_id, "tags = ?", " ".join(words))

    def delete(self, conversation_id: str) -> None:
        """Delete a conversation; `undelete` brings it back until it is purged."""
        with self._database.writing() as connection:
            self._change(connection, conversation_id, "deleted_at_epoch_s = ?", self._now())

    def undelete(self, conversation_id: str) -> None:
        """Undo a deletion."""
        with self._database.writing() as connection:
            self._change(connection, conversation_id, "deleted_at_epoch_s = NULL")

    def claim(self, conversation_id: str) -> str:
        """Say that this process has the conversation open.

        Returns:
            Empty, or in words where else it is open, to follow "open in": show it for reading, or fork it.
        """
        if is_temporary_id(conversation_id) or self._database.is_read_only:
            return ""
        with self._database.writing(is_durable=False) as connection:
            elsewhere = self._open_in(connection, conversation_id)
            if not elsewhere:
                connection.execute(
                    "INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?)",
                    (conversation_id, self._owners.mine(), os.getpid(), self._now()),
                )
        return elsewhere

    def release(self, conversation_id: str | None = None) -> None:
        """Say that this process no longer has the conversation (or, for None, any conversation) open."""
        if self._database.is_read_only:
            return
        with self._database.writing(is_durable=False) as connection:
            connection.execute(
                "DELETE FROM claims WHERE owner = ? AND (? IS NULL OR conversation_id = ?)",
                (self._owners.mine(), conversation_id, conversation_id),
            )

    def _change(
        self, connection: sqlite3.Connection, conversation_id: str, change: str, *values: object
    ) -> None:
        changed = connection.execute(
            f"UPDATE conversations SET {change} WHERE conversation_id = ?",  # noqa: S608 - constants of this class
            (*values, conversation_id),
        )
        if not changed.rowcount:
            raise StoreError(f"No conversation {conversation_id!r} in the history {self._database.name}")
        update_filter(connection, conversation_id)

    def _open_in(self, connection: sqlite3.Connection, conversation_id: str) -> str:
        row = connection.execute(
            "SELECT owner, process_id FROM claims WHERE conversation_id = ?", (conversation_id,)
        ).fetchone()
        if row is None or not self._owners.is_alive(row[0]) or row[0] == self._owners.known():
            return ""
        return f"another chatui (process {row[1]})"

    def _summary(self, connection: sqlite3.Connection, row: tuple[Any, ...]) -> Summary:
        return Summary(
            conversation_id=row[0],
            title=text_cell(row[1]),
            is_title_chosen=bool(row[2]),
            first_words=text_cell(row[3]),
            provider=text_cell(row[4]),
            model=text_cell(row[5]),
            tags=tuple(text_cell(row[6]).split()),
            created_at_epoch_s=number_cell(row[7]),
            updated_at_epoch_s=number_cell(row[8]),
            turn_count=count_cell(row[9]),
            unfinished_count=count_cell(row[10]),
            size_bytes=count_cell(row[11]),
            is_pinned=bool(row[12]),
            is_archived=bool(row[13]),
            is_deleted=bool(row[14]),
            open_in=self._open_in(connection, row[0]),
        )


def update_filter(connection: sqlite3.Connection, conversation_id: str) -> None:
    """Bring the text that the list is filtered by up to date."""
    row = connection.execute(
        "SELECT number, title, first_words, provider, model, tags FROM conversations "
        "WHERE conversation_id = ?",
        (conversation_id,),
    ).fetchone()
    tags = " ".join(f"#{tag}" for tag in text_cell(row[5]).split())
    words = dict.fromkeys(filter(None, (*map(text_cell, row[1:5]), tags)))
    connection.execute(
        "UPDATE conversations SET filter_text = ? WHERE number = ? AND filter_text <> ?",
        (folded := fold("\n".join(words)), row[0], folded),
    )
