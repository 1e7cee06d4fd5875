"""What a session is doing now, and how it is stopped.

Invariants: at most one task runs for a conversation; a stop reaches it wherever it stands (while the last one
is put away, before its first step, while tools are started, between the requests of an answer with calls),
and what was stopped ends as a turn that says so, never as an exception.
"""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from chatui.core.errors import StopCause
from chatui.core.request import ToolSpec
from chatui.core.turn import Turn
from chatui.engine.tool_run import ToolRun
from chatui.engine.turn_run import TurnRun


class Running:
    """The one task of a session that can be stopped. Used on the event loop only."""

    def __init__(self) -> None:
        self.is_preparing = False
        """Something is read or started before a turn is sent."""
        self.is_stop_wanted = False
        """The person stopped the turn, also before it had begun to run or between its requests."""
        self.stop_cause = StopCause.PERSON
        """Who stopped it last."""
        self.is_going_on = False
        """A turn has ended and its calls are about to be run."""
        self._one_at_a_time = asyncio.Lock()
        self._is_next = False
        """A turn waits until the last one has been put away."""
        self._is_next_stopped = False
        """The person stopped it meanwhile."""
        self._run: TurnRun | ToolRun | None = None
        self._task: asyncio.Task[Turn] | None = None
        self._starting: asyncio.Task[tuple[ToolSpec, ...]] | None = None

    @property
    def is_busy(self) -> bool:
        """A turn is prepared, sent, received, or its calls are run."""
        return self._is_next or self.is_preparing or self.is_going_on or self.latest() is not None

    def latest(self) -> TurnRun | ToolRun | None:
        """What runs and has not ended; None if nothing does."""
        return None if self._run is None or self._run.has_ended else self._run

    def snapshot(self) -> Turn | None:
        """The running turn as it stands; None if none runs."""
        run = self.latest()
        return None if run is None else run.snapshot()

    def retime(self) -> None:
        """The frame interval changed."""
        if self._run is not None:
            self._run.retime()

    def stop(self, cause: StopCause) -> None:
        """Stop what runs, now. Does nothing when idle."""
        self.stop_cause = cause
        self.is_stop_wanted = self.is_busy
        self._is_next_stopped = self._is_next
        if self._starting is not None:
            self._starting.cancel()
        run = self.latest()
        if self._task is None or run is None:
            return
        run.stop_cause = cause
        run.stopping()
        self._task.cancel()

    @asynccontextmanager
    async def one_at_a_time(self) -> AsyncIterator[None]:
        """The time of one turn: the last one may have ended and its connection is still being put away."""
        self._is_next, self._is_next_stopped = True, False
        try:
            await self._one_at_a_time.acquire()
        finally:
            self._is_next = False
        self.is_stop_wanted = self._is_next_stopped
        try:
            yield
        finally:
            self._one_at_a_time.release()

    async def started(self, starting: Coroutine[Any, Any, tuple[ToolSpec, ...]]) -> tuple[ToolSpec, ...]:
        """The tools that could be started; none if the person stopped that."""
        self._starting = task = asyncio.create_task(starting, name="chatui tools")
        try:
            return await task
        except asyncio.CancelledError:
            self.is_stop_wanted = True
            return ()
        finally:
            self._starting = None

    def stopped(self, run: TurnRun | ToolRun) -> Turn:
        """The turn of a run that a stop reached before its first step."""
        run.stop_cause = self.stop_cause
        return run.stopped()

    async def to_end(self, run: TurnRun | ToolRun) -> Turn:
        """Run to the end, whichever it is; the turn as it ended."""
        self._run = run
        self._task = asyncio.create_task(run.run(), name="chatui turn")
        try:
            return await self._task
        except asyncio.CancelledError:  # stopped before its first step: nothing of it could say so
            return self.stopped(run)
        finally:
            # A caller that was cancelled wants nothing more, though this turn may have ended well before.
            caller = asyncio.current_task()
            self.is_stop_wanted = self.is_stop_wanted or (caller is not None and caller.cancelling() > 0)
            self._run = None
            self._task = None
