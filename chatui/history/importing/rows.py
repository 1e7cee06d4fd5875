"""Rows of another program's database, whichever columns its version has.

Invariant: a missing column reads as None, broken JSON as None; nothing of another program can raise here.
"""

import json
import sqlite3
from typing import Any

Row = dict[str, Any]


def rows_of(connection: sqlite3.Connection, query: str, *values: object) -> list[Row]:
    """All rows by column name."""
    cursor = connection.execute(query, values)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


def has_table(connection: sqlite3.Connection, name: str) -> bool:
    """Whether there is such a table."""
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)).fetchone() is not None


def json_of(text: object) -> Any:
    """A column of JSON; None if it is none."""
    if not isinstance(text, str | bytes):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
