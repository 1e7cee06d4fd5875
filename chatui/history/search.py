"""Full-text search over all messages: newest first, with marked excerpts and the turn to jump to.

Invariant: its time does not grow with the number of matches, as the index is read from its newest end and as
far as the page needs. What the index cannot know (the inside of a word, punctuation, unfinished turns) is
looked for in the newest turns only, and the result says so.
"""

import heapq
import sqlite3
from typing import Final

from chatui.core.turn import Turn, TurnId
from chatui.core.values import frozen
from chatui.history.codec import CodecError
from chatui.history.columns import (
    answer_text,
    column_text,
    number_cell,
    prompt_text,
    reasoning_text,
    text_cell,
)
from chatui.history.database import Database
from chatui.history.excerpt import Finder, Found
from chatui.history.journal import Journal
from chatui.history.search_words import match_query
from chatui.history.turn_reader import read_turn

SCANNED_BYTES: Final = 4_000_000
"""How much of the newest turns is read when the index knows nothing; about 25 ms."""
UNFINISHED_BYTES: Final = 1_000_000
"""How much of the newest unfinished turns is read; there are few of them."""

_Row = tuple[int, str, str, str, float, str | bytes]
_COLUMNS: Final = "t.number, c.conversation_id, c.title, t.turn_id, t.committed_at_epoch_s, t.payload "


@frozen(kw_only=True)
class Match:
    """One message that was found."""

    conversation_id: str
    title: str
    turn_id: TurnId
    place: str
    """`prompt`, `answer` or `reasoning`."""
    excerpt: str
    """The words around the first match, in one line. Raw: make it safe to show."""
    marks: tuple[tuple[int, int], ...]
    """Start and end of each match in the excerpt."""
    at_epoch_s: float
    is_unfinished: bool = False
    """It was said in a turn that failed or was stopped, and is no history."""


@frozen(kw_only=True)
class SearchResult:
    """One page of what was found."""

    matches: tuple[Match, ...] = ()
    has_more: bool = False
    is_partial: bool = False
    """Only the newest turns were read, where the index knew nothing, and older ones may match."""


class Search:
    """Finds turns."""

    def __init__(self, database: Database, journal: Journal) -> None:
        self._database = database
        self._journal = journal

    def find(self, query: str, limit: int, conversation_id: str | None) -> SearchResult:
        """See `SqliteHistory.search`."""
        if not query.strip():
            return SearchResult()
        query = column_text(query)
        words, inside = Finder(query), Finder(query, is_inside=True)
        wanted = match_query(query)
        with self._database.reading() as connection:
            rows = _indexed(connection, wanted, limit + 1, conversation_id) if wanted else []
            if rows:
                matches = [_match(row[1:5], turn, words) for row in rows if (turn := _turn(row)) is not None]
                saved = SearchResult(matches=tuple(matches), has_more=len(rows) > limit)
            else:
                saved = _scan(connection, inside, limit, conversation_id)
            finders = (words,) if rows else (words, inside)
            return _page(saved, self._unfinished(connection, finders, conversation_id), limit)

    def _unfinished(
        self, connection: sqlite3.Connection, finders: tuple[Finder, ...], conversation_id: str | None
    ) -> SearchResult:
        """Matches in unfinished turns, newest first."""
        matches: list[Match] = []
        size = 0
        for kept in self._journal.ended(connection, conversation_id):
            if size > UNFINISHED_BYTES:
                return SearchResult(matches=tuple(matches), is_partial=True)
            size += kept.size_bytes
            texts = [text for _, text in _places(kept.turn)]
            finder = next((finder for finder in finders if finder.has_all(texts)), None)
            if finder is not None:
                place = (kept.conversation_id, kept.title, kept.turn.turn_id, kept.at_epoch_s)
                matches.append(_match(place, kept.turn, finder, is_unfinished=True))
        return SearchResult(matches=tuple(matches))


