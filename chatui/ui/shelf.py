"""The history as the app's lists see it: rows, previews, what was found, and what is done to a conversation.

Invariant: a history that cannot be read is told, not raised; all of a history can be found, however little of
it the list holds.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from chatui.core.attachment_limits import size_words
from chatui.core.errors import ChatuiError
from chatui.core.turn import Turn, TurnId
from chatui.ui.widgets.rows_view import ListRow
from chatui.view.lines import EMPTY_LINE, Line, Run, Style, Tone
from chatui.view.plain_lines import one_line, plain_lines
from chatui.view.text_matches import mark_text

if TYPE_CHECKING:
    from chatui.history.search import Match
    from chatui.history.sqlite_history import SqliteHistory
    from chatui.history.summaries import Summary

MOST_ROWS = 300
MOST_MATCHES = 40
PREVIEW_TURNS = 3
BEFORE_MATCH = 400
"""Characters shown before a match in the preview."""
_BETWEEN = "\x1f"


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


def place_of(key: str) -> tuple[str, TurnId | None]:
    """The conversation, and the turn if the row is a message that was found."""
    conversation_id, _, turn_id = key.partition(_BETWEEN)
    return conversation_id, TurnId(turn_id) if turn_id else None


class Shelf:
    """Conversations to pick from."""

    def __init__(
        self,
        history: "Callable[[], SqliteHistory]",
        now: Callable[[], float],
        state_of: Callable[[str], str] = lambda _conversation_id: "",
    ) -> None:
        self._history = history
        self._now = now
        self._state_of = state_of
        """What a conversation that is open here is doing, in a word or two."""
        self._matched: dict[str, tuple[str, ...]] = {}
        self.problem: ChatuiError | None = None

    def rows(self, limit: int = MOST_ROWS, *, is_archived: bool = False, query: str = "") -> list[ListRow]:
        """The latest conversations."""
        self.problem = None
        try:
            summaries = self._history().catalog.list(limit=limit, is_archived=is_archived, query=query)
        except ChatuiError as error:
            self.problem = error
            return []
        return [self._row(summary) for summary in summaries]

    def summary(self, conversation_id: str) -> "Summary | None":
        """What is known of one conversation; None if it is not in the history."""
        try:
            return self._history().catalog.summary(conversation_id)
        except ChatuiError as error:
            self.problem = error
            return None

    def _row(self, summary: "Summary") -> ListRow:
        state = self._state_of(summary.conversation_id)
        facts = [state, "pinned" if summary.is_pinned else ""]
        # What is being received counts as unfinished in the history.
        facts.append("unfinished" if summary.unfinished_count and "receiving" not in state else "")
        facts.append(f"open in {summary.open_in}" if summary.open_in else "")
        facts.append(age(summary.updated_at_epoch_s, self._now()))
        turns = f"{summary.turn_count} turn{'' if summary.turn_count == 1 else 's'}"
        brief = " · ".join(filter(None, (*facts, turns)))
        facts += [one_line(summary.model, 24), turns]
        facts.append(size_words(summary.size_bytes) if summary.size_bytes else "")
        tags = " ".join(f"#{tag}" for tag in summary.tags)
        is_title = summary.first_words.casefold() == summary.title.casefold()
        first_words = "" if is_title else summary.first_words
        return ListRow(
            key=summary.conversation_id,
            strong=summary.title or summary.first_words or "untitled",
            middle=f"{tags} {first_words}".strip(),
            weak=" · ".join(filter(None, facts)),
            brief=brief,
            words=f"{summary.first_words} {summary.model} {tags} {summary.conversation_id}",
            is_dimmed=summary.is_archived,
        )

    async def search(self, wanted: str, *, is_archived: bool = False) -> Sequence[ListRow]:
        """Conversations named so, however old, then messages in which these words were said."""
        return await asyncio.to_thread(self._search, wanted, is_archived)

    def _search(self, wanted: str, is_archived: bool) -> list[ListRow]:
        rows = self.rows(MOST_ROWS, is_archived=is_archived, query=wanted)
        found = self._history().search(wanted, limit=MOST_MATCHES)
        rows.extend(self._match_row(match) for match in found.matches)
        return rows

    def _match_row(self, match: "Match") -> ListRow:
        key = f"{match.conversation_id}{_BETWEEN}{match.turn_id}"
        pieces: list[tuple[str, bool]] = []
        at = 0
        for start, stop in match.marks:
            pieces += [(match.excerpt[at:start], False), (match.excerpt[start:stop], True)]
            at = stop
        pieces.append((match.excerpt[at:], False))
        words = dict.fromkeys(match.excerpt[slice(*mark)] for mark in match.marks)
        if words:
            self._matched[key] = tuple(words)
        return ListRow(
            key=key,
            strong=match.title or "untitled",
            weak=" · ".join(
                filter(None, ("unfinished" * match.is_unfinished, age(match.at_epoch_s, self._now())))
            ),
            excerpt=tuple(pieces),
        )

    def matched(self, key: str) -> str:
        """The words of a found message that matched first."""
        return self._matched.get(key, ("",))[0]

    def preview(self, key: str, width: int) -> Sequence[Line]:
        """What is known of a conversation and its end, or a message that was found."""
        conversation_id, turn_id = place_of(key)
        width = max(8, width - 1)
        lines: list[Line] = [EMPTY_LINE]
        summary = self.summary(conversation_id)
        try:
            last = 1 if turn_id is not None else PREVIEW_TURNS
            conversation = self._history().load(conversation_id, last=last, head=turn_id)
        except ChatuiError as error:
            return plain_lines(error.message, width, Style(Tone.ERROR), indent=" ")
        turns: list[Turn] = list(conversation.path()[-last:])
        found = [turn for turn in conversation.unfinished if turn.turn_id == turn_id]
        if found:
            turns = found
        if turn_id is None:
            turns += [turn for turn in conversation.unfinished if turn.parent_id == conversation.head]
        if summary is not None:
            lines.extend(self._facts(summary, width, turns[0].prompt if turns else ""))
        return lines + self.turn_lines(turns, width, key)

    def turn_lines(self, turns: Sequence[Turn], width: int, key: str = "") -> list[Line]:
        """Prompts and answers in some lines each; more of the one that was found, with the words marked."""
        lines: list[Line] = []
        is_found = place_of(key)[1] is not None
        for turn in turns:
            prompt, answer = turn.prompt, turn.text
            if matched := self.matched(key):
                prompt, answer = _around(prompt, matched), _around(answer, matched)
            asked = plain_lines(prompt, width, Style(Tone.ACCENT), indent=" ", most=4 + 4 * is_found)
            answered = typeset(answer, width, 14 + 20 * is_found)
            lines.extend(mark_text([*asked, EMPTY_LINE, *answered], self._matched.get(key, ())))
            lines.append(EMPTY_LINE)
        return lines

    def _facts(self, summary: "Summary", width: int, first_prompt: str) -> list[Line]:
        """Title and facts; what the prompt below says is not told twice."""
        title = one_line(summary.title or summary.first_words or "untitled")
        told = one_line(first_prompt[: 4 * len(title) + 200]).casefold()
        is_told = told.startswith(title.rstrip("…").casefold())
        bold = Style(Tone.TEXT, is_bold=True)
        lines = [] if is_told else plain_lines(title, width, bold, indent=" ", most=2)
        row = self._row(summary)
        lines.extend(plain_lines(row.weak, width, Style(Tone.FAINT), indent=" ", most=3))
        is_begun = told.startswith(one_line(summary.first_words).rstrip("…").casefold())
        said_before = " ".join(f"#{tag}" for tag in summary.tags) if is_begun else row.middle
        if said_before:
            lines.extend(plain_lines(one_line(said_before), width, Style(Tone.FAINT), indent=" ", most=2))
        lines.append(EMPTY_LINE)
        return lines


def typeset(text: str, width: int, most: int) -> list[Line]:
    """The beginning of an answer as the conversation shows it, at most so many lines."""
    from chatui.markdown.document import IncrementalDocument
    from chatui.view.layout.document_layout import DocumentLayout, LayoutOptions

    document = IncrementalDocument()
    document.append(text[: most * width * 2])
    document.close()
    layout = DocumentLayout(document, max(8, width - 2), LayoutOptions())
    layout.settle()
    shown = layout.lines(0, min(most, layout.line_count))
    return [replace(line, runs=(Run(" "), *line.runs), cells=line.cells + 1) for line in shown]


def _around(text: str, words: str) -> str:
    """The part of a text around these words; its beginning where they do not occur."""
    at = text.find(words)
    return text if at <= BEFORE_MATCH else "…" + text[at - BEFORE_MATCH :]
