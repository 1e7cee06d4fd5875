"""The history as the app's lists see it: rows, previews, search.

A history that cannot be read is told, not raised.
"""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from chatui.core.conversation import Conversation
from chatui.core.errors import ChatuiError
from chatui.ui.widgets.rows_view import ListRow
from chatui.view.lines import EMPTY_LINE, Line, Style, Tone
from chatui.view.plain_lines import one_line, plain_lines

if TYPE_CHECKING:
    from chatui.history.sqlite_history import SqliteHistory
    from chatui.history.summaries import Summary

MOST_ROWS = 500
PREVIEW_TURNS = 3


def age(then_s: float, now_s: float) -> str:
    """How long ago, in a word."""
    passed = max(0.0, now_s - then_s)
    if passed < 90:
        return "just now"
    if passed < 5400:
        return f"{passed / 60:.0f} min ago"
    if passed < 36 * 3600:
        return f"{passed / 3600:.0f} h ago"
    if passed < 30 * 86400:
        return f"{passed / 86400:.0f} days ago"
    return time.strftime("%Y-%m-%d", time.localtime(then_s))


class Shelf:
    """Conversations to pick from."""

    def __init__(self, history: "Callable[[], SqliteHistory]", now: Callable[[], float]) -> None:
        self._history = history
        self._now = now
        self.problem: ChatuiError | None = None

    def _summaries(self, limit: int) -> "Sequence[Summary]":
        self.problem = None
        try:
            return self._history().list(limit=limit)
        except ChatuiError as error:
            self.problem = error
            return ()

    def rows(self, limit: int = MOST_ROWS) -> list[ListRow]:
        """The latest conversations."""
        return [self._row(summary) for summary in self._summaries(limit)]

    def _row(self, summary: "Summary") -> ListRow:
        facts = [age(summary.updated_at_epoch_s, self._now())]
        turns = summary.turn_count
        facts.append(f"{turns} turn{'' if turns == 1 else 's'}")
        if summary.unfinished_count:
            facts.append("unfinished")
        if summary.open_in:
            facts.append(f"open in {summary.open_in}")
        return ListRow(
            key=summary.conversation_id,
            strong=summary.title or summary.first_words or "untitled",
            weak=" · ".join(facts),
            words=f"{summary.first_words} {summary.model} {' '.join(summary.tags)} {summary.conversation_id}",
        )

    async def search(self, wanted: str) -> Sequence[ListRow]:
        """Conversations in which these words were said."""
        rows: list[ListRow] = []
        for match in self._history().search(wanted, limit=40).matches:
            rows.append(
                ListRow(
                    key=match.conversation_id,
                    strong=one_line(match.title, 60) or "untitled",
                    weak=one_line(match.excerpt, 80),
                )
            )
        return list({row.key: row for row in reversed(rows)}.values())[::-1]

    def load(self, conversation_id: str, last: int) -> Conversation:
        """A conversation with the end of its path.

        Raises:
            StoreError: it is not there or cannot be read.
        """
        return self._history().load(conversation_id, last=last)

    def preview(self, conversation_id: str, width: int) -> Sequence[Line]:
        """The end of a conversation."""
        try:
            conversation = self._history().load(conversation_id, last=PREVIEW_TURNS)
        except ChatuiError as error:
            return plain_lines(error.message, width, Style(Tone.ERROR), indent=" ")
        lines: list[Line] = [EMPTY_LINE]
        for turn in conversation.path()[-PREVIEW_TURNS:]:
            lines.extend(plain_lines(turn.prompt, width, Style(Tone.ACCENT), indent=" ", most=4))
            lines.extend(plain_lines(turn.text, width, Style(Tone.MUTED), indent=" ", most=14))
            lines.append(EMPTY_LINE)
        return lines
