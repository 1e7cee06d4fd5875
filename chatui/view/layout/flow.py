"""Running text to lines: wrapping by display width.

A flow is one string and the places where its style changes, so that a word that spans styles is one word.
Guards: a line is at most as wide as it may be; no character is lost but the blanks at which a line was
broken; what was wrapped before the last line never depends on what follows, so a growing text only ever
changes its last line.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from chatui.core.late_pattern import late_pattern
from chatui.view.layout.measure import cells, easy_sizes, fit, is_wide
from chatui.view.lines import PLAIN, Run, Style, outside_link

_OPENING: Final = "（［｛〈《「『【〔〖“‘"
_CLOSING: Final = "、。，．：；？！）］｝〉》」』】〕〗’”…‥ー々ゝゞ・%!),.:;?]}"
"""No line begins with one of these, as no line ends with one of those that open."""
_WIDE: Final = (
    "\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff"
    "\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6"
)
_EMOJI: Final = "\u231a-\u2bff\U0001f000-\U0001faff"
_END: Final = f"[{re.escape(_CLOSING)}]*"
_UNIT: Final = late_pattern(
    rf"[ \t]+|[{_OPENING}]*[^ \t{_WIDE}{_EMOJI}]+{_END}|[{_OPENING}]*[{_WIDE}]{_END}"
    rf"|[\U0001f1e6-\U0001f1ff]{{2}}|[{_EMOJI}][\ufe0f\ufe0e\u20e3\U0001f3fb-\U0001f3ff]*"
    rf"(?:\u200d[{_EMOJI}][\ufe0f\ufe0e\U0001f3fb-\U0001f3ff]*)*"
)
"""What a line may be broken between."""
_MOST_BLANKS: Final = 512
"""Blanks at the end of a line that are kept for what may follow: more than a line has cells."""
_MOST_CHARACTERS: Final = 2000
"""Characters of a line: what takes no cells would fill one for ever."""


@dataclass(slots=True)
class Flow:
    """Text with styles."""

    texts: list[str] = field(default_factory=list)
    styles: list[tuple[int, Style, str, str]] = field(default_factory=list)
    """Where each style ends, the style, the target of its link, what is copied for it."""
    size: int = 0

    def add(self, text: str, style: Style = PLAIN, link: str = "", source: str = "") -> None:
        """More text; a line end in it breaks the line."""
        if not text:
            return
        if link:
            link = outside_link(link)
        self.texts.append(text)
        self.size += len(text)
        styles = self.styles
        if styles and styles[-1][1] is style and styles[-1][2] == link and not (source or styles[-1][3]):
            styles[-1] = (self.size, style, link, "")
        else:
            styles.append((self.size, style, link, source))

    @property
    def text(self) -> str:
        """All text."""
        if len(self.texts) > 1:
            self.texts = ["".join(self.texts)]
        return self.texts[0] if self.texts else ""

    def runs(self, start: int, stop: int) -> tuple[Run, ...]:
        """Runs of a range."""
        text, styles = self.text, self.styles
        if len(styles) == 1:
            return (Run(text[start:stop], *styles[0][1:]),) if stop > start else ()
        out: list[Run] = []
        at = start
        for index in range(bisect_right(styles, start, key=_end_of), len(styles)):
            if at >= stop:
                break
            end, style, link, source = styles[index]
            last = min(end, stop)
            out.append(Run(text[at:last], style, link, source))
            at = last
        return tuple(out)

    def joint(self, stop: int, start: int) -> str:
        """What is copied between a line and the next: nothing within what stands for its source."""
        at = bisect_left(self.styles, stop, key=lambda known: known[0])
        source = self.styles[at][3]
        while source and self.styles[at][0] <= start:
            at += 1
            if at >= len(self.styles) or self.styles[at][3] != source:
                source = ""
        return "" if source else self.text[stop:start]

    def copy(self) -> "Flow":
        """A flow that can be added to."""
        return Flow([self.text] if self.size else [], self.styles.copy(), self.size)

    def tail(self, start: int) -> "Flow":
        """The flow from `start` on; of blanks without end that it ends in only so many as count."""
        text = self.text[start:]
        size = min(len(text), len(text.rstrip(" ")) + _MOST_BLANKS)
        first = bisect_right(self.styles, start, key=_end_of)
        ends = [
            (min(end - start, size), style, link, source) for end, style, link, source in self.styles[first:]
        ]
        return Flow([text[:size]], ends, size)


def _end_of(known: tuple[int, Style, str, str]) -> int:
    return known[0]


def wrap(text: str, first_width: int, width: int) -> list[tuple[int, int, bool]]:
    """Ranges of lines, and whether each goes on without a line end in the text.

    Args:
        text: Safe text; its line ends break lines.
        first_width: Cells of the first line.
        width: Cells of the others.
    """
    out: list[tuple[int, int, bool]] = []
    position, size = 0, len(text)
    room = first_width
    is_ascii = text.isascii()
    sizes = None if is_ascii else easy_sizes(text)
    while True:
        end = text.find("\n", position)
        stop = size if end < 0 else end
        if is_ascii:
            room = _wrap_narrow(text, position, stop, room, width, out)
        elif sizes is not None:
            room = _wrap_easy(text, position, stop, room, width, sizes, out)
        else:
            room = _wrap_units(text, position, stop, room, width, out)
        if end < 0:
            return out
        position = end + 1


def _wrap_narrow(
    text: str, position: int, stop: int, room: int, width: int, out: list[tuple[int, int, bool]]
) -> int:
    room = max(room, 1)
    while stop - position > room:
        at = text.rfind(" ", position, position + room + 1)
        if at <= position or not text[position:at].strip():
            # One word longer than the line: it is cut.
            at = position + room
            out.append((position, at, True))
            position = at
        else:
            following = at
            while following < stop and text[following] == " ":
                following += 1
            while at > position and text[at - 1] == " ":
                at -= 1
            if following >= stop:
                break_at = at
                out.append((position, break_at, False))
                return width
            out.append((position, at, True))
            position = following
        room = max(width, 1)
    out.append((position, stop, False))
    return width


def _wrap_easy(
    text: str,
    position: int,
    stop: int,
    room: int,
    width: int,
    sizes: Sequence[int],
    out: list[tuple[int, int, bool]],
) -> int:
    """Wrap text in which every character stands alone; `sizes` are its cells up to each character."""
    room = max(room, 1)
    while position < stop:
        before = sizes[position - 1] if position else 0
        most = bisect_right(sizes, before + room, position, stop)
        if most >= stop:
            break
        at = most
        while at > position and not _may_break(text[at - 1], text[at]):
            at -= 1
        following = at
        while following < stop and text[following] == " ":
            following += 1
        while at > position and text[at - 1] == " ":
            at -= 1
        if at <= position:
            # One word longer than the line: it is cut.
            at = following = max(most, position + 1)
        elif following >= stop:
            out.append((position, at, False))
            return width
        out.append((position, at, True))
        position, room = following, max(width, 1)
    out.append((position, stop, False))
    return width


def _may_break(one: str, other: str) -> bool:
    if one == " " or other == " ":
        return True
    if other in _CLOSING or one in _OPENING:
        return False
    return is_wide(one) or is_wide(other)


def _wrap_units(
    text: str, position: int, stop: int, room: int, width: int, out: list[tuple[int, int, bool]]
) -> int:
    room, width = max(room, 1), max(width, 1)
    start, used, last = position, 0, position
    for unit in _UNIT.finditer(text, position, stop):
        word = unit[0]
        if word[0] in " \t":
            used += len(word)
            continue
        size = cells(word)
        if used + size > room:
            if last > start:
                out.append((start, last, True))
                start, used, room = unit.start(), 0, width
            elif used:
                start, used = unit.start(), 0
            at = unit.start()
            end = min(unit.end(), at + _MOST_CHARACTERS)
            while size > room:
                count = max(fit(text[at:end], room), 1)
                if count >= unit.end() - at:
                    break
                out.append((at, at + count, True))
                at += count
                start, room = at, width
                end = min(unit.end(), at + _MOST_CHARACTERS)
                size = cells(text[at:end])
        while unit.end() - start > _MOST_CHARACTERS:
            out.append((start, start + _MOST_CHARACTERS, True))
            start, room = start + _MOST_CHARACTERS, width
            used, size = 0, cells(text[start : min(unit.end(), start + _MOST_CHARACTERS)])
        used += size
        last = unit.end()
    out.append((start, max(last, start) if last > start else stop, False))
    return width
