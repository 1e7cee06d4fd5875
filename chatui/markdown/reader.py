"""Lines to blocks: the block structure of CommonMark and GFM, each line read once.

The reader keeps the containers that are open (quotes, items, footnotes) and at most one open leaf. It never looks back:
what a line does depends on these and on the line alone, so it can stop after any line, and the tail of a document costs
what the tail is long. Source: CommonMark 0.31.2 appendix "A parsing strategy"; GFM 4.10 tables.
"""

from dataclasses import dataclass, field
from typing import Final

from chatui.markdown import lines as shapes
from chatui.markdown.blocks import (
    Block,
    Code,
    Container,
    Heading,
    ListItem,
    Note,
    Paragraph,
    Path,
    Place,
    Quote,
    Rule,
    Spans,
    TableRow,
    TaskState,
    Text,
)
from chatui.markdown.definitions import Reading, read_definition
from chatui.markdown.inline import Definition, References, is_plain, parse_cell, parse_inline
from chatui.markdown.leaves import CODE_PIECE_LINES, KnownSpans, OpenCode, OpenLeaf, OpenParagraph, OpenTable
from chatui.markdown.open_marks import close_open_marks, with_marks_closed

_INDENTED: Final = 4
_LONG_END: Final = 600
"""Characters of an open end with open marks that are not read anew at every look."""


@dataclass(slots=True)
class _Frame:
    """An open container and what its next child must know."""

    container: Container | None
    content_column: int = 0
    """Columns that a line must be indented by to belong to an item or a note."""
    has_content: bool = False
    last_list: tuple[int, str, int, int] | None = None
    """Ordinal, kind, next number and depth of the list that ended last here, if nothing came after it."""


