"""Marks of emphasis: what a run of them can do, and which of them are still open.

Guards: the same reading decides where a paragraph may be cut and what is bold. Source: CommonMark 0.31.2
section 6.2, with two mercies (see `flanks`).
"""

from typing import Final, NamedTuple
from unicodedata import category, east_asian_width

_PUNCTUATION: Final = frozenset("\0!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
"""NUL is one: it stands for U+FFFD."""


class OpenMark(NamedTuple):
    """A mark that may still be closed."""

    mark: str
    """`*`, `_`, `~` or `[`."""
    at: int
    """Where it stands in the text."""
    size: int
    node: int
    """Which node it is."""
    run: int = 0
    """Marks in the whole run, of which `size` are still open."""
    can_close: bool = False
    """The run could have closed something as well."""
    is_dead: bool = False
    """A bracket around a link: no link itself."""


def close_marks(stack: list[OpenMark], mark: str, run: int, *, can_open: bool) -> int:
    """Take off what a closing run closes; returns how many of its marks are left."""
    count = run
    while count:
        opener = -1
        for index in range(len(stack) - 1, -1, -1):
            known = stack[index]
            if known.mark == "[":
                break
            if known.mark == mark and not ((can_open or known.can_close) and _is_odd_match(known, run)):
                opener = index
                break
        if opener < 0:
            break
        taken = min(count, stack[opener].size)
        count -= taken
        left = stack[opener].size - taken
        stack[opener:] = [stack[opener]._replace(size=left)] if left else []
    return count


def _is_odd_match(opener: OpenMark, run: int) -> bool:
    """CommonMark's rule of three: `*` inside `**a*b**` does not close what two stars opened."""
    return opener.mark != "~" and (opener.run + run) % 3 == 0 and bool(opener.run % 3 or run % 3)


def flanks(mark: str, before: str, after: str) -> tuple[bool, bool]:
    """Whether a run of marks between two characters can open and can close.

    CommonMark 6.2, with one mercy for scripts that put no blanks between words: beside an ideograph, kana
    or hangul (or their punctuation) a mark need not stand at the edge of a word, so `**注意（重要）。**请`
    is bold. And with one for formulas: `}_{` and `^*` are a subscript and a star, so that they lose nothing.
    """
    if (mark == "_" and after == "{" and not before.isspace()) or (mark == "*" and before == "^"):
        return False, False
    if before.isalnum() and after.isalnum() and before.isascii() and after.isascii():
        return (True, True) if mark != "_" else (False, False)
    blank_before, blank_after = before.isspace(), after.isspace()
    punctuation_before, punctuation_after = _is_punctuation(before), _is_punctuation(after)
    wide_before, wide_after = _is_wide(before), _is_wide(after)
    left = not blank_after and (
        not punctuation_after or wide_after or blank_before or punctuation_before or wide_before
    )
    right = not blank_before and (
        not punctuation_before or wide_before or blank_after or punctuation_after or wide_after
    )
    if mark != "_":
        return left, right
    return left and (not right or punctuation_before), right and (not left or punctuation_after)


def _is_punctuation(character: str) -> bool:
    if character.isascii():
        return character in _PUNCTUATION
    return category(character)[0] in "PS"


def _is_wide(character: str) -> bool:
    return character >= "\u1100" and east_asian_width(character) in "WF" and character < "\U0001f000"
