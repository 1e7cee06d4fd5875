"""Asking whether a call may be run, as an async port with values for question and answer.

Invariant: what is asked about is exactly what will be run (the arguments as they were read, not as they were
written), and nothing but an explicit yes to this call or to exactly this tool lets it run.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Protocol

from chatui.core.values import frozen


class Verdict(StrEnum):
    """What was decided."""

    ONCE = "once"
    ALWAYS = "always"
    """This call, and in this conversation every later one of exactly this tool."""
    DENY = "deny"


@frozen(kw_only=True)
class ApprovalRequest:
    """One call that waits for a yes or no. Everything in it is text from outside: sanitise to show."""

    call_id: str
    tool: str
    source: str
    """Where the tool comes from, in words: `built in`, `[tools.commands.NAME]`, an MCP server."""
    description: str
    arguments: Mapping[str, object]
    what_runs: str
    """What exactly will be done: the command line with its arguments in place, a path, a server's tool."""
    number: int = 1
    count: int = 1
    """Which of how many calls of this answer it is, from 1."""


@frozen
class Decision:
    """The answer to a request."""

    verdict: Verdict
    reason: str = ""
    """Why it was denied, in words that the model is told; may be empty."""


class Approver(Protocol):
    """Decides. Cancelled when the turn is stopped; then nobody waits for its answer any more."""

    async def decide(self, request: ApprovalRequest) -> Decision:
        """Whether this call may be run. Takes as long as a person takes."""
        ...


class NobodyToAsk:
    """Denies everything: where no person can be asked.

    Args:
        why: What the model is told; `{tool}` stands for the tool's name.
    """

    def __init__(self, why: str) -> None:
        self._why = why

    async def decide(self, request: ApprovalRequest) -> Decision:
        """No."""
        return Decision(Verdict.DENY, self._why.format(tool=request.tool))


class ApprovalBook:
    """What needs no question: tools allowed by name beforehand, and for the rest of this conversation.

    Args:
        allowed: Exact names that the person allowed in the configuration or on the command line.
    """

    def __init__(self, allowed: frozenset[str] = frozenset()) -> None:
        self._allowed = allowed
        self._always: set[tuple[str, str]] = set()

    def allows(self, request: ApprovalRequest) -> bool:
        """Whether the person said yes before to exactly this tool."""
        return request.tool in self._allowed or (request.tool, request.source) in self._always

    def note(self, request: ApprovalRequest, decision: Decision) -> None:
        """Remember a yes that holds for more than one call."""
        if decision.verdict is Verdict.ALWAYS:
            self._always.add((request.tool, request.source))

    def clear(self) -> None:
        """Another conversation begins: what was allowed in the last one does not hold in it."""
        self._always.clear()
