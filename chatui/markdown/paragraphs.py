"""Paragraphs that are still open: their definitions, their settled pieces, and what is shown of their end."""

from typing import Final

from chatui.markdown.blocks import Alignment, Spans, Text
from chatui.markdown.definitions import Reading, read_definition
from chatui.markdown.inline import is_plain
from chatui.markdown.leaves import KnownSpans, OpenParagraph, OpenTable
from chatui.markdown.lines import split_row
from chatui.markdown.open_marks import MOST, close_open_marks, with_marks_closed, without_half_entity
from chatui.markdown.settle import OpenMark
from chatui.markdown.writer import BlockWriter

_LONG_END: Final = 600
"""Characters of an open end with open marks that are not read anew at every look."""
_ROUGH_PIECE: Final = 240
_LONGEST_LABEL: Final = 24
_BLANKS: Final = " \t\n"


def add_line(writer: BlockWriter, leaf: OpenParagraph, body: str) -> None:
    """One more line."""
    text = f"\n{body}" if leaf.lines else body
    leaf.lines.append(body)
    _feed(writer, leaf, text)


def add_text(writer: BlockWriter, leaf: OpenParagraph, text: str) -> None:
    """More of the last line."""
    leaf.lines[-1] += text
    _feed(writer, leaf, text)


def fill(writer: BlockWriter, leaf: OpenParagraph, lines: list[str]) -> None:
    """All lines of a paragraph at once."""
    leaf.lines = lines
    text = "\n".join(lines)
    leaf.is_waiting_for_definition = text.startswith("[")
    _feed(writer, leaf, text)


def has_only_definitions(writer: BlockWriter, leaf: OpenParagraph) -> bool:
    """Take the definitions off a paragraph that is over; whether nothing else was in it."""
    if leaf.is_waiting_for_definition:
        _take_definitions(writer, leaf, is_final=True)
        return not leaf.settler.text
    return False


def close(writer: BlockWriter, leaf: OpenParagraph) -> None:
    """The paragraph is over; it is more than definitions."""
    for piece in leaf.settler.settle(is_final=True):
        _add_piece(writer, leaf, piece)
    rest = leaf.settler.rest.rstrip(_BLANKS)
    if rest or not leaf.has_pieces:
        _add_piece(writer, leaf, rest)


def show_end(writer: BlockWriter, leaf: OpenParagraph) -> None:
    """Append what is shown of the open end."""
    if leaf.is_waiting_for_definition:
        _show_long_label(writer, leaf)
        return
    was_tentative, writer.is_tentative = writer.is_tentative, True
    if (
        len(leaf.lines) == 1
        and leaf.can_be_header
        and not leaf.has_pieces
        and _is_likely_header(leaf.lines[0])
    ):
        alignments = (Alignment.NONE,) * len(split_row(leaf.lines[0]))
        writer.add_row(OpenTable(len(writer.blocks), alignments), leaf.place, leaf.lines[0], is_header=True)
    else:
        _show_text(writer, leaf)
    writer.is_tentative = was_tentative


def _show_long_label(writer: BlockWriter, leaf: OpenParagraph) -> None:
    """Show text in an open bracket that is longer than a label would be: it is an aside or a link."""
    text = leaf.settler.text
    if len(text) <= _LONGEST_LABEL or "]" in text[:-1]:
        return
    was_tentative, writer.is_tentative = writer.is_tentative, True
    shown = with_marks_closed(text.rstrip(_BLANKS))
    writer.add_piece(leaf.place, shown, writer.spans(shown), is_continued=False)
    writer.is_tentative = was_tentative


def _is_likely_header(line: str) -> bool:
    """Whether a line that begins with a bar will be a table's header, should a delimiter line follow."""
    return line.startswith("|") and len(split_row(line)) > 1


