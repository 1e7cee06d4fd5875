"""A tool that only reads, made of a function: what the built-in ones have in common.

Invariant: the function runs in a thread, so that a slow disk never holds the screen.
"""

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

from chatui.core.errors import ToolError
from chatui.core.request import ToolSpec
from chatui.core.values import frozen
from chatui.engine.tool_ports import ToolOutput
from chatui.tools.schema import ArgumentSchema

BUILT_IN = "built into chatui"


@frozen(kw_only=True)
class Surroundings:
    """What built-in tools know of the world."""

    directory: Path
    """Where chatui was started: no tool reads outside of it."""
    now: Callable[[], datetime]
    """The time, in the local time zone."""


class ReadOnlyTool:
    """One built-in tool.

    Args:
        name: What the model calls it.
        description: What the model is told.
        parameters: JSON Schema of the arguments.
        what_runs: What a call does, in words.
        run: Does it; given the arguments and how many bytes are wanted. May raise `ToolError`.
        check: Why arguments that the schema takes are refused before anybody is asked; may raise `ToolError`.
    """

    def __init__(
        self,
        name: str,
        description: str,
        parameters: Mapping[str, object],
        what_runs: Callable[[Mapping[str, object]], str],
        run: Callable[[Mapping[str, object], int], ToolOutput],
        check: Callable[[Mapping[str, object]], object] | None = None,
    ) -> None:
        self._schema = ArgumentSchema({"additionalProperties": False, **parameters}, name)
        self._spec = ToolSpec(name, description, self._schema.schema)
        self._what_runs = what_runs
        self._run = run
        self._check = check

    @property
    def spec(self) -> ToolSpec:
        """What the model is told."""
        return self._spec

    @property
    def source(self) -> str:
        """Where it comes from."""
        return BUILT_IN

    @property
    def timeout_s(self) -> float | None:
        """No limit of its own."""
        return None

    def problem_with(self, arguments: Mapping[str, object]) -> str:
        """What the schema says, and what the tool never does."""
        problem = self._schema.problem_with(arguments)
        if problem or self._check is None:
            return problem
        try:
            self._check(arguments)
        except ToolError as error:
            return error.message
        return ""

    def what_runs(self, arguments: Mapping[str, object]) -> str:
        """What a call does."""
        return self._what_runs(arguments)

    async def run(self, arguments: Mapping[str, object], most_bytes: int) -> ToolOutput:
        """Read, in a thread."""
        return await asyncio.to_thread(self._run, arguments, most_bytes)
