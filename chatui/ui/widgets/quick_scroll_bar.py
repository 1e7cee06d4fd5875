"""A vertical scrollbar that costs next to nothing to paint: it moves with every line of a growing answer.

Invariant: it looks and works like Textual's, whose own bar renders each of its cells as a line with
styles, filters and padding (measured: a third of a frame's time). Equal cells are one strip object, so
that what did not move is not compared cell by cell.
"""

from math import ceil

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip

MOST_STRIPS = 64


def _ascii(text: str) -> str:
    """The halves of a cell at the ends of the bar are whole ones where no half can be shown."""
    return "".join(letter if letter.isascii() else " " for letter in text)


class QuickScrollBar(ScrollBar):
    """One column of cells."""

    def __init__(self) -> None:
        super().__init__(vertical=True, name="vertical", thickness=1)
        self._strip_of: dict[tuple[str, Style | None], Strip] = {}

    def render_lines(self, crop: Region) -> list[Strip]:
        """The cells of the bar."""
        if self.size.width != 1 or len(self.app.get_line_filters()) > 1:
            return self._plain_lines(crop)
        bar = self.render()
        if not isinstance(bar, ScrollBarRender):
            return self._plain_lines(crop)
        style = Style.parse(bar.style) if isinstance(bar.style, str) else bar.style
        if style.color is None or style.bgcolor is None:
            return self._plain_lines(crop)
        segments = ScrollBarRender.render_bar(
            size=self.size.height,
            virtual_size=ceil(bar.virtual_size),
            window_size=bar.window_size,
            position=bar.position,
            back_color=style.bgcolor,
            bar_color=style.color,
        ).segments
        cells = list(segments)[crop.y : crop.bottom]
        by_segment: dict[int, Strip] = {}
        strips: list[Strip] = []
        for segment in cells:
            strip = by_segment.get(id(segment))
            if strip is None:
                strip = by_segment[id(segment)] = self._strip(segment)
            strips.append(strip)
        return strips

    def _plain_lines(self, crop: Region) -> list[Strip]:
        strips = super().render_lines(crop)
        if self._is_unicode:
            return strips
        return [
            Strip([Segment(_ascii(segment.text), segment.style) for segment in strip], strip.cell_length)
            for strip in strips
        ]

    @property
    def _is_unicode(self) -> bool:
        return bool(getattr(self.app, "is_unicode", True))

    def _strip(self, segment: Segment) -> Strip:
        if not self._is_unicode:
            segment = Segment(_ascii(segment.text), segment.style)
        key = (segment.text, segment.style)
        found = self._strip_of.get(key)
        if found is None:
            if len(self._strip_of) >= MOST_STRIPS:
                self._strip_of.clear()
            found = self._strip_of[key] = Strip([segment], 1)
        return found
