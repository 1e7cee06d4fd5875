"""What a transcript needs of where its turns are kept; imported for annotations only.

Invariant: nothing here raises: what cannot be read is told in its place.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from chatui.core.turn import Turn, TurnId
from chatui.view.badge import Badge


class TurnSource(Protocol):
    """Where turns are that are not in memory."""

    def read(self, turn_ids: Sequence[TurnId]) -> Mapping[TurnId, tuple[Turn, Badge]]:
        """All of these turns."""
        ...

    def kept(self, turn_ids: Collection[TurnId]) -> Collection[TurnId]:
        """Which of these turns can be read again."""
        ...

    def holding(self, wanted: str) -> Collection[TurnId]:
        """Turns that may show this folded text; none that does is left out."""
        ...
