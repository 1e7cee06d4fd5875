"""Parts that are no Markdown, as a few lines of the transcript; their whole is in the panes.

Invariant: what a model or tool says is text from outside: safe, in one line, cut to the width.
"""

import base64

from chatui.core.attached_file import HEAD_BYTES, look_at
from chatui.core.attachment_limits import what_is_sent
from chatui.core.errors import ConfigError
from chatui.core.messages import (
    AudioPart,
    FilePart,
    ImagePart,
    Part,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolActivityPart,
    ToolCallPart,
    ToolCallState,
    ToolResultPart,
)
from chatui.view.badge import count
from chatui.view.glyphs import Glyphs
from chatui.view.lines import Line, Run, Style, Tone
from chatui.view.plain_lines import cell_width, one_line, plain_lines, runs_line

REASONING_LINK = "chatui:reasoning"
TOOLS_LINK = "chatui:tools"


def part_lines(
    part: Part, width: int, signs: Glyphs, *, is_running: bool, is_unfolded: bool = False
) -> list[Line]:
    """Lines of one part."""
    match part:
        case ReasoningPart():
            words = "thought, hidden by the provider" if part.is_redacted else "thought"
            size = f" {signs.dot} {count(len(part.text))} characters" if part.text else ""
            sign = signs.unfolded if is_unfolded else signs.folded
            run = Run(f"{sign} {words}{size}", Style(Tone.FAINT, is_italic=True), REASONING_LINK)
            return [runs_line((run,))] if part.text or part.is_redacted else []
        case RefusalPart():
            head = runs_line((Run(f"{signs.refused} the model refuses", Style(Tone.WARNING, is_bold=True)),))
            return [head, *plain_lines(part.text, width)] if part.text else []
        case ToolCallPart():
            return [_call_line(part, width, signs, is_running=is_running)]
        case ToolActivityPart():
            words = f"{one_line(part.name, 30)} {signs.dot} {one_line(part.status, 20)}"
            detail = one_line(part.detail, max(0, width - len(words) - 6))
            runs = (
                Run(f"{signs.bullet} ", Style(Tone.ACCENT)),
                Run(words, Style(Tone.MUTED), TOOLS_LINK),
            )
            return [runs_line((*runs, Run(f"  {detail}", Style(Tone.FAINT))) if detail else runs)]
        case ToolResultPart():
            sign, tone = (signs.error, Tone.ERROR) if part.is_error else (signs.completed, Tone.SUCCESS)
            name = f"{one_line(part.name, 30)} {signs.arrow} "
            rest = one_line(part.text, max(0, width - len(name) - 4))
            runs = (Run(f"{sign} ", Style(tone)), Run(name, Style(Tone.MUTED), TOOLS_LINK))
            return [runs_line((*runs, Run(rest, Style(Tone.FAINT))))]
        case ImagePart() | FilePart():
            name = one_line(part.name or part.media_type, max(8, width // 2))
            facts = one_line(file_words(part), max(0, width - cell_width(name) - 5))
            run = Run(f"{signs.bullet} {name}", Style(Tone.MUTED))
            return [runs_line((run, Run(f"  {facts}", Style(Tone.FAINT))) if facts else (run,))]
        case AudioPart():
            return plain_lines(part.transcript, width) if part.transcript else []
        case TextPart():
            return plain_lines(part.text, width)


def _call_line(part: ToolCallPart, width: int, signs: Glyphs, *, is_running: bool) -> Line:
    name = one_line(part.name or "tool", 40)
    word, tone = {
        ToolCallState.STREAMING: ("receiving" if is_running else "unfinished", Tone.ACCENT),
        ToolCallState.WHOLE: ("called", Tone.SUCCESS),
        ToolCallState.UNFINISHED: ("unfinished, not run", Tone.WARNING),
        ToolCallState.UNPARSABLE: ("unreadable arguments, not run", Tone.WARNING),
    }[part.state]
    sign = signs.hollow if part.state is ToolCallState.STREAMING else signs.bullet
    left = f" {signs.dot} {word}  "
    rest = one_line(part.arguments_raw, max(0, width - len(left) - len(name) - 4))
    return runs_line(
        (
            Run(f"{sign} ", Style(tone)),
            Run(name, Style(Tone.TEXT, is_bold=True), TOOLS_LINK),
            Run(left, Style(Tone.MUTED)),
            Run(rest, Style(Tone.FAINT)),
        )
    )


def file_words(part: ImagePart | FilePart) -> str:
    """What a file of a prompt is: kind, pixel size, size; empty where nothing is known of it."""
    encoded = part.data_base64
    if not encoded:
        return ""
    try:
        head = base64.b64decode(encoded[: HEAD_BYTES * 4 // 3 // 4 * 4])
        return what_is_sent(
            look_at(part.name or "file", head, len(encoded) * 3 // 4 - encoded[-2:].count("="))
        )
    except (ValueError, ConfigError):
        return ""
