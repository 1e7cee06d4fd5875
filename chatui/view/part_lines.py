"""Parts that are no Markdown, as a few lines of the transcript; their whole is in the panes.

Invariant: what a model or tool says is text from outside: safe, in one line, cut to the width.
"""

from chatui.core.attached_file import attached_file
from chatui.core.attachment_limits import what_is_sent
from chatui.core.made_picture import picture_of
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
from chatui.view.lines import Line, Run, Style, Tone, outside_link
from chatui.view.pictures import PictureShelf, box_lines, picture_box
from chatui.view.plain_lines import cell_width, one_line, plain_lines, runs_line

REASONING_LINK = "chatui:reasoning"
TOOLS_LINK = "chatui:tools"


def part_lines(
    part: Part,
    width: int,
    signs: Glyphs,
    *,
    is_running: bool,
    is_unfolded: bool = False,
    shelf: PictureShelf | None = None,
) -> list[Line]:
    """Lines of one part.

    Args:
        part: The part.
        width: Cells of the text column.
        signs: What is drawn with.
        is_running: The turn is being received.
        is_unfolded: What is folded otherwise is shown below.
        shelf: Shows pictures; None shows none.
    """
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
            line = runs_line((*runs, Run(f"  {detail}", Style(Tone.FAINT))) if detail else runs)
            made = picture_of(part)
            return [line] if made is None else [line, *_file_lines(made, width, signs, shelf)]
        case ToolResultPart():
            sign, tone = (signs.error, Tone.ERROR) if part.is_error else (signs.completed, Tone.SUCCESS)
            name = f"{one_line(part.name, 30)} {signs.arrow} "
            rest = one_line(part.text, max(0, width - len(name) - 4))
            runs = (Run(f"{sign} ", Style(tone)), Run(name, Style(Tone.MUTED), TOOLS_LINK))
            return [runs_line((*runs, Run(rest, Style(Tone.FAINT))))]
        case ImagePart() | FilePart():
            return _file_lines(part, width, signs, shelf)
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


def _file_lines(
    part: ImagePart | FilePart, width: int, signs: Glyphs, shelf: PictureShelf | None
) -> list[Line]:
    """A line with what is known of a file, and below it the picture, if it is one that can be shown."""
    file = attached_file(part)
    refusal: str | None = ""
    box = None
    if shelf is not None and file is not None and isinstance(part, ImagePart):
        refusal = shelf.refusal(part, file)
        box = picture_box(part, file, width) if refusal is None else None
    address = part.url if isinstance(part, ImagePart) else ""
    name = one_line(part.name or address or part.media_type, max(8, width // 2))
    words = what_is_sent(file) if file is not None else ""
    words = f"{words} {signs.dot} {refusal}" if refusal else words
    facts = one_line(words, max(0, width - cell_width(name) - 5))
    run = Run(f"{signs.bullet} {name}", Style(Tone.LINK if address else Tone.MUTED), outside_link(address))
    line = runs_line((run, Run(f"  {facts}", Style(Tone.FAINT))) if facts else (run,))
    return [line, *(box_lines(box) if box is not None else ())]
