"""Turns of one session on their way to the store: ended ones at once, the running one four times a second.

Invariant: the store never stops a session: what it cannot do is told in words, and tried again.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from chatui.core.conversation import Conversation, is_history
from chatui.core.errors import StoreError
from chatui.core.turn import Turn
from chatui.engine.ports import Clock, TurnStore

SAVE_EVERY_S: Final = 0.25
"""So often a running answer is saved as unfinished."""
SAVE_AGAIN_AFTER_S: Final = 10.0
"""So long a store that failed is left alone while the answer runs: each try may wait for another program."""


class TurnKeeping:
    """Saves turns.

    Args:
        store: Where they go; None keeps nothing.
        clock: Time.
    """

    def __init__(self, store: TurnStore | None, clock: Clock) -> None:
        self.store = store
        self._clock = clock
        self._due_s = 0.0
        self._late: asyncio.Task[None] | None = None
        self.unsaved_why = ""
        """Why the last turn is not in the history, in words; empty if it is, or never should be."""

    def keep(self, conversation: Conversation, turn: Turn) -> tuple[bool | None, str]:
        """Save an ended turn where it belongs; whether it is in the history, and what went wrong."""
        self.unsaved_why = ""
        store = self._store_of(conversation)
        if store is None:
            return None, ""
        try:
            if is_history(turn):
                store.commit(conversation.conversation_id, turn)
                return True, ""
            store.save_unfinished(conversation.conversation_id, turn)
        except StoreError as error:
            self.unsaved_why = error.message
            return False, error.message
        return False, ""

    def save_running(self, conversation: Conversation, turn: Turn) -> None:
        """Save the running turn now."""
        self.drop_late()
        self._due_s = self._clock.monotonic_s() + SAVE_EVERY_S
        store = self._store_of(conversation)
        if store is None:
            return
        try:
            store.save_unfinished(conversation.conversation_id, turn)
        except StoreError:
            # The end of the turn tries again and tells the person if the store is really broken.
            self._due_s = self._clock.monotonic_s() + SAVE_AGAIN_AFTER_S

    def changed(self, conversation: Conversation, turn: Turn, latest: Callable[[], Turn | None]) -> None:
        """The running turn changed: save it if that is due, or see to it that its latest state will be."""
        if self._clock.monotonic_s() >= self._due_s:
            self.save_running(conversation, turn)
        elif self._late is None:
            # Silence may follow: what came last is not left for the next update to save.
            self._late = asyncio.create_task(self._save_late(conversation, latest), name="chatui late save")

    async def _save_late(self, conversation: Conversation, latest: Callable[[], Turn | None]) -> None:
        while (left_s := self._due_s - self._clock.monotonic_s()) > 0.0:
            await self._clock.sleep(left_s)
        self._late = None
        turn = latest()
        if turn is not None:
            self.save_running(conversation, turn)

    def drop_late(self) -> None:
        """Nothing is left to be saved later."""
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def discard(self, conversation: Conversation, turn: Turn) -> None:
        """Forget an unfinished turn."""
        if self.store is None:
            return
        try:
            self.store.discard_unfinished(conversation.conversation_id, turn.turn_id)
        except StoreError as error:
            # It is gone from this session; at worst it is offered again on the next resume.
            self.unsaved_why = error.message

    def _store_of(self, conversation: Conversation) -> TurnStore | None:
        return None if conversation.is_temporary else self.store
