"""Full-text search over all messages: newest first, with marked excerpts and the turn to jump to.

Invariant: its time does not grow with the number of matches, because the index is read from its newest end
and only as far as the page needs.
"""

from dataclasses import dataclass

from chatui.history.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One message that was found."""

    conversation_id: str
    title: str
    turn_id: str
    place: str
    """`prompt`, `answer` or `reasoning`."""
    excerpt: str
    """The words around the first match. Raw: make it safe to show."""
    marks: tuple[tuple[int, int], ...]
    """Start and end of each match in the excerpt."""
    at_epoch_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """One page of what was found."""

    matches: tuple[Match, ...] = ()
    has_more: bool = False
    is_partial: bool = False
    """Words inside of words were looked for, and only in the newest turns."""


class Search:
    """Finds turns."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, query: str, limit: int, conversation_id: str | None) -> SearchResult:
        """See `SqliteHistory.search`."""
        return SearchResult()
