"""What the tool loop needs of tools, as protocols that `chatui.tools` implements, and its limits.

Invariant: a tool that is cancelled has ended what it started before it returns.
"""

from collections.abc import Mapping
from typing import Protocol

from chatui.core.request import ToolSpec
from chatui.core.values import frozen


@frozen
class ToolOutput:
    """What a tool gave."""

    text: str
    is_error: bool = False
    total_bytes: int | None = None
    """How much there was, if the text is only the beginning; None: this is all."""


class Tool(Protocol):
    """One tool that may be offered to a model."""

    @property
    def spec(self) -> ToolSpec:
        """Name, description and schema, as the model is told."""
        ...

    @property
    def source(self) -> str:
        """Where it comes from, in words."""
        ...

    @property
    def timeout_s(self) -> float | None:
        """Limit for one call; None leaves it to the loop."""
        ...

    def problem_with(self, arguments: Mapping[str, object]) -> str:
        """Why these arguments are not what the tool takes, in words; empty if they are. Never raises."""
        ...

    def what_runs(self, arguments: Mapping[str, object]) -> str:
        """What exactly a call with these (valid) arguments would do.

        Raises:
            ToolError: it cannot be done.
        """
        ...

    async def run(self, arguments: Mapping[str, object], most_bytes: int) -> ToolOutput:
        """Do it. When cancelled, whatever it started is ended before this returns.

        Args:
            arguments: Valid ones.
            most_bytes: More of a result than this is not needed.

        Raises:
            ToolError: it could not be done; the message is told to model and person.
        """
        ...


class ToolBox(Protocol):
    """The tools that are switched on."""

    @property
    def is_ready(self) -> bool:
        """Nothing has to be started before tools can be offered."""
        ...

    @property
    def problems(self) -> tuple[str, ...]:
        """Why some of what is switched on cannot be offered, a line each."""
        ...

    @property
    def known_specs(self) -> tuple[ToolSpec, ...]:
        """What is offered as far as it is known now."""
        ...

    async def offered(self) -> tuple[ToolSpec, ...]:
        """What the model is told of, after starting what has to be started. Never raises."""
        ...

    def find(self, name: str) -> Tool | None:
        """The tool of exactly this name, if it is switched on."""
        ...

    async def aclose(self) -> None:
        """End everything that was started. Never raises."""
        ...


@frozen(kw_only=True)
class ToolLimits:
    """Bounds of one answer with all its calls."""

    max_steps: int = 10
    """Rounds of calls after one prompt."""
    call_s: float | None = 60.0
    """For one call whose tool says nothing of its own; None is no limit."""
    total_s: float | None = 600.0
    """For all calls after one prompt together; waiting for a person does not count."""
    max_result_bytes: int = 65536
    """Longer results are cut, which the result says itself."""
