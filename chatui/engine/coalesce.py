"""Decides when the screen hears of a change: at most once a frame, at once when it matters.

Pure; the time is given. Invariant: nothing is lost or reordered, because what is published is always the
latest snapshot, and whoever ends a turn publishes without asking.
"""

from typing import Final

MAX_FRAME_S: Final = 0.25
_EARLY: Final = 0.9
"""A frame that is nearly over counts as over: reading is paced by the same interval and jitters."""


class Coalescer:
    """Counts time between publications.

    Args:
        frame_s: The least time between two of them.
    """

    def __init__(self, frame_s: float) -> None:
        self._frame_s = frame_s
        self._published_at_s: float | None = None
        self._is_pending = False

    @property
    def frame_s(self) -> float:
        """The least time between two publications."""
        return self._frame_s

    def set_frame(self, frame_s: float) -> None:
        """Change the interval; a slow screen asks for longer ones."""
        self._frame_s = min(max(frame_s, 0.0), MAX_FRAME_S)

    def changed(self, now_s: float, *, is_urgent: bool = False) -> bool:
        """Something changed: whether to publish now. If not, it is pending until `due_in_s` has passed."""
        self._is_pending = True
        last_s = self._published_at_s
        return is_urgent or last_s is None or now_s - last_s >= self._frame_s * _EARLY

    def due_in_s(self, now_s: float) -> float | None:
        """After how many seconds the pending change must be published; None if nothing is pending."""
        if not self._is_pending:
            return None
        if self._published_at_s is None:
            return 0.0
        return max(self._published_at_s + self._frame_s - now_s, 0.0)

    def published(self, now_s: float) -> None:
        """The latest snapshot went out."""
        self._published_at_s = now_s
        self._is_pending = False
