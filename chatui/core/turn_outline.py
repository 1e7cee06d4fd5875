"""What is known of a turn that is not in memory: enough to leave room for it and to find it again.

Invariant: an outline stands only for a turn that can be read again; the text itself is never in it.
"""

from chatui.core.turn import TurnId
from chatui.core.values import frozen


@frozen
class TurnOutline:
    """A turn by name and size."""

    turn_id: TurnId
    parent_id: TurnId | None
    size_bytes: int
    """Of all that is stored of it: the text and a few facts."""
