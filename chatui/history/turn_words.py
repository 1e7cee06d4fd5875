"""The full-text index of turns.

Invariant: what takes an entry out is computed exactly as what put it in; `tests/history` empties the
index of every released version.
"""

import sqlite3

from chatui.core.turn import Turn
from chatui.history.columns import answer_text, prompt_text, reasoning_text
from chatui.history.search_words import index_words


def add_words(connection: sqlite3.Connection, number: int, turn: Turn) -> None:
    """Put a turn into the full-text index."""
    connection.execute(
        "INSERT INTO turn_words (rowid, prompt, answer, reasoning) VALUES (?, ?, ?, ?)",
        (number, *_turn_words(turn)),
    )


def remove_words(connection: sqlite3.Connection, number: int, turn: Turn) -> None:
    """Take a turn out of the full-text index, which needs to be told what was put in."""
    connection.execute(
        "INSERT INTO turn_words (turn_words, rowid, prompt, answer, reasoning) VALUES ('delete', ?, ?, ?, ?)",
        (number, *_turn_words(turn)),
    )


def _turn_words(turn: Turn) -> tuple[str, str, str]:
    return (
        index_words(prompt_text(turn)),
        index_words(answer_text(turn)),
        index_words(reasoning_text(turn)),
    )
