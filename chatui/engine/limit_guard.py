"""Sleeps until a limit of the running request is reached, by the clock that was given.

Invariants: whenever another limit begins to count it looks again, so no limit is noticed late; which one is
due is decided by `engine.deadlines` alone; time in which this process stood still (Ctrl+Z in a shell) is not
taken for silence of the server, whose bytes may have arrived meanwhile.
"""

import asyncio
from typing import Final, Literal

from chatui.engine.deadlines import DeadlineWatch, Limit
from chatui.engine.ports import Clock

STOOD_STILL_S: Final = 2.0
"""Who wakes so much later than planned did not listen meanwhile."""


class LimitGuard:
    """Waits for the limits of the attempts of one turn."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._limit_changed = asyncio.Event()

    def look_again(self) -> None:
        """Another limit counts now, or none."""
        self._limit_changed.set()

    async def reached(self, watch: DeadlineWatch) -> Limit:
        """Returns when a limit is reached, and which."""
        while True:
            self._limit_changed.clear()
            due = watch.due()
            waits = [asyncio.ensure_future(self._limit_changed.wait())]
            wakes_at_s = None
            if due is not None:
                wakes_at_s = due[0]
                left_s = wakes_at_s - self._clock.monotonic_s()
                if left_s <= 0.0:
                    waits[0].cancel()
                    return due[1]
                waits.append(asyncio.ensure_future(self._sleep(left_s)))
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for wait in waits:
                    wait.cancel()
            now_s = self._clock.monotonic_s()
            if wakes_at_s is not None and now_s - wakes_at_s > STOOD_STILL_S:
                watch.stood_still(now_s, now_s - wakes_at_s)

    async def _sleep(self, seconds: float) -> Literal[True]:
        await self._clock.sleep(seconds)
        return True
