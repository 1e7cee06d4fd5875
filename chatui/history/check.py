"""Examining a history file: SQLite's own check, every turn, the counts and the search index.

Invariant: nothing is written, not even for a moment.
"""

import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from chatui.core.conversation import is_history
from chatui.core.errors import StoreBusy, StoreError
from chatui.history.codec import CodecError
from chatui.history.columns import text_cell
from chatui.history.file_opening import connect_to_read
from chatui.history.links import DAMAGED_ROW
from chatui.history.schema import version_of
from chatui.history.store_errors import store_error
from chatui.history.turn_reader import read_turn

MOST_PROBLEMS: Final = 50


@dataclass(slots=True)
class CheckReport:
    """What was found."""

    file: str
    is_readable: bool = True
    schema: int = 0
    conversations: int = 0
    turns: int = 0
    unfinished: int = 0
    problems: list[str] = field(default_factory=list)
    """In words; at most `MOST_PROBLEMS`."""

    def add(self, problem: str) -> None:
        """Note a problem."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(problem)


def check(path: Path, *, is_quick: bool = False) -> CheckReport:
    """Examine the whole file: SQLite's own check, foreign keys, every turn, the counts and the index.

    Args:
        path: The file.
        is_quick: Leave out what takes long with a large history: indexes, and what is in the turns.

    Raises:
        StoreError: there is no such file.
        StoreBusy: another program holds it: nothing is known of it.
    """
    if not path.exists():
        raise StoreError(f"There is no history {path}")
    report = CheckReport(str(path))
    try:
        with closing(connect_to_read(path)) as connection:
            report.schema = version_of(connection, str(path))
            for (problem,) in connection.execute(f"PRAGMA {'quick' if is_quick else 'integrity'}_check(20)"):
                if problem != "ok":
                    report.add(f"The file is damaged: {problem}")
            for table, row, _, _ in connection.execute("PRAGMA foreign_key_check"):
                report.add(f"Row {row} of {table} belongs to nothing")
            if is_quick:
                (report.turns,) = connection.execute("SELECT count(*) FROM turns").fetchone()
            else:
                _check_turns(connection, report)
            _check_places(connection, report)
            _check_counts(connection, report)
    except (sqlite3.Error, OSError, StoreError) as error:
        found = store_error(str(path), error)
        if isinstance(found, StoreBusy):
            raise found from error
        report.is_readable = False
        report.add(found.message)
    return report


def _check_turns(connection: sqlite3.Connection, report: CheckReport) -> None:
    for conversation_id, turn_id, parent_id, payload in connection.execute(
        "SELECT conversation_id, turn_id, parent_id, payload FROM turns "
        "JOIN conversations c ON c.number = conversation"
    ):
        report.turns += 1
        try:
            turn = read_turn(payload)
        except CodecError as error:
            report.add(f"Turn {turn_id} of conversation {conversation_id} cannot be read: {error}")
            continue
        if not is_history(turn):
            report.add(f"Turn {turn_id} of conversation {conversation_id} is {turn.phase} and not accepted")
        if turn.parent_id is not None and parent_id is None:
            report.add(f"Turn {turn_id} of conversation {conversation_id} follows a turn that is missing")


def _check_places(connection: sqlite3.Connection, report: CheckReport) -> None:
    for conversation_id, turn_id in connection.execute(
        "SELECT conversation_id, turn_id FROM turns JOIN conversations c ON c.number = conversation "  # noqa: S608 - constants
        f"WHERE {DAMAGED_ROW}"
    ):
        report.add(f"The place of turn {text_cell(turn_id)} of conversation {conversation_id} is damaged")


def _check_counts(connection: sqlite3.Connection, report: CheckReport) -> None:
    (report.conversations,) = connection.execute("SELECT count(*) FROM conversations").fetchone()
    (report.unfinished,) = connection.execute("SELECT count(*) FROM unfinished").fetchone()
    for conversation_id, counted, stored in connection.execute(
        "SELECT conversation_id, (SELECT count(*) FROM turns WHERE conversation = c.number), turn_count "
        "FROM conversations c"
    ):
        if counted != stored:
            report.add(f"Conversation {conversation_id} has {counted} turns, its summary says {stored}")
    for (conversation_id,) in connection.execute(
        "SELECT conversation_id FROM conversations c WHERE head_turn_id IS NOT NULL AND NOT EXISTS "
        "(SELECT 1 FROM turns WHERE conversation = c.number AND turn_id = head_turn_id)"
    ):
        report.add(f"The last turn of conversation {conversation_id} is missing")
    (missing,) = connection.execute(
        "SELECT count(*) FROM turns t WHERE NOT EXISTS (SELECT 1 FROM turn_words_docsize WHERE id = t.number)"
    ).fetchone()
    if missing:
        report.add(f"{missing} turns are not in the search index")
