"""The open database file: how it is opened, one transaction at a time, and what its errors mean to a person.

Invariants: a file that is no history of ours, is damaged or is too new is never written to; every error of
SQLite leaves here as a `StoreError` that names the file; the file can be read by its owner only.
"""

import os
import sqlite3
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from chatui.core.errors import StoreBusy, StoreError
from chatui.history.schema import APPLICATION_ID, migrate, refuse_newer, version_of

BUSY_WAIT_MS: Final = 750
"""How long a write waits for another process: it takes milliseconds, and more would freeze the screen."""
MAKING_WAIT_MS: Final = 10_000
"""How long who opens waits for another chatui that makes the tables: no key waits for it."""

_MAGIC: Final = b"SQLite format 3\x00"
_HINTS: Final = {
    sqlite3.SQLITE_FULL: ("there is no space left for it", "Free some space; the next save tries again."),
    sqlite3.SQLITE_READONLY: ("it cannot be written to", "Check the permissions of the file and its folder."),
    sqlite3.SQLITE_PERM: ("it cannot be written to", "Check the permissions of the file and its folder."),
    sqlite3.SQLITE_CANTOPEN: ("it cannot be opened", "Check that the folder exists and may be written to."),
    sqlite3.SQLITE_IOERR: ("the disk reports an error", "Check the disk and its free space."),
    sqlite3.SQLITE_CORRUPT: (
        "it is damaged",
        "`chatui history check` tells more; `chatui history repair` saves what can be read and keeps it.",
    ),
    sqlite3.SQLITE_NOTADB: (
        "it is no database",
        "It was not changed. Move it away, or restore it from a backup.",
    ),
}


def store_error(name: str, error: Exception) -> StoreError:
    """What an error of SQLite or of the file system means to a person."""
    if isinstance(error, StoreError):
        return error
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreBusy(
            f"The history {name} is being used by another program",
            "Nothing is lost: the next save tries again. Close the other program if it hangs.",
        )
    what, hint = _HINTS.get(code, (str(error), ""))
    return StoreError(f"The history {name} failed: {what}", hint)


