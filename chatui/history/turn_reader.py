"""Reading the tree of turns, whole or by pages from the end of the shown path.

Invariant: damage of one turn hides no other; what cannot be read stands in its place and is named.
"""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from chatui.core.conversation import Conversation
from chatui.core.errors import Failure, FailureReason, StoreError
from chatui.core.turn import Phase, Turn, TurnId
from chatui.history.codec import CodecError, decode_turn, parse
from chatui.history.columns import column_text, number_cell, read_text, text_cell
from chatui.history.links import DAMAGED_ROW, link_of

_Row = tuple[int, str, str | None, str | bytes, bool]
_ROW: Final = f"number, turn_id, parent_id, payload, {DAMAGED_ROW}"


@dataclass(slots=True)
class _Loaded:
    """Turns and what could not be read, while rows are read."""

    turns: list[tuple[int, Turn]]
    problems: list[str]


class TurnReader:
    """Reads the tables `conversations` and `turns`. Methods run on the caller's connection."""

    def __init__(self, name: str) -> None:
        self._name = name
        """Of the file, for messages."""

    def load(
        self,
        connection: sqlite3.Connection,
        conversation_id: str,
        last: int | None,
        head_wanted: TurnId | None = None,
    ) -> Conversation:
        """A conversation; with `last`, the end of its path and the siblings of what is loaded.

        `head_wanted` shows another path than the one that was shown last.
        """
        facts = _facts(connection, conversation_id)
        if facts is None:
            raise StoreError(
                f"No conversation {conversation_id!r} in the history {self._name}",
                "`chatui history list` shows their ids.",
            )
        number = facts["number"]
        head = head_wanted if head_wanted is not None else facts["head_turn_id"]
        problems: tuple[str, ...] = ()
        if head is not None and not self._has_turn(connection, number, head):
            problems = (f"The last turn {head} is missing; the newest one is shown",)
            newest = connection.execute(
                "SELECT turn_id FROM turns WHERE conversation = ? ORDER BY number DESC LIMIT 1", (number,)
            ).fetchone()
            head = None if newest is None else text_cell(newest[0])
        conversation = Conversation(
            conversation_id=conversation_id,
            title=facts["title"],
            system=read_text(facts["system"]),
            head=head,
            sent_from=facts.get("sent_from_turn_id"),
            created_at_epoch_s=facts["created_at_epoch_s"],
            problems=problems,
        )
        if last is not None:
            page = self._with_page(connection, conversation, number, head, last)
            if head is not None:  # what follows the end of the path may hold results of its calls
                after = _read_all(_family(connection, number, head).values())
                page = _joined(page, after, page.earlier_turns)
            return _with_known_limit(connection, number, page)
        loaded = _read_all(
            connection.execute(
                f"SELECT {_ROW} FROM turns WHERE conversation = ? ORDER BY number",  # noqa: S608 - constants
                (number,),
            )
        )
        return _joined(conversation, loaded, earlier_turns=0)

    def load_before(
        self, connection: sqlite3.Connection, conversation: Conversation, count: int | None
    ) -> Conversation:
        """The conversation with more turns before the first loaded one; with the whole tree for None."""
        if count is None:
            whole = self.load(connection, conversation.conversation_id, None)
            return _joined(conversation, _Loaded(list(enumerate(whole.turns)), list(whole.problems)), 0)
        row = connection.execute(
            "SELECT number FROM conversations WHERE conversation_id = ?",
            (column_text(conversation.conversation_id),),
        ).fetchone()
        path = conversation.path()
        before = path[0].parent_id if path else conversation.head
        if row is None or before is None:
            return conversation
        return self._with_page(connection, conversation, row[0], before, count)

    def _with_page(
        self,
        connection: sqlite3.Connection,
        conversation: Conversation,
        number: int,
        at: str | None,
        count: int,
    ) -> Conversation:
        """Up to `count` turns of the path that ends at `at`, with their siblings."""
        rows: dict[int, _Row] = {}
        depth = 1
        for _ in range(count):
            place = None if at is None else link_of(connection, number, at)
            if place is None:
                break
            depth = place.depth
            for parent in {place.stored_parent, place.parent_id}:
                rows.update(_family(connection, number, parent))
            at = place.parent_id
        loaded = _read_all(rows[key] for key in sorted(rows))
        return _joined(conversation, loaded, earlier_turns=max(0, depth - 1))

    def families(
        self,
        connection: sqlite3.Connection,
        conversation: Conversation,
        number: int,
        parents: Iterable[str | None],
    ) -> Conversation:
        """The conversation with the turns that follow these."""
        rows: dict[int, _Row] = {}
        for parent_id in parents:
            rows.update(_family(connection, number, parent_id))
        return _joined(conversation, _read_all(rows[key] for key in sorted(rows)), earlier_turns=0)

    def _has_turn(self, connection: sqlite3.Connection, conversation: int, turn_id: str) -> bool:
        return (
            connection.execute(
                "SELECT 1 FROM turns WHERE conversation = ? AND turn_id = ?", (conversation, turn_id)
            ).fetchone()
            is not None
        )


