"""Rows of pictures to segments: half blocks with two colours, or placeholders of the terminal's own pictures.

Invariant: a row of a picture is as wide as its room, whatever is known of the picture; transparent pixels
have the colour of the page behind them.
"""

from functools import lru_cache
from typing import Final, Protocol

from rich.color import Color
from rich.segment import Segment
from rich.style import Style as RichStyle

from chatui.ui.pictures.kitty_pictures import placeholders
from chatui.ui.pictures.picture_decoding import Pixels
from chatui.view.lines import PictureBox, PictureRow

UPPER_HALF: Final = "▀"
SELECTED_SHARE: Final = 0.6
"""So much of the selection's colour covers a selected picture."""

Rgb = tuple[int, int, int]


class PictureSource(Protocol):
    """Where pixels come from; what is not there yet is begun to be loaded."""

    def pixels(self, box: PictureBox) -> Pixels | None:
        """What fills a room; None while it is not known."""
        ...

    def sent_as(self, box: PictureBox) -> int:
        """The number by which the terminal knows a picture; 0 where it does not."""
        ...


def picture_segments(
    source: PictureSource, picture: PictureRow, page: Rgb, selection: Rgb | None = None
) -> list[Segment] | None:
    """One row of a picture; None while its pixels are not known.

    Args:
        source: Where pixels come from.
        picture: The row.
        page: Colour of the page behind it.
        selection: Colour of the selection that covers it.
    """
    box, row = picture
    number = source.sent_as(box)
    if number and selection is None:
        look = _look(((number >> 16) & 255, (number >> 8) & 255, number & 255), page)
        return [Segment(placeholders(row, box.columns), look)]
    pixels = source.pixels(box)
    if pixels is None:
        return None
    return _half_blocks(pixels, row, page, selection)


def _half_blocks(pixels: Pixels, row: int, page: Rgb, selection: Rgb | None) -> list[Segment]:
    columns = pixels.columns
    start = 2 * row * columns
    upper = [_over(pixels.rgba, at, page, selection) for at in range(start, start + columns)]
    lower = [_over(pixels.rgba, at, page, selection) for at in range(start + columns, start + 2 * columns)]
    segments: list[Segment] = []
    at = 0
    while at < columns:
        stop = at + 1
        while stop < columns and upper[stop] == upper[at] and lower[stop] == lower[at]:
            stop += 1
        mark = " " if upper[at] == lower[at] else UPPER_HALF
        segments.append(Segment(mark * (stop - at), _look(upper[at], lower[at])))
        at = stop
    return segments


def _over(rgba: bytes, at: int, page: Rgb, selection: Rgb | None) -> Rgb:
    """A pixel over the page, and under the selection."""
    red, green, blue, alpha = rgba[4 * at : 4 * at + 4]
    colour = (red, green, blue) if alpha == 255 else _mixed(page, (red, green, blue), alpha / 255)
    return colour if selection is None else _mixed(colour, selection, SELECTED_SHARE)


def _mixed(below: Rgb, above: Rgb, share: float) -> Rgb:
    red, green, blue = (round(one + (other - one) * share) for one, other in zip(below, above, strict=True))
    return red, green, blue


@lru_cache(maxsize=4096)
def _look(upper: Rgb, lower: Rgb) -> RichStyle:
    return RichStyle(color=Color.from_rgb(*upper), bgcolor=Color.from_rgb(*lower))
