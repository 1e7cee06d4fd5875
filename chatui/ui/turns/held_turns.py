"""Which turns of a transcript are in memory and could be let go: counted in bytes, by when they were used.

Invariant: the total is that of the turns that are named here.
"""

import sys
from collections import OrderedDict
from collections.abc import Iterator
from typing import Final

from chatui.core.turn import Turn, TurnId

MOST_HELD_BYTES: Final = 1_000_000
"""Some hundred turns of usual size."""
TURN_BYTES: Final = 1500
"""What a turn takes beside its text."""


class HeldTurns:
    """Names and sizes, the turn that was used last at the end."""

    def __init__(self) -> None:
        self._sizes: OrderedDict[TurnId, int] = OrderedDict()
        self._total = 0

    @property
    def excess_bytes(self) -> int:
        """How much should be let go; not above zero if nothing has to be."""
        return self._total - MOST_HELD_BYTES

    def hold(self, turn: Turn) -> int:
        """A turn came into memory; returns about what it takes of it."""
        self.let_go(turn.turn_id)
        size = self._sizes[turn.turn_id] = turn_bytes(turn)
        self._total += size
        return size

    def use(self, turn_id: TurnId) -> None:
        """A turn was looked at."""
        if turn_id in self._sizes:
            self._sizes.move_to_end(turn_id)

    def let_go(self, turn_id: TurnId) -> None:
        """A turn is not held any more, or for good."""
        self._total -= self._sizes.pop(turn_id, 0)

    def clear(self) -> None:
        """Other turns are shown."""
        self._sizes.clear()
        self._total = 0

    def oldest(self) -> Iterator[tuple[TurnId, int]]:
        """Turns and the bytes of each, the one that was not used for longest first."""
        return iter(self._sizes.items())


def turn_bytes(turn: Turn) -> int:
    """About what a turn takes of the memory."""
    size = TURN_BYTES
    parts = [part for message in turn.input for part in message.parts]
    parts += [part for choice in turn.choices for part in choice.parts]
    for part in parts:
        for name in type(part).__match_args__:
            text = getattr(part, name)
            if isinstance(text, str):
                size += sys.getsizeof(text)
    return size
