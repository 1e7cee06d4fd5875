"""llm's `logs.db`, in both of its forms.

Invariant: a thread that is also there in the older form comes in once.
Source: the migrations of llm 0.36: tables `conversations` and `responses` (`llm_responses`), and from
migration 23 on `threads`, `turns`, `messages` and `parts` (`llm_threads`).
"""

import sqlite3
from collections import Counter
from collections.abc import Iterator

from chatui.history.importing.llm_responses import conversations
from chatui.history.importing.llm_threads import threads_of
from chatui.history.importing.rows import has_table
from chatui.history.portable import Portable


def import_llm(connection: sqlite3.Connection, unmapped: Counter[str]) -> Iterator[Portable]:
    """All threads, then older conversations that are no thread."""
    threads: set[str] = set()
    if has_table(connection, "threads"):
        for portable in threads_of(connection, unmapped):
            threads.add(portable.source)
            yield portable
    if has_table(connection, "responses"):
        for portable in conversations(connection, unmapped):
            if portable.source not in threads:
                yield portable
