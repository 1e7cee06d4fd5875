"""Time that tests own: nothing waits, and a minute of silence passes in no time.

clock = VirtualClock()
turn = await clock.run(session.send(...))     # jumps from one sleep to the next until it is done
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

SETTLING_TURNS = 60
"""So many turns of the event loop let every task that can run come to its next wait."""


class VirtualClock:
    """A clock whose time passes only when everything waits."""

    def __init__(self, now_s: float = 1000.0) -> None:
        self.now_s = now_s
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def monotonic_s(self) -> float:
        return self.now_s

    def epoch_s(self) -> float:
        return 1_800_000_000.0 + self.now_s

    async def sleep(self, seconds: float) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self.now_s + seconds, future))
        await future

    async def run(self, work: Coroutine[Any, Any, T], *, limit_s: float = 100_000.0) -> T:
        """Do the work in virtual time; a limit ends what would never end."""
        task = asyncio.create_task(work)
        await self.until(task, limit_s=limit_s)
        return await task

    async def until(self, task: "asyncio.Task[T]", *, limit_s: float = 100_000.0) -> None:
        """Let time pass until a task is done."""
        end_s = self.now_s + limit_s
        while not task.done():
            await settled()
            if task.done():
                return
            self._jump(end_s)

    async def pass_time(self, seconds: float) -> None:
        """Let so much time pass."""
        end_s = self.now_s + seconds
        await settled()
        while (due_s := self._next_s()) is not None and due_s <= end_s:
            self._jump(end_s)
            await settled()
        self.now_s = end_s

    def _next_s(self) -> float | None:
        self._sleepers = [(due, future) for due, future in self._sleepers if not future.done()]
        return min((due for due, _ in self._sleepers), default=None)

    def _jump(self, end_s: float) -> None:
        due_s = self._next_s()
        assert due_s is not None, "everything waits, and not for time"
        assert due_s <= end_s, "this takes longer than the test allows"
        self.now_s = max(self.now_s, due_s)
        for due, future in self._sleepers:
            if due <= self.now_s and not future.done():
                future.set_result(None)


async def settled() -> None:
    """Every task that can run has come to its next wait."""
    for _ in range(SETTLING_TURNS):
        await asyncio.sleep(0)
