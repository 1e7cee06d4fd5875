"""The history: completed turns in SQLite, one transaction each, and the unfinished ones beside them.

Invariants: a completed turn is stored exactly once or not at all; nothing that is stored is changed by a
later turn; what could not be saved is kept and saved with the next turn; temporary conversations write
nothing.

A `SqliteHistory` implements `engine.ports.TurnStore`. Its methods take milliseconds (`fork` of a long
conversation takes longer) and may be called from any thread.
"""

from dataclasses import replace
from typing import Final

from chatui.core.conversation import Conversation, is_history
from chatui.core.errors import ProgrammingError, StoreError
from chatui.core.turn import Turn, TurnId
from chatui.history.branches import Branch, find_branch, shown_branch
from chatui.history.history_file import HistoryFile
from chatui.history.search import SearchResult
from chatui.history.summaries import Summary, is_temporary_id, new_id

FORK_TURNS: Final = 100
"""So many turns of a copy are loaded."""


class SqliteHistory(HistoryFile):
    """One history file.

    Further rooms: `catalog` (list, rename, pin, tag, archive, delete, claim), `drafts`, `removal` (delete for
    good), `pages` (pieces of a long conversation) and `portables` (conversations that come in and go out).
    """

    def new_conversation(
        self, *, system: str = "", title: str = "", is_temporary: bool = False
    ) -> Conversation:
        """A new, empty conversation. Nothing is written before its first turn."""
        return Conversation(
            conversation_id=new_id(is_temporary=is_temporary),
            title=title,
            system=system,
            created_at_epoch_s=self._now(),
            is_temporary=is_temporary,
        )

    def keep(self, conversation: Conversation) -> None:
        """Write the facts of a conversation (title, system text, time) before or after its first turn.

        Raises:
            StoreError: it could not be saved.
        """
        if conversation.is_temporary or is_temporary_id(conversation.conversation_id):
            return
        with self._database.writing() as connection:
            self._turns.keep(connection, conversation)

    def load(
        self, conversation_id: str, *, last: int | None = None, head: TurnId | None = None
    ) -> Conversation:
        """A conversation with its unfinished turns; with `last`, only the end of its path, and siblings.

        With `head` it is shown up to that turn instead of the one that was shown last. What cannot be read is
        named in `problems`; the rest is there.

        Raises:
            StoreError: there is no such conversation, or the history cannot be read.
        """
        with self._database.reading() as connection:
            conversation = self._reader.load(connection, conversation_id, last, head)
            number = self._turns.number(connection, conversation_id)
            assert number is not None
            unfinished, problems = self._journal.load(connection, number)
        waiting = self._unsaved.get(conversation_id, ())
        for turn in waiting:
            conversation = conversation.with_turn(turn)
        return replace(
            conversation, unfinished=tuple(unfinished), problems=(*conversation.problems, *problems)
        )

    def load_before(self, conversation: Conversation, count: int | None = None) -> Conversation:
        """The conversation with `count` more turns of its path (all for None) before the first loaded one.

        Raises:
            StoreError: the history cannot be read.
        """
        if not conversation.earlier_turns:
            return conversation
        with self._database.reading() as connection:
            return self._reader.load_before(connection, conversation, count)

    def commit(self, conversation_id: str, turn: Turn) -> None:
        """Save a completed (or accepted) turn durably in one transaction, and forget its unfinished form.

        A turn that is there already stays as it is. Turns that could not be saved before are saved with it.

        Raises:
            StoreError: it could not be saved; it is kept and tried again with the next turn or
            `save_waiting`.
            ProgrammingError: the turn is neither completed nor accepted.
        """
        if not is_history(turn):
            raise ProgrammingError(f"turn {turn.turn_id} is {turn.phase} and not accepted: no history")
        if is_temporary_id(conversation_id):
            return
        self._unsaved.setdefault(conversation_id, []).append(turn)
        self.save_waiting(conversation_id)
        if self.trouble:
            raise StoreError(self.trouble)

    def save_unfinished(self, conversation_id: str, turn: Turn) -> None:
        """Keep a failed, cancelled or still running turn outside the history.

        Call it when a turn begins, at most every 250 ms while it streams, and when it fails: a batch costs
        what is new in it. A running turn belongs to this process until it ends; after a kill it is recovered.

        Raises:
            StoreError: it could not be saved.
        """
        if is_temporary_id(conversation_id):
            return
        number = self._turns.known_number(conversation_id)
        at_s = self._now()
        is_durable = number is None or self._journal.must_be_durable(number, turn, at_s)
        try:
            with self._database.writing(is_durable=is_durable) as connection:
                number = self._turns.number_or_new(connection, conversation_id, turn)
                if self._journal.save(connection, number, turn, at_s):
                    self._turns.count_unfinished(connection, number)
                    self._turns.touch(connection, number)
        except StoreError:
            if number is not None:
                self._journal.forget(number, turn.turn_id)
            raise

    def discard_unfinished(self, conversation_id: str, turn_id: TurnId) -> None:
        """Forget an unfinished turn. An unknown one is no error.

        Raises:
            StoreError: it could not be saved.
        """
        if is_temporary_id(conversation_id):
            return
        with self._database.writing() as connection:
            number = self._turns.number(connection, conversation_id)
            if number is not None and self._journal.remove(connection, number, turn_id):
                self._turns.count_unfinished(connection, number)

    def branch_of(self, conversation_id: str, turn_id: TurnId) -> Branch:
        """The path that is shown when this turn is wanted, and how far from its end the turn stands.

        An unfinished turn stands beside the path that holds the turn before it.

        Raises:
            StoreError: there is no such turn, or the history cannot be read.
        """
        with self._database.reading() as connection:
            number = self._turns.number(connection, conversation_id)
            unfinished = None if number is None else self._journal.find(connection, number, turn_id)
            if unfinished is None:
                return find_branch(connection, conversation_id, turn_id)
            if unfinished.parent_id is None:
                return shown_branch(connection, conversation_id)
            return find_branch(connection, conversation_id, unfinished.parent_id)

    def show(self, conversation_id: str, head: TurnId | None) -> None:
        """Remember which path of the tree is shown (another answer, an edited prompt).

        Raises:
            StoreError: there is no such turn, or it could not be saved.
        """
        if is_temporary_id(conversation_id):
            return
        with self._database.writing() as connection:
            self._turns.set_head(connection, conversation_id, head)

    def send_from(self, conversation_id: str, turn_id: TurnId | None) -> None:
        """Remember that turns before this one are not sent any more; None sends all again.

        Raises:
            StoreError: there is no such turn, or it could not be saved.
        """
        if is_temporary_id(conversation_id):
            return
        with self._database.writing() as connection:
            self._turns.set_sent_from(connection, conversation_id, turn_id)

    def fork(self, conversation_id: str, turn_id: TurnId) -> Conversation:
        """A new conversation that shares everything up to a turn; the old one stays as it is.

        Its end is loaded. A long one takes seconds, in which others can read and write.

        Raises:
            StoreError: there is no such turn, or it could not be saved.
        """
        if is_temporary_id(conversation_id):
            raise StoreError("A temporary conversation is not in the history and cannot be forked")
        fork_id = new_id()
        self.forking.fork(self.load(conversation_id, last=1, head=turn_id), turn_id, fork_id)
        return self.load(fork_id, last=FORK_TURNS)

    def latest(self) -> str | None:
        """The id of the conversation that was used last, or None.

        Raises:
            StoreError: the history cannot be read.
        """
        return self.catalog.latest()

    def list(self, *, limit: int = 50, offset: int = 0, query: str = "") -> tuple[Summary, ...]:
        """Conversations, pinned ones first, then the newest; `query` filters as you type.

        Raises:
            StoreError: the history cannot be read.
        """
        return self.catalog.list(limit=limit, offset=offset, query=query)

    def search(self, query: str, *, limit: int = 50, conversation_id: str | None = None) -> SearchResult:
        """Messages that contain the words of a query, newest first, with marked excerpts and where to jump.

        Raises:
            StoreError: the history cannot be read.
        """
        return self._search.find(query, limit, conversation_id)
