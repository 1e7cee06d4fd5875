"""The tables of the history and the steps that lead to them.

Invariants: a released step is never edited, only followed by another; each runs in one transaction together
with its record, so a killed migration leaves the old schema; a newer schema is never touched. The samples in
`tests/history/samples` hold one database for each released version.

Summary columns of `conversations` repeat facts of the turns, so that a list of 100,000 never reads a turn.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from chatui.core.errors import SchemaTooNew, StoreError

APPLICATION_ID: Final = 0x63686174
"""Marks the file as a history of chatui ("chat" in ASCII), for `file` and for us."""

_VERSION_1: Final = (
    """CREATE TABLE migrations (
        version INTEGER PRIMARY KEY,
        applied_at_epoch_s REAL NOT NULL
    )""",
    """CREATE TABLE conversations (
        number INTEGER PRIMARY KEY,
        conversation_id TEXT NOT NULL UNIQUE,
        title TEXT NOT NULL DEFAULT '',
        is_title_chosen INTEGER NOT NULL DEFAULT 0,
        first_words TEXT NOT NULL DEFAULT '',
        provider TEXT NOT NULL DEFAULT '',
        model TEXT NOT NULL DEFAULT '',
        tags TEXT NOT NULL DEFAULT '',
        created_at_epoch_s REAL NOT NULL,
        updated_at_epoch_s REAL NOT NULL,
        turn_count INTEGER NOT NULL DEFAULT 0,
        unfinished_count INTEGER NOT NULL DEFAULT 0,
        size_bytes INTEGER NOT NULL DEFAULT 0,
        is_pinned INTEGER NOT NULL DEFAULT 0,
        is_archived INTEGER NOT NULL DEFAULT 0,
        deleted_at_epoch_s REAL,
        head_turn_id TEXT,
        forked_from TEXT,
        source TEXT UNIQUE,
        filter_text TEXT NOT NULL DEFAULT '',
        system TEXT NOT NULL DEFAULT '',
        extra TEXT
    )""",
    # One index serves the list, its filter (it covers `filter_text`) and the question for the latest one.
    """CREATE INDEX conversations_listed ON conversations (
        (deleted_at_epoch_s IS NULL), is_archived, is_pinned DESC, updated_at_epoch_s DESC, filter_text
    )""",
    """CREATE INDEX conversations_deleted ON conversations (deleted_at_epoch_s)
        WHERE deleted_at_epoch_s IS NOT NULL""",
    """CREATE TABLE turns (
        number INTEGER PRIMARY KEY,
        conversation INTEGER NOT NULL REFERENCES conversations (number) ON DELETE CASCADE,
        turn_id TEXT NOT NULL,
        parent_id TEXT,
        depth INTEGER NOT NULL,
        committed_at_epoch_s REAL NOT NULL,
        size_bytes INTEGER NOT NULL,
        extra TEXT,
        payload NOT NULL,
        UNIQUE (conversation, turn_id),
        FOREIGN KEY (conversation, parent_id) REFERENCES turns (conversation, turn_id)
            DEFERRABLE INITIALLY DEFERRED
    )""",
    "CREATE INDEX turns_by_parent ON turns (conversation, parent_id)",
    # `rowid` is the number of the turn; the text itself stays in the turn only.
    """CREATE VIRTUAL TABLE turn_words USING fts5 (
        prompt, answer, reasoning,
        content='', prefix='2 3', tokenize="unicode61 remove_diacritics 2"
    )""",
    """CREATE TABLE unfinished (
        number INTEGER PRIMARY KEY,
        conversation INTEGER NOT NULL REFERENCES conversations (number) ON DELETE CASCADE,
        turn_id TEXT NOT NULL,
        owner TEXT NOT NULL DEFAULT '',
        is_running INTEGER NOT NULL,
        updated_at_epoch_s REAL NOT NULL,
        payload NOT NULL,
        UNIQUE (conversation, turn_id)
    )""",
    "CREATE INDEX unfinished_running ON unfinished (owner) WHERE is_running",
    # Long texts of a running turn grow here by rows, so that a batch costs what is new, not what is there.
    """CREATE TABLE unfinished_text (
        unfinished INTEGER NOT NULL REFERENCES unfinished (number) ON DELETE CASCADE,
        slot INTEGER NOT NULL,
        position INTEGER NOT NULL,
        text NOT NULL,
        PRIMARY KEY (unfinished, slot, position)
    ) WITHOUT ROWID""",
    """CREATE TABLE drafts (
        conversation_id TEXT PRIMARY KEY,
        updated_at_epoch_s REAL NOT NULL,
        text NOT NULL
    )""",
    """CREATE TABLE stashes (
        number INTEGER PRIMARY KEY,
        conversation_id TEXT NOT NULL,
        stashed_at_epoch_s REAL NOT NULL,
        text NOT NULL
    )""",
    """CREATE TABLE claims (
        conversation_id TEXT PRIMARY KEY,
        owner TEXT NOT NULL,
        process_id INTEGER NOT NULL,
        since_epoch_s REAL NOT NULL
    ) WITHOUT ROWID""",
)

_VERSION_2: Final = (
    # The first turn that is still sent; NULL sends all.
    "ALTER TABLE conversations ADD COLUMN sent_from_turn_id TEXT",
)

MIGRATIONS: Final[tuple[tuple[str, ...], ...]] = (_VERSION_1, _VERSION_2)
"""Statements that lead from one version to the next; the first from an empty file to version 1."""

SCHEMA_VERSION: Final = len(MIGRATIONS)


def version_of(connection: sqlite3.Connection, name: str) -> int:
    """The schema version of an open database; 0 is an empty one. Reads only.

    Raises:
        SchemaTooNew: a newer chatui wrote it.
        StoreError: it is the database of another program.
    """
    with _one_moment(connection):
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        application = int(connection.execute("PRAGMA application_id").fetchone()[0])
        tables = int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    if application != APPLICATION_ID and (tables or application):
        raise StoreError(
            f"{name} is a database of another program, not a chatui history",
            "Move it away or name another file; it was not changed.",
        )
    refuse_newer(version, name)
    return version


@contextmanager
def _one_moment(connection: sqlite3.Connection) -> Iterator[None]:
    """All that is read inside is of one moment, though another process may be making the tables just now."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
    finally:
        with suppress(sqlite3.Error):  # SQLite has ended it already after an error
            connection.execute("ROLLBACK")


def refuse_newer(version: int, name: str) -> None:
    """Refuse a schema that this chatui does not know.

    Raises:
        SchemaTooNew: a newer chatui wrote it.
    """
    if version > SCHEMA_VERSION:
        raise SchemaTooNew(
            f"{name} was written by a newer chatui (schema {version}, this one knows {SCHEMA_VERSION})",
            "Update chatui; the file was not changed.",
        )


def migrate(connection: sqlite3.Connection, name: str, at_epoch_s: float) -> int:
    """Bring the database to the newest schema and return how many steps that took.

    Two processes may try at once: each step looks again once it holds the write lock.
    """
    steps = 0
    while version_of(connection, name) < SCHEMA_VERSION:
        connection.execute("BEGIN IMMEDIATE")
        try:
            version = version_of(connection, name)
            if version < SCHEMA_VERSION:
                for statement in MIGRATIONS[version]:
                    connection.execute(statement)
                connection.execute("INSERT INTO migrations VALUES (?, ?)", (version + 1, at_epoch_s))
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {version + 1}")
                steps += 1
            connection.execute("COMMIT")
        except BaseException:  # also an interruption: a half step must not stay
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    return steps
