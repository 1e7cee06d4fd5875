"""Work in steps, one for each turn of the event loop.

Invariant: between two steps keys, sockets and other widgets have their turn. What a widget asks itself to do
next (`call_later`) comes at once, before the loop looks at anything else, so it does not do for that.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.message_pump import MessagePump


def in_the_next_turn(pump: "MessagePump", step: Callable[[], None]) -> None:
    """Let a widget take a step after the loop has looked at everything else."""
    asyncio.get_running_loop().call_soon(pump.call_later, step)
