"""The tree of completed turns: written once, read whole or by pages from the end of the shown path.

Invariants: a turn id occurs once in a conversation; the summary columns change in the transaction of the
turn; damage of one turn never hides the others.
"""

import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from chatui.core.conversation import Conversation
from chatui.core.errors import Failure, FailureReason, StoreError
from chatui.core.turn import Phase, Turn, TurnId
from chatui.history.catalog import update_filter
from chatui.history.codec import CodecError, decode_turn, dump, encode_turn, parse
from chatui.history.columns import (
    FIRST_WORDS_LENGTH,
    TITLE_LENGTH,
    answer_text,
    column_text,
    one_line,
    prompt_text,
    read_text,
    reasoning_text,
    stored_text,
)
from chatui.history.database import Database
from chatui.history.search_words import index_words

_Row = tuple[int, str, str | None, str | bytes]
_ROW: Final = "number, turn_id, parent_id, payload"


@dataclass(slots=True)
class _Loaded:
    """Turns and what could not be read, while rows are read."""

    turns: list[tuple[int, Turn]]
    problems: list[str]


class TurnTable:
    """The tables `conversations` and `turns`. Methods with a connection run in the caller's transaction."""

    def __init__(self, database: Database, now: Callable[[], float]) -> None:
        self._name = database.name
        self._now = now
        self._numbers: dict[str, int] = {}

    def known_number(self, conversation_id: str) -> int | None:
        """The row of a conversation if it was asked for before."""
        return self._numbers.get(conversation_id)

    def number(self, connection: sqlite3.Connection, conversation_id: str) -> int | None:
        """The row of a conversation."""
        row = connection.execute(
            "SELECT number FROM conversations WHERE conversation_id = ?", (column_text(conversation_id),)
        ).fetchone()
        if row is None:
            self._numbers.pop(conversation_id, None)
            return None
        self._numbers[conversation_id] = row[0]
        return int(row[0])

    def number_or_new(self, connection: sqlite3.Connection, conversation_id: str, first: Turn) -> int:
        """The row of a conversation, made from its first turn if it is new."""
        number = self.number(connection, conversation_id)
        if number is None:
            self.keep(
                connection,
                Conversation(
                    conversation_id=conversation_id,
                    system=first.system,
                    created_at_epoch_s=first.started_at_epoch_s or self._now(),
                ),
            )
            number = self.number(connection, conversation_id)
            assert number is not None
            self._describe(connection, number, first)
        return number

    def keep(self, connection: sqlite3.Connection, conversation: Conversation) -> None:
        """Write the facts of a conversation; a title given here counts as chosen by the person."""
        title = column_text(conversation.title)
        connection.execute(
            "INSERT INTO conversations (conversation_id, title, is_title_chosen, system, created_at_epoch_s, "
            "updated_at_epoch_s) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (conversation_id) DO UPDATE SET system = excluded.system, "
            "is_title_chosen = CASE WHEN excluded.title IN ('', title) THEN is_title_chosen ELSE 1 END, "
            "title = CASE excluded.title WHEN '' THEN title ELSE excluded.title END",
            (
                conversation.conversation_id,
                title,
                bool(title),
                stored_text(conversation.system),
                conversation.created_at_epoch_s or self._now(),
                self._now(),
            ),
        )
        update_filter(connection, conversation.conversation_id)

    def insert(
        self,
        connection: sqlite3.Connection,
        conversation: int,
        turn: Turn,
        at_epoch_s: float | None = None,
        extra: str | bytes | None = None,
    ) -> bool:
        """Add a turn, make it the head, and say whether it is new. The parent, if it is there, is linked."""
        depth, parent_id = 1, None
        if turn.parent_id is not None:
            row = connection.execute(
                "SELECT depth FROM turns WHERE conversation = ? AND turn_id = ?",
                (conversation, column_text(turn.parent_id)),
            ).fetchone()
            if row is not None:
                depth, parent_id = row[0] + 1, column_text(turn.parent_id)
        payload = dump(encode_turn(turn))
        size = len(payload) if isinstance(payload, bytes) else len(payload.encode())
        at_epoch_s = self._now() if at_epoch_s is None else at_epoch_s
        inserted = connection.execute(
            "INSERT INTO turns "
            "(conversation, turn_id, parent_id, depth, committed_at_epoch_s, size_bytes, extra, payload) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (conversation, turn_id) DO NOTHING",
            (conversation, column_text(turn.turn_id), parent_id, depth, at_epoch_s, size, extra, payload),
        )
        if not inserted.rowcount:
            return False
        add_words(connection, inserted.lastrowid or 0, turn)
        connection.execute(
            "UPDATE conversations SET turn_count = turn_count + 1, size_bytes = size_bytes + ?, "
            "head_turn_id = ?, updated_at_epoch_s = max(updated_at_epoch_s, ?) WHERE number = ?",
            (size, column_text(turn.turn_id), at_epoch_s, conversation),
        )
        self._describe(connection, conversation, turn)
        return True

    def _describe(self, connection: sqlite3.Connection, conversation: int, turn: Turn) -> None:
        """The summary columns that follow the newest turn, and those that the first one sets for good."""
        prompt = turn.prompt
        connection.execute(
            "UPDATE conversations SET provider = ?, model = ?, "
            "title = CASE title WHEN '' THEN ? ELSE title END, "
            "first_words = CASE first_words WHEN '' THEN ? ELSE first_words END WHERE number = ?",
            (
                column_text(turn.provider),
                column_text(turn.model or turn.requested_model),
                one_line(prompt, TITLE_LENGTH),
                one_line(prompt, FIRST_WORDS_LENGTH),
                conversation,
            ),
        )
        (conversation_id,) = connection.execute(
            "SELECT conversation_id FROM conversations WHERE number = ?", (conversation,)
        ).fetchone()
        update_filter(connection, conversation_id)

    def count_unfinished(self, connection: sqlite3.Connection, conversation: int) -> None:
        """Bring the number of unfinished turns up to date."""
        connection.execute(
            "UPDATE conversations SET unfinished_count = "
            "(SELECT count(*) FROM unfinished WHERE conversation = ?) WHERE number = ?",
            (conversation, conversation),
        )

    def touch(self, connection: sqlite3.Connection, conversation: int) -> None:
        """Move a conversation to the top of the list."""
        connection.execute(
            "UPDATE conversations SET updated_at_epoch_s = ? WHERE number = ?", (self._now(), conversation)
        )

    def set_head(self, connection: sqlite3.Connection, conversation_id: str, head: TurnId | None) -> None:
        """Show another path."""
        changed = connection.execute(
            "UPDATE conversations SET head_turn_id = ? WHERE conversation_id = ? AND (? IS NULL OR EXISTS "
            "(SELECT 1 FROM turns WHERE conversation = conversations.number AND turn_id = ?))",
            (head, conversation_id, head, head),
        )
        if not changed.rowcount:
            raise StoreError(
                f"No turn {head!r} in conversation {conversation_id!r} of the history {self._name}"
            )

    def load(self, connection: sqlite3.Connection, conversation_id: str, last: int | None) -> Conversation:
        """A conversation; with `last`, the end of its path and the siblings of what is loaded."""
        row = connection.execute(
            "SELECT number, title, system, head_turn_id, created_at_epoch_s FROM conversations "
            "WHERE conversation_id = ?",
            (column_text(conversation_id),),
        ).fetchone()
        if row is None:
            raise StoreError(
                f"No conversation {conversation_id!r} in the history {self._name}",
                "`chatui history list` shows their ids.",
            )
        number, title, system, head, created_at_epoch_s = row
        problems: tuple[str, ...] = ()
        if head is not None and not self._has_turn(connection, number, head):
            problems = (f"The last turn {head} is missing; the newest one is shown",)
            newest = connection.execute(
                "SELECT turn_id FROM turns WHERE conversation = ? ORDER BY number DESC LIMIT 1", (number,)
            ).fetchone()
            head = None if newest is None else newest[0]
        conversation = Conversation(
            conversation_id=conversation_id,
            title=title,
            system=read_text(system),
            head=head,
            created_at_epoch_s=created_at_epoch_s,
            problems=problems,
        )
        if last is not None:
            return self._with_page(connection, conversation, number, head, last)
        loaded = _read_all(
            connection.execute(
                f"SELECT {_ROW} FROM turns WHERE conversation = ? ORDER BY number",  # noqa: S608 - constants
                (number,),
            )
        )
        return _joined(conversation, loaded, earlier_turns=0)

    def _has_turn(self, connection: sqlite3.Connection, conversation: int, turn_id: str) -> bool:
        return (
            connection.execute(
                "SELECT 1 FROM turns WHERE conversation = ? AND turn_id = ?", (conversation, turn_id)
            ).fetchone()
            is not None
        )

    def load_before(
        self, connection: sqlite3.Connection, conversation: Conversation, count: int | None
    ) -> Conversation:
        """The conversation with more turns before the first loaded one; with the whole tree for None."""
        if count is None:
            whole = self.load(connection, conversation.conversation_id, None)
            return _joined(conversation, _Loaded(list(enumerate(whole.turns)), list(whole.problems)), 0)
        number = self.number(connection, conversation.conversation_id)
        path = conversation.path()
        before = path[0].parent_id if path else conversation.head
        if number is None or before is None:
            return conversation
        return self._with_page(connection, conversation, number, before, count)

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
            place = connection.execute(
                "SELECT parent_id, depth FROM turns WHERE conversation = ? AND turn_id = ?", (number, at)
            ).fetchone()
            if place is None:
                break
            parent_id, depth = place
            for row in connection.execute(
                f"SELECT {_ROW} FROM turns WHERE conversation = ? AND parent_id IS ?",  # noqa: S608 - constants
                (number, parent_id),
            ):
                rows[row[0]] = row
            at = parent_id
        loaded = _read_all(rows[key] for key in sorted(rows))
        return _joined(conversation, loaded, earlier_turns=depth - 1)

    def fork(
        self, connection: sqlite3.Connection, conversation_id: str, turn_id: TurnId, fork_id: str
    ) -> None:
        """Copy a conversation up to a turn."""
        whole = self.load(connection, conversation_id, None)
        path = whole.path_to(turn_id)
        if not path:
            raise StoreError(f"No turn {turn_id!r} in conversation {conversation_id!r} of {self._name}")
        source = self.number(connection, conversation_id)
        self.keep(
            connection,
            Conversation(conversation_id=fork_id, system=whole.system, created_at_epoch_s=self._now()),
        )
        number = self.number(connection, fork_id)
        assert number is not None
        for turn in path:
            self.insert(connection, number, turn)
        connection.execute(
            "UPDATE conversations SET forked_from = ?, "
            "title = (SELECT title FROM conversations WHERE number = ?) WHERE number = ?",
            (f"{conversation_id}/{turn_id}", source, number),
        )
        update_filter(connection, fork_id)


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


def read_turn(payload: str | bytes) -> Turn:
    """The turn of a stored payload.

    Raises:
        CodecError: it is damaged.
    """
    return decode_turn(parse(payload))


def _read_all(rows: Iterable[_Row]) -> _Loaded:
    loaded = _Loaded([], [])
    for number, turn_id, parent_id, payload in rows:
        try:
            loaded.turns.append((number, read_turn(payload)))
        except CodecError as error:
            loaded.problems.append(f"Turn {turn_id} cannot be read: {error}")
            loaded.turns.append((number, _damaged(turn_id, parent_id)))
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
    from dataclasses import replace

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
