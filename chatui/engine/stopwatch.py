"""What the engine measures of a turn; the numbers of `Timing`.

Pure; the time is given. Invariant: times count from the request of the attempt that was answered, the total
from the beginning of the turn, retries and their pauses included.
"""

from collections.abc import Sequence
from typing import Final

from chatui.core.events import (
    AudioDelta,
    ImageReceived,
    ReasoningDelta,
    RefusalDelta,
    StreamEvent,
    TextDelta,
    ToolActivityChanged,
    ToolCallDelta,
)
from chatui.core.turn import Timing

_CONTENT: Final = (
    TextDelta,
    ReasoningDelta,
    RefusalDelta,
    ToolCallDelta,
    ToolActivityChanged,
    AudioDelta,
    ImageReceived,
)


class Stopwatch:
    """Follows one turn, which begins now."""

    def __init__(self, now_s: float) -> None:
        self._began_s = now_s
        self._sent_s = now_s
        self._first_event_s: float | None = None
        self._first_content_s: float | None = None
        self._last_event_s: float | None = None
        self._longest_gap_s: float | None = None
        self._ended_s: float | None = None

    @property
    def has_content(self) -> bool:
        """Content was seen."""
        return self._first_content_s is not None

    def elapsed_s(self, now_s: float) -> float:
        """Seconds since the turn began."""
        return now_s - self._began_s

    def sent(self, now_s: float) -> None:
        """An attempt begins."""
        self._sent_s = now_s

    def heard(self, events: Sequence[StreamEvent], now_s: float) -> bool:
        """Events came; returns whether the first content is among them."""
        if self._first_event_s is None:
            self._first_event_s = now_s
        if self._last_event_s is not None:
            self._longest_gap_s = max(self._longest_gap_s or 0.0, now_s - self._last_event_s)
        self._last_event_s = now_s
        if self.has_content or not any(isinstance(event, _CONTENT) for event in events):
            return False
        self._first_content_s = now_s
        return True

    def ended(self, now_s: float) -> None:
        """The turn ended."""
        if self._ended_s is None:
            self._ended_s = now_s

    def timing(self) -> Timing:
        """The numbers so far."""
        return Timing(
            first_event_ms=_milliseconds(self._sent_s, self._first_event_s),
            first_text_ms=_milliseconds(self._sent_s, self._first_content_s),
            longest_gap_ms=None if self._longest_gap_s is None else self._longest_gap_s * 1000,
            total_ms=_milliseconds(self._began_s, self._ended_s),
        )


def _milliseconds(from_s: float, to_s: float | None) -> float | None:
    return None if to_s is None else (to_s - from_s) * 1000
