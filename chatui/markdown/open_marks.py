"""Marks that are still open while text streams are closed for the view, so that they never flash raw.

The result is only shown, never kept: when more text comes, the piece is read again from its source.
"""

import re
from collections.abc import Sequence
from typing import Final

from chatui.core.late_pattern import late_pattern
from chatui.markdown.formulas import OPEN_END, FoundFormula, is_likely, mark_at, read_formula
from chatui.markdown.inline import is_plain
from chatui.markdown.settle import OpenMark, Settler

_TICKS: Final = late_pattern(r"`+")
_ADDRESS: Final = late_pattern(r"<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[\w.+-]+@[\w.-]*)\Z")
_HALF_SCHEME: Final = late_pattern(r"<(?:h(?:t(?:t(?:ps?)?)?)?|m(?:a(?:i(?:l(?:to?)?)?)?)?|f(?:tp?)?)?\Z")
_STRONG_REACH: Final = 800
_WEAK_REACH: Final = 240
_CODE_REACH: Final = 600
MOST: Final = 12
"""More marks than this are no writing."""
_HALF_ENTITY: Final = late_pattern(
    r"&(?:#[xX]?[0-9a-fA-F]{0,6}|a(?:mp?|p(?:os?)?)?|lt?|gt?|q(?:u(?:ot?)?)?|n(?:b(?:sp?)?|d(?:a(?:sh?)?)?)?"
    r"|m(?:d(?:a(?:sh?)?)?)?|h(?:e(?:l(?:l(?:ip?)?)?)?)?|c(?:o(?:py?)?)?|r(?:eg?|arr?)?)?\Z"
)
"""An entity that is being written."""
_HALF_BREAK: Final = late_pattern(r"<(?:b(?:r(?:[ \t]*/?)?)?)?\Z", re.IGNORECASE)


def close_open_marks(text: str, marks: Sequence[OpenMark], waits_at: int) -> str:
    """The text as it will most likely read once its open marks are closed.

    Args:
        text: The open end of a paragraph.
        marks: Its open marks, their places counted in `text`.
        waits_at: Where reading stopped because more text decides, or -1.
    """
    if len(marks) > MOST:
        return text
    body, open_marks = _decide(text, list(marks), waits_at)
    body = body.rstrip()
    if (len(body) - len(body.rstrip("\\"))) % 2:
        body += "\\"  # a blank came after it: it escapes nothing, nor may it escape what closes a mark
    closers = ""
    for index in range(len(open_marks) - 1, -1, -1):
        mark = open_marks[index]
        inside = body[mark.at + mark.size :]
        if not inside.strip():
            body = body[: mark.at].rstrip() if not closers else body
            if mark.mark == "[" and body.endswith("!"):
                body = body[:-1]
        elif mark.mark == "[":
            if _is_likely_link(body, open_marks, index):
                closers += "]()"
        elif _is_likely(body, mark, len(inside)):
            closers += mark.mark * mark.size
    return body + closers


def _decide(text: str, marks: list[OpenMark], waits_at: int) -> tuple[str, list[OpenMark]]:
    """Text and open marks as if what is undecided were decided the likely way."""
    if waits_at < 0:
        return text, marks
    last = max((i for i, mark in enumerate(marks) if mark.mark == "["), default=-1)
    if text[waits_at] == "]" and waits_at == len(text) - 1:
        # What follows decides whether this is a link: it goes on to look as it did while it was open.
        if last >= 0 and (text.endswith("![]") or _is_likely_link(text[:-1], marks, last)):
            return text[:-1], marks
        body, is_bracket_closed = text, True
    else:
        body, is_bracket_closed = _close_undecided(text, waits_at)
    if is_bracket_closed and last >= 0:
        del marks[last]
    return body, marks


def with_marks_closed(text: str) -> str:
    """The same for text on its own: a heading, a table cell."""
    if len(text) > _STRONG_REACH or is_plain(text):
        return text
    text = without_half_entity(text)
    settler = Settler()
    if settler.feed(text):
        return text
    return close_open_marks(text, settler.stack, settler.waits_at)


def without_half_entity(text: str) -> str:
    """Text without an entity at its end that is being written (`&am`)."""
    at = text.rfind("&", max(len(text) - 9, 0))
    return text[:at] if at >= 0 and _HALF_ENTITY.match(text, at) else text


def without_half_break(cell: str) -> str:
    """A table cell without a `<br>` at its end that is being written."""
    at = cell.rfind("<", max(len(cell) - 8, 0))
    return cell[:at] if at >= 0 and _HALF_BREAK.match(cell, at) else cell


def _close_undecided(text: str, at: int) -> tuple[str, bool]:
    tail = text[at:]
    match text[at]:
        case "`":
            run = _TICKS.match(tail)
            assert run is not None
            inside = tail[run.end() :].rstrip("`")
            if not inside.strip():
                return text[:at], False
            return (text[:at] + run[0] + inside + run[0] if len(inside) <= _CODE_REACH else text), False
        case "<":
            if _HALF_SCHEME.match(tail):
                return text[:at], False
            return (text + ">" if _ADDRESS.match(tail) else text), False
        case "]":
            return text[:at] + "]()", True
        case "$" | "\\" if (mark := mark_at(text, at)) and len(tail) > len(mark):
            return text[:at] + _close_formula(tail, mark), False
        case _:
            return text[:at], False


def _close_formula(tail: str, mark: str) -> str:
    """Text from the opening mark of a formula on, closed if it is likely to be one."""
    if isinstance(read_formula(tail, 0, len(tail), is_final=True), FoundFormula):
        return tail
    opened = tail[:-1] if tail[-1] == mark[0] else tail  # half of what will close it
    if is_likely(opened):
        return opened + OPEN_END
    return mark + with_marks_closed(tail[len(mark) :])


def _is_likely_link(body: str, open_marks: Sequence[OpenMark], index: int) -> bool:
    """Whether an open bracket begins a link or an image, not an index, a citation or a footnote."""
    at = open_marks[index].at
    inside = body[at + 1 :]
    if not inside.strip() or len(inside) > _WEAK_REACH or inside[0] == "^" or inside.isdigit():
        return False
    before = body[at - 1] if at else " "
    if before == "!":
        return True
    if before in "_)]" or (before.isalnum() and before.isascii()) or ("](" in inside and "![" not in inside):
        return False
    # A link holds no link: of several open brackets none is one, unless the others are images.
    links = [mark for mark in open_marks if mark.mark == "[" and body[mark.at - 1 : mark.at] != "!"]
    return len(links) == 1


def _is_likely(body: str, mark: OpenMark, size: int) -> bool:
    """A single star inside a word (`5*3`) is more often no mark."""
    if mark.size >= 2:
        return size <= _STRONG_REACH
    before = body[mark.at - 1] if mark.at else " "
    return size <= _WEAK_REACH and not before.isalnum()
