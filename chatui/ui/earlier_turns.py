"""A long conversation is opened at its end; what came before is read when somebody goes there.

Invariant: turns are read in the order in which they are looked at, and joined to the session's own
conversation, so that nothing that happened meanwhile is lost.
"""

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from chatui.core.conversation import Conversation
from chatui.core.errors import ChatuiError

if TYPE_CHECKING:
    from chatui.history.sqlite_history import SqliteHistory
    from chatui.ui.screens.chat import ChatScreen

FIRST_TURNS = 100
"""Turns that are read when a conversation is opened."""
MORE_TURNS = 300
"""Turns that are read when the first one that is loaded comes near."""


async def load_earlier(screen: "ChatScreen", history: "SqliteHistory", *, is_all: bool) -> None:
    """Read earlier turns of the conversation that is shown, and show them above."""
    live = screen.live
    before = live.now()
    if before.earlier_turns:
        try:
            longer = await asyncio.to_thread(history.load_before, before, None if is_all else MORE_TURNS)
        except ChatuiError as error:
            screen.notice(error.message, error.hint)
            return
        now = live.now()
        live.become(longer if now is before else _joined(before, longer, now))
    if screen.live is live:
        screen.show_earlier()


def _joined(before: Conversation, longer: Conversation, now: Conversation) -> Conversation:
    known = {turn.turn_id for turn in before.turns}
    earlier = tuple(turn for turn in longer.turns if turn.turn_id not in known)
    return replace(now, turns=earlier + now.turns, earlier_turns=longer.earlier_turns)
