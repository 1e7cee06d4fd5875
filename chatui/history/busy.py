"""Whether another program is writing to the history at this moment.

Invariant: the lock is asked for and given back at once; no page of the file changes.
"""

import sqlite3
from contextlib import closing
from pathlib import Path


def is_being_written(path: Path) -> bool:
    """Whether the lock on writing is held by somebody; False where that cannot be told.

    Only for a file that was found whole: SQLite tidies up its log when the last connection closes.
    """
    try:
        uri = f"{path.absolute().as_uri()}?mode=rw"
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None, timeout=0)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    return False
