r"""Formulas on lines of their own: what line begins one, and what closes it.

Guards: a line that is not over can only turn from "may begin a formula" to "does not"; an escaped bracket
that is closed in vain and a dollar in prose begin nothing. Source: pandoc's `tex_math_dollars`, and stricter.
"""

from typing import Final

from chatui.core.late_pattern import late_pattern
from chatui.markdown.formulas import (
    CLOSERS,
    NEVER,
    Outlook,
    can_be_maths,
    closing_bracket,
    closing_dollars,
    looks_like_maths,
    mark_at,
    outlook,
)

_ENVIRONMENT: Final = late_pattern(
    r"\\begin\{(?:equation|align|alignat|flalign|gather|multline|eqnarray|displaymath|aligned|gathered|split"
    r"|d?cases|[pbBvV]?matrix|array)\*?\}"
)
_ENVIRONMENT_OPEN: Final = late_pattern(r"\\(?:b|be|beg|begi|begin|begin\{[A-Za-z]{0,11}\*?)\Z")


def block_mark(line: str) -> str:
    r"""The mark that may open a formula on lines of its own: `$$`, `\[`, the beginning of an environment."""
    if environment := _ENVIRONMENT.match(line):
        return environment[0]
    mark = mark_at(line, 0)
    return mark if mark in ("$$", "\\[") else ""


def begins_block(line: str) -> bool:
    """Whether a line begins a formula on lines of its own."""
    mark = block_mark(line)
    if not mark or not may_begin_block(line):
        return False
    rest = line[len(mark) :]
    if len(mark) > 2 or not rest.strip() or closing_mark(rest, mark) >= 0:
        return True
    return outlook(line) is Outlook.LIKELY


def may_begin_block(line: str) -> bool:
    """Whether a line that is not over may still begin a formula: what follows can only turn it to no."""
    mark = block_mark(line)
    if not mark:
        return _ENVIRONMENT_OPEN.match(line) is not None
    rest = line[len(mark) :]
    end = closing_mark(rest, mark)
    if end < 0:
        return end != NEVER and can_be_maths(rest)
    if not is_end_of_block(rest[end + len(closer_of(mark)) :]):
        return False
    return looks_like_maths(rest[:end], mark) if len(mark) == 2 else can_be_maths(rest[:end])


def closer_of(mark: str) -> str:
    """The mark that closes what a mark opens."""
    return CLOSERS.get(mark) or mark.replace("begin", "end", 1)


def closing_mark(text: str, mark: str) -> int:
    """Where a formula that was opened by a mark is closed; negative if it is not."""
    if mark == "\\[":
        return closing_bracket(text, 0, len(text), mark)
    return closing_dollars(text, 0, len(text), closer_of(mark))


def is_end_of_block(rest: str) -> bool:
    """Whether only a mark of punctuation follows a formula in its last line."""
    return rest.strip() in ("", ".", ",", ";", ":")
