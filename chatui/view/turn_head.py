"""What stands above an answer: the prompt, what tools gave, and the cut answer from which this one goes on.

Invariant: a long prompt is folded to a few lines, and the line that says so tells how much it is.
"""

from chatui.core.continuation import is_continued
from chatui.core.messages import ImagePart, Message, Role, TextPart
from chatui.core.turn import Phase, Turn
from chatui.view.badge import count
from chatui.view.lines import EMPTY_LINE, Gutter, Line, Run, Style, Tone
from chatui.view.part_lines import part_lines
from chatui.view.plain_lines import one_line, plain_lines, runs_line, spread_line
from chatui.view.sections import DocumentSection, LinesSection, Section
from chatui.view.tool_lines import tool_lines
from chatui.view.turn_options import TurnViewOptions

FOLDED_PROMPT_LINES = 12
"""A longer prompt is folded to this many lines."""

FOLDED_PICTURES = 3
"""Of more pictures only so many are shown until the prompt is unfolded; each has its line of words."""

FOLD_LINK = "chatui:fold"


def head_sections(
    turn: Turn, width: int, options: TurnViewOptions, *, is_unfolded: bool, shows_details: bool
) -> list[Section]:
    """The sections above the name line.

    Args:
        turn: The turn.
        width: Cells of the text column.
        options: How it is shown.
        is_unfolded: The whole of a long prompt is shown.
        shows_details: What tools gave is shown as it is, not in one line.
    """
    blank = LinesSection(lambda _width: [EMPTY_LINE], width)
    prompts: list[Section] = []
    results: list[Section] = []
    for message in turn.input:
        if message.role is Role.USER:

            def make(width: int, message: Message = message) -> list[Line]:
                return _prompt_lines(turn, message, width, options, is_unfolded=is_unfolded)

            prompts.append(LinesSection(make, width, Gutter.PERSON))
        elif message.role is Role.TOOL:

            def make_result(width: int, message: Message = message) -> list[Line]:
                return _part_lines(turn, message, width, options)

            def make_details(width: int, message: Message = message) -> list[Line]:
                lines = (tool_lines(part, width, options.signs, is_running=False) for part in message.parts)
                return [line for some in lines for line in some]

            results.append(
                LinesSection(make_details, width, Gutter.ASIDE)
                if shows_details
                else LinesSection(make_result, width)
            )
    seam = _before_seam(turn, width, options) if is_continued(turn) else []
    return [*([blank, *prompts, blank] if prompts else []), *results, *([blank] if results else []), *seam]


def _before_seam(turn: Turn, width: int, options: TurnViewOptions) -> list[Section]:
    """The cut answer from which this one goes on, and where it was cut."""
    section = DocumentSection(width, options.layout)
    section.feed(turn.input[-1].text, is_final=True)

    def seam(width: int) -> list[Line]:
        words = " cut here, continued below "
        rule = options.signs.rule
        text = f"{rule * 2}{words}{rule * max(2, width - len(words) - 2)}"
        return [EMPTY_LINE, runs_line((Run(one_line(text, width), Style(Tone.WARNING)),))]

    return [section, LinesSection(seam, width)]


def _prompt_lines(
    turn: Turn, message: Message, width: int, options: TurnViewOptions, *, is_unfolded: bool
) -> list[Line]:
    signs = options.signs
    name = Run(options.person, Style(Tone.ACCENT, is_bold=True))
    started = turn.started_at_epoch_s
    time_of_day = (Run(options.clock_text(started), Style(Tone.FAINT)),) if started else ()
    found = [spread_line((name,), time_of_day, width)]
    text = message.text
    most = None if is_unfolded else FOLDED_PROMPT_LINES + 1
    body = plain_lines(text, width, most=most) if text else []
    is_folded = most is not None and len(body) == most
    if is_folded:
        body = body[: FOLDED_PROMPT_LINES - 1]
        more = text.count("\n") + 1
        words = f"{signs.folded} the whole prompt: {count(more)} lines, {count(len(text))} characters"
        body.append(runs_line((Run(words, Style(Tone.MUTED), FOLD_LINK),)))
    elif is_unfolded and len(body) > FOLDED_PROMPT_LINES:
        body.append(runs_line((Run(f"{signs.unfolded} fold", Style(Tone.MUTED), FOLD_LINK),)))
    pictures = sum(isinstance(part, ImagePart) for part in message.parts)
    shown = 0 if is_folded else pictures if is_unfolded else FOLDED_PICTURES
    parts = _part_lines(turn, message, width, options, most_pictures=shown)
    if pictures > FOLDED_PICTURES and any(line.picture is not None for line in parts):
        words = f"{signs.unfolded} fold" if is_unfolded else f"{signs.folded} all {pictures} pictures"
        parts.append(runs_line((Run(words, Style(Tone.MUTED), FOLD_LINK),)))
    return [*found, *body, *parts]


def _part_lines(
    turn: Turn, message: Message, width: int, options: TurnViewOptions, *, most_pictures: int = 0
) -> list[Line]:
    """What a message has beside its text, a few lines each; of its pictures the first ones are shown."""
    is_running = turn.phase is Phase.RECEIVING
    found: list[Line] = []
    for part in message.parts:
        if message.role is Role.TOOL or not isinstance(part, TextPart):
            if found and found[-1].picture is not None:
                found.append(EMPTY_LINE)
            shelf = options.pictures if most_pictures > 0 else None
            found += part_lines(part, width, options.signs, is_running=is_running, shelf=shelf)
            most_pictures -= isinstance(part, ImagePart)
    return found