@dataclass(slots=True)
class Reader:
    """State of a document that is being read; `blocks` holds what is certain, then what is shown of the open end."""

    references: References = field(default_factory=References)
    blocks: list[Block] = field(default_factory=list)
    characters_parsed: int = 0
    """Characters given to inline parsing; tests hold it against the characters received."""
    is_exact: bool = False
    """Nothing is put off."""
    is_tentative: bool = False
    """A line that is not over is being tried: nothing may be kept."""
    waiting: dict[str, set[int]] = field(default_factory=dict)
    """Labels looked up in vain, and the blocks that did."""
    sources: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """Source of the blocks in `waiting`."""
    defined: list[str] = field(default_factory=list)
    lowest_change: int = 0
    """Lowest block that was taken back since the caller reset it."""
    _frames: list[_Frame] = field(default_factory=lambda: [_Frame(None)])
    _path: Path = ()
    _leaf: OpenLeaf | None = None
    _previous_path: Path = ()
    _previous_start: int = 0
    _has_blocks: bool = False
    _had_blank: bool = False
    _ordinal: int = 0
    _line_start: int = 0
    _known_cells: dict[str, Spans] = field(default_factory=dict)

    # --- lines -------------------------------------------------------------------------------------------------

    def read_line(self, line: str, start: int) -> str | None:
        """Read a line without its end. Tentatively, returns the running text that it holds, or None."""
        self._line_start = start
        rest, column, matched = self._match_containers(line)
        is_all_matched = matched == len(self._frames)
        leaf = self._leaf
        if is_all_matched and isinstance(leaf, OpenCode) and self._continue_code(leaf, rest, column):
            return None
        return self._open_blocks(rest, column, matched, is_all_matched)

    def read_text(self, text: str) -> None:
        """More of a line that is known to be running text."""
        leaf = self._leaf
        assert isinstance(leaf, OpenParagraph)
        leaf.lines[-1] += text
        self._feed(leaf, text)

    def finish(self) -> None:
        """The document is over."""
        self._close_to(1)

    def _match_containers(self, line: str) -> tuple[str, int, int]:
        rest, column, matched = line, 0, 1
        for frame in self._frames[1:]:
            indent, body = shapes.measure(rest, column)
            if isinstance(frame.container, Quote):
                if indent >= _INDENTED or not body.startswith(">"):
                    break
                column += indent + 1
                rest, column = shapes.advance(body[1:], column, 1)
            elif not body:
                if not frame.has_content:
                    break
                rest, column = "", column + indent
            elif indent >= frame.content_column:
                rest, column = shapes.advance(rest, column, frame.content_column)
            else:
                break
            matched += 1
        return rest, column, matched

    def _continue_code(self, leaf: OpenCode, rest: str, column: int) -> bool:
        indent, body = shapes.measure(rest, column)
        if not leaf.fence:
            if not body:
                leaf.blanks.append(shapes.advance(rest, column, _INDENTED)[0])
                self._had_blank = True
                return True
            if indent < _INDENTED:
                return False
            for blank in leaf.blanks:
                self._add_code(leaf, blank)
            leaf.blanks.clear()
            self._add_code(leaf, shapes.advance(rest, column, _INDENTED)[0])
            return True
        if indent < _INDENTED and body.startswith(leaf.fence[0]):
            marks = body.rstrip(" \t")
            if not marks.strip(leaf.fence[0]):
                if len(marks) >= len(leaf.fence):
                    self._close_leaf()
                    return True
                if self.is_tentative:
                    return True
        self._add_code(leaf, shapes.advance(rest, column, leaf.indent)[0] if leaf.indent else rest)
        return True

    def _open_blocks(self, rest: str, column: int, matched: int, is_all_matched: bool) -> str | None:
        """Open what the line begins; the rest of it is text of a leaf."""
        is_fresh = False
        while True:
            indent, body = shapes.measure(rest, column)
            if self.is_tentative and indent < _INDENTED and shapes.HELD.match(body):
                if not (isinstance(self._leaf, OpenTable) and body.startswith("|")):
                    return None
            if not body:
                break
            leaf = self._leaf if is_all_matched and not is_fresh else None
            paragraph = leaf if isinstance(leaf, OpenParagraph) else None
            if indent >= _INDENTED:
                if isinstance(self._leaf, OpenParagraph) and not is_fresh:
                    break
                self._close_to(matched)
                self._begin_code(OpenCode(self._place(), ""))
                self._continue_code(self._code(), rest, column)
                return None
            if body[0].isalpha() and body[0] not in "-+*":
                break
            if body[0] == ">":
                self._close_to(matched)
                self._ordinal += 1
                self._push(Quote(self._ordinal), 0)
                rest, column = shapes.advance(body[1:], column + indent + 1, 1)
            elif self._begins_leaf(body, indent, matched, paragraph):
                return None
            elif (item := self._item(body, indent, column, matched, paragraph)) is not None:
                rest, column = item
            elif note := shapes.NOTE.match(body):
                self._close_to(matched)
                self._ordinal += 1
                self._push(Note(self._ordinal, note[1]), _INDENTED)
                if not self.is_tentative:
                    self.references.notes.add(note[1])
                    self.defined.append("^" + note[1])
                column += indent + note.end()
                rest = body[note.end() :].lstrip(" \t")
            else:
                break
            matched, is_all_matched, is_fresh = len(self._frames), True, True
        return self._take_text(body, indent, matched, is_all_matched, is_fresh)

    def _begins_leaf(self, body: str, indent: int, matched: int, paragraph: OpenParagraph | None) -> bool:
        """Whether the line is a heading, a fence, a rule, or settles the paragraph above as heading or table."""
        first = body[0]
        if first == "#" and (heading := shapes.HEADING.match(body)):
            self._close_to(matched)
            text = shapes.HEADING_END.sub("", body[heading.end() :]).strip(" \t")
            self._add_heading(self._place(), text, len(heading[1]))
            return True
        if first in "`~" and (fence := shapes.FENCE.match(body)):
            self._close_to(matched)
            info = (fence[2] if fence[1] else fence[4]).strip(" \t")
            self._begin_code(OpenCode(self._place(), _language(info), fence[1] or fence[3], indent))
            return True
        if paragraph is not None and first in "|-:" and self._begin_table(paragraph, body):
            return True
        if (
            paragraph is not None
            and first in "=-"
            and shapes.SETEXT.match(body)
            and self._settle_heading(paragraph, first)
        ):
            return True
        if first in "*-_" and shapes.RULE.match(body):
            self._close_to(matched)
            place = self._place()
            self._emit(Rule(key=len(self.blocks), place=place))
            return True
        return False

    def _item(
        self, body: str, indent: int, column: int, matched: int, paragraph: OpenParagraph | None
    ) -> tuple[str, int] | None:
        """Begin a list item; returns the rest of the line, or None if it is none."""
        number: int | None = None
        if marker := shapes.BULLET.match(body):
            kind = marker[0]
        elif marker := shapes.NUMBER.match(body):
            number, kind = int(marker[1]), marker[2]
        else:
            return None
        rest = body[marker.end() :]
        if paragraph is not None and (not rest.strip(" \t") or (number is not None and number != 1)):
            return None
        self._close_to(matched)
        column += indent + marker.end()
        padding, text = shapes.measure(rest, column)
        if not text or padding > _INDENTED:
            padding = 1
        width = indent + marker.end() + padding
        rest, column = shapes.advance(rest, column, padding)
        task = TaskState.NONE
        if box := shapes.TASK.match(rest):
            task = TaskState.OPEN if box[1] == " " else TaskState.DONE
            rest, column = rest[box.end() :], column + box.end()
        self._ordinal += 1
        parent = self._frames[-1]
        known = parent.last_list
        if known is not None and known[1] == kind:
            parent.last_list = (known[0], kind, known[2] + 1, known[3])
        else:
            depth = sum(isinstance(frame.container, ListItem) for frame in self._frames)
            parent.last_list = (self._ordinal, kind, (number or 0) + 1, depth)
        listing = parent.last_list
        shown = None if number is None else listing[2] - 1
        kept = parent.last_list
        self._push(ListItem(self._ordinal, listing[0], shown, listing[3], task), width)
        parent.last_list = kept
        return rest, column

    def _take_text(
        self, body: str, indent: int, matched: int, is_all_matched: bool, is_fresh: bool
    ) -> str | None:
        leaf = self._leaf
        if not body:
            if not is_fresh:
                self._blank(matched, is_all_matched)
            return None
        if not is_fresh and isinstance(leaf, OpenParagraph):
            self._add_line(leaf, body, is_all_matched and indent < _INDENTED)
            return body
        if is_all_matched and not is_fresh and isinstance(leaf, OpenTable):
            self._add_row(leaf, body)
            return None
        self._close_to(matched)
        paragraph = OpenParagraph(self._place(), len(self.blocks))
        self._leaf = paragraph
        paragraph.is_waiting_for_definition = body[0] == "["
        self._add_line(paragraph, body, True)
        return body

    def _blank(self, matched: int, is_all_matched: bool) -> None:
        leaf = self._leaf
        if isinstance(leaf, OpenCode) and not is_all_matched:
            self._close_to(matched)
        elif not isinstance(leaf, OpenCode):
            self._close_leaf()
        for index in range(matched, len(self._frames)):
            # A quote ends at a blank line; an item without any content does as well.
            if isinstance(self._frames[index].container, Quote) or not self._frames[index].has_content:
                self._close_to(index)
                break
        self._had_blank = True

    # --- containers --------------------------------------------------------------------------------------------

    def _push(self, container: Container, content_column: int) -> None:
        self._frames[-1].has_content = True
        self._frames[-1].last_list = None
        self._frames.append(_Frame(container, content_column))
        self._path = (*self._path, container)

    def _close_to(self, count: int) -> None:
        """Close the leaf and every container above `count` frames."""
        self._close_leaf()
        while len(self._frames) > count:
            if not self._frames[-1].has_content:
                self._emit(Paragraph(key=len(self.blocks), place=self._place(), spans=()))
            self._frames.pop()
            self._path = self._path[:-1]

    def _place(self) -> Place:
        """Place of a leaf that begins now."""
        path, previous = self._path, self._previous_path
        shared = 0
        for one, other in zip(path, previous, strict=False):
            if one is not other:
                break
            shared += 1
        is_sibling = False
        if shared < len(path) and shared < len(previous):
            match previous[shared], path[shared]:
                case ListItem() as before, ListItem() as after:
                    is_sibling = before.list_ordinal == after.list_ordinal
                case Note(), Note():
                    is_sibling = True
                case _:
                    pass
        is_local = is_sibling or (shared > 0 and not isinstance(path[shared - 1], Quote))
        is_same_root = self._has_blocks and (shared > 0 or (is_sibling and isinstance(path[0], ListItem)))
        frame = self._frames[-1]
        frame.has_content = True
        frame.last_list = None
        place = Place(
            path=path,
            shared=shared,
            has_gap=self._has_blocks and (self._had_blank if is_local else True),
            start=self._previous_start if is_same_root else self._line_start,
        )
        self._previous_path, self._previous_start = path, place.start
        self._has_blocks, self._had_blank = True, False
        return place

    # --- leaves ------------------------------------------------------------------------------------------------

    def _emit(self, block: Block) -> None:
        self.blocks.append(block)

    def _spans(self, text: str) -> Spans:
        if is_plain(text):
            return (Text(text),) if text else ()
        self.characters_parsed += len(text)
        return parse_inline(text, self.references)

    def _cells(self, texts: list[str]) -> tuple[Spans, ...]:
        """Spans of a row's cells; those of a row that is not over are read once."""
        out: list[Spans] = []
        known, self._known_cells = self._known_cells, {}
        for text in texts:
            spans = known.get(text)
            if spans is None:
                misses = len(self.references.misses)
                self.characters_parsed += 0 if is_plain(text) else len(text)
                spans = parse_cell(text, self.references)
                if len(self.references.misses) > misses:
                    out.append(spans)
                    continue
            if self.is_tentative:
                self._known_cells[text] = spans
            out.append(spans)
        return tuple(out)

    def remember(self, key: int, *source: str) -> None:
        """Note what a block looked up in vain, so that a late definition finds it."""
        misses = self.references.misses
        if misses:
            if not self.is_tentative:
                self.sources[key] = source
                for label in misses:
                    self.waiting.setdefault(label, set()).add(key)
            misses.clear()

    def _add_heading(self, place: Place, text: str, level: int) -> None:
        key = len(self.blocks)
        if self.is_tentative:
            text = with_marks_closed(text)
        self._emit(Heading(key=key, place=place, spans=self._spans(text), level=level))
        self.remember(key, text)

    def _add_piece(self, leaf: OpenParagraph, text: str, spans: Spans | None = None) -> None:
        key = len(self.blocks)
        place = leaf.place if not leaf.has_pieces else _continued(leaf.place)
        if spans is None:
            spans = leaf.known.extended(text)
            if spans is None:
                spans = self._spans(text)
        self._emit(Paragraph(key=key, place=place, spans=spans, is_continued=leaf.has_pieces))
        leaf.has_pieces = True
        self.remember(key, text)

    def _add_line(self, leaf: OpenParagraph, body: str, can_be_header: bool) -> None:
        leaf.can_be_header = can_be_header
        text = "\n" + body if leaf.lines else body
        leaf.lines.append(body)
        self._feed(leaf, text)

    def _feed(self, leaf: OpenParagraph, text: str) -> None:
        if leaf.is_waiting_for_definition:
            leaf.settler.text += text
            self._take_definitions(leaf, is_final=False)
            return
        for piece in leaf.settler.feed(text):
            self._add_piece(leaf, piece)

    def _take_definitions(self, leaf: OpenParagraph, is_final: bool) -> None:
        """Take definitions off the start of a paragraph; what follows them is its text."""
        settler = leaf.settler
        while settler.text.startswith("["):
            reading = read_definition(settler.text, is_final)
            if reading is Reading.UNDECIDED:
                return
            if reading is Reading.NONE or isinstance(reading, Reading):
                break
            if not self.is_tentative and reading.label not in self.references.links:
                self.references.links[reading.label] = Definition(reading.target, reading.title)
                self.defined.append(reading.label)
            settler.text = settler.text[reading.stop :]
            leaf.lines = settler.text.split("\n") if settler.text else []
            if not settler.text:
                return
        leaf.is_waiting_for_definition = False
        for piece in settler.settle():
            self._add_piece(leaf, piece)

    def _close_leaf(self) -> None:
        leaf, self._leaf = self._leaf, None
        match leaf:
            case OpenParagraph():
                self._close_paragraph(leaf)
            case OpenCode():
                if leaf.lines or not leaf.first_line:
                    self._emit(self._code_block(leaf))
            case _:
                pass

    def _close_paragraph(self, leaf: OpenParagraph) -> None:
        settler = leaf.settler
        if leaf.is_waiting_for_definition:
            self._take_definitions(leaf, is_final=True)
            if not settler.text:
                if self._frames[-1].container is not None and leaf.place.shared < len(leaf.place.path):
                    # The container holds nothing to see, but it is there.
                    self._emit(Paragraph(key=len(self.blocks), place=leaf.place, spans=()))
                return
        for piece in settler.settle(is_final=True):
            self._add_piece(leaf, piece)
        rest = settler.rest.rstrip(" \t\n")
        if rest or not leaf.has_pieces:
            self._add_piece(leaf, rest)

    def _begin_code(self, leaf: OpenCode) -> None:
        self._leaf = leaf

    def _code(self) -> OpenCode:
        assert isinstance(self._leaf, OpenCode)
        return self._leaf

    def _add_code(self, leaf: OpenCode, line: str) -> None:
        leaf.lines.append(line)
        self._had_blank = False
        if len(leaf.lines) >= CODE_PIECE_LINES and not self.is_tentative:
            self._emit(self._code_block(leaf))
            leaf.first_line += len(leaf.lines)
            leaf.lines = []
            leaf.place = _continued(leaf.place)

    def _code_block(self, leaf: OpenCode) -> Code:
        return Code(
            key=len(self.blocks),
            place=leaf.place,
            language=leaf.language,
            lines=tuple(leaf.lines),
            first_line=leaf.first_line,
        )

    def _retract(self, leaf: OpenParagraph) -> None:
        """Take back what was handed out of a paragraph that turns out to be something else."""
        if len(self.blocks) > leaf.first_block:
            for key in range(leaf.first_block, len(self.blocks)):
                self.sources.pop(key, None)
            self.lowest_change = min(self.lowest_change, leaf.first_block)
            del self.blocks[leaf.first_block :]

    def _settle_heading(self, leaf: OpenParagraph, mark: str) -> bool:
        """Turn the open paragraph into a heading, unless it held definitions only."""
        if leaf.is_waiting_for_definition:
            self._take_definitions(leaf, is_final=True)
            if not leaf.settler.text:
                return False
        self._retract(leaf)
        self._leaf = None
        self._add_heading(leaf.place, "\n".join(leaf.lines).strip(" \t"), 1 if mark == "=" else 2)
        return True

    def _begin_table(self, leaf: OpenParagraph, body: str) -> bool:
        """Turn the last line of the open paragraph into a table header."""
        if not leaf.can_be_header or not leaf.lines or "|" not in leaf.lines[-1]:
            return False
        alignments = shapes.delimiter_row(body)
        if alignments is None or len(shapes.split_row(leaf.lines[-1])) != len(alignments):
            return False
        header = leaf.lines.pop()
        self._retract(leaf)
        self._leaf = None
        place = leaf.place
        if leaf.lines:
            text = "\n".join(leaf.lines)
            above = OpenParagraph(place, len(self.blocks), is_waiting_for_definition=text.startswith("["))
            above.lines = leaf.lines
            self._leaf = above
            self._feed(above, text)
            self._close_leaf()
            place = self._place() if self.blocks else place
        table = OpenTable(len(self.blocks), alignments)
        self._leaf = table
        self._add_row(table, header, place, is_header=True)
        return True

    def _add_row(
        self, leaf: OpenTable, line: str, place: Place | None = None, is_header: bool = False
    ) -> None:
        texts = shapes.split_row(line)
        count = len(leaf.alignments)
        if len(texts) > count:
            # More cells than columns: GFM drops them, but what was received is shown.
            texts[count - 1 :] = [" | ".join(texts[count - 1 :])]
        if self.is_tentative and texts:
            texts[-1] = with_marks_closed(texts[-1])
        texts += [""] * (count - len(texts))
        key = len(self.blocks)
        self._had_blank = False
        self._emit(
            TableRow(
                key=key,
                place=place or _continued_path(self._path, self._previous_start),
                table=leaf.table,
                alignments=leaf.alignments,
                cells=self._cells(texts),
                is_header=is_header,
            )
        )
        self.remember(key, *texts)

    # --- the open end ------------------------------------------------------------------------------------------

    def show_open_end(self) -> None:
        """Append what is shown of the open leaf."""
        match self._leaf:
            case OpenParagraph() as leaf:
                if leaf.is_waiting_for_definition:
                    return
                settler = leaf.settler
                cut = settler.cut
                marks = [mark._replace(at=mark.at - cut) for mark in settler.stack if mark.at >= cut]
                rest = settler.rest
                spans: Spans | None = None
                if (marks or settler.waits_at >= cut) and len(rest) > _LONG_END and not self.is_exact:
                    rest = rest.rstrip(" \t\n")
                    spans = self._roughly(leaf, rest)
                elif marks or settler.waits_at >= cut:
                    rest = close_open_marks(
                        rest, marks, settler.waits_at - cut if settler.waits_at >= cut else -1
                    )
                    rest = rest.rstrip(" \t\n")
                else:
                    spans = self._settled_spans(leaf, rest)
                    rest = rest.rstrip(" \t\n")
                if rest or not leaf.has_pieces:
                    was_tentative, self.is_tentative = self.is_tentative, True
                    has_pieces = leaf.has_pieces
                    self._add_piece(leaf, rest, spans)
                    leaf.has_pieces, self.is_tentative = has_pieces, was_tentative
            case OpenCode() as leaf:
                if leaf.lines or not leaf.first_line:
                    self._emit(self._code_block(leaf))
            case _:
                pass

    def _roughly(self, leaf: OpenParagraph, rest: str) -> Spans:
        """Spans of a long end with open marks: read anew only when it has grown by a quarter."""
        known = leaf.shown
        if not rest.startswith(known.text) or len(rest) * 4 > len(known.text) * 5:
            known = leaf.shown = KnownSpans(rest, self._spans(rest))
            self.references.misses.clear()
        added = rest[len(known.text) :]
        return (*known.spans, Text(added)) if added else known.spans

    def _settled_spans(self, leaf: OpenParagraph, rest: str) -> Spans | None:
        """Spans of an open end without open marks: what was read before is kept, plain words are added."""
        spans = leaf.known.extended(rest)
        if spans is not None:
            return spans
        at = max(rest.rfind(" "), rest.rfind("\n")) + 1
        if not at or not is_plain(rest, at):
            return None
        leaf.known = KnownSpans(rest[:at], self._spans(rest[:at]))
        if self.references.misses:
            # A look-up in vain must be noted by the block that is kept in the end.
            leaf.known, spans = KnownSpans(), leaf.known.extended(rest)
            return spans
        return leaf.known.extended(rest)

    @property
    def is_defining(self) -> bool:
        """Inside a paragraph of definitions: what they resolve is looked up when it is over."""
        return isinstance(self._leaf, OpenParagraph) and self._leaf.is_waiting_for_definition

    @property
    def is_in_code(self) -> bool:
        """Inside a code block."""
        return isinstance(self._leaf, OpenCode)

    def can_keep(self, body: str) -> bool:
        """Whether a line that is not over can only be running text, so that what follows just continues it."""
        leaf = self._leaf
        if not isinstance(leaf, OpenParagraph) or leaf.is_waiting_for_definition:
            return False
        return shapes.is_decided_text(body, is_first=len(leaf.lines) <= 1)

    def save(self) -> tuple[object, ...]:
        """Remember the state before a line that is not over is tried."""
        leaf = self._leaf
        return (
            leaf,
            leaf.save() if leaf is not None else (),
            [(frame, frame.has_content, frame.last_list) for frame in self._frames],
            self._path,
            self._previous_path,
            self._previous_start,
            self._has_blocks,
            self._had_blank,
            self._ordinal,
            self._line_start,
        )

    def restore(self, saved: tuple[object, ...]) -> None:
        """Forget the line that was tried."""
        (
            self._leaf,
            leaf_saved,
            frames,
            self._path,
            self._previous_path,
            self._previous_start,
            self._has_blocks,
            self._had_blank,
            self._ordinal,
            self._line_start,
        ) = saved  # type: ignore[assignment]
        if self._leaf is not None:
            self._leaf.restore(leaf_saved)  # type: ignore[arg-type]
        self._frames = []
        for frame, has_content, last_list in frames:  # type: ignore[attr-defined]
            frame.has_content, frame.last_list = has_content, last_list
            self._frames.append(frame)


def _continued(place: Place) -> Place:
    return _continued_path(place.path, place.start)


def _continued_path(path: Path, start: int = 0) -> Place:
    return Place(path=path, shared=len(path), start=start)


def _language(info: str) -> str:
    """First word of an info string, with escapes and entities read."""
    word = info.replace("\t", " ").partition(" ")[0]
    if "\\" in word or "&" in word:
        from markdown_it.common.utils import unescapeAll

        return unescapeAll(word)
    return word
