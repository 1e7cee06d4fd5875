"""The window of the model made visible: how full it is before something is sent, and what can be done then.

Invariants: an estimate is marked by `~`; nothing that is shown is deleted, turns that are not sent any more
are counted in the status line, named in the request, and left out after a restart too.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from chatui.core.context_size import (
    CHARACTERS_A_TOKEN,
    ContextSize,
    context_size,
    text_tokens,
    turn_tokens,
    turns_to_keep,
)
from chatui.core.conversation import Conversation
from chatui.core.errors import StoreError
from chatui.core.turn import Phase, Turn, TurnId
from chatui.view.badge import count

if TYPE_CHECKING:
    from chatui.ui.live import Live
    from chatui.ui.screens.chat import ChatScreen

DRAFT_STEP: Final = 400
"""So many characters of a draft are between two looks at the meter."""


class ContextMeter:
    """Says how full the window is, and drops turns from what is sent when the person says so."""

    def __init__(self, screen: "ChatScreen") -> None:
        self._screen = screen
        self._known: tuple[Conversation, ContextSize] | None = None
        self._earlier: tuple[tuple[str, TurnId | None], int | None] | None = None
        """What was estimated of turns that are not loaded, and before which turn; None while it is read."""
        self._dropped: tuple[TurnId, int] | None = None
        """From which turn on is sent, and how many stand before it: they need not be loaded."""
        self._told_step = 0

    @property
    def window_tokens(self) -> int | None:
        """What the model in use takes; None is unknown."""
        endpoint = self._screen.endpoint
        if endpoint is None:
            return None
        return (
            endpoint.context_window_tokens or self._screen.app_.knowledge.of(endpoint).context_window_tokens
        )

    def size(self, draft: str = "") -> ContextSize:
        """What Enter would send now."""
        conversation = self._screen.live.now()
        if self._known is None or self._known[0] is not conversation:
            path = conversation.path()
            earlier_tokens = self._earlier_tokens(conversation, path)
            size = context_size(
                path,
                conversation.system,
                left_out=conversation.left_out(path),
                earlier_tokens=earlier_tokens or 0,
            )
            self._known = (conversation, size) if earlier_tokens is not None else None
        else:
            size = self._known[1]
        tokens = text_tokens(draft)
        return ContextSize(size.tokens + tokens, size.is_estimated or tokens > 0)

    def _earlier_tokens(self, conversation: Conversation, path: Sequence[Turn]) -> int | None:
        """About how many tokens the turns have that are sent and not loaded, where the server counts none.

        None: they are being added up, beside the keyboard.
        """
        is_counted = any(turn.usage is not None and turn.usage.input_tokens is not None for turn in path)
        if not path or not conversation.earlier_turns or is_counted or conversation.not_sent() != 0:
            return 0
        first = (conversation.conversation_id, path[0].parent_id)
        if self._earlier is None or self._earlier[0] != first:
            self._earlier = (first, None)
            self._screen.run_worker(self._add_up(*first), group="meter", exclusive=True)
        return self._earlier[1]

    async def _add_up(self, conversation_id: str, before: TurnId | None) -> None:
        pages = self._screen.app_.workspace.history.pages
        try:
            size_bytes = await asyncio.to_thread(pages.size_bytes_before, conversation_id, before)
        except StoreError:  # what is sent says so when it cannot be read
            size_bytes = 0
        if self._earlier is not None and self._earlier[0] == (conversation_id, before):
            self._earlier = (self._earlier[0], size_bytes // CHARACTERS_A_TOKEN)
            self._screen.tell_status()

    def facts(self) -> tuple[str, ...]:
        """For the status line: how full the window is, and how many turns are not sent."""
        conversation = self._screen.live.now()
        found: list[str] = []
        window = self.window_tokens
        draft = self._screen.composer.written
        size = self.size(draft if len(draft) >= DRAFT_STEP else "")
        if self._known is None:
            pass  # half a number would be wrong
        elif window and size.tokens:
            sign = "~" if size.is_estimated or conversation.earlier_turns else ""
            found.append(f"ctx {sign}{size.tokens / window:.0%}".replace("%", " %"))
        elif size.tokens and len(draft) >= DRAFT_STEP:
            found.append(f"ctx {'~' if size.is_estimated else ''}{count(size.tokens)} tok")
        not_sent = conversation.not_sent()
        if not_sent is None and self._dropped is not None and self._dropped[0] == conversation.sent_from:
            not_sent = self._dropped[1]
        if not_sent != 0:
            found.append("older turns not sent" if not_sent is None else f"{not_sent} not sent")
        return tuple(found)

    def written(self) -> None:
        """The draft changed: look again when it grew by a good piece."""
        step = len(self._screen.live.draft) // DRAFT_STEP
        if step != self._told_step:
            self._told_step = step
            self._screen.tell_status()

    def objection(self, text: str) -> str:
        """Why this may not fit, in words; empty if it does or nobody knows."""
        window = self.window_tokens
        size = self.size(text)
        if not window or size.tokens <= window:
            return ""
        about = "about " if size.is_estimated else ""
        return f"This takes {about}{count(size.tokens)} tokens, and the model's window is {count(window)}."

    # What can be done

    def drop_oldest(self, turn: Turn | None) -> None:
        """Send without the oldest turns from now on; a turn that failed for its length is asked again."""
        screen = self._screen
        live = screen.live
        if live.is_busy:
            screen.say("An answer is still coming: Esc stops it.")
            return
        now = live.now()
        if now.earlier_turns:
            screen.run_worker(self._drop_read(turn), group="drop", exclusive=True)
        else:
            self._drop(turn, self._kept(now, *self._room(turn)))

    async def _drop_read(self, turn: Turn | None) -> None:
        """Older turns are read beside the keyboard, and no further than is needed."""
        live = self._screen.live
        now = live.now()
        try:
            kept = await asyncio.to_thread(self._kept, now, *self._room(turn))
        except StoreError as error:
            self._screen.notice(error.message, error.hint)
            return
        if self._screen.live is live and live.now() is now and not live.is_busy:
            self._drop(turn, kept)

    def _room(self, turn: Turn | None) -> tuple[TurnId | None, int | None, int]:
        """After which turn is sent, the window, and what the new input takes of it."""
        now = self._screen.live.now()
        if turn is not None and _may_be_asked_again(turn):
            at, written = turn.parent_id, turn_tokens(turn)
        else:
            at, written = now.head, text_tokens(self._screen.composer.written)
        return at, self.window_tokens, written + text_tokens(now.system)

    def _kept(
        self, now: Conversation, at: TurnId | None, window_tokens: int | None, extra_tokens: int
    ) -> tuple[TurnId, int] | None:
        """From which turn on to send, and how many turns of the path are before it; None if all must stay."""
        pages = self._screen.app_.workspace.history.pages
        names: list[TurnId] = []

        def sizes() -> Iterator[int]:
            for known in pages.back(now, at):
                names.append(known.turn_id)
                yield turn_tokens(known)
                if known.turn_id == now.sent_from:
                    return

        kept = turns_to_keep(sizes(), window_tokens, extra_tokens)
        if not kept:
            return None
        first = names[kept - 1]
        path = now.path_to(first)
        before = path[0].parent_id if path else first
        if before is None or now.is_temporary:
            return first, len(path) - 1
        _, earlier = pages.before(now.conversation_id, before, 1)
        return first, earlier + len(path)

    def _drop(self, turn: Turn | None, kept: tuple[TurnId, int] | None) -> None:
        screen = self._screen
        if kept is None:
            screen.say("There is nothing older that could be left out.")
            return
        screen.live.update = None
        self._send_from(screen.live, kept[0])
        self._dropped = kept
        dropped = kept[1]
        turns = f"{dropped} oldest turn{'s are' if dropped > 1 else ' is'}"
        screen.say(f"The {turns} not sent any more; they stay here. /send-all takes that back.")
        if turn is not None and _may_be_asked_again(turn):
            screen.branching.ask_again(turn)
        else:
            screen.tell_status()

    def send_all(self) -> None:
        """Send everything again."""
        screen = self._screen
        live = screen.live
        if live.now().sent_from is None:
            screen.say("Everything is sent already.")
        elif live.is_busy:
            screen.say("An answer is still coming: Esc stops it.")
        else:
            self._send_from(live, None)
            screen.say("Everything is sent again.")
            screen.tell_status()

    def _send_from(self, live: "Live", turn_id: TurnId | None) -> None:
        """Send from this turn on, now and after a restart."""
        now = live.now()
        live.become(replace(now, sent_from=turn_id))
        if now.is_temporary or live.open_elsewhere:
            return
        try:
            self._screen.app_.workspace.history.send_from(now.conversation_id, turn_id)
        except StoreError as error:
            self._screen.notice("What is left out is not remembered over a restart.", error.message)


def _may_be_asked_again(turn: Turn) -> bool:
    return turn.phase is Phase.FAILED and not turn.is_accepted_cut
