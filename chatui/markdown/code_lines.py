"""Lines of a code block that is open: what they add, and what ends it.

Guards: a line of code is taken as it is, whatever is in it; blank lines of an indented block count only if
more code follows. Source: CommonMark 0.31.2 sections 4.4 and 4.5.
"""

from chatui.markdown import lines as shapes
from chatui.markdown.containers import INDENTED
from chatui.markdown.leaves import OpenCode
from chatui.markdown.writer import BlockWriter


def take(writer: BlockWriter, leaf: OpenCode, rest: str, column: int) -> bool | None:
    """One more line: True if the block goes on, None if it ends with it, False if it ended before it."""
    indent, body = shapes.measure(rest, column)
    if not leaf.fence:
        return _take_indented(writer, leaf, rest, column, indent=indent if body else None)
    if indent < INDENTED and body.startswith(leaf.fence[0]):
        marks = body.rstrip(" \t")
        if not marks.strip(leaf.fence[0]) and len(marks) >= len(leaf.fence):
            return None
    leaf.lines.append(shapes.advance(rest, column, leaf.indent)[0] if leaf.indent else rest)
    return True


def _take_indented(
    writer: BlockWriter, leaf: OpenCode, rest: str, column: int, *, indent: int | None
) -> bool:
    """The same for a block without a fence; `indent` is None for a blank line."""
    line = shapes.advance(rest, column, INDENTED)[0]
    if indent is None:
        leaf.blanks.append(line)
        return True
    if indent < INDENTED:
        return False
    for blank in leaf.blanks:
        leaf.lines.append(blank)
        writer.end_code_line(leaf)
    leaf.blanks.clear()
    leaf.lines.append(line)
    return True
