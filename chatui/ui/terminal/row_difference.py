"""What to write so that a piece of a row of the terminal becomes another one.

Invariant: nothing is taken for granted right of a character whose width terminals do not agree on: from there
on everything is written.
"""

from functools import lru_cache
from typing import Final

from rich.color import Color, ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from chatui.core.late_pattern import late_pattern

_SURE: Final = late_pattern(
    "(?:[ -~]++|[\u3041-\u30ff]++|[\u3400-\u4dbf]++|[\u4e00-\u9fff]++|[\uac00-\ud7a3]++|[\uff01-\uff60]++)*+"
)
"""ASCII and the East Asian characters that are wide everywhere. (One set of them takes 3 ms to compile.)"""


def changes(x: int, y: int, was: Strip | None, now: Strip, colours: ColorSystem) -> str:
    """What to write for a piece of a row."""
    if was is None or was.cell_length != now.cell_length:
        return f"\x1b[{y + 1};{x + 1}H" + _written(list(now), colours)
    old, new = list(was), list(now)
    shortest = min(len(old), len(new))
    leading = 0
    while leading < shortest and old[leading] == new[leading]:
        leading += 1
    if leading == len(old) == len(new):
        return ""
    trailing = 0
    while trailing < shortest - leading and old[-1 - trailing] == new[-1 - trailing]:
        trailing += 1
    sure = min(_sure_segments(old), _sure_segments(new))
    is_sure = sure >= len(new) - trailing
    if not is_sure:
        # From the first character on whose width is not sure, everything is written.
        leading, trailing = min(leading, sure), 0
    start = x + sum(map(_cells, new[:leading]))
    changed = new[leading : len(new) - trailing]
    if leading < sure and changed:
        skipped, changed = _cut_equal(old[leading : len(old) - trailing], changed, is_end_cut=is_sure)
        start += skipped
    written = _written(changed, colours)
    return f"\x1b[{y + 1};{start + 1}H{written}" if written else ""


def _written(segments: list[Segment], colours: ColorSystem) -> str:
    """Text with its styles; blanks go along with their neighbours where only the colour of text differs."""
    written: list[str] = []
    text = ""
    style: Style | None = None
    for piece, own, control in segments:
        if control or not piece:
            continue
        if not text:
            text, style = piece, own
        elif own is style or own == style or (not piece.strip(" ") and _is_blank_same(own, style)):
            text += piece
        elif not text.strip(" ") and _is_blank_same(own, style):
            text, style = text + piece, own
        else:
            written.append(Strip.render_style(style, text, colours) if style is not None else text)
            text, style = piece, own
    if text:
        written.append(Strip.render_style(style, text, colours) if style is not None else text)
    return "".join(written)


@lru_cache(1024)
def _is_blank_same(one: Style | None, other: Style | None) -> bool:
    """Whether a blank looks the same in both styles: only the background of a blank can be seen."""
    if _page(one) != _page(other):
        return False
    return not any(
        style.underline or style.underline2 or style.reverse or style.strike or style.overline or style.link
        for style in (one, other)
        if style is not None
    )


def _page(style: Style | None) -> Color | None:
    return None if style is None else style.bgcolor


def _cells(segment: Segment) -> int:
    text = segment.text
    return len(text) if text.isascii() else segment.cell_length


def _sure_segments(segments: list[Segment]) -> int:
    """How many segments come before the first with a character whose width is not sure."""
    for at, segment in enumerate(segments):
        if not segment.text.isascii() and not _SURE.fullmatch(segment.text):
            return at
    return len(segments)


def _cut_equal(old: list[Segment], new: list[Segment], *, is_end_cut: bool) -> tuple[int, list[Segment]]:
    """Without what is equal at the beginning of the first segment and at the end of the last one.

    Returns:
        How many cells are left out at the beginning, and what is left.
    """
    skipped = 0
    if old and old[0].style == new[0].style and old[0].text.isascii() and new[0].text.isascii():
        skipped = _common(old[0].text, new[0].text)
        old = [old[0]._replace(text=old[0].text[skipped:]), *old[1:]]
        new = [new[0]._replace(text=new[0].text[skipped:]), *new[1:]]
    if (
        is_end_cut
        and old
        and old[-1].style == new[-1].style
        and old[-1].text.isascii()
        and new[-1].text.isascii()
    ):
        same = _common(old[-1].text[::-1], new[-1].text[::-1])
        if same:
            new = [*new[:-1], new[-1]._replace(text=new[-1].text[:-same])]
    return skipped, new


def _common(one: str, other: str) -> int:
    """Length of the common beginning, by halving: comparing slices is quicker than comparing characters."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
