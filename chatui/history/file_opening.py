"""Connections to a history file, and the files that get none.

Invariants: a file that is no history of ours, or too new, is never written to, not even by SQLite as it
closes; the file can be read by its owner only; nothing is waited for without end.
"""

import os
import sqlite3
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from chatui.core.errors import StoreError
from chatui.history.schema import APPLICATION_ID, refuse_newer, version_of
from chatui.history.store_errors import HINTS

BUSY_WAIT_MS: Final = 750
"""How long a write waits for another process: it takes milliseconds, and more would freeze the screen."""
MAKING_WAIT_MS: Final = 10_000
"""How long who opens waits for another chatui that makes the tables: no key waits for it."""

_MAGIC: Final = b"SQLite format 3\x00"


def connect(uri: str) -> sqlite3.Connection:
    """A connection without transactions of its own."""
    return sqlite3.connect(
        uri, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY_WAIT_MS / 1000
    )


def open_reader(path: Path) -> sqlite3.Connection:
    """A reader of a history of ours."""
    refuse_by_header(path)
    connection = connect_to_read(path)
    try:
        if version_of(connection, str(path)) < 1:
            raise StoreError(f"The history {path} is empty and cannot be written to")
        set_up(connection)
    except BaseException:  # also an interruption: nobody else knows of this connection
        connection.close()
        raise
    return connection


def connect_to_read(path: Path) -> sqlite3.Connection:
    """A connection that cannot change the file, also in a folder that cannot be written to.

    A database in WAL mode needs its -shm file. Where that cannot be made, `immutable` reads the main file
    alone, which is right only when there is no -wal with newer turns.
    """
    refuse_what_is_no_file(path)
    connection = connect(f"{path.absolute().as_uri()}?mode=ro")
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        wal = path.with_name(path.name + "-wal")
        is_unshareable = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
        if not is_unshareable or (wal.exists() and wal.stat().st_size):
            raise
        return connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def refuse_what_is_no_file(path: Path) -> None:
    """A pipe would be waited for without end, and a device is nobody's history.

    Raises:
        StoreError: it is there and no regular file.
    """
    try:
        mode = path.stat().st_mode
    except OSError:  # told by who opens it
        return
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "a pipe" if stat.S_ISFIFO(mode) else "no regular file"
        raise StoreError(
            f"The history {path} cannot be opened: it is {kind}",
            "It was not changed. Move it away; the next conversation makes the file.",
        )


def refuse_by_header(path: Path) -> None:
    """Look at the first page before SQLite does: closing its connection could already change a file.

    Raises:
        StoreError: it is no database.
        SchemaTooNew: a newer chatui wrote it.
    """
    refuse_what_is_no_file(path)
    with path.open("rb") as file:
        header = file.read(72)
    if header and not header.startswith(_MAGIC):
        what, hint = HINTS[sqlite3.SQLITE_NOTADB]
        raise StoreError(f"The history {path} failed: {what}", hint)
    if len(header) == 72 and int.from_bytes(header[68:72]) == APPLICATION_ID:
        refuse_newer(int.from_bytes(header[60:64]), str(path))


def use_wal(connection: sqlite3.Connection) -> None:
    """Switch to the write-ahead log, where SQLite waits for nobody: others may do the same right now."""
    until_s = time.monotonic() + MAKING_WAIT_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until_s:
                raise
        time.sleep(0.005)


def set_up(connection: sqlite3.Connection) -> None:
    """What holds for every connection."""
    for setting in ("foreign_keys = ON", "secure_delete = ON", "trusted_schema = OFF", "cache_size = -4000"):
        connection.execute(f"PRAGMA {setting}")


def make_private(path: Path) -> None:
    """Create the file for its owner only, or take others' rights from it; -wal and -shm follow the file."""
    if path.exists():
        if path.stat().st_mode & 0o077 and os.name == "posix":
            with suppress(PermissionError):  # another person's file, shared with us on purpose
                path.chmod(0o600)
        return
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
