"""Tools that do what a test says, and a person who answers as a test says."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from support.scripted_server import chat_chunk

from chatui.core.request import ToolSpec
from chatui.engine.approval import ApprovalRequest, Decision, Verdict
from chatui.engine.tool_loop import ToolLoop
from chatui.engine.tool_ports import ToolLimits, ToolOutput
from chatui.tools.schema import ArgumentSchema

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


@dataclass
class ActedTool:
    """A tool; `act` is called with the arguments and gives, awaits or raises what the test wants."""

    name: str = "weather"
    act: Callable[[Mapping[str, object]], object] = lambda arguments: f"sunny in {arguments['city']}"
    schema: Mapping[str, object] = field(default_factory=lambda: CITY)
    timeout_s: float | None = None
    source: str = "a test"
    calls: list[Mapping[str, object]] = field(default_factory=list)
    cancelled: int = 0

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(self.name, f"Tells the {self.name}.", self.schema)

    def problem_with(self, arguments: Mapping[str, object]) -> str:
        return ArgumentSchema(self.schema, "test").problem_with(arguments)

    def what_runs(self, arguments: Mapping[str, object]) -> str:
        return f"{self.name} {dict(arguments)}"

    async def run(self, arguments: Mapping[str, object], most_bytes: int) -> ToolOutput:
        self.calls.append(arguments)
        try:
            given = self.act(arguments)
            if asyncio.iscoroutine(given):
                given = await given
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return given if isinstance(given, ToolOutput) else ToolOutput(str(given))


class ActedToolBox:
    """These tools are on."""

    def __init__(self, *tools: ActedTool) -> None:
        self.tools = {tool.name: tool for tool in tools}

    is_ready = True
    problems: tuple[str, ...] = ()

    @property
    def known_specs(self) -> tuple[ToolSpec, ...]:
        return tuple(tool.spec for tool in self.tools.values())

    async def offered(self) -> tuple[ToolSpec, ...]:
        return self.known_specs

    def find(self, name: str) -> ActedTool | None:
        return self.tools.get(name)

    async def aclose(self) -> None:
        pass


class Person:
    """Answers with these decisions, then yes for ever; remembers what was asked."""

    def __init__(self, *decisions: Decision) -> None:
        self.asked: list[ApprovalRequest] = []
        self._decisions = list(decisions)

    async def decide(self, request: ApprovalRequest) -> Decision:
        self.asked.append(request)
        return self._decisions.pop(0) if self._decisions else Decision(Verdict.ONCE)


class AbsentPerson(Person):
    """Never answers."""

    async def decide(self, request: ApprovalRequest) -> Decision:
        self.asked.append(request)
        await asyncio.Event().wait()
        raise AssertionError


def loop_of(*tools: ActedTool, person: Person | None = None, **limits: object) -> ToolLoop:
    """A loop with these tools."""
    return ToolLoop(ActedToolBox(*tools), person or Person(), ToolLimits(**limits))  # type: ignore[arg-type]  # limits of tests


def call_chunk(
    arguments: str, name: str | None = "weather", call_id: str | None = "call_1", index: int = 0
) -> bytes:
    """A piece of a tool call in a Chat Completions stream."""
    call: dict[str, object] = {"index": index, "function": {"arguments": arguments}}
    if call_id is not None:
        call |= {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
    return chat_chunk({"tool_calls": [call]})
