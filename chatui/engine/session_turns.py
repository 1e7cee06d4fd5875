"""How one turn of a session is made: planned, sent, published, saved, its calls run.

Invariants: a completed turn is saved and joins the conversation in the same step, before its end is told; any
other end is kept as an unfinished turn beside it; the store never stops a session. A running turn is saved
when it begins and four times a second, so that neither crash nor kill loses what was received.
"""

import asyncio
import uuid
from collections.abc import Callable
from dataclasses import replace

from chatui.core.conversation import Conversation, is_history
from chatui.core.errors import Failure, FailureReason, StoreError
from chatui.core.events import StreamEvent
from chatui.core.messages import Message
from chatui.core.request import ChatRequest, ToolSpec
from chatui.core.send_plan import NEW_INPUT, Omission, SendPlan
from chatui.core.tool_calls import runnable_calls, why_not_run
from chatui.core.turn import Phase, Turn, TurnId
from chatui.engine.coalesce import Coalescer
from chatui.engine.endpoint import Endpoint
from chatui.engine.failures import cancelled
from chatui.engine.ports import Clock, Transport, TurnStore
from chatui.engine.running import Running
from chatui.engine.send_planning import plan_before
from chatui.engine.tool_loop import ToolLoop
from chatui.engine.tool_run import ToolRun
from chatui.engine.turn_keeping import TurnKeeping
from chatui.engine.turn_run import TurnRun
from chatui.engine.updates import MISSING_TOOL, Stage, TurnUpdate


