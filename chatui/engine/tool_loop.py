"""After a completed turn with calls: run them, send the results, and so on until an answer without calls.

Invariants: nothing is run but calls of a completed turn whose proof says that it waits for results
(`core.tool_calls`); the loop ends by itself after its steps and seconds, and the last request says that no
more tools are there; a result that exists is never thrown away, whatever fails behind it.

The state of the loop is told beside the turns (`TurnUpdate.calls`), never mixed into an answer: each request
is a turn of its own with its own proof, and results are the input of the next one.
"""

from typing import Final, Protocol

from chatui.core.request import ToolSpec
from chatui.core.turn import Phase, Turn
from chatui.engine.approval import ApprovalBook, Approver
from chatui.engine.tool_ports import ToolBox, ToolLimits
from chatui.engine.tool_run import ToolRun

NO_MORE_STEPS: Final = (
    "Not run: the {steps} rounds of tool calls that are allowed after one prompt are used up."
)


class LoopHost(Protocol):
    """What the loop needs of the session: it alone makes turns and publishes them."""

    def wants_results(self, turn: Turn) -> bool:
        """Whether calls of a turn are to be run."""
        ...

    def tool_run(self, loop: "ToolLoop", turn: Turn, left_s: float | None, why_not: str) -> ToolRun:
        """The calls of a turn, ready to be run."""
        ...

    async def perform(self, run: ToolRun) -> Turn:
        """Run calls, save each step, and give the turn that brings the results."""
        ...

    async def ask(self, turn: Turn, tools: tuple[ToolSpec, ...], tool_choice: str | None) -> Turn:
        """Send a turn and give it as it ended."""
        ...


class ToolLoop:
    """The tools of one conversation, who decides about them, and their limits.

    Args:
        toolbox: What can be run.
        approver: Asked about every call that needs a question.
        limits: Bounds.
        allowed: Names of tools that need none.
    """

    def __init__(
        self,
        toolbox: ToolBox,
        approver: Approver,
        limits: ToolLimits,
        allowed: frozenset[str] = frozenset(),
    ) -> None:
        self.toolbox = toolbox
        self.approver = approver
        self.limits = limits
        self.book = ApprovalBook(allowed)

    async def follow(self, turn: Turn, tools: tuple[ToolSpec, ...], host: LoopHost) -> Turn:
        """Go on after a turn as long as it calls; the last turn."""
        left_s = self.limits.total_s
        steps = 0
        while host.wants_results(turn) and steps <= self.limits.max_steps:
            steps += 1
            is_over = steps > self.limits.max_steps
            why_not = NO_MORE_STEPS.format(steps=self.limits.max_steps) if is_over else ""
            run = host.tool_run(self, turn, left_s, why_not)
            continuing = await host.perform(run)
            if continuing.phase is not Phase.RECEIVING:
                return continuing
            if left_s is not None:
                left_s = max(0.0, left_s - run.spent_s)
            turn = await host.ask(continuing, tools, "none" if is_over or left_s == 0.0 else None)
        return turn
