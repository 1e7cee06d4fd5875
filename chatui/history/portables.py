"""Whole conversations in and out of the history.

Invariants: adding the same conversation twice adds nothing; adding a longer version of it adds what is new;
turns that are here already are never changed by what comes in.
"""

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from chatui.core.conversation import is_history
from chatui.core.errors import StoreError
from chatui.core.turn import TurnId
from chatui.history.catalog import update_filter
from chatui.history.codec import CodecError, dump, parse
from chatui.history.columns import column_text, number_cell, text_cell
from chatui.history.database import Database
from chatui.history.journal import Journal
from chatui.history.portable import ImportReport, Portable
from chatui.history.summaries import new_id
from chatui.history.turn_reader import TurnReader
from chatui.history.turn_table import TurnTable


class Portables:
    """Reads and adds whole conversations with everything that is known about them."""

    def __init__(
        self, database: Database, turns: TurnTable, journal: Journal, now: Callable[[], float]
    ) -> None:
        self._database = database
        self._turns = turns
        self._journal = journal
        self._now = now

    def read(self, conversation_id: str) -> Portable:
        """One conversation.

        Raises:
            StoreError: there is none of that name, or the history cannot be read.
        """
        with self._database.reading() as connection:
            conversation = TurnReader(self._database.name).load(connection, conversation_id, None)
            number = self._turns.number(connection, conversation_id)
            assert number is not None
            unfinished, problems = self._journal.load(connection, number)
            row = connection.execute(
                "SELECT source, updated_at_epoch_s, tags, is_pinned, is_archived, forked_from, extra "
                "FROM conversations WHERE number = ?",
                (number,),
            ).fetchone()
            extras = connection.execute(
                "SELECT turn_id, extra FROM turns WHERE conversation = ? AND extra IS NOT NULL", (number,)
            ).fetchall()
        return Portable(
            conversation=replace(
                conversation,
                unfinished=tuple(unfinished),
                problems=(*conversation.problems, *problems),
            ),
            source=text_cell(row[0]),
            updated_at_epoch_s=number_cell(row[1]),
            tags=tuple(text_cell(row[2]).split()),
            is_pinned=bool(row[3]),
            is_archived=bool(row[4]),
            forked_from=text_cell(row[5]),
            extra=_object(row[6]),
            turn_extra={text_cell(turn_id): _object(extra) for turn_id, extra in extras},
        )

    def export(self, conversation_ids: Sequence[str], format_name: str) -> str:
        """Conversations as one document: `markdown`, `json` (lossless), `openai`, `openai-lines` or `html`.

        Raises:
            StoreError: an unknown conversation or format, or a format that holds one conversation only.
        """
        from chatui.history.exporting.formats import export_document  # not needed at the start

        return export_document([self.read(name) for name in conversation_ids], format_name)

    def import_file(self, path: Path) -> ImportReport:
        """Bring in the conversations of a file, of whichever known format it is.

        Raises:
            StoreError: it cannot be read or is of no known format, or the history cannot be written to.
        """
        from chatui.history.importing.files import read_file  # not needed at the start

        report = ImportReport()
        self.add_all(read_file(path, report), report)
        return report

    def add_all(self, portables: Iterable[Portable], report: ImportReport) -> None:
        """Add conversations, each in one transaction; what was added is counted in the report.

        The disk is waited for once, at the end: after a power cut in between the import is simply made again.

        Raises:
            StoreError: they could not be saved; those before are.
        """
        for portable in portables:
            self.add(portable, report, is_durable=False)
        with self._database.alone() as connection:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def add(self, portable: Portable, report: ImportReport, *, is_durable: bool = True) -> str:
        """Add one conversation, or what is new in it, and return its id here.

        Raises:
            StoreError: it could not be saved.
        """
        conversation = portable.conversation
        with self._database.writing(is_durable=is_durable) as connection:
            row = connection.execute(
                "SELECT number, conversation_id FROM conversations WHERE conversation_id = ? OR source = ?",
                (column_text(conversation.conversation_id), column_text(portable.source) or None),
            ).fetchone()
            is_new = row is None
            if row is None:
                conversation_id = column_text(conversation.conversation_id) or new_id()
                self._turns.keep(connection, replace(conversation, conversation_id=conversation_id))
                number = self._turns.number(connection, conversation_id)
                assert number is not None
            else:
                number, conversation_id = row
            new_turns = 0
            for turn in conversation.turns:
                if not is_history(turn):
                    raise StoreError(f"Turn {turn.turn_id} is {turn.phase} and not accepted: no history")
                extra = portable.turn_extra.get(turn.turn_id)
                at = turn.started_at_epoch_s or portable.updated_at_epoch_s or self._now()
                new_turns += self._turns.insert(connection, number, turn, at, dump(extra) if extra else None)
            for turn in conversation.unfinished:
                is_answered = connection.execute(
                    "SELECT 1 FROM turns WHERE conversation = ? AND turn_id = ?", (number, turn.turn_id)
                ).fetchone()
                if not is_answered and self._journal.save(connection, number, turn, self._now()):
                    report.unfinished += 1
            self._turns.count_unfinished(connection, number)
            if is_new:
                self._describe(connection, number, portable)
            else:  # bringing it in again is also how a deleted one comes back
                connection.execute(
                    "UPDATE conversations SET deleted_at_epoch_s = NULL WHERE number = ?", (number,)
                )
            if (is_new or new_turns) and conversation.head is not None:
                self._point_at(connection, number, "head_turn_id", conversation.head)
            if is_new and conversation.sent_from is not None:
                self._point_at(connection, number, "sent_from_turn_id", conversation.sent_from)
            update_filter(connection, conversation_id)
        report.conversations += is_new
        report.known += not is_new
        report.turns += new_turns
        return str(conversation_id)

    def _describe(self, connection: sqlite3.Connection, number: int, portable: Portable) -> None:
        connection.execute(
            "UPDATE conversations SET source = ?, updated_at_epoch_s = ?, tags = ?, is_pinned = ?, "
            "is_archived = ?, forked_from = ?, extra = ? WHERE number = ?",
            (
                column_text(portable.source) or None,
                portable.updated_at_epoch_s or portable.conversation.created_at_epoch_s or self._now(),
                " ".join("-".join(column_text(tag).split()) for tag in portable.tags),
                portable.is_pinned,
                portable.is_archived,
                column_text(portable.forked_from) or None,
                dump(portable.extra) if portable.extra else None,
                number,
            ),
        )

    def _point_at(self, connection: sqlite3.Connection, number: int, column: str, turn_id: TurnId) -> None:
        """Point a column at a turn, if it is there."""
        connection.execute(
            f"UPDATE conversations SET {column} = ? WHERE number = ? AND EXISTS "  # noqa: S608 - constants
            "(SELECT 1 FROM turns WHERE conversation = conversations.number AND turn_id = ?)",
            (column_text(turn_id), number, column_text(turn_id)),
        )


def _object(stored: str | bytes | None) -> Mapping[str, object]:
    if stored is None:
        return {}
    try:
        value = parse(stored)
    except CodecError:
        return {}
    return value if isinstance(value, dict) else {}
