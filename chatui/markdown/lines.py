"""The shapes of single lines: what a line can begin, and when a line that is not over yet is decided.

Source: CommonMark 0.31.2 section 4 and 5, GFM tables and task lists. All are linear in the line.
"""

import re
from typing import Final, NamedTuple

from chatui.core.late_pattern import late_pattern
from chatui.markdown.blocks import Alignment, TaskState

HEADING: Final = late_pattern(r"(#{1,6})(?:[ \t]+|$)")
SETEXT: Final = late_pattern(r"(?:=+|-+)[ \t]*$")
RULE: Final = late_pattern(r"(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
FENCE: Final = late_pattern(r"(`{3,})([^`]*)$|(~{3,})(.*)$")
BULLET: Final = late_pattern(r"[-+*](?=[ \t]|$)")
NUMBER: Final = late_pattern(r"(\d{1,9})([.)])(?=[ \t]|$)")
NOTE: Final = late_pattern(r"\[\^([^\s\]]+)\]:")
ALERT: Final = late_pattern(r"\[!(note|tip|important|warning|caution)\][ \t]*$", re.IGNORECASE)
HALF_ALERT: Final = late_pattern(r"\[(?:![A-Za-z]{0,9}\]?)?[ \t]*\Z")
"""The first line of a quote that may become one."""
TASK: Final = late_pattern(r"\[([ xX])\][ \t]+(?=\S)")

_DELIMITER_CELL: Final = late_pattern(r":?-+:?$")
_PIPE: Final = late_pattern(r"(?<!\\)\|")


_TAG_NAME: Final = late_pattern(r"<(!--|/?([A-Za-z][A-Za-z0-9_-]*))")
_HALF_TAG: Final = late_pattern(r"<(?:!-?|/?([A-Za-z]*))\Z")
_INLINE_TAGS: Final = (
    " a abbr b big cite code del dfn em font i img input ins kbd label mark q s samp small span strong sub"
    " sup tt u var http https ftp mailto "
)
"""Tags (and schemes) that a line of running text may begin with."""
_HALF_NAMES: Final = frozenset(name[:size] for name in _INLINE_TAGS.split() for size in range(len(name) + 1))


class Item(NamedTuple):
    """The start of a list item."""

    kind: str
    """Its bullet, or what stands after its number."""
    number: int | None
    task: TaskState
    width: int
    """Columns that its next lines must be indented by."""
    rest: str
    column: int
    """Of the rest."""


def item(body: str, indent: int, column: int, *, is_interrupting: bool) -> Item | None:
    """Read the start of a list item, or None if it is none.

    Args:
        body: The line from its first character on.
        indent: Columns of white space before it.
        column: Where that begins.
        is_interrupting: The line would go on with running text, which not every item may interrupt.
    """
    number: int | None = None
    if marker := BULLET.match(body):
        kind = marker[0]
    elif marker := NUMBER.match(body):
        number, kind = int(marker[1]), marker[2]
    else:
        return None
    rest = body[marker.end() :]
    if is_interrupting and (not rest.strip(" \t") or (number is not None and number != 1)):
        return None
    column += indent + marker.end()
    padding, text = measure(rest, column)
    if not text or padding > 4:
        padding = 1
    rest, column = advance(rest, column, padding)
    task = TaskState.NONE
    if box := TASK.match(rest):
        task = TaskState.OPEN if box[1] == " " else TaskState.DONE
        rest, column = rest[box.end() :], column + box.end()
    return Item(kind, number, task, indent + marker.end() + padding, rest, column)


def is_tag(body: str) -> bool:
    """Whether a line begins with a tag of a block of HTML, or one that nobody knows."""
    found = _TAG_NAME.match(body)
    if found is None or found[2] is None:
        return found is not None
    name = found[2].lower()
    if name not in _HALF_NAMES:
        return True
    return f" {name} " not in _INLINE_TAGS and body[found.end() : found.end() + 1] in (
        "",
        " ",
        "\t",
        "/",
        ">",
    )


def may_be_tag(body: str) -> bool:
    """Whether more of a line decides if it begins with such a tag."""
    found = _HALF_TAG.match(body)
    return found is not None and (found[1] or "").lower() in _HALF_NAMES


def language(info: str) -> str:
    """First word of a fence's info string, with escapes and entities read."""
    word = info.replace("\t", " ").partition(" ")[0]
    if "\\" in word or "&" in word:
        from chatui.markdown.borrowed import unescapeAll

        return unescapeAll(word)
    return word


def split_row(line: str) -> list[str]:
    """Cells of a table row; an escaped bar is part of its cell."""
    cells = [cell.strip(" \t").replace("\\|", "|") for cell in _PIPE.split(line.strip(" \t"))]
    if cells and not cells[0]:
        del cells[0]
    if cells and not cells[-1]:
        del cells[-1]
    return cells


def delimiter_row(line: str) -> tuple[Alignment, ...] | None:
    """Alignments of a table's second line, or None if it is not one."""
    if line[:1] not in ("|", "-", ":") or line.strip("|-: \t"):
        return None
    if line.startswith("- "):
        return None
    cells = line.strip(" \t").split("|")
    alignments: list[Alignment] = []
    for number, cell in enumerate(cells):
        cell = cell.strip(" \t")
        if not cell:
            if number in (0, len(cells) - 1):
                continue
            return None
        if not _DELIMITER_CELL.match(cell):
            return None
        match cell[0] == ":", cell[-1] == ":":
            case True, True:
                alignments.append(Alignment.CENTER)
            case True, False:
                alignments.append(Alignment.LEFT)
            case False, True:
                alignments.append(Alignment.RIGHT)
            case _:
                alignments.append(Alignment.NONE)
    return tuple(alignments) or None


def measure(rest: str, column: int) -> tuple[int, str]:
    """Columns of white space at the start of `rest`, and what follows it."""
    body = rest.lstrip(" \t")
    count = len(rest) - len(body)
    if not count or "\t" not in rest[:count]:
        return count, body
    at = column
    for character in rest[:count]:
        at += 1 if character == " " else 4 - at % 4
    return at - column, body


def advance(rest: str, column: int, columns: int) -> tuple[str, int]:
    """Drop up to `columns` columns of white space; a tab that reaches further leaves blanks."""
    if rest[:columns].isspace() and "\t" not in rest[:columns] and len(rest) >= columns:
        return rest[columns:], column + columns
    position, at = 0, column
    while position < len(rest) and at < column + columns:
        if rest[position] == " ":
            at += 1
        elif rest[position] == "\t":
            at += 4 - at % 4
        else:
            break
        position += 1
    over = max(0, at - column - columns)
    return " " * over + rest[position:], at - over
