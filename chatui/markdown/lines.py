"""The shapes of single lines: what a line can begin, and when a line that is not over yet is decided.

Source: CommonMark 0.31.2 section 4 and 5, GFM tables and task lists. All are linear in the line.
"""

import re
from typing import Final

from chatui.core.late_pattern import late_pattern
from chatui.markdown.blocks import Alignment
from chatui.markdown.formulas import may_begin_block

HEADING: Final = late_pattern(r"(#{1,6})(?:[ \t]+|$)")
HEADING_END: Final = late_pattern(r"(?:^|[ \t])#+[ \t]*$")
SETEXT: Final = late_pattern(r"(?:=+|-+)[ \t]*$")
RULE: Final = late_pattern(r"(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
FENCE: Final = late_pattern(r"(`{3,})([^`]*)$|(~{3,})(.*)$")
BULLET: Final = late_pattern(r"[-+*](?=[ \t]|$)")
NUMBER: Final = late_pattern(r"(\d{1,9})([.)])(?=[ \t]|$)")
NOTE: Final = late_pattern(r"\[\^([^\s\]]+)\]:")
TASK: Final = late_pattern(r"\[([ xX])\][ \t]+(?=\S)")

HELD: Final = late_pattern(
    r"(?:\d{1,9}[.)]?)?[-=*_+#`~|:> \t]*$|\[(?:[ xX]\]?[ \t]*)?$|\[\^[^\s\]]*\]?$"
    r"|\$\$?$|\\(?:\[|b|be|beg|begi|begin|begin\{[A-Za-z]{0,11}\*?)?$"
)
"""The start of a line that may still become anything: it is not shown yet."""

_DECIDED: Final = late_pattern(
    r"""[^\s\#>*+\-=_~`|:\[\d$\\] | \$[^\n] | \\[^\n]
    |\d+[^\d.)\s] | \d{10} | \d{1,9}[.)][^\ \t]
    |[*_]+[^\s*_\-] | [+][^\s] | -[^\s*+\-_|:=] | =+[^=\s]
    |\#{7} | \#{1,6}[^\#\s]
    |`{1,2}[^`] | ~{1,2}[^~]
    |:[^-\s|:]
    """,
    re.VERBOSE,
)
_DELIMITER_CELL: Final = late_pattern(r":?-+:?$")
_PIPE: Final = late_pattern(r"(?<!\\)\|")


def is_decided_text(body: str, *, is_first: bool) -> bool:
    """Whether a line that is not over can only be running text, whatever follows."""
    if body.startswith(("$$", "\\")) and may_begin_block(body):
        return False
    if body.startswith("["):
        return not is_first and len(body) > 1 and body[1] != "^"
    return _DECIDED.match(body) is not None


def language(info: str) -> str:
    """First word of a fence's info string, with escapes and entities read."""
    word = info.replace("\t", " ").partition(" ")[0]
    if "\\" in word or "&" in word:
        from markdown_it.common.utils import unescapeAll

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
