"""Display width of text in terminal cells, by grapheme clusters.

Guards: every width that layout uses comes from here, so that alignment, wrapping and cutting agree. Source:
wcwidth (Unicode East Asian width, emoji and joining sequences), loaded with the first text that needs it.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate
from typing import Final

_EASY: Final = re.compile(
    "[ -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0377\u037a-\u037f\u0384-\u0482\u048a-\u052f\u2010-\u2027"
    "\u2030-\u203b\u2070-\u2079\u2190-\u2199\u2200-\u22ff\u2303\u23ce\u2500-\u25a0\u25a3\u25aa\u25b8\u25be\u25cb"
    "\u25cf-\u25d3\u25e6\u2610\u2611\u2713\u3001-\u3029\u3030-\u303e\u3041-\u3096\u309b-\u30ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]*\\Z"
)
"""Text in which every code point stands alone: narrow or wide."""
_WIDE: Final = re.compile("[\u3001-\u303e\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]")


def cells(text: str) -> int:
    """Cells that safe text takes."""
    return len(text) if text.isascii() else _cells(text)


@lru_cache(maxsize=4096)
def _cells(text: str) -> int:
    if _EASY.match(text):
        return len(text) + len(_WIDE.findall(text))
    from wcwidth import wcswidth

    return max(wcswidth(text), 0)


class _Sizes(dict[str, int]):
    """Cells of characters that stand alone."""

    def __missing__(self, character: str) -> int:
        size = self[character] = 2 if _WIDE.match(character) else 1
        return size


_SIZES: Final = _Sizes()


def is_wide(character: str) -> bool:
    """Whether a character that stands alone takes two cells."""
    return _SIZES[character] == 2


def easy_sizes(text: str) -> list[int] | None:
    """Cells of text up to and with each character, if all its characters stand alone; line ends count."""
    if not _EASY.match(text.replace("\n", " ")):
        return None
    return list(accumulate(map(_SIZES.__getitem__, text)))


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
