r"""Formulas on lines of their own: from a line that begins with `$$`, `\[` or `\begin{...}` to its end.

Guards: what turns out to be no formula (a blank line or words before the end, text behind it, too long) is
a paragraph, whose lines are read once more and not oftener. Lines within a formula begin nothing: `+ b` is
no list, a `=` alone underlines no heading. Source: pandoc lets no blank line stand in a formula either.
"""

from typing import Final

from chatui.markdown import paragraphs
from chatui.markdown.blocks import Formula, Place
from chatui.markdown.formula_blocks import block_mark, closer_of, closing_mark, is_end_of_block
from chatui.markdown.formulas import NEVER, can_be_maths, ruled_out_at
from chatui.markdown.leaves import OpenFormula, OpenParagraph
from chatui.markdown.writer import BlockWriter

LONGEST: Final = 4000
"""Characters of a formula; what is longer is none."""
_BEGINS_SOMETHING: Final = ("```", "~~~", "# ", "## ", "### ", "> ", "- [")


def begin(writer: BlockWriter, place: Place, line: str) -> OpenFormula | None:
    """Begin a formula with its first line, of which `begins_block` is true; None if it ends there too."""
    leaf = OpenFormula(place, block_mark(line), len(writer.blocks), [line], len(line))
    writer.references.characters_read += len(line) - len(leaf.mark)
    if closing_mark(line[len(leaf.mark) :], leaf.mark) < 0:
        return leaf
    show(writer, place, leaf.mark, leaf.lines)
    return None


def take(writer: BlockWriter, leaf: OpenFormula, line: str) -> bool | None:
    """One more line: True if the formula goes on, None if it ends with it, False if it is no formula."""
    leaf.size += len(line)
    if not line.strip() or leaf.size > LONGEST or line.startswith(_BEGINS_SOMETHING):
        return False
    if ruled_out := ruled_out_at(line):  # before the closing mark or behind it, where nothing may stand
        writer.references.characters_read += ruled_out
        return False
    end = closing_mark(line, leaf.mark)
    writer.references.characters_read += len(line) if end < 0 else end + len(leaf.mark)
    if end < 0:
        if end == NEVER or not can_be_maths(line):
            return False
        leaf.lines.append(line)
        return True
    if not is_end_of_block(line[end + len(closer_of(leaf.mark)) :]) or not can_be_maths(line[:end]):
        return False
    if not _is_worth(leaf, line[:end]):
        return False
    leaf.lines.append(line)
    show(writer, leaf.place, leaf.mark, leaf.lines)
    return None


def as_paragraph(writer: BlockWriter, leaf: OpenFormula) -> OpenParagraph:
    """Its lines as the running text that they are after all."""
    return paragraphs.of_lines(writer, leaf.place, leaf.lines)


def show(writer: BlockWriter, place: Place, mark: str, lines: list[str]) -> None:
    """The formula as a block, at its end or as far as it goes."""
    source = "\n".join(lines)
    inside = source[len(mark) :]
    closer = closer_of(mark)
    end = closing_mark(inside, mark)
    if len(mark) > 2:
        body = source  # an environment is part of what is read
    elif end >= 0:
        body = inside[:end].rstrip() + inside[end + len(closer) :].strip()
    else:
        body = inside[:-1] if inside.endswith(closer[0]) else inside  # half of what closes it
    writer.emit(Formula(key=len(writer.blocks), place=place, lines=tuple(lines), body=body, is_open=end < 0))


def _is_worth(leaf: OpenFormula, last: str) -> bool:
    """Whether anything stands between the marks."""
    return bool(leaf.lines[0][len(leaf.mark) :].strip() or len(leaf.lines) > 1 or last.strip())
