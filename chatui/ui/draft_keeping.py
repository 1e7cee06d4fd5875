"""Keeps what is written and not yet sent, for each conversation, outside the history.

Invariant: a draft is saved for the conversation in which it was written, whatever is on the screen by then;
a draft of a conversation that never had a turn is offered again in the next fresh one.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from chatui.core.errors import ChatuiError
from chatui.ui.desk import Live

if TYPE_CHECKING:
    from chatui.history.drafts import Drafts

SAVE_AFTER_S = 1.0
"""So long after the last key a draft is written to disk."""


class StoppableTimer(Protocol):
    """What is needed of a timer."""

    def stop(self) -> None:
        """End it."""
        ...


class DraftKeeping:
    """Saves and finds drafts; trouble with the history is said, never raised."""

    def __init__(
        self,
        drafts: "Callable[[], Drafts]",
        later: Callable[[float, Callable[[], None]], StoppableTimer],
        say: Callable[[str], None],
    ) -> None:
        self._drafts = drafts
        self._later = later
        self._say = say
        self._timer: StoppableTimer | None = None
        self._waiting: Live | None = None

    def find(self, live: Live) -> str:
        """The draft of a conversation; for a fresh one also what was left in another fresh one."""
        conversation = live.conversation
        try:
            kept = self._drafts().load(conversation.conversation_id)
            if not kept and not conversation.turns and not conversation.is_temporary:
                left = self._drafts().without_conversation()
                if left is not None:
                    kept = left[1]
                    self._drafts().save(left[0], "")
                    self._drafts().save(conversation.conversation_id, kept)
        except ChatuiError as error:
            self._say(error.message)
            return ""
        return kept

    def written(self, live: Live, text: str) -> None:
        """The person wrote; save it at the next pause."""
        if text == live.draft:
            return
        live.draft = text
        if self._waiting is not None and self._waiting is not live:
            self.save_now()
        self._waiting = live
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._later(SAVE_AFTER_S, self.save_now)

    def save_now(self) -> None:
        """Save what waits."""
        live, self._waiting = self._waiting, None
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if live is None or live.conversation.is_temporary:
            return
        try:
            self._drafts().save(live.conversation.conversation_id, live.draft)
        except ChatuiError as error:
            self._say(error.message)
