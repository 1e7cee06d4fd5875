"""Opening conversations: from the list, at a message that was found, as a fork, in a second window.

Invariants: a conversation that another chatui has open is only read here, and what is sent from it goes into
a fork; a conversation that is left is given back unless something of it exists only here.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from chatui.core.conversation import Conversation, is_history
from chatui.core.errors import ChatuiError, StoreError
from chatui.core.tool_calls import with_results_of
from chatui.core.turn import Turn, TurnId
from chatui.ui.live import Live
from chatui.ui.turns.earlier_turns import FIRST_TURNS, kept_turns

if TYPE_CHECKING:
    from chatui.history.sqlite_history import SqliteHistory
    from chatui.ui.app import ChatApp

TURNS_AFTER = 20
MANY_TURNS = 1000
"""After a request for which so many turns were read, its memory is given back."""
MOST_TURNS = 3 * FIRST_TURNS
"""So many turns of an idle conversation are held before all but its end is let go."""
CLAIM_AGAIN_AFTER_S = 10.0
"""So long a history that failed is left alone: each try may wait for another program."""
COPYING = "The copy is being made: that takes some seconds for so long a conversation."
FORK_WORDS = "What you send begins a copy of your own; the other window goes on undisturbed."


class Opening:
    """Shows conversations and knows which of them belong to this process."""

    def __init__(self, app: "ChatApp") -> None:
        self._app = app
        self._claimed: set[str] = set()
        self._claim_again_s = 0.0
        self._is_copying = False

    @property
    def _history(self) -> "SqliteHistory":
        return self._app.workspace.history

    # Opening

    def open(self, conversation_id: str, turn_id: TurnId | None = None, words: str = "") -> None:
        """Show a saved conversation; with `turn_id` at that turn, `words` marked."""
        live = self._app.desk.find(conversation_id)
        if live is not None and not self._can_be_read_anew(live):
            self._app.chat.show(live)
            self._jump(live, turn_id, words)
        elif turn_id is None:
            self._load(conversation_id)
        else:
            self._app.run_worker(self._load_at(conversation_id, turn_id, words), group="open", exclusive=True)

    def _load(self, conversation_id: str) -> None:
        try:
            conversation = self._history.load(conversation_id, last=FIRST_TURNS)
        except ChatuiError as error:
            self._app.chat.notice(error.message, error.hint)
            return
        self.show(conversation)

    async def _load_at(self, conversation_id: str, turn_id: TurnId, words: str) -> None:
        try:
            conversation, missing = await asyncio.to_thread(self.end_with, conversation_id, turn_id)
        except ChatuiError as error:
            self._app.chat.notice(error.message, error.hint)
            return
        live = self.show(conversation)
        if missing > 0:
            await self._app.chat.earlier.load(at_least=missing)
        self._jump(live, turn_id, words)

    def end_with(self, conversation_id: str, turn_id: TurnId) -> tuple[Conversation, int]:
        """The end of the path that holds a turn, and how many more turns have to be known to show the turn.

        Raises:
            StoreError: there is no such turn, or the history cannot be read.
        """
        branch = self._history.branch_of(conversation_id, turn_id)
        conversation = self._history.load(conversation_id, last=FIRST_TURNS, head=branch.head)
        return conversation, branch.turns_below + TURNS_AFTER - FIRST_TURNS

    def show(self, conversation: Conversation) -> Live:
        """Show a conversation as it was just read."""
        chat, desk = self._app.chat, self._app.desk
        self._app.drafts.written(chat.live, chat.composer.written)
        self._app.drafts.save_now()
        live = desk.find(conversation.conversation_id)
        if live is None:
            live = desk.open(conversation, chat.endpoint)
        else:
            live.update = None
            live.become(conversation)
        live.draft = self._app.drafts.find(live)
        self.claim(live)
        chat.show(live)
        if conversation.problems:
            chat.notice("\n".join(conversation.problems[:4]))
        self.tell_where(live)
        return live

    def tell_where(self, live: Live) -> None:
        """Say so if another process has the conversation open."""
        if live.open_elsewhere:
            where = f"This conversation is open in {live.open_elsewhere}: here you read it."
            self._app.chat.notice(where, FORK_WORDS)

    def _jump(self, live: Live, turn_id: TurnId | None, words: str) -> None:
        if turn_id is not None and self._app.chat.live is live:
            self._app.chat.call_after_refresh(self._app.chat.go_to_turn, turn_id, words)

    def new(self, *, is_temporary: bool = False) -> None:
        """Show a fresh conversation."""
        chat = self._app.chat
        conversation = self._app.workspace.new_conversation(is_temporary=is_temporary)
        live = self._app.desk.open(conversation, chat.endpoint)
        chat.show(live)
        chat.composer.focus()

    def fork(self, turn: Turn, then: Callable[[], None] = lambda: None) -> bool:
        """A new conversation that holds everything up to a turn; the old one stays as it is.

        Args:
            turn: The last one of the new conversation.
            then: Called when it is shown.

        Returns:
            Whether it is shown, or being made beside the keyboard.
        """
        chat = self._app.chat
        conversation = chat.live.now()
        is_in_tree = is_history(turn) and all(
            turn.turn_id != other.turn_id for other in conversation.unfinished
        )
        draft = "" if is_in_tree else turn.prompt

        def show(fork: Conversation) -> None:
            shown = self.show(fork)
            if draft:
                shown.draft = draft
                chat.composer.put(draft)
            then()

        return self._copy(chat.live, turn.turn_id if is_in_tree else turn.parent_id, show)

    def _copy(self, live: Live, until: TurnId | None, then: Callable[[Conversation], None]) -> bool:
        """Make a copy, one of a long conversation beside the keyboard; whether there is, or will be, one."""
        chat = self._app.chat
        if self._is_copying:
            chat.say(COPYING)
            return False
        if live.now().earlier_turns:
            self._is_copying = True
            chat.say(COPYING)
            self._app.run_worker(self._copy_long(live, until, then), group="copy")
            return True
        try:
            fork = self._fork_of(live, until)
        except ChatuiError as error:
            chat.notice(error.message, error.hint)
            return False
        then(fork)
        return True

    async def _copy_long(
        self, live: Live, until: TurnId | None, then: Callable[[Conversation], None]
    ) -> None:
        try:
            fork = await asyncio.to_thread(self._fork_of, live, until)
        except ChatuiError as error:
            self._app.chat.notice(error.message, error.hint)
            return
        finally:
            self._is_copying = False
        if self._app.chat.live is live:
            then(fork)
        else:
            self._app.chat.say("The copy is made: it stands in the list of conversations.")

    def _fork_of(self, live: Live, until: TurnId | None) -> Conversation:
        conversation = live.now()
        fresh = self._app.workspace.new_conversation(is_temporary=conversation.is_temporary)
        if until is None:
            return replace(fresh, system=conversation.system)
        if conversation.is_temporary:
            path = conversation.path_to(until)
            fork = replace(
                fresh, system=conversation.system, turns=path, head=until, sent_from=conversation.sent_from
            )
            return with_results_of(fork, conversation)
        self._history.save_waiting(conversation.conversation_id)
        fork = self._history.fork(conversation.conversation_id, until)
        sent_from = conversation.sent_from  # where the original is open elsewhere it is known only here
        names = () if sent_from is None else (sent_from,)
        if sent_from != fork.sent_from and len(self._history.pages.kept(fork.conversation_id, names)) == len(
            names
        ):
            self._history.send_from(fork.conversation_id, sent_from)
        return self._history.load(fork.conversation_id, last=FIRST_TURNS)

    # Whose it is

    def claim(self, live: Live) -> None:
        """Say that the conversation is open here, or learn where else it is."""
        conversation_id = live.conversation.conversation_id
        now_s = self._app.clock.monotonic_s()
        if live.conversation.is_temporary or conversation_id in self._claimed or now_s < self._claim_again_s:
            return
        try:
            live.open_elsewhere = self._history.catalog.claim(conversation_id)
        except StoreError:  # a locked file is told when something is to be saved
            self._claim_again_s = now_s + CLAIM_AGAIN_AFTER_S
            return
        if not live.open_elsewhere:
            self._claimed.add(conversation_id)

    def own(self, live: Live, again: Callable[[], None]) -> Live | None:
        """The conversation into which may be sent; None if there is none, or it is still being made.

        Args:
            live: What is shown. Where it is open elsewhere, a copy of it is made.
            again: Called when the copy is there, if that was not at once.
        """
        was_elsewhere = live.open_elsewhere
        self.claim(live)
        if not was_elsewhere and not live.open_elsewhere:
            return live
        written = self._app.chat.composer.written
        if not live.open_elsewhere:  # the other window left it, perhaps with turns that were not seen here
            self._load(live.conversation.conversation_id)
            self._app.chat.composer.put(written)
            return self._app.chat.live
        is_long = bool(live.now().earlier_turns)

        def show(fork: Conversation) -> None:
            written = self._app.chat.composer.written  # it may have been changed meanwhile
            self.show(fork)
            self._app.chat.say("This is a copy of your own.")
            self._app.chat.composer.put(written)
            if is_long:
                again()

        is_made = self._copy(live, live.now().head, show)
        return self._app.chat.live if is_made and not is_long else None

    def may_change(self, live: Live) -> bool:
        """Whether turns of a conversation may be changed here; says why not."""
        self.claim(live)
        if live.open_elsewhere:
            self.tell_where(live)
        return not live.open_elsewhere

    def leave(self, live: Live) -> None:
        """Another conversation is shown now."""
        is_in_use = live.is_busy or live.queue or live.editing is not None or self._is_draft_only_here(live)
        if is_in_use or not self._can_be_read_anew(live):
            return
        conversation_id = live.conversation.conversation_id
        if conversation_id in self._claimed:
            with suppress(StoreError):  # it is given back when the process ends
                self._history.catalog.release(conversation_id)
                self._claimed.discard(conversation_id)
        self._app.desk.close(live)

    def rest(self, live: Live) -> None:
        """Hold no more of an idle conversation than its end, where all of it can be read again."""
        if live.is_busy:
            return
        now = live.now()
        if live.update is not None and now.earlier_turns >= MANY_TURNS:
            from chatui.ui.memory_return import give_back

            self._app.run_worker(give_back, thread=True, group="memory", exit_on_error=False)
        if live.editing is not None or live.unsaved_why or len(now.turns) <= MOST_TURNS:
            return
        shorter = now.with_end(FIRST_TURNS)
        gone = {turn.turn_id for turn in now.turns} - {turn.turn_id for turn in shorter.turns}
        if gone and gone <= set(kept_turns(self._app.chat, now, gone)):
            live.become(shorter)

    def _is_draft_only_here(self, live: Live) -> bool:
        return bool(live.draft.strip()) and self._app.drafts.has_failed

    def _can_be_read_anew(self, live: Live) -> bool:
        """Whether the history holds everything of an idle conversation."""
        if live.is_busy or live.queue or live.unsaved_why or live.conversation.is_temporary:
            return False
        now = live.now()
        if not now.turns and not now.unfinished:
            return not live.draft.strip()
        summary = self._app.shelf.summary(live.conversation.conversation_id)
        return summary is not None and bool(summary.turn_count or summary.unfinished_count)
