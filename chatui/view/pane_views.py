"""What the Reasoning and the Tools pane show of one turn.

Invariant: reasoning grows by its new end only; a call and its result are seen together, in their order.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from chatui.core.messages import (
    Part,
    ReasoningPart,
    Role,
    TextPart,
    ToolActivityPart,
    ToolCallPart,
    ToolResultPart,
)
from chatui.core.turn import Phase, Turn
from chatui.engine.updates import CallProgress, CallStage
from chatui.view.glyphs import Glyphs
from chatui.view.layout.options import LayoutOptions
from chatui.view.sections import DocumentSection, LinesSection, Section
from chatui.view.tool_lines import progress_lines, tool_lines


class PaneContent(Protocol):
    """Lines of a pane that follow a turn."""

    def follow(self, turn: Turn | None, *, most: int | None = None) -> bool:
        """Show this turn; returns whether text is left for another call."""
        ...

    def settle(self) -> None:
        """The stream pauses: show exactly now what was put off."""
        ...

    def resize(self, width: int) -> None:
        """Lay out for another width."""
        ...

    def sections(self) -> Sequence[Section]:
        """The sections in order."""
        ...

    def at_hand(self) -> Section | None:
        """The section whose first row stays in sight while the pane follows; None is the end of all."""
        ...


class ReasoningContent:
    """The reasoning parts of a turn."""

    def __init__(self, width: int, options: LayoutOptions) -> None:
        self._width = width
        self._options = options
        self._turn_id = ""
        self._documents: dict[tuple[int, int], DocumentSection] = {}

    def follow(self, turn: Turn | None, *, most: int | None = None) -> bool:
        """Show this turn."""
        turn_id = turn.turn_id if turn is not None else ""
        if turn_id != self._turn_id:
            self._turn_id = turn_id
            self._documents = {}
        has_more = False
        if turn is None:
            return False
        for choice in turn.choices:
            for index, part in enumerate(choice.parts):
                if isinstance(part, ReasoningPart) and part.text:
                    key = (choice.index, index)
                    document = self._documents.get(key)
                    if document is None:
                        document = self._documents[key] = DocumentSection(self._width, self._options)
                    has_more |= document.feed(
                        part.text, is_final=turn.phase is not Phase.RECEIVING, most=most
                    )
        return has_more

    def settle(self) -> None:
        """The stream pauses: show exactly now what was put off."""
        for document in self._documents.values():
            document.settle()

    def resize(self, width: int) -> None:
        """Lay out for another width."""
        self._width = width
        for document in self._documents.values():
            document.resize(width)

    def sections(self) -> Sequence[Section]:
        """The sections in order."""
        return list(self._documents.values())

    def at_hand(self) -> Section | None:
        """Reasoning is read where it grows."""
        return None


class ToolsContent:
    """The tool calls of a turn, what hosted tools did, and what calls gave.

    Args:
        width: Cells.
        signs: Glyphs that the terminal can show.
        calls: Gives the calls that are asked for or run now; they stand in place of what is known of them.
    """

    def __init__(
        self, width: int, signs: Glyphs, calls: Callable[[], Sequence[CallProgress]] = lambda: ()
    ) -> None:
        self._width = width
        self._signs = signs
        self._calls = calls
        self._parts: list[tuple[Part | CallProgress, LinesSection]] = []
        self._is_running = False

    def follow(self, turn: Turn | None, *, most: int | None = None) -> bool:
        """Show this turn."""
        del most
        calls = self._calls()
        own = tool_parts(turn) if turn is not None else []
        told = {progress.call.call_id for progress in calls}
        parts = [
            *calls,
            *(part for part in own if not (isinstance(part, ToolResultPart) and part.call_id in told)),
        ]
        is_running = turn is not None and turn.phase is Phase.RECEIVING
        known = self._parts if is_running == self._is_running else []
        self._is_running = is_running
        self._parts = [
            known[index] if index < len(known) and known[index][0] == part else (part, self._section(part))
            for index, part in enumerate(parts)
        ]
        return False

    def settle(self) -> None:
        """Nothing is put off here."""

    def resize(self, width: int) -> None:
        """Lay out for another width."""
        self._width = width
        for _, section in self._parts:
            section.resize(width)

    def sections(self) -> Sequence[Section]:
        """The sections in order."""
        return [section for _, section in self._parts]

    def at_hand(self) -> Section | None:
        """The call that is asked for or runs, else the last one: what is seen begins with its name."""
        for part, section in self._parts:
            if isinstance(part, CallProgress) and part.stage in (CallStage.ASKING, CallStage.RUNNING):
                return section
        return self._parts[-1][1] if self._parts else None

    def _section(self, part: Part | CallProgress) -> LinesSection:
        if isinstance(part, CallProgress):
            return LinesSection(lambda width: progress_lines(part, width, self._signs), self._width)
        return LinesSection(
            lambda width: tool_lines(part, width, self._signs, is_running=self._is_running), self._width
        )


def tool_parts(turn: Turn) -> list[Part]:
    """Everything of a turn that has to do with tools, in order."""
    results: list[Part] = [
        part for message in turn.input if message.role is Role.TOOL for part in message.parts
    ]
    calls: list[Part] = [
        part
        for choice in turn.choices
        for part in choice.parts
        if isinstance(part, ToolCallPart | ToolActivityPart | ToolResultPart)
    ]
    return results + calls


def answered_calls(before: Turn | None, turn: Turn) -> tuple[CallProgress, ...]:
    """The calls of the turn before with the results that `turn` brings, so that both are seen together."""
    if before is None:
        return ()
    results = {
        part.call_id: part
        for message in turn.input
        for part in message.parts
        if isinstance(part, ToolResultPart)
    }
    return tuple(
        CallProgress(call=part, stage=CallStage.ENDED, result=results[part.call_id])
        for part in before.parts
        if isinstance(part, ToolCallPart) and part.call_id in results
    )


def has_reasoning(turn: Turn) -> bool:
    """Whether there is reasoning to show."""
    return any(
        isinstance(part, ReasoningPart) and part.text for choice in turn.choices for part in choice.parts
    )


def is_thinking(turn: Turn) -> bool:
    """Whether the model reasons and has not begun to answer."""
    return (
        turn.phase is Phase.RECEIVING
        and has_reasoning(turn)
        and not any(
            isinstance(part, TextPart) and part.text for choice in turn.choices for part in choice.parts
        )
    )


def has_tools(turn: Turn) -> bool:
    """Whether there is anything of tools to show."""
    return bool(tool_parts(turn))
