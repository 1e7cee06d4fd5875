"""Work in steps, one for each turn of the event loop.

Invariant: between two steps keys, sockets and other widgets have their turn. What a widget asks itself to do
next (`call_later`) comes at once, before the loop looks at anything else, so it does not do for that. A very
long turn is laid out in steps from when it is noted until all of it can be shown; where nobody takes steps it
is laid out at once.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from textual.message_pump import MessagePump

    from chatui.core.turn import TurnId
    from chatui.ui.turns.turn_entries import Entry, TurnEntries

STEP_CHARACTERS: Final = 6000
"""Text taken between two looks at the event loop, so that keys are never late."""


def in_the_next_turn(pump: "MessagePump", step: Callable[[], None]) -> None:
    """Let a widget take a step after the loop has looked at everything else."""
    asyncio.get_running_loop().call_soon(pump.call_later, step)


class EarlyTurns:
    """Very long turns that are not shown whole yet: by their end, or as they were laid out before."""

    def __init__(self, entries: "TurnEntries") -> None:
        self._entries = entries
        self._turn_ids: list[TurnId] = []
        self.on_more: Callable[[], None] | None = None
        """Told when there is one more; without it all is laid out at once."""

    def __bool__(self) -> bool:
        return bool(self._turn_ids)

    @property
    def most(self) -> int | None:
        """Characters that are laid out at once; None is all."""
        return None if self.on_more is None else STEP_CHARACTERS

    def note(self, entry: "Entry") -> None:
        """A turn was laid out: it is one of these if that is done in steps."""
        if entry.view is not None and entry.view.is_early and self.on_more is not None:
            if entry.turn_id not in self._turn_ids:
                self._turn_ids.append(entry.turn_id)
            self.on_more()

    def lay_out_more(self) -> int | None:
        """Lay out a step; returns the turn of which all is there now."""
        while self._turn_ids:
            index = self._entries.index_of(self._turn_ids[0])
            view = self._entries[index].view if index is not None else None
            if view is not None and view.is_early:
                return None if view.lay_out_more(STEP_CHARACTERS) else index
            del self._turn_ids[0]
        return None

    def take_all(self) -> list[int]:
        """Where they stand; none of them is one of these any more."""
        found = [self._entries.index_of(turn_id) for turn_id in self._turn_ids]
        self._turn_ids.clear()
        return [index for index in found if index is not None]
