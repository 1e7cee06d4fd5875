r"""What a line is that is not over: known as soon as nothing that follows can change it.

Guards: a line is shown only when it is decided, then it is read for good, once; a line of marks waits until
it is decided. Source: CommonMark 0.31.2 sections 4 and 5, GFM tables and task lists.
"""

import re
from enum import Enum
from typing import Final, NamedTuple

from chatui.core.late_pattern import late_pattern
from chatui.markdown import lines as shapes
from chatui.markdown.containers import INDENTED, MOST_NESTED, OpenContainers
from chatui.markdown.formula_blocks import may_begin_block
from chatui.markdown.leaves import OpenCode, OpenFormula, OpenLeaf, OpenParagraph, OpenTable

_MARKS: Final = "-=*_+#`~|:> \t"
_HELD_NUMBER: Final = late_pattern(rf"\d{{1,9}}[.)]?[{re.escape(_MARKS)}]*\Z")
_HELD_BOX: Final = late_pattern(r"\[(?:[ xX]\]?[ \t]*)?\Z|\[\^[^\s\]]*\]?\Z")
_TICK: Final = late_pattern("`")
_NO_BLANK: Final = late_pattern(r"[^ \t]")
_TELLING: Final = late_pattern(rf"[^[{re.escape(_MARKS)}]|\[\[")
_FIRST_LOOK: Final = 12
"""Characters of a line that may be a formula after which it is looked at for the second time."""
_STEP: Final = 2
"""Characters that must come before a line is read again that could not be decided."""
_LONG_READING: Final = ("```", "~~~", "$$", "\\[", "\\b")
"""Only of a line that begins so is more read than its beginning to see that it is text."""
_NO_LEAF: Final = frozenset(">+[0123456789")
"""What begins a container or text, where no more containers can begin."""
_LOOKED_THROUGH: Final = 512
"""Characters of a line that are all looked at for one that tells; of those that follow one in eight is."""
_MANY_MARKS: Final = 32
"""Characters that decide nothing, after which a line is read again only when as many more have come."""


class Decision(Enum):
    """About a line that is not over."""

    YES = "yes"
    """It can be read for good."""
    NO = "no"
    FENCE = "fence"
    """It begins a code block unless a back tick follows."""
    FORMULA = "formula"
    """It may be a line of a formula; only its end tells."""


