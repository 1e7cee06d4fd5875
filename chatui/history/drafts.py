"""Drafts and stashed prompts: nothing typed is lost.

Invariant: a draft is saved for its conversation, also for one that has no turn yet; a temporary conversation
never leaves one on disk.
"""

from collections.abc import Callable
from typing import Final

from chatui.core.values import frozen
from chatui.history.columns import read_text, stored_text
from chatui.history.database import Database
from chatui.history.owners import Owners
from chatui.history.summaries import is_temporary_id

STASHES_KEPT: Final = 200
NEWEST_LOOKED_AT: Final = 20


@frozen
class Stashed:
    """A prompt put aside."""

    conversation_id: str
    text: str
    stashed_at_epoch_s: float


class Drafts:
    """What was typed and not sent."""

    def __init__(self, database: Database, owners: Owners, now: Callable[[], float]) -> None:
        self._database = database
        self._owners = owners
        self._now = now
        self._temporary: dict[str, str] = {}

    def save(self, conversation_id: str, text: str) -> None:
        """Keep the draft of a conversation; an empty one is forgotten. Cheap: call it at each pause.

        Raises:
            StoreError: it could not be saved.
        """
        if is_temporary_id(conversation_id):
            self._temporary[conversation_id] = text
            return
        with self._database.writing(is_durable=False) as connection:
            if text:
                connection.execute(
                    "INSERT OR REPLACE INTO drafts VALUES (?, ?, ?)",
                    (conversation_id, self._now(), stored_text(text)),
                )
            else:
                connection.execute("DELETE FROM drafts WHERE conversation_id = ?", (conversation_id,))

    def load(self, conversation_id: str) -> str:
        """The draft of a conversation, or empty.

        Raises:
            StoreError: the history cannot be read.
        """
        if is_temporary_id(conversation_id):
            return self._temporary.get(conversation_id, "")
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT text FROM drafts WHERE conversation_id = ?", (conversation_id,)
            ).fetchone()
        return "" if row is None else read_text(row[0])

    def without_conversation(self) -> tuple[str, str] | None:
        """The newest draft of a conversation that has no turn yet (id, text), to be offered at the start.

        One that is being written in another process is not left behind.
        """
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT d.conversation_id, d.text, c.owner FROM drafts d "
                "LEFT JOIN claims c ON c.conversation_id = d.conversation_id WHERE NOT EXISTS "
                "(SELECT 1 FROM conversations k WHERE k.conversation_id = d.conversation_id) "
                "ORDER BY d.updated_at_epoch_s DESC LIMIT ?",
                (NEWEST_LOOKED_AT,),
            ).fetchall()
        for conversation_id, text, owner in rows:
            if owner is None or owner == self._owners.known() or not self._owners.is_alive(owner):
                return conversation_id, read_text(text)
        return None

    def move(self, conversation_id: str, to_conversation_id: str) -> None:
        """Let a draft belong to another conversation.

        Raises:
            StoreError: it could not be saved.
        """
        with self._database.writing(is_durable=False) as connection:
            connection.execute(
                "UPDATE OR REPLACE drafts SET conversation_id = ? WHERE conversation_id = ?",
                (to_conversation_id, conversation_id),
            )

    def stash(self, conversation_id: str, text: str) -> None:
        """Put a prompt aside. The same text again moves to the front.

        Raises:
            StoreError: it could not be saved.
        """
        if is_temporary_id(conversation_id) or not text.strip():
            return
        with self._database.writing() as connection:
            stored = stored_text(text)
            connection.execute("DELETE FROM stashes WHERE text = ?", (stored,))
            connection.execute(
                "INSERT INTO stashes (conversation_id, stashed_at_epoch_s, text) VALUES (?, ?, ?)",
                (conversation_id, self._now(), stored),
            )
            connection.execute(
                "DELETE FROM stashes WHERE number NOT IN "
                "(SELECT number FROM stashes ORDER BY number DESC LIMIT ?)",
                (STASHES_KEPT,),
            )

    def stashed(self, limit: int = STASHES_KEPT) -> tuple[Stashed, ...]:
        """Prompts put aside, newest first.

        Raises:
            StoreError: the history cannot be read.
        """
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT conversation_id, text, stashed_at_epoch_s FROM stashes ORDER BY number DESC LIMIT ?",
                (limit,),
            ).fetchall()
        return tuple(Stashed(conversation_id, read_text(text), at) for conversation_id, text, at in rows)

    def pop(self) -> Stashed | None:
        """Take back the prompt that was put aside last.

        Raises:
            StoreError: the history cannot be written.
        """
        newest = self.stashed(1)
        if not newest:
            return None
        with self._database.writing() as connection:
            connection.execute("DELETE FROM stashes WHERE text = ?", (stored_text(newest[0].text),))
        return newest[0]
