"""Shows what changed, at the latest when its frame is due: the coalescer decides, this waits for it.

Invariant: a change that was put off is shown when its frame is over by our clock (the timer of the loop only
wakes us), and one timer at most waits for that.
"""

import asyncio
from collections.abc import Callable

from chatui.engine.coalesce import Coalescer
from chatui.engine.ports import Clock


class Frames:
    """Calls who shows changes, who tells `shown` then, as for what was shown for another reason.

    It knows the one that shows only while a change is put off, so neither keeps the other in memory.

    Args:
        clock: Time.
        coalescer: Decides when to show.
    """

    def __init__(self, clock: Clock, coalescer: Coalescer) -> None:
        self._clock = clock
        self._coalescer = coalescer
        self._flush: asyncio.TimerHandle | None = None

    @property
    def frame_s(self) -> float:
        """The least time between two."""
        return self._coalescer.frame_s

    @property
    def has_pending(self) -> bool:
        """A change was put off."""
        return self._coalescer.due_in_s(self._clock.monotonic_s()) is not None

    def changed(self, now_s: float, show: Callable[[], None], *, is_urgent: bool) -> None:
        """Something changed: the latest state is shown now or later."""
        if self._coalescer.changed(now_s, is_urgent=is_urgent):
            show()
        elif self._flush is None:
            self._flush_later(now_s, show)

    def shown(self) -> None:
        """The latest state is shown: nothing is put off any more."""
        if self._flush is not None:
            self._flush.cancel()
            self._flush = None
        self._coalescer.published(self._clock.monotonic_s())

    def _flush_later(self, now_s: float, show: Callable[[], None]) -> None:
        due_s = self._coalescer.due_in_s(now_s)
        if due_s is not None:
            self._flush = asyncio.get_running_loop().call_later(due_s, self._flush_if_due, show)

    def _flush_if_due(self, show: Callable[[], None]) -> None:
        self._flush = None
        now_s = self._clock.monotonic_s()
        if self._coalescer.due_in_s(now_s) == 0.0:
            show()
        else:
            self._flush_later(now_s, show)
