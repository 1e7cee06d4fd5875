"""The open database: one transaction at a time, from any thread.

Invariants: all of a transaction is saved, or nothing; every error of SQLite leaves here as a `StoreError`
that names the file; a file that is damaged or not ours is never written to (`file_opening`).
"""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from chatui.core.errors import StoreError
from chatui.history.file_opening import (
    BUSY_WAIT_MS,
    MAKING_WAIT_MS,
    connect,
    make_private,
    open_reader,
    refuse_by_header,
    set_up,
    use_wal,
)
from chatui.history.schema import migrate, version_of
from chatui.history.store_errors import open_error, store_error


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
            make_private(path)
            connection = connect(f"{path.absolute().as_uri()}?mode=rw")
        except (OSError, sqlite3.Error) as error:
            raise open_error(name, error) from error
        try:
            connection.execute(f"PRAGMA busy_timeout = {MAKING_WAIT_MS}")
            version_of(connection, name)
            use_wal(connection)
            set_up(connection)
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
            return cls(open_reader(path), name, is_read_only=True)
        except (OSError, sqlite3.Error) as error:
            raise open_error(name, error) from error

    @classmethod
    def in_memory(cls, now: Callable[[], float]) -> "Database":
        """A history that ends with the process."""
        connection = connect("file::memory:")
        set_up(connection)
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
