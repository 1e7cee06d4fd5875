"""Reference definitions at the start of a paragraph, read while it may still grow.

Guards: as long as more text could change the answer, the answer is that it is undecided.
Source: CommonMark 4.7.
"""

import re
from enum import Enum
from typing import Final

from chatui.core.late_pattern import late_pattern
from chatui.core.values import frozen

_LABEL: Final = late_pattern(r"\[(?!\^)((?:[^\[\]\\]|\\.){1,999})\]:", re.DOTALL)
_LABEL_OPEN: Final = late_pattern(r"\[(?!\^)(?:[^\[\]\\]|\\.?){0,999}(?:\]\Z|\Z)", re.DOTALL)
_BLANK: Final = late_pattern(r"[ \t]*\n?[ \t]*")
_LINE_REST: Final = late_pattern(r"[ \t]*(?:\n|\Z)")
_TITLE: Final = late_pattern(
    r"(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\))[ \t]*(?:\n|\Z)", re.DOTALL
)
_TITLE_OPEN: Final = late_pattern(
    r"(?:\"(?:[^\"\\]|\\.?)*\"?|'(?:[^'\\]|\\.?)*'?|\((?:[^()\\]|\\.?)*\)?)[ \t]*\Z", re.DOTALL
)
_TARGET_OPEN: Final = late_pattern(r"(?:<[^<>\n]*|[^\s<]\S*)?\Z")
_LONGEST_TITLE: Final = 2000


class Reading(Enum):
    """Whether text begins with a definition."""

    NONE = "none"
    UNDECIDED = "undecided"


@frozen
class ReadDefinition:
    """A definition and where the text goes on after it."""

    label: str
    target: str
    title: str
    stop: int


def read_definition(text: str, is_final: bool) -> ReadDefinition | Reading:
    """Read one definition at the start of text; undecided as long as more text could change the answer."""
    label = _LABEL.match(text)
    if label is None:
        return Reading.UNDECIDED if not is_final and _LABEL_OPEN.match(text) else Reading.NONE
    if not label[1].strip():
        return Reading.NONE
    blank = _BLANK.match(text, label.end())
    assert blank is not None
    at = blank.end()
    if not is_final and _TARGET_OPEN.match(text, at):
        return Reading.UNDECIDED
    found = _target(text, at)
    if found is None:
        return Reading.NONE
    target, stop = found
    return _with_title(text, label[1], target, stop, is_final)


def _target(text: str, at: int) -> tuple[str, int] | None:
    from markdown_it.helpers import parseLinkDestination

    from chatui.markdown.inline import parser

    result = parseLinkDestination(text, at, len(text))
    if not result.ok:
        return None
    target = parser().normalizeLink(result.str)
    return (target, result.pos) if parser().validateLink(target) else None


def _with_title(text: str, label: str, target: str, stop: int, is_final: bool) -> ReadDefinition | Reading:
    from markdown_it.common.utils import normalizeReference, unescapeAll

    name = normalizeReference(label)
    blank = _BLANK.match(text, stop)
    assert blank is not None
    title_at = blank.end()
    line_rest = _LINE_REST.match(text, stop)
    if title_at > stop:
        if title := _TITLE.match(text, title_at):
            if title.end() == len(text) and not text.endswith("\n") and not is_final:
                return Reading.UNDECIDED
            return ReadDefinition(name, target, unescapeAll(title[0].strip()[1:-1]), title.end())
        is_open = title_at >= len(text) or (
            len(text) - title_at <= _LONGEST_TITLE and _TITLE_OPEN.match(text, title_at) is not None
        )
        if not is_final and is_open:
            return Reading.UNDECIDED
    if line_rest is None:
        return Reading.NONE
    if line_rest.end() == len(text) and not is_final:
        return Reading.UNDECIDED
    return ReadDefinition(name, target, "", line_rest.end())