def _page(saved: SearchResult, unfinished: SearchResult, limit: int) -> SearchResult:
    """Both kinds of turns as one page, newest first."""
    both = heapq.merge(saved.matches, unfinished.matches, key=lambda match: match.at_epoch_s, reverse=True)
    matches = tuple(both)
    return SearchResult(
        matches=matches[:limit],
        has_more=saved.has_more or len(matches) > limit,
        is_partial=saved.is_partial or unfinished.is_partial,
    )


def _indexed(
    connection: sqlite3.Connection, wanted: str, limit: int, conversation_id: str | None
) -> list[_Row]:
    within, values = "", ()
    if conversation_id is not None:
        # The range of row numbers lets the index skip everything before and after the conversation.
        row = connection.execute(
            "SELECT number, (SELECT min(number) FROM turns WHERE conversation = c.number), "
            "(SELECT max(number) FROM turns WHERE conversation = c.number) "
            "FROM conversations c WHERE conversation_id = ?",
            (conversation_id,),
        ).fetchone()
        if row is None:
            return []
        within, values = "AND t.conversation = ? AND w.rowid BETWEEN ? AND ? ", tuple(row)
    # CROSS JOIN keeps the index on the outside: it is read downwards until the page is full.
    return connection.execute(
        f"SELECT {_COLUMNS} FROM turn_words w CROSS JOIN turns t ON t.number = w.rowid "  # noqa: S608 - constants
        "CROSS JOIN conversations c ON c.number = t.conversation "
        f"WHERE turn_words MATCH ? AND c.deleted_at_epoch_s IS NULL {within}"
        "ORDER BY w.rowid DESC LIMIT ?",
        (wanted, *values, limit),
    ).fetchall()


def _scan(
    connection: sqlite3.Connection, finder: Finder, limit: int, conversation_id: str | None
) -> SearchResult:
    matches: list[Match] = []
    size = 0
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM turns t JOIN conversations c ON c.number = t.conversation "  # noqa: S608
        "WHERE c.deleted_at_epoch_s IS NULL AND (? IS NULL OR c.conversation_id = ?) ORDER BY t.number DESC",
        (conversation_id, conversation_id),
    )
    for row in rows:
        if size > SCANNED_BYTES:
            return SearchResult(matches=tuple(matches), is_partial=True)
        payload = row[5] if isinstance(row[5], str | bytes) else text_cell(row[5])
        size += len(payload)
        turn = _turn(row) if finder.may_occur(payload) else None
        if turn is not None and any(finder.find(text) for _, text in _places(turn)):
            if len(matches) == limit:
                return SearchResult(matches=tuple(matches), has_more=True)
            matches.append(_match(row[1:5], turn, finder))
    return SearchResult(matches=tuple(matches))


def _turn(row: _Row) -> Turn | None:
    try:
        return read_turn(row[5])
    except CodecError:  # `load` and `check` name damaged turns; a search shows the others
        return None


def _places(turn: Turn) -> tuple[tuple[str, str], ...]:
    return (
        ("prompt", prompt_text(turn)),
        ("answer", answer_text(turn)),
        ("reasoning", reasoning_text(turn)),
    )


def _match(
    where: tuple[str, str, str, float], turn: Turn, finder: Finder, *, is_unfinished: bool = False
) -> Match:
    """The place with most of the words, and the words around the first of them.

    `where` is conversation id, title, turn id and time.
    """
    found: list[tuple[int, str, Found]] = []
    for place, text in _places(turn):
        hit = finder.find(text)
        if hit is not None:
            found.append((hit.distinct, place, hit))
    place, excerpt = "prompt", finder.beginning(prompt_text(turn))
    marks: tuple[tuple[int, int], ...] = ()
    if found:
        _, place, best = max(found, key=lambda item: item[0])
        excerpt, marks = best.excerpt, best.marks
    return Match(
        conversation_id=where[0],
        title=text_cell(where[1]),
        turn_id=turn.turn_id,
        place=place,
        excerpt=excerpt,
        marks=marks,
        at_epoch_s=number_cell(where[3]),
        is_unfinished=is_unfinished,
    )
