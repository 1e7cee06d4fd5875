"""How far each code block that is not wrapped was moved to the left.

Invariant: a block is never moved beyond its longest line in sight; a block that is not in sight keeps its
place.
"""

from collections.abc import Iterable
from typing import NamedTuple

from chatui.core.turn import TurnId


class CodeKey(NamedTuple):
    """Which code block of the conversation."""

    turn: TurnId
    section: int
    block: int


class CodeShifts:
    """Shifts by block; those that were not moved are not kept."""

    def __init__(self) -> None:
        self._shifts: dict[CodeKey, int] = {}

    def __bool__(self) -> bool:
        return bool(self._shifts)

    def of(self, key: CodeKey) -> int:
        """Cells by which a block was moved."""
        return self._shifts.get(key, 0)

    def forget(self) -> None:
        """Every block stands at its beginning again."""
        self._shifts.clear()

    def move(self, blocks: Iterable[tuple[CodeKey, int]], cells: int) -> bool:
        """Move blocks; returns whether any of them moved.

        Args:
            blocks: Blocks and by how much each may be moved at most.
            cells: To the right end (positive) or back.
        """
        has_moved = False
        for key, most in blocks:
            was = self.of(key)
            now = max(0, min(was + cells, max(most, was)))
            if now != was:
                has_moved = True
                if now:
                    self._shifts[key] = now
                else:
                    del self._shifts[key]
        return has_moved
