"""What the Reasoning and the Tools pane show of one turn.

Invariant: reasoning grows by its new end only; tool arguments and results are text from outside and are cut
to a size that a person can read, the whole stays in the turn.
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
    ToolCallState,
    ToolOutcome,
    ToolResultPart,
)
from chatui.core.turn import Phase, Turn
from chatui.engine.updates import CallProgress, CallStage
from chatui.view.glyphs import Glyphs
from chatui.view.layout.options import LayoutOptions
from chatui.view.lines import EMPTY_LINE, Line, Run, Style, Tone
from chatui.view.plain_lines import one_line, plain_lines, runs_line
from chatui.view.sections import DocumentSection, LinesSection, Section

MOST_CHARACTERS = 20_000
MOST_LINES = 400


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


def tool_lines(part: Part, width: int, signs: Glyphs, *, is_running: bool) -> list[Line]:
    """One call, activity or result as lines."""
    strong = Style(Tone.TEXT, is_bold=True)
    indent = "  "
    match part:
        case ToolCallPart():
            word, tone = call_word(part.state, is_running=is_running)
            sign = signs.hollow if part.state is ToolCallState.STREAMING else signs.bullet
            head = runs_line(
                (Run(f"{sign} ", Style(tone)), Run(one_line(part.name or "tool", width - 2), strong))
            )
            body = _text(_readable(part), width, indent, Style(Tone.MUTED))
            return [head, *body, *_text(word, width, indent, Style(tone)), EMPTY_LINE]
        case ToolActivityPart():
            head = runs_line(
                (Run(f"{signs.bullet} ", Style(Tone.ACCENT)), Run(one_line(part.name, width - 2), strong))
            )
            return [
                head,
                *_text(part.detail, width, indent, Style(Tone.MUTED)),
                *_text(part.result, width, indent, Style(Tone.TEXT)),
                *_text(part.status, width, indent, Style(Tone.ACCENT)),
                EMPTY_LINE,
            ]
        case ToolResultPart():
            word, tone = outcome_word(part)
            sign = signs.completed if tone is Tone.SUCCESS else signs.error
            head = runs_line((Run(f"{sign} ", Style(tone)), Run(one_line(part.name, width - 2), strong)))
            told = _text(word, width, indent, Style(tone)) if part.outcome is not None else []
            body = _text(part.text.rstrip("\n"), width, indent, Style(Tone.TEXT))
            return [head, *told, *body, EMPTY_LINE]
        case _:
            return []


def progress_lines(progress: CallProgress, width: int, signs: Glyphs) -> list[Line]:
    """A call that is asked for or run now: what it is, where it stands, what it gave."""
    indent = "  "
    result = progress.result
    if result is not None:
        word, tone = outcome_word(result)
        sign = signs.completed if tone is Tone.SUCCESS else signs.error
    else:
        word, tone = progress.stage.value, Tone.FAINT if progress.stage is CallStage.QUEUED else Tone.ACCENT
        sign = signs.hollow if progress.stage is CallStage.QUEUED else signs.bullet
    name = one_line(progress.call.name or "tool", width - 2)
    took = f" {signs.dot} {progress.elapsed_s:.1f} s" if progress.elapsed_s else ""
    return [
        runs_line((Run(f"{sign} ", Style(tone)), Run(name, Style(Tone.TEXT, is_bold=True)))),
        *_text(progress.source, width, indent, Style(Tone.FAINT)),
        *_text(_readable(progress.call), width, indent, Style(Tone.MUTED)),
        *_text(word + took, width, indent, Style(tone)),
        *_text(result.text.rstrip("\n") if result is not None else "", width, indent, Style(Tone.TEXT)),
        EMPTY_LINE,
    ]


def outcome_word(result: ToolResultPart) -> tuple[str, Tone]:
    """How a call ended, in a word."""
    match result.outcome:
        case ToolOutcome.OK:
            return "ok", Tone.SUCCESS
        case ToolOutcome.DENIED:
            return "denied, not run", Tone.WARNING
        case ToolOutcome.INTERRUPTED:
            return "interrupted", Tone.WARNING
        case ToolOutcome.INVALID:
            return "invalid arguments, not run", Tone.WARNING
        case ToolOutcome.FAILED:
            return "failed", Tone.ERROR
        case None:
            return ("failed", Tone.ERROR) if result.is_error else ("ok", Tone.SUCCESS)


def call_word(state: ToolCallState, *, is_running: bool) -> tuple[str, Tone]:
    """How far a call got, in a word."""
    match state:
        case ToolCallState.STREAMING:
            return ("receiving", Tone.ACCENT) if is_running else ("unfinished, not run", Tone.WARNING)
        case ToolCallState.WHOLE:
            return "complete", Tone.SUCCESS
        case ToolCallState.UNFINISHED:
            return "unfinished, not run", Tone.WARNING
        case ToolCallState.UNPARSABLE:
            return "unreadable arguments, not run", Tone.WARNING


def _readable(part: ToolCallPart) -> str:
    if (
        part.is_free_text
        or part.state is not ToolCallState.WHOLE
        or len(part.arguments_raw) > MOST_CHARACTERS
    ):
        return part.arguments_raw
    import json  # not needed before the first tool call

    try:
        return json.dumps(json.loads(part.arguments_raw or "{}"), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return part.arguments_raw


def _text(text: str, width: int, indent: str, style: Style) -> list[Line]:
    if not text:
        return []
    lines = plain_lines(text[:MOST_CHARACTERS], width, style, indent=indent, most=MOST_LINES)
    if len(text) > MOST_CHARACTERS or len(lines) == MOST_LINES:
        lines.append(runs_line((Run(f"{indent}… {len(text)} characters in all", Style(Tone.FAINT)),)))
    return lines