class SessionTurns:
    """Makes the turns of one conversation; a `LoopHost`. See `ChatSession` for the arguments."""

    def __init__(
        self,
        *,
        endpoint: Endpoint,
        transport: Transport,
        store: TurnStore | None,
        clock: Clock,
        conversation: Conversation,
        on_update: Callable[[TurnUpdate], None],
        frame_s: float = 1 / 15,
        on_event: Callable[[StreamEvent], None] | None = None,
        tool_loop: ToolLoop | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._transport = transport
        self._keeping = TurnKeeping(store, clock)
        self._clock = clock
        self._conversation = conversation
        self._on_update = on_update
        self._on_event = on_event
        self._tool_loop = tool_loop
        self._coalescer = Coalescer(frame_s)
        self._running = Running()

    def _base(self, messages: tuple[Message, ...], parent_id: TurnId | None) -> Turn:
        """A turn as far as it is known before it is sent."""
        endpoint = self._endpoint
        return Turn(
            turn_id=TurnId(uuid.uuid4().hex),
            parent_id=parent_id,
            input=messages,
            system=self._conversation.system,
            provider=endpoint.provider,
            protocol=endpoint.protocol.name,
            requested_model=endpoint.model,
            started_at_epoch_s=self._clock.epoch_s(),
        )

    def wants_results(self, turn: Turn) -> bool:
        """Whether calls of a turn are to be run (for the tool loop)."""
        return bool(runnable_calls(turn, is_stop_proof=self._endpoint.dialect.is_stop_call_proof))

    def _why_not_run(self, turn: Turn) -> str:
        return why_not_run(turn, is_stop_proof=self._endpoint.dialect.is_stop_call_proof)

    def tool_run(self, loop: ToolLoop, turn: Turn, left_s: float | None, why_not: str) -> ToolRun:
        """The calls of a turn, ready to be run (for the tool loop)."""
        return ToolRun(
            turn=turn,
            base=self._base((), turn.turn_id),
            toolbox=loop.toolbox,
            approver=loop.approver,
            book=loop.book,
            limits=loop.limits,
            left_s=left_s,
            clock=self._clock,
            publish=self._published_calls,
            why_not=why_not,
        )

    async def perform(self, run: ToolRun) -> Turn:
        """Run calls, save each step, and give the turn that brings the results (for the tool loop)."""
        self._keeping.save_running(self._conversation, run.snapshot())
        return self._running.stopped(run) if self._running.is_stop_wanted else await self._to_end(run)

    async def ask(self, base: Turn, tools: tuple[ToolSpec, ...], tool_choice: str | None) -> Turn:
        """Send one turn and give it as it ended (for the tool loop too)."""
        endpoint, conversation = self._endpoint, self._conversation
        plan, refusal = await self._prepare(base)
        if refusal is not None:
            turn = replace(base, phase=Phase.FAILED, failure=refusal)
            self._published(TurnUpdate(turn=turn, stage=Stage.ENDED, omissions=plan.omissions))
            return turn
        self._keeping.save_running(self._conversation, base)
        problems = self._tool_loop.toolbox.problems if self._tool_loop is not None else ()
        missing = tuple(Omission(NEW_INPUT, MISSING_TOOL, problem) for problem in problems)
        run = self._turn_run(
            endpoint,
            endpoint.request(plan.messages, conversation.system, tools, tool_choice),
            base,
            (*plan.omissions, *missing),
        )
        del plan  # the run alone holds what is sent, and lets go of it when the answer begins
        return await self._to_end(run)

    def _turn_run(
        self, endpoint: Endpoint, request: ChatRequest, base: Turn, omissions: tuple[Omission, ...]
    ) -> TurnRun:
        return TurnRun(
            endpoint=endpoint,
            request=request,
            base=base,
            omissions=omissions,
            transport=self._transport,
            clock=self._clock,
            coalescer=self._coalescer,
            publish=self._published,
            watch_events=self._on_event,
        )

    async def _to_end(self, run: TurnRun | ToolRun) -> Turn:
        """Run what `cancel` can stop."""
        try:
            return await self._running.to_end(run)
        finally:
            self._keeping.drop_late()

    async def _prepare(self, base: Turn) -> tuple[SendPlan, Failure | None]:
        """What is sent before a turn, and why it cannot be."""
        running = self._running
        running.is_preparing = True
        refusal: Failure | None = None
        try:
            if self._conversation.earlier_turns:
                self._published(TurnUpdate(turn=base, stage=Stage.CONNECTING))  # reading may be felt
            plan = await plan_before(
                self._conversation, base, self._keeping.store, lambda: running.is_stop_wanted
            )
            if not running.is_stop_wanted:
                return plan, None
            refusal = cancelled(cause=running.stop_cause)
        except StoreError as error:
            refusal = Failure(
                reason=FailureReason.ERROR,
                message=f"The earlier turns of this conversation cannot be read: {error.message}",
                hint=error.hint,
            )
        except asyncio.CancelledError:  # whoever waits for the turn gave it up: it ends as a stopped one
            refusal = cancelled()
        finally:
            running.is_preparing = False
        return SendPlan(()), refusal

    def _published(self, update: TurnUpdate) -> None:
        if update.stage is Stage.ENDED:
            # Nobody is told "completed" of an answer that a crash could still lose.
            is_saved, save_error = self._keep(update.turn)
            why_not = ""
            if self._tool_loop is not None:
                why_not = self._why_not_run(update.turn) if update.turn.phase is Phase.COMPLETED else ""
                self._running.is_going_on = self.wants_results(update.turn)
            update = replace(update, is_saved=is_saved, save_error=save_error, why_not_run=why_not)
        else:
            self._keeping.changed(self._conversation, update.turn, self._running.snapshot)
        self._on_update(update)

    def _published_calls(self, update: TurnUpdate) -> None:
        """Each step is saved with a result for every call before anybody is told of it."""
        if update.stage is Stage.ENDED:
            self._published(update)
            return
        if (snapshot := self._running.snapshot()) is not None:
            self._keeping.save_running(self._conversation, snapshot)
        self._on_update(update)

    def _keep(self, turn: Turn) -> tuple[bool | None, str]:
        """Put an ended turn where it belongs; whether it was saved and what went wrong."""
        if is_history(turn):
            self._conversation = self._conversation.with_turn(turn)
        else:
            self._conversation = self._conversation.with_unfinished(turn)
        return self._keeping.keep(self._conversation, turn)
