"""Paragraphs that are still open: their definitions, their settled pieces, and what is shown of their end.

Guards: the text of a paragraph is read once; while it may still be a definition or the header of a table it
is not read as running text at all, unless that is long enough to be shown.
"""

from typing import Final

from chatui.markdown import lines as shapes
from chatui.markdown.blocks import Alignment, Place, Text
from chatui.markdown.definitions import DefinitionReader, Reading
from chatui.markdown.inline_reader import InlineReader, Piece
from chatui.markdown.leaves import OpenParagraph, OpenTable
from chatui.markdown.open_marks import shown_spans
from chatui.markdown.rows import OpenRow
from chatui.markdown.writer import BlockWriter

_LONGEST_LABEL: Final = 24
_LONGEST_HEADER: Final = 1000
"""A longer line that begins with a bar is shown as text until a delimiter line follows."""
_BLANKS: Final = " \t\n"
_HARD_BREAK: Final = "  "
"""Before a line end it asks for a new line."""


def of_lines(writer: BlockWriter, place: Place, lines: list[str]) -> OpenParagraph:
    """A paragraph of lines that were taken for something else."""
    leaf = opened(writer, place)
    first, *others = lines
    begin(writer, leaf, first)
    for line in others:
        add_line(writer, leaf, line)
    return leaf


def opened(writer: BlockWriter, place: Place) -> OpenParagraph:
    """A paragraph without any text yet."""
    return OpenParagraph(place, len(writer.blocks), InlineReader(writer.references, is_cut=True))


def begin(writer: BlockWriter, leaf: OpenParagraph, body: str) -> None:
    """The first line."""
    leaf.lines.append(body)
    leaf.is_waiting_for_definition = body[0] == "["
    leaf.is_html = shapes.is_tag(body)
    if body[0] == "|":
        leaf.row = OpenRow(writer.references)
    if leaf.is_waiting_for_definition or leaf.row is not None:
        leaf.waiting = ""
    _feed(writer, leaf, body)


def add_line(writer: BlockWriter, leaf: OpenParagraph, body: str) -> None:
    """One more line."""
    _end_waiting_for_table(writer, leaf)
    leaf.lines.append(body)
    leaf.is_html = leaf.is_html or shapes.is_tag(body)
    end = f"{_HARD_BREAK}\n" if leaf.is_html else "\n"
    _feed(writer, leaf, f"{end}{body}" if len(leaf.lines) > 1 else body)


def add_text(writer: BlockWriter, leaf: OpenParagraph, text: str) -> None:
    """More of the last line."""
    leaf.add_text(text)
    _feed(writer, leaf, text)


def has_only_definitions(writer: BlockWriter, leaf: OpenParagraph) -> bool:
    """Take the definitions off a paragraph that is over; whether nothing else was in it."""
    if leaf.is_waiting_for_definition:
        _take_definitions(writer, leaf, is_final=True)
        return not leaf.lines
    return False


def close(writer: BlockWriter, leaf: OpenParagraph) -> None:
    """The paragraph is over; it is more than definitions."""
    _end_waiting_for_table(writer, leaf)
    for piece in leaf.reader.finish():
        _add_piece(writer, leaf, piece)
    if not leaf.has_pieces:
        writer.show_piece(leaf.place, (), is_continued=False)


def show_end(writer: BlockWriter, leaf: OpenParagraph) -> None:
    """Append what is shown of the open end."""
    if leaf.is_waiting_for_definition:
        _show_long_label(writer, leaf)
    elif leaf.row is not None:
        cells = leaf.row.shown(is_exact=writer.is_exact)
        if len(cells) > 1:
            table = OpenTable(len(writer.blocks), (Alignment.NONE,) * len(cells))
            writer.show_row(table, leaf.place, cells, is_header=True)
        else:
            line = leaf.lines[0]
            bar = Text(line[: len(line) - len(line[1:].lstrip(_BLANKS))])
            writer.show_piece(leaf.place, (bar, *(cells[0] if cells else ())), is_continued=False)
    else:
        _show_text(writer, leaf)


