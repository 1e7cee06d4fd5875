"""One turn from its request to its end: attempts, deadlines, retries, publications.

Invariants: the turn is changed only by its `TurnBuilder`; a new attempt begins with a new builder, so
nothing of an old one is ever appended to; nothing is retried after the first event; `run` returns a turn
that has ended, whatever happened, and only a bug raises.
"""

import asyncio
import random
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Final

from chatui.core.errors import ChatuiError, Failure, FailureReason, StopCause
from chatui.core.events import StreamCompleted, StreamEvent, StreamFailed, ToolCallDelta
from chatui.core.request import ChatRequest
from chatui.core.send_plan import Omission
from chatui.core.turn import Phase, Turn
from chatui.core.turn_builder import TurnBuilder
from chatui.engine.coalesce import Coalescer
from chatui.engine.deadlines import DeadlineWatch, Limit
from chatui.engine.endpoint import Endpoint
from chatui.engine.failures import cancelled, timed_out
from chatui.engine.frames import Frames
from chatui.engine.http_backend import Exchange
from chatui.engine.limit_guard import LimitGuard
from chatui.engine.ports import Clock, OpenStage, Transport
from chatui.engine.retry import pause_before_retry_s
from chatui.engine.silent_limit import with_limit_told
from chatui.engine.stopwatch import Stopwatch
from chatui.engine.updates import Stage, TurnUpdate

_COUNTDOWN_STEP_S: Final = 1.0


