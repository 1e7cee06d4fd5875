"""The limits of one request: connect, first event, gap and total.

Pure: it is told what happened and asked what is due. Invariant: before the first event only the first-event
limit (and total) counts, after it only the gap (and total). A keep-alive is a sign of life: it starts the
running limit anew, but without an event only up to `KEEP_ALIVE_FACTOR` times that limit, and never past the
total: a gateway that says nothing but "still here" must not hold a person for ever.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Final

from chatui.core.values import frozen

KEEP_ALIVE_FACTOR: Final = 10
"""Keep-alives put off the next event up to this many times its limit."""


@frozen(kw_only=True)
class Deadlines:
    """Limits in seconds; None is no limit."""

    connect_s: float | None = 10.0
    first_event_s: float | None = 120.0
    """From sending the request, or the last keep-alive, to the first event."""
    gap_s: float | None = 60.0
    """Between two arrivals of bytes after the first event; a keep-alive comment counts as life."""
    total_s: float | None = None


class Limit(StrEnum):
    """Which limit is meant."""

    CONNECT = "connect"
    FIRST_EVENT = "first event"
    GAP = "gap"
    TOTAL = "total"
    KEEP_ALIVE = "keep-alive"
    """Keep-alives came all the time, but no event."""
    USAGE = "usage"
    """The short wait for usage after the proof of completion: running out of it is no failure."""


USAGE_GRACE_S: Final = 1.0
"""How long a server may take to send usage after the answer is proven complete."""


class DeadlineWatch:
    """Follows one attempt.

    Args:
        limits: What is allowed.
        now_s: The time at which the attempt begins.
        total_due_s: When the whole turn must be over; attempts of a turn share it.
        on_change: Called when another limit begins to count, so that whoever sleeps looks again.
    """

    def __init__(
        self,
        limits: Deadlines,
        now_s: float,
        total_due_s: float | None,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self._limits = limits
        self._on_change = on_change
        self._total_due_s = total_due_s
        self._limit = Limit.CONNECT
        self._has_resumed = False
        self._since_s = now_s
        self._event_at_s = now_s

    def connected(self, now_s: float) -> None:
        """There is a connection; the request goes out."""
        if self._limit is Limit.CONNECT:
            self._since_s = self._event_at_s = now_s
            self._enter(Limit.FIRST_EVENT)

    def arrived(self, now_s: float, *, has_event: bool) -> None:
        """Bytes arrived, with or without an event in them."""
        if self._limit is Limit.USAGE:
            return
        self._since_s = now_s
        if has_event:
            self._event_at_s = now_s
            if self._limit is not Limit.GAP:
                self._enter(Limit.GAP)

    def proven(self, now_s: float) -> None:
        """The answer is complete; only usage may follow."""
        if self._limit is not Limit.USAGE and not self._has_resumed:
            self._since_s = now_s
            self._enter(Limit.USAGE)

    def resumed(self, now_s: float) -> None:
        """It went on behind its proof: the finish word of this server is no end, silence counts as before."""
        self._has_resumed = True
        self._since_s = self._event_at_s = now_s
        self._enter(Limit.GAP)

    def stood_still(self, now_s: float, late_s: float) -> None:
        """This process did not run for so long: what is waited for is waited for anew."""
        self._since_s = now_s
        self._event_at_s += late_s
        if self._total_due_s is not None:
            self._total_due_s += late_s

    def due(self) -> tuple[float, Limit] | None:
        """When the next limit is reached, and which; None if there is none."""
        found: list[tuple[float, Limit]] = []
        allowed_s = self.allowed_s(self._limit)
        if allowed_s is not None:
            found.append((self._since_s + allowed_s, self._limit))
            if self._limit in (Limit.FIRST_EVENT, Limit.GAP):
                found.append((self._event_at_s + allowed_s * KEEP_ALIVE_FACTOR, Limit.KEEP_ALIVE))
        if self._total_due_s is not None:
            found.append((self._total_due_s, Limit.TOTAL))
        return min(found, default=None)

    def allowed_s(self, limit: Limit) -> float | None:
        """How many seconds a limit allows, for the message."""
        match limit:
            case Limit.CONNECT:
                return self._limits.connect_s
            case Limit.FIRST_EVENT:
                return self._limits.first_event_s
            case Limit.GAP:
                return self._limits.gap_s
            case Limit.TOTAL:
                return self._limits.total_s
            case Limit.KEEP_ALIVE:
                allowed_s = self.allowed_s(self._limit)
                return None if allowed_s is None else allowed_s * KEEP_ALIVE_FACTOR
            case Limit.USAGE:
                gap_s = self._limits.gap_s
                return USAGE_GRACE_S if gap_s is None else min(USAGE_GRACE_S, gap_s)

    def _enter(self, limit: Limit) -> None:
        self._limit = limit
        self._on_change()
