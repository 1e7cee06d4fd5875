"""Marks that are still open while text streams are closed for the view, so that they never flash raw.

The result is only shown, never kept: when more text comes, the piece is read again from its source.
"""

import re
from collections.abc import Sequence
from typing import Final

from chatui.markdown.inline import is_plain
from chatui.markdown.settle import OpenMark, Settler

_TICKS: Final = re.compile(r"`+")
_ADDRESS: Final = re.compile(r"<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[\w.+-]+@[\w.-]*)\Z")
_STRONG_REACH: Final = 800
_WEAK_REACH: Final = 240
_MOST: Final = 12
"""More marks than this are no writing."""


def close_open_marks(text: str, marks: Sequence[OpenMark], waits_at: int) -> str:
    """The text as it will most likely read once its open marks are closed.

    Args:
        text: The open end of a paragraph.
        marks: Its open marks, their places counted in `text`.
        waits_at: Where reading stopped because more text decides, or -1.
    """
    if len(marks) > _MOST:
        return text
    body = text
    open_marks = list(marks)
    if waits_at >= 0:
        body, is_bracket_closed = _close_undecided(text, waits_at)
        if is_bracket_closed:
            last = max((i for i, mark in enumerate(open_marks) if mark.mark == "["), default=-1)
            if last >= 0:
                del open_marks[last]
    body = body.rstrip()
    closers = ""
    for mark in reversed(open_marks):
        inside = body[mark.at + mark.size :]
        if not inside.strip():
            body = body[: mark.at].rstrip() if not closers else body
            if mark.mark == "[" and body.endswith("!"):
                body = body[:-1]
        elif mark.mark == "[":
            if len(inside) <= _WEAK_REACH and inside[0] != "^" and not inside.isdigit():
                closers += "]()"
        elif _is_likely(body, mark, len(inside)):
            closers += mark.mark * mark.size
    return body + closers


def with_marks_closed(text: str) -> str:
    """The same for text on its own: a heading, a table cell."""
    if len(text) > _STRONG_REACH or is_plain(text):
        return text
    settler = Settler()
    if settler.feed(text):
        return text
    return close_open_marks(text, settler.stack, settler.waits_at)


def _close_undecided(text: str, at: int) -> tuple[str, bool]:
    tail = text[at:]
    match text[at]:
        case "`":
            run = _TICKS.match(tail)
            assert run is not None
            inside = tail[run.end() :].rstrip("`")
            if not inside.strip():
                return text[:at], False
            return (text[:at] + run[0] + inside + run[0] if len(inside) <= _WEAK_REACH else text), False
        case "<":
            return (text + ">" if _ADDRESS.match(tail) else text), False
        case "]":
            if len(tail) == 1:
                return text, True
            return text[:at] + "]()", True
        case _:
            return text[:at], False


def _is_likely(body: str, mark: OpenMark, size: int) -> bool:
    """A single star inside a word (`5*3`) is more often no mark."""
    if mark.size >= 2:
        return size <= _STRONG_REACH
    before = body[mark.at - 1] if mark.at else " "
    return size <= _WEAK_REACH and not before.isalnum()