def _show_text(writer: BlockWriter, leaf: OpenParagraph) -> None:
    spans = shown_spans(leaf.reader, is_exact=writer.is_exact)
    if spans or not leaf.has_pieces:
        place = leaf.place.following() if leaf.has_pieces else leaf.place
        writer.show_piece(place, spans, is_continued=leaf.has_pieces)


def _show_long_label(writer: BlockWriter, leaf: OpenParagraph) -> None:
    """Show text in an open bracket that is longer than a label would be: it is an aside or a link."""
    text = leaf.waiting or ""
    if len(text) <= _LONGEST_LABEL or "]" in text[leaf.previewed : -1] or not leaf.definition.is_in_label:
        return
    stop = len(text) - text.endswith("]")
    leaf.queue += leaf.reader.feed(text[leaf.previewed : stop])
    leaf.previewed = stop
    number = len(writer.blocks)
    for piece in leaf.queue:
        place = leaf.place if len(writer.blocks) == number else leaf.place.following()
        writer.show_piece(place, piece.spans, is_continued=len(writer.blocks) > number)
    spans = shown_spans(leaf.reader, is_exact=writer.is_exact)
    if spans:
        place = leaf.place if len(writer.blocks) == number else leaf.place.following()
        writer.show_piece(place, spans, is_continued=len(writer.blocks) > number)


def _end_waiting_for_table(writer: BlockWriter, leaf: OpenParagraph) -> None:
    """The first line is no header after all."""
    if leaf.row is not None:
        leaf.row = None
        _begin_reading(writer, leaf)


def _begin_reading(writer: BlockWriter, leaf: OpenParagraph) -> None:
    text, leaf.waiting = leaf.waiting or "", None
    for piece in (*leaf.queue, *leaf.reader.feed(text[leaf.previewed :])):
        _add_piece(writer, leaf, piece)
    leaf.queue.clear()


def _feed(writer: BlockWriter, leaf: OpenParagraph, text: str) -> None:
    if leaf.waiting is None:
        for piece in leaf.reader.feed(text):
            _add_piece(writer, leaf, piece)
        return
    leaf.waiting += text
    if leaf.row is not None:
        if len(leaf.waiting) > _LONGEST_HEADER:
            _end_waiting_for_table(writer, leaf)
        else:
            leaf.row.feed(text)
    elif leaf.definition.is_worth_reading(text, len(leaf.waiting)):
        _take_definitions(writer, leaf, is_final=False)


def _take_definitions(writer: BlockWriter, leaf: OpenParagraph, *, is_final: bool) -> None:
    """Take definitions off the start of a paragraph; what follows them is its text."""
    text = leaf.waiting or ""
    while text.startswith("["):
        before = leaf.definition.characters_read
        reading = leaf.definition.read(text, is_final=is_final)
        writer.references.characters_read += leaf.definition.characters_read - before
        if isinstance(reading, Reading):
            if reading is not Reading.NONE:
                leaf.waiting = text
                return
            break
        leaf.definition = DefinitionReader()
        writer.define(reading.label, reading.target, reading.title)
        text = text[reading.stop :]
        leaf.waiting = text
        leaf.set_lines(text.split("\n") if text else [])
        leaf.reader, leaf.previewed = InlineReader(writer.references, is_cut=True), 0
        leaf.queue.clear()
        if not text:
            return
    leaf.is_waiting_for_definition = False
    _begin_reading(writer, leaf)


def _add_piece(writer: BlockWriter, leaf: OpenParagraph, piece: Piece) -> None:
    place = leaf.place.following() if leaf.has_pieces else leaf.place
    writer.add_piece(place, piece, is_continued=leaf.has_pieces)
    leaf.has_pieces = True
