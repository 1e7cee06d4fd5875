"""Display width of text in terminal cells, by grapheme clusters.

Guards: every width that layout uses comes from here, so that alignment, wrapping and cutting agree. Source:
wcwidth (Unicode East Asian width, emoji and joining sequences), loaded with the first text that needs it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import accumulate
from typing import Final

_NARROW: Final = (
    " ~\u00a0\u00ac\u00ae\u02ff\u0370\u0377\u037a\u037f\u0384\u0482\u048a\u052f\u2010\u2027"
    "\u2030\u203b\u2070\u2079\u2190\u2199\u2200\u22ff\u2303\u2303\u23ce\u23ce\u2500\u25a0\u25a3\u25a3\u25aa\u25aa"
    "\u25b8\u25b8\u25be\u25be\u25cb\u25cb\u25cf\u25d3\u25e6\u25e6\u2610\u2611\u2713\u2713"
)
"""Ranges, first and last, of code points that stand alone and take one cell."""
_WIDE: Final = (
    "\u3001\u3029\u3030\u303e\u3041\u3096\u309b\u30ff\u3400\u4dbf\u4e00\u9fff\uac00\ud7a3\uff01\uff60"
)
"""The same for two cells, where terminals agree."""
_SHORT: Final = 300
"""So many characters are measured one by one: the patterns take milliseconds to compile."""
_LONG: Final = 500
"""So many are measured at once, between blanks or, in a word that is no word, between any two."""


def cells(text: str) -> int:
    """Cells that safe text takes."""
    return len(text) if text.isascii() else _cells(text)


@lru_cache(maxsize=4096)
def _cells(text: str) -> int:
    if len(text) <= _SHORT:
        sizes = [_SIZES[character] for character in text]
        if 0 not in sizes:
            return sum(sizes)
    elif _easy().match(text):
        return len(text) + len(_wide().findall(text))
    from wcwidth import wcswidth

    size = at = 0
    while len(text) - at > _LONG:  # a row of flags costs wcwidth its square
        blank = text.rfind(" ", at + 1, at + _LONG)
        stop = blank if blank > 0 else at + _LONG
        size += max(wcswidth(text[at:stop]), 0)
        at = stop
    return size + max(wcswidth(text[at:]), 0)


class _Sizes(dict[str, int]):
    """Cells of characters that stand alone; 0 for all others."""

    def __missing__(self, character: str) -> int:
        size = self[character] = 2 if _is_in(_WIDE, character) else int(_is_in(_NARROW, character))
        return size


def _is_in(ranges: str, character: str) -> bool:
    at = bisect_right(ranges, character)
    return at % 2 == 1 or ranges[at - 1 : at] == character


@cache
def _easy() -> re.Pattern[str]:
    """Text in which every code point stands alone: narrow or wide."""
    return re.compile(f"[{_class(_NARROW)}{_class(_WIDE)}]*\\Z")


@cache
def _wide() -> re.Pattern[str]:
    return re.compile(f"[{_class(_WIDE)}]")


def _class(ranges: str) -> str:
    return "".join(f"{ranges[at]}-{ranges[at + 1]}" for at in range(0, len(ranges), 2))


_SIZES: Final = _Sizes()


def is_wide(character: str) -> bool:
    """Whether a character that stands alone takes two cells."""
    return _SIZES[character] == 2


def easy_sizes(text: str) -> list[int] | None:
    """Cells of text up to and with each character, if all its characters stand alone; line ends count."""
    line = text.replace("\n", " ")
    if not _easy().match(line):
        return None
    return list(accumulate(map(_SIZES.__getitem__, line)))


def graphemes(text: str) -> Iterator[tuple[str, int]]:
    """Clusters of text that must not be cut, and their cells."""
    if text.isascii():
        for character in text:
            yield character, 1
        return
    from wcwidth import iter_graphemes

    for cluster in iter_graphemes(text):
        yield cluster, cells(cluster)


def boundary_before(text: str) -> int:
    """Where the last cluster of a text begins."""
    if text.isascii():
        return max(len(text) - 1, 0)
    from wcwidth import grapheme_boundary_before

    return grapheme_boundary_before(text, len(text))


def fit(text: str, width: int) -> int:
    """How many characters of text fit into `width` cells, cut between clusters."""
    if text.isascii():
        return min(len(text), max(width, 0))
    used = position = 0
    for cluster, size in graphemes(text):
        if used + size > width:
            break
        used += size
        position += len(cluster)
    return position
