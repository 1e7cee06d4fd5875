"""What is shown of the leaf that is open at the end of a text that goes on."""

from chatui.markdown import display, paragraphs
from chatui.markdown.blocks import Place
from chatui.markdown.containers import OpenContainers
from chatui.markdown.formula_blocks import begins_block, block_mark
from chatui.markdown.leaves import OpenCode, OpenFormula, OpenHeading, OpenLeaf, OpenParagraph, OpenTable
from chatui.markdown.open_marks import shown_spans
from chatui.markdown.rows import OpenRow
from chatui.markdown.writer import BlockWriter


def show(writer: BlockWriter, containers: OpenContainers, leaf: OpenLeaf | None) -> None:
    """Append what is shown of the open leaf."""
    is_exact = writer.is_exact
    match leaf:
        case OpenParagraph():
            paragraphs.show_end(writer, leaf)
        case OpenCode():
            writer.add_code(leaf, is_open=True)
        case OpenHeading():
            writer.show_heading(leaf.place, shown_spans(leaf.reader, is_exact=is_exact), leaf.level)
        case OpenTable(row=OpenRow() as row):
            cells = row.shown(is_exact=is_exact)
            if any(cells):
                writer.show_row(leaf, containers.following(), cells)
        case OpenFormula():
            display.show(writer, leaf.place, leaf.mark, leaf.lines)
        case _:
            pass


def show_with_formula(
    writer: BlockWriter, containers: OpenContainers, leaf: OpenLeaf | None, partial: str, start: int
) -> None:
    """The same with a line that is not over and may belong to a formula.

    Args:
        writer: Takes the blocks.
        containers: What is open.
        leaf: The open leaf, if any.
        partial: The line.
        start: Where it begins in the source.
    """
    if isinstance(leaf, OpenFormula):
        display.show(writer, leaf.place, leaf.mark, [*leaf.lines, partial])
        return
    show(writer, containers, leaf)
    if begins_block(partial):
        path = containers.path
        place = Place(path=path, shared=len(path), has_gap=True, start=start)
        display.show(writer, place, block_mark(partial), [partial])
