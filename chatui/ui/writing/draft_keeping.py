"""Keeps what is written and not yet sent, for each conversation, outside the history.

Invariant: a draft is saved for the conversation in which it was written, whatever is on the screen by then;
a draft of a conversation that never had a turn is offered again in the next fresh one.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from chatui.core.errors import ChatuiError
from chatui.ui.live import Live

if TYPE_CHECKING:
    from chatui.history.drafts import Drafts

SAVE_AFTER_S = 0.4
"""So long after the first key that is not saved yet a draft is written to disk, also while typing goes on."""
SAVE_AGAIN_AFTER_S = 10.0
"""So long a history that failed is left alone: each try may wait for another program, and keys with it."""
MOST_PROMPTS = 200


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
        claim: Callable[[Live], None],
    ) -> None:
        self._drafts = drafts
        self._later = later
        self._say = say
        self._claim = claim
        self._timer: StoppableTimer | None = None
        self._save_after_s = SAVE_AFTER_S
        self._waiting: Live | None = None

    @property
    def has_failed(self) -> bool:
        """The last draft is only in memory."""
        return self._save_after_s > SAVE_AFTER_S

    def find(self, live: Live) -> str:
        """The draft of a conversation; for a fresh one also what was left in another fresh one."""
        if live.draft and self.has_failed:
            return live.draft
        conversation = live.conversation
        try:
            kept = self._drafts().load(conversation.conversation_id)
            is_fresh = not conversation.turns and not conversation.unfinished
            if not kept and is_fresh and not conversation.is_temporary:
                left = self._drafts().without_conversation()
                if left is not None:
                    kept = left[1]
                    self._drafts().move(left[0], conversation.conversation_id)
                    self._claim(live)
        except ChatuiError as error:
            self._say(error.message)
            return ""
        return kept

    def prompts(self, live: Live) -> list[str]:
        """What Up recalls in a conversation, oldest first: what was sent in it, and what was put aside."""
        turns = live.turns()
        found = [(turn.started_at_epoch_s, turn.prompt) for turn in turns[-MOST_PROMPTS:]]
        conversation = live.conversation
        if not conversation.is_temporary:
            try:
                for stashed in self._drafts().stashed():
                    if stashed.conversation_id == conversation.conversation_id or not turns:
                        found.append((stashed.stashed_at_epoch_s, stashed.text))
            except ChatuiError as error:
                self._say(error.message)
        return [text for _, text in sorted(found, key=lambda item: item[0])][-MOST_PROMPTS:]

    def stash(self, live: Live, text: str) -> None:
        """Put a text aside, so that it can be recalled also after the end of the process."""
        if live.conversation.is_temporary:
            return
        try:
            self._drafts().stash(live.conversation.conversation_id, text)
        except ChatuiError as error:
            self._say(error.message)

    def written(self, live: Live, text: str) -> None:
        """The person wrote; save it at the next pause."""
        if text == live.draft:
            return
        live.draft = text
        if self._waiting is not None and self._waiting is not live:
            self.save_now()
        self._waiting = live
        if self._timer is None:
            self._timer = self._later(self._save_after_s, self.save_now)

    def save_now(self) -> None:
        """Save what waits."""
        live, self._waiting = self._waiting, None
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if live is None or live.conversation.is_temporary:
            return
        try:
            if live.draft:
                self._claim(live)  # else another window that starts takes it for one that was left
            self._drafts().save(live.conversation.conversation_id, live.draft)
            self._save_after_s = SAVE_AFTER_S
        except ChatuiError as error:
            self._save_after_s = SAVE_AGAIN_AFTER_S
            self._say(error.message)
