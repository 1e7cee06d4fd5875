"""The live session of one conversation: the only place where a turn is made.

Invariants: one turn at a time; a completed turn is saved and joins the conversation in the same step, before
its end is told; any other end is kept as an unfinished turn beside it; the store never stops a session. A
running turn is saved when it begins and four times a second, so that neither crash nor kill loses what was
received.
"""

import asyncio
import uuid
from collections.abc import Callable
from dataclasses import replace

from chatui.core.conversation import Conversation, is_history
from chatui.core.errors import Failure, FailureReason, ProgrammingError, StoreError
from chatui.core.events import StreamEvent
from chatui.core.messages import Message
from chatui.core.request import ChatRequest, ToolSpec
from chatui.core.send_plan import NEW_INPUT, Omission, SendPlan
from chatui.core.tool_calls import runnable_calls, why_not_run, with_waiting_results
from chatui.core.turn import Phase, Turn, TurnId
from chatui.engine.coalesce import Coalescer
from chatui.engine.deadlines import Deadlines as Deadlines
from chatui.engine.endpoint import Endpoint as Endpoint
from chatui.engine.failures import cancelled
from chatui.engine.ports import Clock, Transport, TurnStore
from chatui.engine.running import Running
from chatui.engine.send_planning import plan_before
from chatui.engine.tool_loop import ToolLoop
from chatui.engine.tool_run import ToolRun
from chatui.engine.turn_keeping import TurnKeeping
from chatui.engine.turn_run import TurnRun
from chatui.engine.updates import MISSING_TOOL
from chatui.engine.updates import Stage as Stage
from chatui.engine.updates import TurnUpdate as TurnUpdate

__all__ = ["ChatSession", "Deadlines", "Endpoint", "Stage", "TurnUpdate"]


class ChatSession:
    """Sends, cancels, regenerates; publishes `TurnUpdate`s; owns the conversation value.

    All methods are called on the event loop. `on_update` is called on the event loop, at most once a frame
    while text streams, at once for the first content, a change of stage or phase, and always at the end.

    Args:
        endpoint: Whom to ask.
        transport: Sends requests.
        store: Where turns go; None keeps nothing.
        clock: Time.
        conversation: Where to go on.
        on_update: Hears of the running turn. Must not raise.
        frame_s: The least time between two updates while text streams.
        on_event: Hears of every stream event, for `--events`.
        tool_loop: Runs what answers call for; None shows calls and runs nothing.
    """

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

    @property
    def conversation(self) -> Conversation:
        """The conversation as it stands."""
        return self._conversation

    @property
    def endpoint(self) -> Endpoint:
        """Where the next turn goes."""
        return self._endpoint

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools that go with the next turn, as far as they are known before anything is started."""
        return self._tool_loop.toolbox.known_specs if self._tool_loop is not None else ()

    @property
    def unsaved_why(self) -> str:
        """Why the last turn is not in the history, in words; empty if it is, or never should be."""
        return self._keeping.unsaved_why

    @property
    def is_busy(self) -> bool:
        """A turn is running."""
        return self._running.is_busy

    @property
    def frame_s(self) -> float:
        """The least time between two updates while text streams."""
        return self._coalescer.frame_s

    def set_frame_interval(self, frame_s: float) -> None:
        """A screen that cannot keep up asks for longer frames, one that can for shorter ones."""
        self._coalescer.set_frame(frame_s)
        self._running.retime()

    def use(self, endpoint: Endpoint) -> None:
        """Ask another model from the next turn on."""
        self._endpoint = endpoint

    def use_tools(self, tool_loop: ToolLoop | None) -> None:
        """Offer other tools from the next prompt on; where they are the same, what was allowed holds on."""
        known = self._tool_loop
        if known is None or tool_loop is None or tool_loop.toolbox is not known.toolbox:
            self._tool_loop = tool_loop

    def move_to(self, conversation: Conversation) -> None:
        """Go on from another value of the conversation (another branch, edited, reloaded).

        Raises:
            ProgrammingError: a turn is running.
        """
        if self.is_busy:
            raise ProgrammingError("the conversation cannot be changed while a turn is running")
        if self._tool_loop is not None and conversation.conversation_id != self._conversation.conversation_id:
            self._tool_loop.book.clear()
        self._conversation = conversation

    async def send(
        self,
        messages: tuple[Message, ...],
        tools: tuple[ToolSpec, ...] = (),
        *,
        sibling: Turn | None = None,
    ) -> Turn:
        """Run one turn to its end and return it. Never raises for what network, server or store do.

        Where tools are on, its calls are run and their results sent, until a turn calls for nothing.

        With `sibling` it stands beside that turn (an edited prompt), else it follows the head. If the caller
        is cancelled, the turn is cancelled and returned.
        """
        return await self._start(messages, tools, sibling=sibling)

    async def regenerate(self, turn: Turn) -> Turn:
        """Ask again for the same input: a sibling of `turn` (completed or unfinished)."""
        return await self._start(turn.input, (), sibling=turn)

    def cancel(self) -> None:
        """Stop the running turn now, also in silence or during a countdown. Does nothing when idle."""
        self._running.stop()

    def accept(self, turn: Turn) -> Turn:
        """Take a cut answer as it is: it joins the conversation, is saved, and is sent with the next turn.

        Raises:
            ProgrammingError: a turn is running.
        """
        accepted = replace(turn, is_accepted_cut=True)
        if self.is_busy:
            raise ProgrammingError("a turn cannot be accepted while another is running")
        self._keep(accepted)
        return accepted

    def dismiss(self, turn: Turn) -> None:
        """Forget an unfinished turn."""
        self._conversation = self._conversation.without_unfinished(turn.turn_id)
        self._keeping.discard(self._conversation, turn)

    async def _start(
        self, messages: tuple[Message, ...], tools: tuple[ToolSpec, ...], sibling: Turn | None = None
    ) -> Turn:
        if self.is_busy:
            raise ProgrammingError("a turn is running already")
        async with self._running.one_at_a_time():
            parent_id = self._conversation.head if sibling is None else sibling.parent_id
            said = with_waiting_results(self._conversation, parent_id, messages)
            loop = self._tool_loop
            if loop is None:
                return await self.ask(self._base(said, parent_id), tools, None)
            base = self._base(said, parent_id)
            try:
                if not tools and not self._running.is_stop_wanted:
                    tools = await self._offered(loop, base)
                turn = await self.ask(base, tools, None)
                return await loop.follow(turn, tools, self)
            finally:
                self._running.is_going_on = False

    async def _offered(self, loop: ToolLoop, base: Turn) -> tuple[ToolSpec, ...]:
        """The tools that are offered, after what has to be started; that can be stopped like everything."""
        self._running.is_preparing = True
        if not loop.toolbox.is_ready:
            self._published(TurnUpdate(turn=base, stage=Stage.PREPARING, preparing="starting tools"))
        try:
            return await self._running.started(loop.toolbox.offered())
        finally:
            self._running.is_preparing = False

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
        return run.stopped() if self._running.is_stop_wanted else await self._to_end(run)

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
            refusal = cancelled()
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