class Database:
    """One connection, guarded by a lock, so that any thread may call."""

    def __init__(self, connection: sqlite3.Connection, name: str, *, is_read_only: bool) -> None:
        self.name = name
        """The path of the file, or words for a history in memory."""
        self.is_read_only = is_read_only
        self.is_closed = False
        self._connection = connection
        self._lock = threading.RLock()
        self._synchronous = ""

    @classmethod
    def open(cls, path: Path, now: Callable[[], float]) -> "Database":
        """Open or create the file, and bring it to the newest schema.

        Raises:
            StoreError: it cannot be; the file was not changed.
        """
        name = str(path)
        try:
            if path.exists():
                refuse_by_header(path)
            _make_private(path)
            connection = _connect(f"{path.absolute().as_uri()}?mode=rw")
        except (OSError, sqlite3.Error) as error:
            raise _open_error(name, error) from error
        try:
            connection.execute(f"PRAGMA busy_timeout = {MAKING_WAIT_MS}")
            version_of(connection, name)
            _use_wal(connection)
            _set_up(connection)
            migrate(connection, name, now())
            connection.execute(f"PRAGMA busy_timeout = {BUSY_WAIT_MS}")
            return cls(connection, name, is_read_only=False)
        except (sqlite3.Error, StoreError) as error:
            connection.close()
            raise store_error(name, error) from error

    @classmethod
    def open_read_only(cls, path: Path) -> "Database":
        """Open a file that cannot be written to, also one in a folder that cannot be written to.

        Raises:
            StoreError: it cannot be read.
        """
        name = str(path)
        try:
            return cls(_open_reader(path), name, is_read_only=True)
        except (OSError, sqlite3.Error) as error:
            raise _open_error(name, error) from error

    @classmethod
    def in_memory(cls, now: Callable[[], float]) -> "Database":
        """A history that ends with the process."""
        connection = _connect("file::memory:")
        _set_up(connection)
        migrate(connection, "in memory", now())
        return cls(connection, "in memory", is_read_only=False)

    def close(self) -> None:
        """Close the file. Never raises: every transaction is over already."""
        with self._lock, suppress(sqlite3.Error):
            self.is_closed = True
            self._connection.close()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, to read from.

        Raises:
            StoreError: the file cannot be read.
        """
        with self._lock:
            try:
                yield self._connection
            except sqlite3.Error as error:
                raise store_error(self.name, error) from error

    @contextmanager
    def writing(self, *, is_durable: bool = True) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it is saved, or nothing. Durable ones survive a power cut, others a kill.

        Raises:
            StoreError: it could not be saved.
        """
        with self._lock:
            if self.is_read_only:
                raise StoreError(
                    f"The history {self.name} cannot be written to",
                    "Check the permissions of the file and its folder.",
                )
            connection = self._connection
            try:
                if self._is_inside():  # a part of a larger transaction
                    yield connection
                    return
                self._set_synchronous("FULL" if is_durable else "NORMAL")
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                    connection.execute("COMMIT")
                except BaseException:  # also an interruption: half a transaction must not stay
                    with suppress(sqlite3.Error):
                        if self._is_inside():
                            connection.execute("ROLLBACK")
                    raise
            except sqlite3.Error as error:
                raise store_error(self.name, error) from error

    @contextmanager
    def alone(self) -> Iterator[sqlite3.Connection]:
        """The connection outside a transaction, for statements such as VACUUM.

        Raises:
            StoreError: it failed.
        """
        with self._lock:
            try:
                yield self._connection
            except sqlite3.Error as error:
                raise store_error(self.name, error) from error

    def _is_inside(self) -> bool:
        return self._connection.in_transaction

    def _set_synchronous(self, level: str) -> None:
        if self._synchronous != level:
            self._connection.execute(f"PRAGMA synchronous = {level}")
            self._synchronous = level


def _connect(uri: str) -> sqlite3.Connection:
    return sqlite3.connect(
        uri, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY_WAIT_MS / 1000
    )


def _open_reader(path: Path) -> sqlite3.Connection:
    """A reader of a history of ours."""
    refuse_by_header(path)
    connection = connect_to_read(path)
    try:
        if version_of(connection, str(path)) < 1:
            raise StoreError(f"The history {path} is empty and cannot be written to")
        _set_up(connection)
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
    connection = _connect(f"{path.absolute().as_uri()}?mode=ro")
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        wal = path.with_name(path.name + "-wal")
        is_unshareable = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
        if not is_unshareable or (wal.exists() and wal.stat().st_size):
            raise
        return _connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1")
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
        what, hint = _HINTS[sqlite3.SQLITE_NOTADB]
        raise StoreError(f"The history {path} failed: {what}", hint)
    if len(header) == 72 and int.from_bytes(header[68:72]) == APPLICATION_ID:
        refuse_newer(int.from_bytes(header[60:64]), str(path))


def _use_wal(connection: sqlite3.Connection) -> None:
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


def _set_up(connection: sqlite3.Connection) -> None:
    for setting in ("foreign_keys = ON", "secure_delete = ON", "trusted_schema = OFF", "cache_size = -4000"):
        connection.execute(f"PRAGMA {setting}")


def _make_private(path: Path) -> None:
    """Create the file for its owner only, or take others' rights from it; -wal and -shm follow the file."""
    if path.exists():
        if path.stat().st_mode & 0o077 and os.name == "posix":
            with suppress(PermissionError):  # another person's file, shared with us on purpose
                path.chmod(0o600)
        return
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _open_error(name: str, error: OSError | sqlite3.Error) -> StoreError:
    if isinstance(error, sqlite3.Error):
        return store_error(name, error)
    return StoreError(
        f"The history {name} cannot be opened: {error.strerror or error}",
        "Check the permissions of the file and its folder.",
    )
