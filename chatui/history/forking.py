"""A copy of a conversation up to a turn.

Invariants: the original stays as it is; a copy is seen when it is whole: until then it stands among what was
deleted, so that neither a crash nor a full disk shows half of one; memory holds a page of it at a time, and
others wait for a page at most.
"""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from chatui.core.conversation import Conversation
from chatui.core.errors import StoreError
from chatui.core.tool_calls import with_results_of
from chatui.core.turn import Turn, TurnId
from chatui.history.catalog import update_filter
from chatui.history.database import Database
from chatui.history.journal import Journal
from chatui.history.removal import Removal
from chatui.history.turn_pages import PAGE_TURNS, TurnPages
from chatui.history.turn_table import TurnTable

COPIED_AT_ONCE: Final = 100
"""So many turns are written in one transaction: others wait for it."""


class Forking:
    """Copies conversations."""

    def __init__(
        self, database: Database, turns: TurnTable, journal: Journal, now: Callable[[], float]
    ) -> None:
        self._database = database
        self._turns = turns
        self._journal = journal
        self._now = now
        self._pages = TurnPages(database)

    def fork(self, near: Conversation, turn_id: TurnId, fork_id: str) -> None:
        """Copy a conversation up to a turn.

        Args:
            near: The conversation with that turn at its end, and what follows that: results of its calls.
            turn_id: The last turn of the copy.
            fork_id: The name of the copy.

        Raises:
            StoreError: there is no such turn, or it could not be saved.
        """
        names = self._path(near.conversation_id, turn_id)
        if not names:
            raise StoreError(self._turns.no_turn(near.conversation_id, turn_id))
        if len(names) <= COPIED_AT_ONCE:
            with self._database.writing() as connection:
                turns = self._read(near, names)
                self._begin(connection, near, fork_id, turns[0])
                self._end(connection, near, names, fork_id, turns)
            return
        first = self._read(near, names[:1])
        with self._database.writing(is_durable=False) as connection:
            self._begin(connection, near, fork_id, first[0])
        try:
            self._copy(near, names, fork_id)
        except StoreError:
            with suppress(StoreError):  # it is purged with what was deleted
                Removal(self._database, self._now).forget(fork_id)
            raise

    def _copy(self, near: Conversation, names: Sequence[TurnId], fork_id: str) -> None:
        last = (len(names) - 1) // COPIED_AT_ONCE * COPIED_AT_ONCE
        for start in range(0, last, COPIED_AT_ONCE):
            turns = self._read(near, names[start : start + COPIED_AT_ONCE])
            with self._database.writing(is_durable=False) as connection:
                number = self._number(connection, fork_id)
                self._turns.copy_in(connection, number, turns)
        turns = self._read(near, names[last:])
        with self._database.writing() as connection:
            self._end(connection, near, names, fork_id, turns)

    def _path(self, conversation_id: str, turn_id: TurnId) -> list[TurnId]:
        pieces: list[list[TurnId]] = []
        seen: set[TurnId] = set()
        at: TurnId | None = turn_id
        while at is not None and at not in seen:
            outlines, _ = self._pages.before(conversation_id, at, PAGE_TURNS)
            pieces.append([outline.turn_id for outline in outlines if outline.turn_id not in seen])
            seen.update(pieces[-1])
            at = outlines[0].parent_id if outlines else None
        return [name for piece in reversed(pieces) for name in piece]

    def _read(self, near: Conversation, names: Sequence[TurnId]) -> list[Turn]:
        page = self._pages.read(near.conversation_id, names)
        known = {turn.turn_id: turn for turn in page.turns}
        return [known[name] for name in names if name in known]

    def _begin(self, connection: sqlite3.Connection, near: Conversation, fork_id: str, first: Turn) -> None:
        self._turns.keep(
            connection,
            Conversation(conversation_id=fork_id, system=near.system, created_at_epoch_s=self._now()),
        )
        connection.execute(
            "UPDATE conversations SET deleted_at_epoch_s = ? WHERE conversation_id = ?",
            (self._now(), fork_id),
        )
        self._turns.describe(connection, self._number(connection, fork_id), first)

    def _end(
        self,
        connection: sqlite3.Connection,
        near: Conversation,
        names: Sequence[TurnId],
        fork_id: str,
        turns: Sequence[Turn],
    ) -> None:
        """The last turns, and what is known of the copy as a whole; with the last one it is there."""
        number = self._number(connection, fork_id)
        source = self._number(connection, near.conversation_id)
        self._turns.copy_in(connection, number, turns[:-1])
        for turn in turns[-1:]:
            self._turns.insert(connection, number, turn)
        if near.sent_from in names:
            self._turns.set_sent_from(connection, fork_id, near.sent_from)
        connection.execute(
            "UPDATE conversations SET forked_from = ?, "
            "title = (SELECT title FROM conversations WHERE number = ?) WHERE number = ?",
            (f"{near.conversation_id}/{names[-1]}", source, number),
        )
        update_filter(connection, fork_id)
        fork = with_results_of(Conversation(conversation_id=fork_id, head=names[-1]), near)
        for turn in fork.unfinished:
            self._journal.save(connection, number, turn, self._now())
            self._turns.count_unfinished(connection, number)

    def _number(self, connection: sqlite3.Connection, conversation_id: str) -> int:
        number = self._turns.number(connection, conversation_id)
        if number is None:  # deleted for good elsewhere, while it was copied
            raise StoreError(f"No conversation {conversation_id!r} in the history {self._database.name}")
        return number
