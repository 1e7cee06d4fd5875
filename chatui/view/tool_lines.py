"""A call of a tool as lines: what is called with what, where it stands, what it gave.

Invariant: arguments and results are text from outside: made safe, and cut to a size that a person can read
(the whole stays in the turn). A call that was not run says so in words, never by colour alone.
"""

from typing import Final

from chatui.core.messages import (
    Part,
    ToolActivityPart,
    ToolCallPart,
    ToolCallState,
    ToolOutcome,
    ToolResultPart,
)
from chatui.engine.updates import CallProgress, CallStage
from chatui.view.glyphs import Glyphs
from chatui.view.lines import EMPTY_LINE, Line, Run, Style, Tone
from chatui.view.plain_lines import one_line, plain_lines, runs_line

MOST_CHARACTERS: Final = 20_000
MOST_LINES: Final = 400


def tool_lines(part: Part, width: int, signs: Glyphs, *, is_running: bool) -> list[Line]:
    """One call, activity or result as lines."""
    indent = "  "
    match part:
        case ToolCallPart():
            word, tone = call_word(part.state, is_running=is_running)
            sign = signs.hollow if part.state is ToolCallState.STREAMING else signs.bullet
            head = _head(sign, tone, part.name, width)
            body = _text(_readable(part), width, indent, Style(Tone.MUTED))
            return [head, *body, *_text(word, width, indent, Style(tone)), EMPTY_LINE]
        case ToolActivityPart():
            return [
                _head(signs.bullet, Tone.ACCENT, part.name, width),
                *_text(part.detail, width, indent, Style(Tone.MUTED)),
                *_text(part.result, width, indent, Style(Tone.TEXT)),
                *_text(part.status, width, indent, Style(Tone.ACCENT)),
                EMPTY_LINE,
            ]
        case ToolResultPart():
            word, tone = outcome_word(part)
            head = _head(_outcome_sign(tone, signs), tone, part.name, width)
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
        sign = _outcome_sign(tone, signs)
    else:
        word, tone = progress.stage.value, Tone.FAINT if progress.stage is CallStage.QUEUED else Tone.ACCENT
        sign = signs.hollow if progress.stage is CallStage.QUEUED else signs.bullet
    took = f" {signs.dot} {progress.elapsed_s:.1f} s" if progress.elapsed_s else ""
    return [
        _head(sign, tone, progress.call.name, width),
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


def _head(sign: str, tone: Tone, name: str, width: int) -> Line:
    shown = one_line(name or "tool", width - 2)
    return runs_line((Run(f"{sign} ", Style(tone)), Run(shown, Style(Tone.TEXT, is_bold=True))))


def _outcome_sign(tone: Tone, signs: Glyphs) -> str:
    return signs.completed if tone is Tone.SUCCESS else signs.error


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
