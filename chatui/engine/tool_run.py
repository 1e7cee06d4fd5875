"""The calls of one completed turn, from the question to the results.

Invariants: calls are asked for and run one by one, in order, and never twice; every call has exactly one
result, whatever happens, and at every moment: what has no result yet counts as interrupted, so that a crash
or stop leaves messages that can be sent; nothing runs without a yes to what is run.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from chatui.core.errors import StopCause, ToolError
from chatui.core.messages import ToolCallPart, ToolCallState, ToolOutcome, ToolResultPart
from chatui.core.tool_calls import InvalidArguments, arguments_of, calls_of, result_of, results_message
from chatui.core.turn import Phase, Turn
from chatui.engine.approval import ApprovalBook, ApprovalRequest, Approver, Verdict
from chatui.engine.failures import cancelled
from chatui.engine.ports import Clock
from chatui.engine.tool_ports import Tool, ToolBox, ToolLimits, ToolOutput
from chatui.engine.updates import CallProgress, CallStage, Stage, TurnUpdate

NEVER_RUN: Final = "Interrupted before it was run: it did nothing and gave no result."
CUT_SHORT: Final = "Interrupted while it ran: it may have had an effect, and gave no result."
NO_TIME_LEFT: Final = "Not run: the time that tools may take after one prompt is used up."
MOST_CALLS: Final = 50
"""Of one answer; nobody can judge more."""
TOO_MANY: Final = f"Not run: more than {MOST_CALLS} calls in one answer."
MAX_ARGUMENT_BYTES: Final = 256 * 1024
"""More than a person can judge; such a call is refused."""


class ToolRun:
    """Runs the calls of a turn; `snapshot` is the turn that will bring their results to the model.

    Args:
        turn: The completed turn with calls.
        base: The turn that follows it, without input.
        toolbox: What can be run.
        approver: Asked about every call.
        book: What was allowed for the whole conversation.
        limits: Bounds.
        left_s: Seconds that all calls together may still take; None is no limit.
        clock: Time.
        publish: Hears where the calls stand.
        why_not: A reason for which none of the calls is run at all, in words for the model; or empty.
    """

    def __init__(
        self,
        *,
        turn: Turn,
        base: Turn,
        toolbox: ToolBox,
        approver: Approver,
        book: ApprovalBook,
        limits: ToolLimits,
        left_s: float | None,
        clock: Clock,
        publish: Callable[[TurnUpdate], None],
        why_not: str = "",
    ) -> None:
        self._base = base
        self._toolbox = toolbox
        self._approver = approver
        self._book = book
        self._limits = limits
        self._left_s = left_s
        self._clock = clock
        self._publish = publish
        self._why_not = why_not
        self._calls = [
            CallProgress(call=call, source=_source(toolbox.find(call.name))) for call in calls_of(turn)
        ]
        self._turn = base
        self._is_stopping = False
        self.stop_cause = StopCause.PERSON
        self.spent_s = 0.0
        """How long tools have run, without waiting for the person."""

    @property
    def has_ended(self) -> bool:
        """The person stopped it: the turn ended before it was sent."""
        return self._turn.phase is not Phase.RECEIVING

    def stopping(self) -> None:
        """The person stopped it: say so at once, before any process is ended."""
        if not self._is_stopping:
            self._is_stopping = True
            self._show(Stage.STOPPING)

    def retime(self) -> None:
        """The frame interval changed: nothing here is that quick."""

    def snapshot(self) -> Turn:
        """The turn that brings the results; calls without a result yet count as interrupted."""
        results = tuple(progress.result or _interrupted(progress) for progress in self._calls)
        return replace(self._turn, input=(results_message(results),))

    async def run(self) -> Turn:
        """The turn with all results: still to be sent, or failed because the person stopped it."""
        try:
            for index in range(len(self._calls)):
                await self._one(index)
        except asyncio.CancelledError:
            return self.stopped()
        return self.snapshot()

    def stopped(self) -> Turn:
        """The turn as the person stopped it: nothing more is run, what has no result says so."""
        self._is_stopping = True
        for index, progress in enumerate(self._calls):
            if progress.result is None:
                self._end(index, _interrupted(progress))
        self._turn = replace(self._turn, phase=Phase.FAILED, failure=cancelled(cause=self.stop_cause))
        self._show(Stage.ENDED)
        return self.snapshot()

    async def _one(self, index: int) -> None:
        call = self._calls[index].call
        why_not = self._why_not
        if index >= MOST_CALLS:
            why_not = why_not or TOO_MANY
        elif self._limit_s(None) == 0.0:
            why_not = why_not or NO_TIME_LEFT
        if why_not:
            self._end(index, result_of(call, ToolOutcome.FAILED, why_not))
            return
        try:
            tool, arguments = self._checked(call)
            what_runs = tool.what_runs(arguments)
        except InvalidArguments as problem:
            self._end(index, result_of(call, ToolOutcome.INVALID, problem.message))
            return
        except ToolError as problem:
            self._end(index, result_of(call, ToolOutcome.FAILED, problem.message))
            return
        if not await self._may_run(index, tool, arguments, what_runs):
            return
        self._enter(index, CallStage.RUNNING, Stage.CALLING)
        started_s = self._clock.monotonic_s()
        result = await self._result(call, tool, arguments)
        taken_s = self._clock.monotonic_s() - started_s
        self.spent_s += taken_s
        self._calls[index] = replace(self._calls[index], elapsed_s=taken_s)
        self._end(index, result)

    def _checked(self, call: ToolCallPart) -> tuple[Tool, dict[str, object]]:
        tool = self._toolbox.find(call.name)
        if tool is None:
            raise ToolError("There is no tool of this name here.")
        if call.state is not ToolCallState.WHOLE:
            raise InvalidArguments("The arguments are not whole, or no valid JSON: the tool was not run.")
        if len(call.arguments_raw) > MAX_ARGUMENT_BYTES:
            raise InvalidArguments(f"The arguments are longer than {MAX_ARGUMENT_BYTES >> 10} KiB.")
        arguments = arguments_of(call)
        problem = tool.problem_with(arguments)
        if problem:
            raise InvalidArguments(f"The arguments are not what this tool takes: {problem}")
        return tool, arguments

    async def _may_run(self, index: int, tool: Tool, arguments: Mapping[str, object], what_runs: str) -> bool:
        """Ask, unless the person said yes to this tool before."""
        call = self._calls[index].call
        request = ApprovalRequest(
            call_id=call.call_id,
            tool=tool.spec.name,
            source=tool.source,
            description=tool.spec.description,
            arguments=arguments,
            what_runs=what_runs,
            number=index + 1,
            count=len(self._calls),
        )
        if self._book.allows(request):
            return True
        self._enter(index, CallStage.ASKING, Stage.ASKING)
        decision = await self._approver.decide(request)
        if decision.verdict is Verdict.DENY:
            why = f": {decision.reason}" if decision.reason.strip() else "."
            self._end(index, result_of(call, ToolOutcome.DENIED, f"Denied, not run{why}"))
            return False
        self._book.note(request, decision)
        return True

    async def _result(
        self, call: ToolCallPart, tool: Tool, arguments: Mapping[str, object]
    ) -> ToolResultPart:
        try:
            output = await self._within(self._limit_s(tool), tool, arguments)
        except ToolError as problem:
            return result_of(call, ToolOutcome.FAILED, problem.message)
        outcome = ToolOutcome.FAILED if output.is_error else ToolOutcome.OK
        text = cut_to(output.text, self._limits.max_result_bytes, output.total_bytes)
        return result_of(call, outcome, text)

    def _limit_s(self, tool: Tool | None) -> float | None:
        """How long a call may take: its own limit, and what is left for all calls together."""
        own_s = self._limits.call_s if tool is None or tool.timeout_s is None else tool.timeout_s
        if self._left_s is None:
            return own_s
        left_s = max(0.0, self._left_s - self.spent_s)
        return left_s if own_s is None else min(own_s, left_s)

    async def _within(self, limit_s: float | None, tool: Tool, arguments: Mapping[str, object]) -> ToolOutput:
        """Run a tool until its limit; it has put away what it started when this returns or raises.

        Raises:
            ToolError: it could not be done, or not in time.
        """
        running = asyncio.create_task(tool.run(arguments, self._limits.max_result_bytes), name="chatui tool")
        timer = None
        if limit_s is not None:
            timer = asyncio.create_task(self._clock.sleep(limit_s), name="chatui tool limit")
        try:
            await asyncio.wait(
                (running, timer) if timer is not None else (running,),
                return_when=asyncio.FIRST_COMPLETED,
            )
            if running.done():
                return running.result()
            raise ToolError(f"It was ended because it was not done within {limit_s:g} s.")
        finally:
            if timer is not None:
                timer.cancel()
            if not running.done():
                running.cancel()
                await asyncio.wait((running,))

    def _enter(self, index: int, stage: CallStage, told: Stage) -> None:
        self._calls[index] = replace(self._calls[index], stage=stage, since_s=self._clock.monotonic_s())
        self._show(told)

    def _end(self, index: int, result: ToolResultPart) -> None:
        self._calls[index] = replace(self._calls[index], stage=CallStage.ENDED, result=result)
        if not self._is_stopping:
            self._show(Stage.CALLING)

    def _show(self, stage: Stage) -> None:
        """Tell where the calls stand; what is shown as a result is one."""
        if stage is Stage.ENDED:
            turn = self.snapshot()
        else:
            results = tuple(progress.result for progress in self._calls if progress.result is not None)
            turn = replace(self._turn, input=(results_message(results),) if results else ())
        self._publish(TurnUpdate(turn=turn, stage=stage, calls=tuple(self._calls)))


def cut_to(text: str, most_bytes: int, total_bytes: int | None = None) -> str:
    """A result of at most so many bytes, which says itself that it was cut and by how much."""
    encoded = text.encode("utf-8", "replace")
    total_bytes = len(encoded) if total_bytes is None else total_bytes
    if total_bytes <= most_bytes:
        return text
    kept = encoded[:most_bytes].decode("utf-8", "ignore")
    shown_bytes = min(most_bytes, len(encoded))
    return f"{kept}\n[cut here: these are the first {shown_bytes:,} of {total_bytes:,} bytes]"


def _source(tool: Tool | None) -> str:
    return tool.source if tool is not None else ""


def _interrupted(progress: CallProgress) -> ToolResultPart:
    words = CUT_SHORT if progress.stage is CallStage.RUNNING else NEVER_RUN
    return result_of(progress.call, ToolOutcome.INTERRUPTED, words)
