"""What stands left of a leaf: bullets, numbers, quote bars, note marks, and their hanging indents.

Guards: a margin never takes the room that text needs; the outermost containers give way first.
"""

from typing import NamedTuple

from chatui.core.safe_text import safe_line
from chatui.markdown.blocks import Container, ListItem, Note, Path, Quote, TaskState
from chatui.view.layout import styles
from chatui.view.layout.measure import cells, fit
from chatui.view.layout.options import LayoutOptions
from chatui.view.lines import Run, Style, Tone

_BULLETS = ("•", "◦", "▪")
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_LONGEST_LABEL = 12


class Margin(NamedTuple):
    """Runs before the first line, the other lines, and the gap above."""

    first: tuple[Run, ...]
    rest: tuple[Run, ...]
    gap: tuple[Run, ...]
    gap_cells: int
    size: int
    tone: Tone
    """Of the text beside it."""


def note_text(label: str, options: LayoutOptions) -> str:
    """How a footnote's mark is written."""
    label = safe_line(label)
    if options.is_unicode and label.isascii() and label.isdigit():
        return label.translate(_SUPERSCRIPTS)
    return f"[{label[: fit(label, _LONGEST_LABEL)]}]"


def margin(path: Path, shared: int, width: int, options: LayoutOptions) -> Margin:
    """The margin of a leaf whose containers from `shared` on begin with it."""
    parts = [_part(container, options) for container in path]
    room = width - min(max(width * 2 // 5, 4), width)
    total = sum(cells(mark) for mark, _, _ in parts)
    dropped = 0
    while total > room and dropped < len(parts):
        total -= cells(parts[dropped][0])
        dropped += 1
    first: list[Run] = []
    rest: list[Run] = []
    gap: list[Run] = []
    for index in range(dropped, len(parts)):
        mark, other, look = parts[index]
        first.append(Run(mark, look) if index >= shared or mark == other else Run(other, look))
        rest.append(Run(other, look))
        if index < shared:
            gap.append(Run(other, look))
    while gap and not gap[-1].text.strip():
        gap.pop()
    tone = Tone.QUOTE if any(isinstance(container, Quote) for container in path) else Tone.TEXT
    return Margin(tuple(first), tuple(rest), tuple(gap), sum(cells(run.text) for run in gap), total, tone)


def _part(container: Container, options: LayoutOptions) -> tuple[str, str, Style]:
    """First text, text of the other lines (equally wide), style."""
    match container:
        case Quote():
            bar = "▎ " if options.is_unicode else "| "
            return bar, bar, styles.QUOTE_BAR
        case ListItem():
            mark, look = _bullet(container, options)
            return mark, " " * cells(mark), look
        case Note(label=label):
            mark = note_text(label, options) + " "
            return mark, " " * cells(mark), styles.NOTE


def _bullet(item: ListItem, options: LayoutOptions) -> tuple[str, Style]:
    number = "" if item.number is None else f"{item.number:>2}. "
    match item.task:
        case TaskState.OPEN:
            return number + (" ☐ " if options.is_unicode else " [ ] "), styles.BULLET
        case TaskState.DONE:
            return number + (" ☑ " if options.is_unicode else " [x] "), styles.style(Tone.SUCCESS)
        case TaskState.NONE:
            bullet = (
                _BULLETS[min(item.depth, len(_BULLETS) - 1)]
                if options.is_unicode
                else "-*+"[min(item.depth, 2)]
            )
            return number or f" {bullet} ", styles.BULLET
