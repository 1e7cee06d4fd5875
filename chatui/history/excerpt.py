"""The words around a match, with the matches marked.

Invariant: marks are positions in the excerpt, and each character of the text keeps its place while it is
compared (case and accents are folded one character to one), so that a mark never slips.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from chatui.core.values import frozen
from chatui.history.search_words import is_unspaced, pieces

_BEFORE: Final = 60
_LENGTH: Final = 220
_ACCENTS: Final = "[\u0300-\u036f]*"
_MOST_MARKS: Final = 40


class _Folding(dict[int, str]):
    """Each character as one character without case and accents; filled as characters are met."""

    def __missing__(self, code: int) -> str:
        plain = (
            unicodedata.normalize("NFD", chr(code))[:1].lower() if not 0xD800 <= code < 0xE000 else "\ufffd"
        )
        folded = self[code] = plain if len(plain) == 1 else chr(code)
        return folded


_FOLDING: Final = _Folding()


def fold_in_place(text: str) -> str:
    """Text without case and accents, each character in its place."""
    return text.lower() if text.isascii() else text.translate(_FOLDING)


@frozen
class Found:
    """Where a query occurs in a text."""

    excerpt: str
    marks: tuple[tuple[int, int], ...]
    distinct: int
    """How many of the query's pieces occur."""


class Finder:
    """Finds the pieces of one query in texts."""

    def __init__(self, query: str, *, is_inside: bool = False) -> None:
        """With `is_inside` the whole query is looked for as it is, also inside of words."""
        if is_inside:
            plain = fold_in_place(query.strip().strip('"').strip())
            self._patterns = [re.compile(re.escape(plain))]
            self._plain = (
                plain if plain.isascii() and plain.isprintable() and not set(plain) & set('"\\') else ""
            )
        else:
            self._patterns = [_pattern(piece, may_go_on) for piece, may_go_on in pieces(query)]
            self._plain = ""
        self._any = re.compile("|".join(pattern.pattern for pattern in self._patterns) or r"(?!)")

    def may_occur(self, payload: str | bytes) -> bool:
        """A quick look at stored JSON: False only if the query cannot be in it."""
        if not self._plain or not isinstance(payload, str):
            return True
        return self._plain in fold_in_place(payload)

    def has_all(self, texts: Iterable[str]) -> bool:
        """Whether every piece of the query occurs, each in any of these texts."""
        folded = [fold_in_place(text) for text in texts]
        return bool(self._patterns) and all(
            any(pattern.search(text) for text in folded) for pattern in self._patterns
        )

    def find(self, text: str) -> Found | None:
        """The first match with the words around it, or None."""
        folded = fold_in_place(text)
        distinct = sum(1 for pattern in self._patterns if pattern.search(folded))
        first = self._any.search(folded) if distinct else None
        if first is None:
            return None
        start, end = _window(text, first.start(), first.end())
        lead, tail = "…" if start else "", "…" if end < len(text) else ""
        shift = len(lead) - start
        marks = [
            (match.start() + shift, match.end() + shift)
            for match in self._any.finditer(folded, start, end)
            if match.end() > match.start()
        ]
        excerpt = lead + _in_line(text[start:end]) + tail
        return Found(excerpt, tuple(marks[:_MOST_MARKS]), distinct)

    def beginning(self, text: str) -> str:
        """The first words, where nothing can be marked."""
        return _in_line(text[:_LENGTH]) + ("…" if len(text) > _LENGTH else "")


def _pattern(piece: str, may_go_on: bool) -> re.Pattern[str]:
    """A piece of a query: its words side by side, whatever stands between them in the text."""
    folded = fold_in_place(piece)
    words = re.findall(r"[^\W_]+", folded) or [folded]
    pattern = r"[\W_]+".join(_ACCENTS.join(re.escape(letter) for letter in word) for word in words)
    if not is_unspaced(folded[0]):
        pattern = rf"(?<![^\W_]){pattern}"
    if may_go_on:
        pattern += r"[^\W_]*"
    elif not is_unspaced(folded[-1]):
        pattern += rf"{_ACCENTS}(?![^\W_])"
    return re.compile(pattern)


def _window(text: str, start: int, end: int) -> tuple[int, int]:
    """About `_LENGTH` characters around a match, from the beginning of a word where there is one near."""
    first = max(0, start - _BEFORE)
    if first:
        space = text.find(" ", first, start)
        first = space + 1 if space >= 0 else first
    return first, min(len(text), max(end, first + _LENGTH))


def _in_line(text: str) -> str:
    return text.translate({10: " ", 13: " ", 9: " "})