def _family(connection: sqlite3.Connection, number: int, parent_id: object) -> dict[int, _Row]:
    """Turns that follow the same one: alternatives to each other."""
    rows = connection.execute(
        f"SELECT {_ROW} FROM turns WHERE conversation = ? AND parent_id IS ?",  # noqa: S608 - constants
        (number, parent_id),
    )
    return {row[0]: row for row in rows}


def read_turn(payload: str | bytes) -> Turn:
    """The turn of a stored payload.

    Raises:
        CodecError: it is damaged.
    """
    return decode_turn(parse(payload))


def _read_all(rows: Iterable[_Row]) -> _Loaded:
    loaded = _Loaded([], [])
    for number, turn_id, parent_id, payload, is_damaged in rows:
        name = text_cell(turn_id)
        try:
            loaded.turns.append((number, read_turn(payload)))
            if is_damaged:
                loaded.problems.append(f"The place of turn {name} is damaged in the history")
        except CodecError as error:
            loaded.problems.append(f"Turn {name} cannot be read: {error}")
            parent = None if parent_id is None else text_cell(parent_id)
            loaded.turns.append((number, _damaged(name, parent)))
    return loaded


def _damaged(turn_id: str, parent_id: str | None) -> Turn:
    """What stands in the place of a turn that cannot be read, so that those before and after it are shown."""
    return Turn(
        turn_id=TurnId(turn_id),
        parent_id=None if parent_id is None else TurnId(parent_id),
        phase=Phase.FAILED,
        failure=Failure(
            reason=FailureReason.ERROR,
            message="This turn is damaged in the history and cannot be read",
            hint="`chatui history check` tells more.",
            code="damaged",
        ),
    )


def _joined(conversation: Conversation, loaded: _Loaded, earlier_turns: int) -> Conversation:

    older = tuple(turn for _, turn in loaded.turns)
    joined = conversation.with_earlier(older, earlier_turns)
    path = joined.path()
    broken = (
        [f"The turns before turn {path[0].turn_id} are missing"]
        if path and not earlier_turns and path[0].parent_id is not None
        else []
    )
    problems = tuple(dict.fromkeys((*conversation.problems, *loaded.problems, *broken)))
    return replace(joined, problems=problems)


def _facts(connection: sqlite3.Connection, conversation_id: str) -> dict[str, Any] | None:
    """The row of a conversation by column; a file of an older schema, opened for reading, has fewer."""
    found = connection.execute(
        "SELECT * FROM conversations WHERE conversation_id = ?", (column_text(conversation_id),)
    )
    row = found.fetchone()
    if row is None:
        return None
    facts = {column[0]: value for column, value in zip(found.description, row, strict=True)}
    return {
        **facts,
        "title": text_cell(facts["title"]),
        "created_at_epoch_s": number_cell(facts["created_at_epoch_s"]),
        **{
            name: None if facts.get(name) is None else text_cell(facts[name])
            for name in ("head_turn_id", "sent_from_turn_id")
        },
    }


def _with_known_limit(connection: sqlite3.Connection, number: int, page: Conversation) -> Conversation:
    """Whether older turns that are not loaded are sent cannot be seen from the page: look it up once."""
    if page.not_sent() is not None:
        return page
    is_above = connection.execute(
        "WITH RECURSIVE above (turn_id, parent_id) AS ("
        " SELECT turn_id, parent_id FROM turns WHERE conversation = ?1 AND turn_id = ?2"
        " UNION SELECT t.turn_id, t.parent_id FROM above JOIN turns t"
        "  ON t.conversation = ?1 AND t.turn_id = above.parent_id"
        ") SELECT 1 FROM above WHERE turn_id = ?3",
        (number, page.head, page.sent_from),
    ).fetchone()
    return page if is_above else replace(page, sent_from=None)