class LineGate:
    """Tells when a line that is not over is worth deciding: a line of marks is not read at every look."""

    __slots__ = ("_decided", "_decision", "_is_told", "_looked", "_seen")

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Another line begins."""
        self._decision = Decision.NO
        self._decided = self._looked = self._seen = 0
        self._is_told = False

    def look(self, line: str, *, is_in_code: bool) -> int:
        """Look at what came; returns how many characters of it were looked at."""
        size = len(line)
        begin, self._looked = self._looked, size
        begin = max(begin, size - max(_LOOKED_THROUGH + size // 8 - self._seen, 0))
        if self._is_told or begin == size:
            return 0
        match self._decision:
            case Decision.FENCE:
                telling = _TICK
            case Decision.NO if is_in_code:
                telling = _NO_BLANK
            case _:
                telling = _TELLING
        found = telling.search(line, max(begin - 1, 0) if telling is _TELLING else begin)
        self._is_told = found is not None
        seen = max((found.end() if found else size) - begin, 0)
        self._seen += seen
        return seen

    @property
    def is_for_show(self) -> bool:
        """Nothing but what is shown of the line depends on the next decision."""
        return self._decision is Decision.FORMULA

    @property
    def is_due(self) -> bool:
        """Whether what came since the last decision can change it."""
        if self._decision is Decision.FORMULA:
            return self._looked >= max(2 * self._decided, _FIRST_LOOK)
        if not self._is_told or not self._decided:
            return self._is_told
        return self._looked >= (2 if self._decided >= _MANY_MARKS else 1) * self._decided + _STEP

    def decided(self, decision: Decision) -> None:
        """Take note of a decision."""
        self._decision, self._decided = decision, self._looked
        self._is_told = self._is_told and decision is Decision.NO


class Decided(NamedTuple):
    """A decision, and what it took."""

    decision: Decision
    looked: int
    """Characters that were looked at."""
    formula: str = ""
    """What of the line may belong to a formula."""


def decide(
    containers: OpenContainers, leaf: OpenLeaf | None, line: str, *, may_be_formula: bool = True
) -> Decided:
    """Whether what the line begins can no longer change, and something of it can be seen."""
    size = len(line)
    marks_at = len(line.rstrip(_MARKS))
    rest, column, matched = containers.match(line)
    is_all_matched = matched == len(containers.frames)
    if is_all_matched and isinstance(leaf, OpenCode):
        answer = _in_code(leaf, rest, column)
        if answer is not None:
            return Decided(answer, size - len(rest.lstrip(" \t")) + 1)
    if is_all_matched and isinstance(leaf, OpenFormula):
        return Decided(Decision.FORMULA, size, shapes.measure(rest, column)[1])
    is_fresh = is_fresh_quote = False
    while True:
        indent, body = shapes.measure(rest, column)
        prefix = size - len(body) + 1
        if not body:
            return Decided(Decision.NO, size)
        if indent >= INDENTED or body[0].isalpha():
            is_tag = (is_fresh or not _is_html(leaf)) and shapes.may_be_tag(body)
            return Decided(Decision.NO if is_tag else Decision.YES, prefix)
        is_after = is_all_matched and not is_fresh
        is_row = is_after and isinstance(leaf, OpenTable) and body[0] == "|"
        if is_row or (matched > MOST_NESTED and body[0] in _NO_LEAF):
            return Decided(Decision.YES, prefix)
        is_html = not is_fresh and _is_html(leaf)
        if _is_held(body, is_marks=size - len(body) >= marks_at, is_html=is_html):
            return Decided(Decision.NO, size)
        if is_fresh_quote and shapes.HALF_ALERT.match(body):
            return Decided(Decision.NO, size)
        is_fresh_quote = body[0] == ">"
        if is_fresh_quote:
            rest, column = shapes.advance(body[1:], column + indent + 1, 1)
        elif body[0] in "`~" and shapes.FENCE.match(body):
            return Decided(Decision.FENCE, size)
        elif may_be_formula and body[0] in "$\\" and may_begin_block(body):
            return Decided(Decision.FORMULA, size, "" if is_fresh else body)
        else:
            is_interrupting = is_after and isinstance(leaf, OpenParagraph)
            inside = _inside(body, indent, column, is_interrupting=is_interrupting)
            if inside is None:
                return Decided(Decision.YES, size if body.startswith(_LONG_READING) else prefix)
            rest, column = inside
        matched, is_all_matched, is_fresh = matched + 1, True, True


def _in_code(leaf: OpenCode, rest: str, column: int) -> Decision | None:
    """The same for a line in a code block; None if it ends the block."""
    indent, body = shapes.measure(rest, column)
    if not body:
        return Decision.NO
    if not leaf.fence:
        return Decision.YES if indent >= INDENTED else None
    is_closing = indent < INDENTED and not body.rstrip(" \t").strip(leaf.fence[0])
    return Decision.NO if is_closing else Decision.YES


def _is_html(leaf: OpenLeaf | None) -> bool:
    """Whether the lines of an open paragraph are kept anyway."""
    return isinstance(leaf, OpenParagraph) and leaf.is_html


def _is_held(body: str, *, is_marks: bool, is_html: bool) -> bool:
    """Whether the start of a line may still become anything."""
    if is_marks or body in ("$", "$$", "\\", "\\["):
        return True
    if body[0] == "<":
        return not is_html and shapes.may_be_tag(body)
    if body[0].isdigit():
        return _HELD_NUMBER.match(body) is not None
    return body[0] == "[" and _HELD_BOX.match(body) is not None


def _inside(body: str, indent: int, column: int, *, is_interrupting: bool) -> tuple[str, int] | None:
    """What an item or a footnote holds that begins here; None if none does."""
    if note := shapes.NOTE.match(body):
        return body[note.end() :].lstrip(" \t"), column + indent + note.end()
    item = shapes.item(body, indent, column, is_interrupting=is_interrupting)
    return (item.rest, item.column) if item else None
