"""What errors of SQLite and of the file system mean to a person.

Invariant: every one of them becomes a `StoreError` that names the file and says what can be done.
"""

import sqlite3
from typing import Final

from chatui.core.errors import StoreBusy, StoreError

HINTS: Final = {
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
    what, hint = HINTS.get(code, (str(error), ""))
    return StoreError(f"The history {name} failed: {what}", hint)


def open_error(name: str, error: OSError | sqlite3.Error) -> StoreError:
    """Why a file cannot be opened."""
    if isinstance(error, sqlite3.Error):
        return store_error(name, error)
    return StoreError(
        f"The history {name} cannot be opened: {error.strerror or error}",
        "Check the permissions of the file and its folder.",
    )
