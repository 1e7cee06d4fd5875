r"""What a line is that is not over: known as soon as nothing that follows can change it.

Guards: a line is shown only when it is decided, then it is read for good, once; a line of marks waits until
it is decided. Source: CommonMark 0.31.2 sections 4 and 5, GFM tables and task lists.
"""

import re
from enum import Enum
from typing import Final

from chatui.core.late_pattern import late_pattern
from chatui.markdown import lines as shapes
from chatui.markdown.containers import INDENTED, OpenContainers
from chatui.markdown.formulas import may_begin_block
from chatui.markdown.leaves import OpenCode, OpenFormula, OpenLeaf, OpenParagraph, OpenTable

_MARKS: Final = "-=*_+#`~|:> \t"
_HELD_NUMBER: Final = late_pattern(rf"\d{{1,9}}[.)]?[{re.escape(_MARKS)}]*\Z")
_HELD_BOX: Final = late_pattern(r"\[(?:[ xX]\]?[ \t]*)?\Z|\[\^[^\s\]]*\]?\Z")
_TELLING: Final = late_pattern(rf"[^{re.escape(_MARKS)}]")
_FIRST_LOOK: Final = 12
"""Characters of a line that may be a formula after which it is looked at for the second time."""


class Decision(Enum):
    """About a line that is not over."""

    YES = "yes"
    """It can be read for good."""
    NO = "no"
    FENCE = "fence"
    """It begins a code block unless a back tick follows."""
    FORMULA = "formula"
    """It may be a line of a formula; only its end tells."""


def is_worth_deciding(line: str, known: int, last: Decision, *, is_in_code: bool) -> bool:
    """Whether what came since the last decision, of `known` characters, can change it."""
    match last:
        case Decision.NO if is_in_code:
            return not line[known:].isspace()
        case Decision.NO:
            return _TELLING.search(line, known) is not None
        case Decision.FENCE:
            return "`" in line[known:]
        case Decision.FORMULA:
            return len(line) >= max(2 * known, _FIRST_LOOK)
        case Decision.YES:
            return True


def decide(containers: OpenContainers, leaf: OpenLeaf | None, line: str) -> tuple[Decision, str]:
    """Whether what the line begins can no longer change, and something of it can be seen.

    Returns:
        The decision; and for a formula, what of the line may belong to it.
    """
    marks_at = len(line.rstrip(_MARKS))
    rest, column, matched = containers.match(line)
    is_all_matched = matched == len(containers.frames)
    if is_all_matched and isinstance(leaf, OpenCode):
        answer = _in_code(leaf, rest, column)
        if answer is not None:
            return answer, ""
    if is_all_matched and isinstance(leaf, OpenFormula):
        return Decision.FORMULA, shapes.measure(rest, column)[1]
    is_fresh = False
    while True:
        indent, body = shapes.measure(rest, column)
        if not body:
            return Decision.NO, ""
        if indent >= INDENTED or body[0].isalpha():
            return Decision.YES, ""
        is_after = is_all_matched and not is_fresh
        if is_after and isinstance(leaf, OpenTable) and body[0] == "|":
            return Decision.YES, ""
        if _is_held(body, is_marks=len(line) - len(body) >= marks_at):
            return Decision.NO, ""
        if body[0] == ">":
            rest, column = shapes.advance(body[1:], column + indent + 1, 1)
        elif body[0] in "`~" and shapes.FENCE.match(body):
            return Decision.FENCE, ""
        elif body[0] in "$\\" and may_begin_block(body):
            return Decision.FORMULA, "" if is_fresh else body
        else:
            is_interrupting = is_after and isinstance(leaf, OpenParagraph)
            inside = _inside(body, indent, column, is_interrupting=is_interrupting)
            if inside is None:
                return Decision.YES, ""
            rest, column = inside
        is_all_matched = is_fresh = True


def _in_code(leaf: OpenCode, rest: str, column: int) -> Decision | None:
    """The same for a line in a code block; None if it ends the block."""
    indent, body = shapes.measure(rest, column)
    if not body:
        return Decision.NO
    if not leaf.fence:
        return Decision.YES if indent >= INDENTED else None
    is_closing = indent < INDENTED and not body.rstrip(" \t").strip(leaf.fence[0])
    return Decision.NO if is_closing else Decision.YES


def _is_held(body: str, *, is_marks: bool) -> bool:
    """Whether the start of a line may still become anything."""
    if is_marks or body in ("$", "$$", "\\", "\\["):
        return True
    if body[0].isdigit():
        return _HELD_NUMBER.match(body) is not None
    return body[0] == "[" and _HELD_BOX.match(body) is not None


def _inside(body: str, indent: int, column: int, *, is_interrupting: bool) -> tuple[str, int] | None:
    """What an item or a footnote holds that begins here; None if none does."""
    if note := shapes.NOTE.match(body):
        return body[note.end() :].lstrip(" \t"), column + indent + note.end()
    item = shapes.item(body, indent, column, is_interrupting=is_interrupting)
    return (item.rest, item.column) if item else None
