"""The real clock. The only place of the engine that reads time, so that tests can own it."""

import asyncio
import time


class SystemClock:
    """Time of this machine."""

    def monotonic_s(self) -> float:
        """Seconds on a clock that never goes back."""
        return time.monotonic()

    def epoch_s(self) -> float:
        """Seconds since 1970-01-01 UTC."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)
