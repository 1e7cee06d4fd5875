"""What stands left of a leaf: bullets, numbers, quote bars, note marks, and their hanging indents.

Guards: a margin never takes the room that text needs; the outermost containers give way first.
"""

from typing import NamedTuple

from chatui.core.safe_text import safe_line
from chatui.markdown.blocks import Alert, Container, ListItem, Note, Path, Quote, TaskState
from chatui.view.layout import styles
from chatui.view.layout.measure import cells, fit
from chatui.view.layout.options import LayoutOptions
from chatui.view.lines import EMPTY_LINE, Line, Run, Style, Tone

_BULLETS = ("•", "◦", "▪")
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_LONGEST_LABEL = 12
_ALERTS = {
    Alert.NOTE: Tone.ACCENT,
    Alert.TIP: Tone.SUCCESS,
    Alert.IMPORTANT: Tone.ACCENT,
    Alert.WARNING: Tone.WARNING,
    Alert.CAUTION: Tone.ERROR,
}


class Margin(NamedTuple):
    """Runs before the first line, the other lines, and the gap above."""

    first: tuple[Run, ...]
    rest: tuple[Run, ...]
    gap: tuple[Line, ...]
    titles: tuple[Line, ...]
    """What the alerts are that begin with it."""
    size: int
    tone: Tone
    """Of the text beside it."""

    def above(self, *, has_gap: bool) -> tuple[Line, ...]:
        """The lines above the first line."""
        return (*self.gap, *self.titles) if has_gap else self.titles


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
    titles: list[Line] = []
    first: list[Run] = []
    rest: list[Run] = []
    gap: list[Run] = []
    for index, (mark, other, look) in enumerate(parts):
        if index >= dropped:
            first.append(Run(mark, look) if index >= shared or mark == other else Run(other, look))
            rest.append(Run(other, look))
            if index < shared:
                gap.append(Run(other, look))
        if index >= shared and (alert := _alert(path[index])):
            titles += _title(alert, first, rest, width)
            first = rest.copy()
    while gap and not gap[-1].text.strip():
        gap.pop()
    space = Line(tuple(gap), size := sum(cells(run.text) for run in gap), size) if gap else EMPTY_LINE
    tone = Tone.TEXT
    if quotes := [container for container in path if isinstance(container, Quote)]:
        tone = Tone.QUOTE if quotes[-1].alert is None else Tone.TEXT
    return Margin(tuple(first), tuple(rest), (space,), tuple(titles), total, tone)


def _part(container: Container, options: LayoutOptions) -> tuple[str, str, Style]:
    """First text, text of the other lines (equally wide), style."""
    match container:
        case Quote(alert=alert):
            bar = "▎ " if options.is_unicode else "| "
            return bar, bar, styles.QUOTE_BAR if alert is None else styles.style(_ALERTS[alert])
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


def _alert(container: Container) -> Alert | None:
    return container.alert if isinstance(container, Quote) else None


def _title(alert: Alert, first: list[Run], rest: list[Run], width: int) -> list[Line]:
    """The name of an alert, in as many lines as it takes."""
    text, look, lines = alert.name, styles.style(_ALERTS[alert], is_bold=True), []
    at = sum(cells(run.text) for run in rest)
    room = max(width - at, 1)
    for start in range(0, len(text), room):
        word = text[start : start + room]
        runs = (*(rest if start else first), Run(word, look, source="" if start else f"[!{alert.name}]"))
        lines.append(Line(runs, at + len(word), at, start + room < len(text)))
    return lines
