"""What goes with the next turn, of a conversation of which memory may hold the end only.

Invariants: what was said earlier is sent though it is not loaded, and is let go again afterwards; what was
said later is not read; the event loop is never held for longer than a page of turns takes.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from chatui.core.conversation import Conversation
from chatui.core.send_plan import SendPlan
from chatui.core.turn import Turn
from chatui.engine.ports import TurnStore

PAGE_TURNS: Final = 250
"""So many earlier turns are read at once: the history is not kept from others for longer than a frame."""


async def plan_before(
    conversation: Conversation, base: Turn, store: TurnStore | None, is_stopped: Callable[[], bool]
) -> SendPlan:
    """What is sent before `base` and what is left out; a long conversation is planned in a thread.

    Raises:
        StoreError: the earlier turns cannot be read.
    """
    conversation = await _with_earlier(conversation.at(base.parent_id), store, is_stopped)
    if len(conversation.turns) > PAGE_TURNS:
        return await asyncio.to_thread(_plan, conversation, base)
    return _plan(conversation, base)


async def _with_earlier(
    conversation: Conversation, store: TurnStore | None, is_stopped: Callable[[], bool]
) -> Conversation:
    """With all turns before those that are loaded; memory does not hold them any longer than this."""
    while store is not None and conversation.earlier_turns and not is_stopped():
        longer = await asyncio.to_thread(store.load_before, conversation, PAGE_TURNS)
        if longer.earlier_turns >= conversation.earlier_turns:
            break  # what is missing there is missing
        conversation = longer
    return conversation


def _plan(conversation: Conversation, base: Turn) -> SendPlan:
    return conversation.plan(base.parent_id, base.input, base.provider)