class TurnRun:
    """Runs one turn.

    Args:
        endpoint: Whom to ask.
        request: What to ask, but for the model, which the endpoint names.
        base: The turn as far as it is known before the response.
        omissions: What of the conversation is not sent.
        transport: Sends requests.
        clock: Time.
        coalescer: Decides when to publish.
        publish: Hears of every update.
        watch_events: Hears of every event, for `--events`.
    """

    def __init__(
        self,
        *,
        endpoint: Endpoint,
        request: ChatRequest,
        base: Turn,
        omissions: tuple[Omission, ...],
        transport: Transport,
        clock: Clock,
        coalescer: Coalescer,
        publish: Callable[[TurnUpdate], None],
        watch_events: Callable[[StreamEvent], None] | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._request = request
        self._base = base
        self._omissions = omissions
        self._transport = transport
        self._clock = clock
        self._frames = Frames(clock, coalescer)
        self._publish = publish
        self._watch_events = watch_events
        self._builder = TurnBuilder(base)
        self._stage = Stage.PREPARING if endpoint.prepare is not None else Stage.CONNECTING
        self._exchange: Exchange | None = None
        self._requests = 0
        self._stopwatch = Stopwatch(clock.monotonic_s())
        self._is_stopping = False
        self.stop_cause = StopCause.PERSON
        self._preparing = ""
        self._waits_after = ""
        """Why it is tried again, while it waits for that."""
        self._refused: Failure | None = None
        """How the last attempt failed, if that was before its first event."""
        self._guard = LimitGuard(clock)

    @property
    def has_ended(self) -> bool:
        """The turn is over; at most its connection is still being put away."""
        return self._builder.phase is not Phase.RECEIVING

    def stopping(self) -> None:
        """The person stopped the turn: say so at once, before anything is closed."""
        if not self._is_stopping:
            self._is_stopping = True
            self._stage = Stage.STOPPING
            self._show()

    def retime(self) -> None:
        """The frame interval changed."""
        if self._exchange is not None and self._stopwatch.has_content:
            self._exchange.pace(self._frames.frame_s)

    async def run(self) -> Turn:
        """The turn, ended."""
        try:
            await self._attempts()
        except asyncio.CancelledError:
            self.stopped()
        finally:
            # Exchange and connection know us, and we the request: a long one would wait for the collector.
            self._exchange = None
            self._let_go()
        return self.snapshot()

    def _let_go(self) -> None:
        """What was said is not needed any more: a long conversation is not held while its answer comes."""
        if self._request.messages:
            self._request = replace(self._request, messages=())

    def stopped(self) -> Turn:
        """The turn as the person stopped it, also before it had begun to run."""
        self._is_stopping = True
        self._end_early(cancelled(self._waits_after, self.stop_cause))
        return self.snapshot()

    def snapshot(self) -> Turn:
        """The turn as it stands, with what the engine measured."""
        return replace(self._builder.snapshot(), timing=self._stopwatch.timing(), requests=self._requests)

    async def _attempts(self) -> None:
        self._show()
        total_s = self._endpoint.deadlines.total_s
        if self._endpoint.prepare is not None:
            try:
                self._endpoint = await self._endpoint.prepare(self._say_preparing)
            except ChatuiError as error:
                self._end_early(Failure(reason=FailureReason.CONNECT, message=error.message, hint=error.hint))
                return
            self._request = replace(
                self._request, model=self._endpoint.model, sampling=self._endpoint.sampling
            )
        total_due_s = None if total_s is None else self._clock.monotonic_s() + total_s
        retries = 0
        while True:
            self._builder = TurnBuilder(self._base)
            self._enter(Stage.CONNECTING)
            failure = await self._attempt(total_due_s)
            if failure is None:
                return
            pause_s = pause_before_retry_s(failure, retries, self._endpoint.max_retries, random.random())  # noqa: S311 - spreads clients, guards nothing
            if pause_s is None or self._is_past(total_due_s, pause_s):
                self._apply([StreamFailed(failure)])
                return
            retries += 1
            await self._count_down(pause_s, failure)

    async def _attempt(self, total_due_s: float | None) -> Failure | None:
        """One exchange. A failure before its first event is returned, not applied: it may be retried."""
        now_s = self._clock.monotonic_s()
        self._stopwatch.sent(now_s)
        self._refused = None
        watch = DeadlineWatch(self._endpoint.deadlines, now_s, total_due_s, self._guard.look_again)
        exchange = Exchange(self._transport, self._endpoint, self._request, watch, self._clock, self._staged)
        self._exchange = exchange
        reader = asyncio.create_task(self._read(exchange), name="chatui read")
        guard = asyncio.create_task(self._guard.reached(watch), name="chatui deadline")
        try:
            await asyncio.wait((reader, guard), return_when=asyncio.FIRST_COMPLETED)
        finally:
            guard.cancel()
            if not reader.done():
                reader.cancel()
                # The reader closes its connection, which takes bounded time; a second cancel cuts even that
                # short.
                await asyncio.wait((reader,))
        if not reader.cancelled():
            reader.result()
        elif not exchange.has_ended:
            self._apply(exchange.close(self._timed_out(guard.result(), watch, exchange.stage)))
        return self._refused

    async def _read(self, exchange: Exchange) -> None:
        async with aclosing(exchange.events()) as batches:
            async for events in batches:
                last = events[-1]
                if isinstance(last, StreamFailed) and not exchange.has_event:
                    self._refused = last.failure
                    return
                self._let_go()  # it is not sent again
                try:
                    if exchange.has_ended:
                        await self._show_what_was_received()
                finally:  # also if it is stopped meanwhile: proof that was seen counts
                    self._apply(events)

    async def _show_what_was_received(self) -> None:
        """Let all of the text be seen before the end is saved and told: a disk may take its time."""
        if self._frames.has_pending:
            self._show()
        await asyncio.sleep(0)

    async def _count_down(self, pause_s: float, failure: Failure) -> None:
        until_s = self._clock.monotonic_s() + pause_s
        self._stage = Stage.RETRYING
        self._waits_after = failure.message
        while (left_s := until_s - self._clock.monotonic_s()) > 0.0:
            self._show(retry_in_s=left_s, retry_why=failure.message)
            await self._clock.sleep(min(left_s, _COUNTDOWN_STEP_S))
        self._waits_after = ""

    def _staged(self, stage: OpenStage) -> None:
        match stage:
            case OpenStage.CONNECTING | OpenStage.SECURING:
                self._enter(Stage.CONNECTING)
            case OpenStage.SENDING:
                self._requests += 1
                self._enter(Stage.WAITING)
            case OpenStage.SENT:
                self._enter(Stage.WAITING)

    def _enter(self, stage: Stage) -> None:
        if self._stage is not stage and not self._is_stopping:
            self._stage = stage
            self._show()

    def _apply(self, events: list[StreamEvent]) -> None:
        if isinstance(events[-1], StreamCompleted):
            events = with_limit_told(events, self._builder.snapshot().usage, self._request)
        if self._watch_events is not None:
            for event in events:
                self._watch_events(event)
        now_s = self._clock.monotonic_s()
        is_urgent = self._measure(events, now_s)
        self._builder.apply_all(events)
        if self.has_ended:
            self._stopwatch.ended(now_s)
            self._stage = Stage.ENDED
            self._show()
            return
        if self._stage is not Stage.RECEIVING and not self._is_stopping:
            self._stage = Stage.RECEIVING
            is_urgent = True
        self._frames.changed(now_s, self._show, is_urgent=is_urgent)

    def _measure(self, events: list[StreamEvent], now_s: float) -> bool:
        """Note times; whether the screen should hear of these events at once."""
        if self._exchange is None or not self._exchange.has_event:
            return False
        is_urgent = any(isinstance(event, ToolCallDelta) and event.name for event in events)
        if self._stopwatch.heard(events, now_s):
            self._exchange.pace(self._frames.frame_s)
            is_urgent = True
        return is_urgent

    def _show(self, retry_in_s: float | None = None, retry_why: str = "") -> None:
        self._frames.shown()
        self._publish(
            TurnUpdate(
                turn=self.snapshot(),
                stage=self._stage,
                retry_in_s=retry_in_s,
                retry_why=retry_why,
                omissions=self._omissions,
                preparing=self._preparing if self._stage is Stage.PREPARING else "",
            )
        )

    def _say_preparing(self, line: str) -> None:
        """How far the preparation is; published only when the line changes."""
        if line != self._preparing and not self.has_ended:
            self._preparing = line
            self._show()

    def _end_early(self, failure: Failure) -> None:
        """End a turn whose exchange did not end it."""
        if self.has_ended:
            return
        exchange = self._exchange
        if exchange is not None and not exchange.has_ended:
            self._apply(exchange.close(failure))
        else:
            self._apply([StreamFailed(failure)])

    def _timed_out(self, limit: Limit, watch: DeadlineWatch, stage: OpenStage) -> Failure:
        elapsed_s = self._stopwatch.elapsed_s(self._clock.monotonic_s())
        return timed_out(limit, watch.allowed_s(limit), elapsed_s, self._endpoint, stage)

    def _is_past(self, total_due_s: float | None, pause_s: float) -> bool:
        return total_due_s is not None and self._clock.monotonic_s() + pause_s >= total_due_s