def _show_text(writer: BlockWriter, leaf: OpenParagraph) -> None:
    settler = leaf.settler
    rest, cut = settler.rest, settler.cut
    is_flood = len(settler.stack) > MOST
    marks = [] if is_flood else [OpenMark(mark.mark, mark.at - cut, mark.size) for mark in settler.stack]
    is_undecided = settler.waits_at >= cut
    if not is_undecided:
        rest = without_half_entity(rest)
    spans: Spans | None = None
    if not marks and not is_undecided and not is_flood:
        spans = _settled_spans(writer, leaf, rest)
    decided = settler.waits_at - cut if is_undecided and rest.startswith("](", settler.waits_at - cut) else 0
    if spans is None and (is_flood or (decided or len(rest)) > _LONG_END) and not writer.is_exact:
        spans = _roughly(writer, leaf, rest, is_flood=is_flood)
    elif not is_flood and (marks or is_undecided):
        rest = close_open_marks(rest, marks, settler.waits_at - cut if is_undecided else -1)
    rest = rest.rstrip(_BLANKS)
    if rest or not leaf.has_pieces:
        place = leaf.place.following() if leaf.has_pieces else leaf.place
        if spans is None:
            spans = writer.spans(rest)
        writer.add_piece(place, rest, spans, is_continued=leaf.has_pieces)


def _feed(writer: BlockWriter, leaf: OpenParagraph, text: str) -> None:
    if leaf.is_waiting_for_definition:
        leaf.settler.text += text
        _take_definitions(writer, leaf, is_final=False)
        return
    for piece in leaf.settler.feed(text):
        _add_piece(writer, leaf, piece)


def _take_definitions(writer: BlockWriter, leaf: OpenParagraph, *, is_final: bool) -> None:
    """Take definitions off the start of a paragraph; what follows them is its text."""
    settler = leaf.settler
    while settler.text.startswith("["):
        reading = read_definition(settler.text, is_final)
        if reading is Reading.UNDECIDED:
            return
        if isinstance(reading, Reading):
            break
        writer.define(reading.label, reading.target, reading.title)
        settler.text = settler.text[reading.stop :]
        leaf.lines = settler.text.split("\n") if settler.text else []
        if not settler.text:
            return
    leaf.is_waiting_for_definition = False
    for piece in settler.settle():
        _add_piece(writer, leaf, piece)


def _add_piece(writer: BlockWriter, leaf: OpenParagraph, text: str) -> None:
    spans = leaf.known.extended(text)
    if spans is None:
        spans = writer.spans(text)
    place = leaf.place.following() if leaf.has_pieces else leaf.place
    writer.add_piece(place, text, spans, is_continued=leaf.has_pieces)
    leaf.has_pieces = True


def _roughly(writer: BlockWriter, leaf: OpenParagraph, rest: str, *, is_flood: bool) -> Spans:
    """Spans of a long end with open marks, read in pieces of their own so that each is read once.

    A mark that reaches over such a cut is shown open until it is closed; the blocks that are kept are read
    from the whole. In a flood of marks what came last is shown as it stands.
    """
    rest = rest.rstrip(_BLANKS)
    known = leaf.shown if rest.startswith(leaf.shown.text) else KnownSpans()
    added = rest[len(known.text) :]
    if len(added) > _ROUGH_PIECE:
        at = added.rfind(" ") + 1 or len(added)
        spans = writer.spans(with_marks_closed(added[:at]))
        known = KnownSpans(known.text + added[:at], (*known.spans, *spans))
        added = added[at:]
    leaf.shown = known
    if is_flood:
        writer.references.misses.clear()
        return (*known.spans, Text(added)) if added else known.spans
    spans = (*known.spans, *writer.spans(with_marks_closed(added)))
    writer.references.misses.clear()
    return spans


def _settled_spans(writer: BlockWriter, leaf: OpenParagraph, rest: str) -> Spans | None:
    """Spans of an open end without open marks: what was read before is kept, plain words are added."""
    spans = leaf.known.extended(rest)
    if spans is not None:
        return spans
    at = max(rest.rfind(" "), rest.rfind("\n")) + 1
    if not at or not is_plain(rest, at) or (")" in rest[at:] and "](" in rest):
        return None  # the last blank may stand inside a link's target
    known = KnownSpans(rest[:at], writer.spans(rest[:at]))
    # A look-up in vain must be made again by the block that is kept in the end.
    leaf.known = KnownSpans() if writer.references.misses else known
    return known.extended(rest)
