"""What is held of the turns of a transcript and could be let go: texts and layouts, by when they were used.

Invariant: the total, in bytes or rows, is that of the turns that are named here.
"""

import itertools
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Final

from chatui.core.turn import Turn, TurnId

MOST_HELD_BYTES: Final = 1_000_000
"""Some hundred turns of usual size."""
TURN_BYTES: Final = 1500
"""What a turn takes beside its text."""
MOST_LAID_OUT: Final = 200
LEAST_LAID_OUT: Final = 24
"""More turns than a window shows: these are kept, however long they are."""
MOST_ROWS_LAID_OUT: Final = 1500
"""Some windows full: a laid-out row is a hundred times as large as its text."""


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


class LaidOutTurns:
    """Places and rows of laid-out turns, the one that was looked at last at the end."""

    def __init__(self) -> None:
        self._rows: OrderedDict[int, int] = OrderedDict()
        self._total = 0

    def __iter__(self) -> Iterator[int]:
        return iter(self._rows)

    def use(self, index: int, rows: int) -> None:
        """A turn was looked at, and has so many rows."""
        self._total += rows - self._rows.get(index, 0)
        self._rows[index] = rows
        self._rows.move_to_end(index)

    def clear(self) -> None:
        """Other turns are shown."""
        self._rows.clear()
        self._total = 0

    def prepended(self, count: int) -> None:
        """So many turns came before the first one."""
        self._rows = OrderedDict((index + count, rows) for index, rows in self._rows.items())

    def drop(self, gone: int) -> None:
        """A turn was taken away; those behind it stand one place before."""
        self._total -= self._rows.pop(gone, 0)
        self._rows = OrderedDict((index - (index > gone), rows) for index, rows in self._rows.items())

    def forget_oldest(self, may_go: Callable[[int], bool]) -> int | None:
        """Forget a turn that was not looked at for long, of the window none; None if none has to go."""
        if len(self._rows) <= MOST_LAID_OUT and self._total <= MOST_ROWS_LAID_OUT:
            return None
        older = itertools.islice(self._rows, max(0, len(self._rows) - LEAST_LAID_OUT))
        found = next(filter(may_go, older), None)
        if found is not None:
            self._total -= self._rows.pop(found)
        return found


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
