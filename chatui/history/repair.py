"""Saving what can be read of a damaged history.

Invariant: the original is never changed and never removed: everything readable is copied into a new file, and
only when that is whole does it take the place of the original, which is kept beside it under a dated name.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from chatui.core.conversation import Conversation, is_history
from chatui.core.errors import StoreBusy, StoreError
from chatui.core.turn import Turn, TurnId
from chatui.core.values import frozen
from chatui.history.check import MOST_PROBLEMS
from chatui.history.codec import CodecError
from chatui.history.columns import read_text
from chatui.history.database import Database
from chatui.history.file_opening import connect_to_read
from chatui.history.journal import Journal
from chatui.history.owners import Owners
from chatui.history.schema import version_of
from chatui.history.store_errors import store_error
from chatui.history.turn_reader import read_turn
from chatui.history.turn_table import TurnTable

_MOST_GAPS: Final = 200
"""Damaged places after which a table is given up."""
_FACTS: Final = (
    "title, is_title_chosen, updated_at_epoch_s, is_pinned, is_archived, deleted_at_epoch_s, tags, "
    "forked_from, source, extra, sent_from_turn_id"
)


@frozen
class RepairReport:
    """What could be saved."""

    file: str
    original: str
    """Where the original is kept."""
    conversations: int
    turns: int
    problems: tuple[str, ...]


def repair(path: Path, now: Callable[[], float] = time.time) -> RepairReport:
    """Copy everything that can be read into a new file and put it in place of the original, which is kept.

    Raises:
        StoreError: nothing can be read, another chatui uses the file, or the new file cannot be written.
        SchemaTooNew: a newer chatui wrote it.
    """
    if not path.exists():
        raise StoreError(f"There is no history {path}")
    _refuse_if_open(path)
    fresh_path = path.with_name(f"{path.name}.repairing-{os.getpid()}")
    stamp = time.strftime("%Y%m%d-%H%M%S", time.localtime(now()))
    original = _free_name(path.with_name(f"{path.name}.damaged-{stamp}"))
    try:
        with closing(connect_to_read(path)) as old:
            # Without this SQLite refuses a file that is shorter than its first page says.
            old.execute("PRAGMA writable_schema = ON")
            version_of(old, str(path))
            fresh = Database.open(fresh_path, now)
            try:
                salvage = _Salvage(old, fresh, now)
                salvage.run()
                with fresh.alone() as connection:
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                fresh.close()
        if salvage.problems and not salvage.numbers:
            raise StoreError(f"Nothing could be read from {path}; it stays as it is", salvage.problems[0])
        _move(path, original)
        _move(fresh_path, path)
    except (sqlite3.Error, OSError) as error:
        raise store_error(str(path), error) from error
    finally:
        for ending in ("", "-wal", "-shm"):
            with suppress(OSError):
                fresh_path.with_name(fresh_path.name + ending).unlink()
    problems = tuple(salvage.problems[:MOST_PROBLEMS])
    return RepairReport(str(path), str(original), len(salvage.numbers), salvage.turns, problems)


@dataclass(slots=True)
class _Salvage:
    """One copy from the old file to the new one, row by row in the order in which they were written."""

    old: sqlite3.Connection
    fresh: Database
    now: Callable[[], float]
    problems: list[str] = field(default_factory=list)
    numbers: dict[int, int] = field(default_factory=dict)
    """New row of each conversation by its old one."""
    turns: int = 0
    unreadable: dict[tuple[int, str], str | None] = field(default_factory=dict)
    """The parent of each turn that cannot be read, by old row of the conversation and turn id."""

    def run(self) -> None:
        """Copy everything."""
        table, journal = TurnTable(self.fresh, self.now), Journal(Owners(None))
        with self.fresh.writing() as connection:
            known = _columns(self.old, "conversations")
            kept = [name for name in _FACTS.split(", ") if name in known]
            columns = ", ".join(("conversation_id, system, created_at_epoch_s, head_turn_id", *kept))
            facts = {row[0]: row[1:] for row in self._rows("conversations", columns)}
            for number, (conversation_id, system, created_at, _, *_) in facts.items():
                self._keep(connection, table, number, conversation_id, read_text(system), created_at)
            for _, number, turn_id, parent_id, at_epoch_s, payload in self._rows(
                "turns", "conversation, turn_id, parent_id, committed_at_epoch_s, payload"
            ):
                if number not in self.numbers:
                    self.problems.append(
                        f"The conversation of turn {turn_id} cannot be read; it has a new one"
                    )
                    self._keep(connection, table, number, f"recovered-{number}", "", at_epoch_s)
                try:
                    turn = read_turn(payload)
                except CodecError as error:
                    self.problems.append(f"Turn {turn_id} cannot be read: {error}")
                    self.unreadable[number, turn_id] = parent_id
                    continue
                turn = self._relinked(number, turn)
                if is_history(turn):
                    self.turns += table.insert(connection, self.numbers[number], turn, at_epoch_s)
            for number in facts:
                self._copy_unfinished(connection, table, journal, number)
            for table_name in ("drafts", "stashes"):
                self._copy_plain(connection, table_name)
            for number, row in facts.items():
                self._copy_facts(
                    connection, self.numbers[number], row[3], dict(zip(kept, row[4:], strict=True))
                )

    def _relinked(self, number: int, turn: Turn) -> Turn:
        """The turn behind the nearest ancestor that can be read."""
        parent: str | None = turn.parent_id
        while parent is not None and (number, parent) in self.unreadable:
            parent = self.unreadable[number, parent]
        if parent == turn.parent_id:
            return turn
        return replace(turn, parent_id=None if parent is None else TurnId(parent))

    def _keep(
        self,
        connection: sqlite3.Connection,
        table: TurnTable,
        number: int,
        conversation_id: str,
        system: str,
        created_at_epoch_s: float,
    ) -> None:
        table.keep(
            connection,
            Conversation(
                conversation_id=conversation_id, system=system, created_at_epoch_s=created_at_epoch_s
            ),
        )
        new_number = table.number(connection, conversation_id)
        assert new_number is not None
        self.numbers[number] = new_number

    def _copy_unfinished(
        self, connection: sqlite3.Connection, table: TurnTable, journal: Journal, number: int
    ) -> None:
        try:
            turns, problems = journal.load(self.old, number)
        except sqlite3.Error as error:
            self.problems.append(f"Unfinished turns cannot be read: {error}")
            return
        self.problems += problems
        for turn in turns:
            journal.save(connection, self.numbers[number], turn, turn.started_at_epoch_s)
        table.count_unfinished(connection, self.numbers[number])

    def _copy_plain(self, connection: sqlite3.Connection, table: str) -> None:
        try:
            for row in self.old.execute(f"SELECT * FROM {table}"):  # noqa: S608 - constants
                connection.execute(
                    f"INSERT OR IGNORE INTO {table} VALUES ({', '.join('?' * len(row))})",  # noqa: S608
                    row,
                )
        except sqlite3.Error as error:
            self.problems.append(f"Some {table} cannot be read: {error}")

    def _copy_facts(
        self, connection: sqlite3.Connection, number: int, head: str | None, facts: dict[str, Any]
    ) -> None:
        changes = ", ".join(f"{column} = ?" for column in facts)
        connection.execute(
            f"UPDATE conversations SET {changes} WHERE number = ?",  # noqa: S608 - constants
            (*facts.values(), number),
        )
        connection.execute(
            "UPDATE conversations SET head_turn_id = ? WHERE number = ? AND EXISTS "
            "(SELECT 1 FROM turns WHERE conversation = conversations.number AND turn_id = ?)",
            (head, number, head),
        )

    def _rows(self, table: str, columns: str) -> Iterator[tuple[Any, ...]]:
        """Rows with their number, in order, going on behind damaged places by growing steps."""
        at, step, gaps = 0, 1, 0
        while gaps < _MOST_GAPS:
            try:
                for row in self.old.execute(
                    f"SELECT number, {columns} FROM {table} WHERE number > ? ORDER BY number",  # noqa: S608
                    (at,),
                ):
                    at, step = row[0], 1
                    yield row
                return
            except sqlite3.Error as error:
                if step == 1:
                    self.problems.append(f"Rows of {table} after number {at} cannot be read: {error}")
                gaps += 1
                at += step
                step *= 2


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    """Names of the columns of a table: an older schema has fewer."""
    return {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}


def _refuse_if_open(path: Path) -> None:
    folder = path.with_name(path.name + ".open")
    owners = Owners(folder)
    if folder.is_dir() and any(owners.is_alive(file.name) for file in folder.iterdir()):
        raise StoreBusy(f"The history {path} is open in another chatui", "Close it and try again.")


def _free_name(path: Path) -> Path:
    number = 1
    free = path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.name}-{number}")
    return free


def _move(source: Path, target: Path) -> None:
    """Move a database with its -wal, without which its newest turns would be missing."""
    for ending in ("-wal", "-shm", ""):
        with suppress(FileNotFoundError):
            source.with_name(source.name + ending).replace(target.with_name(target.name + ending))
