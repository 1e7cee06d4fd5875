"""Lines to blocks: the block structure of CommonMark and GFM, each line read once.

The reader keeps the containers that are open and at most one open leaf. It never looks back: what a line
does depends on these and on the line alone, so it can stop after any line, and the tail of a document costs
what the tail is long. Source: CommonMark 0.31.2 appendix "A parsing strategy"; GFM 4.10 tables.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from chatui.markdown import display, paragraphs
from chatui.markdown import lines as shapes
from chatui.markdown.blocks import Place, TaskState
from chatui.markdown.containers import INDENTED, OpenContainers, SavedContainers
from chatui.markdown.formulas import begins_block
from chatui.markdown.leaves import OpenCode, OpenFormula, OpenLeaf, OpenParagraph, OpenTable, SavedLeaf
from chatui.markdown.writer import BlockWriter


class SavedReader(NamedTuple):
    """What `restore` needs."""

    leaf: OpenLeaf | None
    leaf_state: SavedLeaf
    containers: SavedContainers


@dataclass(slots=True)
class Reader:
    """State of a document that is being read."""

    writer: BlockWriter = field(default_factory=BlockWriter)
    _containers: OpenContainers = field(default_factory=OpenContainers)
    _leaf: OpenLeaf | None = None
    _line_start: int = 0

    # --- lines ------------------------------------------------------------------------------------

    def read_line(self, line: str, start: int) -> str | None:
        """Read a line without its end; returns the running text that it holds, or None."""
        self._line_start = start
        rest, column, matched = self._containers.match(line)
        is_all_matched = matched == len(self._containers.frames)
        leaf = self._leaf
        if is_all_matched and isinstance(leaf, OpenCode) and self._continue_code(leaf, rest, column):
            return None
        if is_all_matched and isinstance(leaf, OpenFormula) and self._continue_formula(leaf, rest, column):
            return None
        return self._open_blocks(rest, column, matched, is_all_matched=is_all_matched)

    def read_text(self, text: str) -> None:
        """More of a line that is known to be running text."""
        assert isinstance(self._leaf, OpenParagraph)
        paragraphs.add_text(self.writer, self._leaf, text)

    def finish(self) -> None:
        """The document is over."""
        self._close_to(1)

    def _continue_code(self, leaf: OpenCode, rest: str, column: int) -> bool:
        """Take a line of the open code block; False if the block ended before it."""
        indent, body = shapes.measure(rest, column)
        if not leaf.fence:
            return self._continue_indented(leaf, rest, column, indent, is_blank=not body)
        if indent < INDENTED and body.startswith(leaf.fence[0]):
            marks = body.rstrip(" \t")
            if not marks.strip(leaf.fence[0]):
                if len(marks) >= len(leaf.fence):
                    self._close_leaf()
                    return True
                if self.writer.is_tentative:
                    return True
        self._add_code_line(leaf, shapes.advance(rest, column, leaf.indent)[0] if leaf.indent else rest)
        return True

    def _continue_formula(self, leaf: OpenFormula, rest: str, column: int) -> bool:
        """Take a line of the open formula; False if it is none, but running text."""
        goes_on = display.take(self.writer, leaf, shapes.measure(rest, column)[1].rstrip(" \t"))
        if goes_on is False:
            self._leaf = display.as_paragraph(self.writer, leaf)
            return False
        if goes_on is None:
            self._leaf = None
            self._containers.had_blank = False
        return True

    def _continue_indented(
        self, leaf: OpenCode, rest: str, column: int, indent: int, *, is_blank: bool
    ) -> bool:
        line = shapes.advance(rest, column, INDENTED)[0]
        if is_blank:
            leaf.blanks.append(line)
            self._containers.had_blank = True
            return True
        if indent < INDENTED:
            return False
        for blank in leaf.blanks:
            self._add_code_line(leaf, blank)
        leaf.blanks.clear()
        self._add_code_line(leaf, line)
        return True

    def _open_blocks(self, rest: str, column: int, matched: int, *, is_all_matched: bool) -> str | None:
        """Open what the line begins; the rest of it is text of a leaf."""
        is_fresh = False
        while True:
            indent, body = shapes.measure(rest, column)
            if self.writer.is_tentative and indent < INDENTED and self._is_held(body):
                return None
            if not body:
                break
            leaf = self._leaf if is_all_matched and not is_fresh else None
            paragraph = leaf if isinstance(leaf, OpenParagraph) else None
            if indent >= INDENTED:
                if isinstance(self._leaf, OpenParagraph) and not is_fresh:
                    break
                self._begin_indented(rest, column, matched)
                return None
            if body[0].isalpha():
                break
            if body[0] == ">":
                self._close_to(matched)
                self._containers.open_quote()
                rest, column = shapes.advance(body[1:], column + indent + 1, 1)
            elif self._begins_leaf(body, indent, matched, paragraph):
                return None
            elif (item := self._item(body, indent, column, matched, paragraph)) is not None:
                rest, column = item
            elif note := shapes.NOTE.match(body):
                self._close_to(matched)
                self._containers.open_note(note[1])
                self.writer.define_note(note[1])
                rest, column = body[note.end() :].lstrip(" \t"), column + indent + note.end()
            else:
                break
            matched, is_all_matched, is_fresh = len(self._containers.frames), True, True
        if not body:
            if not is_fresh:
                self._blank(matched, is_all_matched=is_all_matched)
            return None
        return self._take_text(body, indent, matched, is_all_matched=is_all_matched, is_fresh=is_fresh)

    def _is_held(self, body: str) -> bool:
        """Whether the start of a line may still become anything."""
        if isinstance(self._leaf, OpenTable) and body.startswith("|"):
            return False
        return shapes.HELD.match(body) is not None

    def _begins_leaf(self, body: str, indent: int, matched: int, paragraph: OpenParagraph | None) -> bool:
        """Whether the line is a heading, fence or rule, or makes the paragraph above a heading or table."""
        first = body[0]
        if first == "#" and (heading := shapes.HEADING.match(body)):
            self._close_to(matched)
            text = shapes.HEADING_END.sub("", body[heading.end() :]).strip(" \t")
            self.writer.add_heading(self._place(), text, len(heading[1]))
            return True
        if first in "`~" and (fence := shapes.FENCE.match(body)):
            self._close_to(matched)
            info = (fence[2] if fence[1] else fence[4]).strip(" \t")
            self._leaf = OpenCode(self._place(), shapes.language(info), fence[1] or fence[3], indent)
            return True
        if first in "$\\" and begins_block(body):
            self._close_to(matched)
            self._leaf = display.begin(self.writer, self._place(), body.rstrip(" \t"))
            return True
        if paragraph is not None:
            if first in "|-:" and self._begin_table(paragraph, body):
                return True
            if first in "=-" and shapes.SETEXT.match(body) and self._settle_heading(paragraph, first):
                return True
        if first in "*-_" and shapes.RULE.match(body):
            self._close_to(matched)
            self.writer.add_rule(self._place())
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
            return None  # it may not interrupt running text
        self._close_to(matched)
        column += indent + marker.end()
        padding, text = shapes.measure(rest, column)
        if not text or padding > INDENTED:
            padding = 1
        rest, column = shapes.advance(rest, column, padding)
        task = TaskState.NONE
        if box := shapes.TASK.match(rest):
            task = TaskState.OPEN if box[1] == " " else TaskState.DONE
            rest, column = rest[box.end() :], column + box.end()
        self._containers.open_item(kind, number, task, indent + marker.end() + padding)
        return rest, column

    def _take_text(
        self, body: str, indent: int, matched: int, *, is_all_matched: bool, is_fresh: bool
    ) -> str | None:
        leaf = self._leaf
        if not is_fresh and isinstance(leaf, OpenParagraph):
            leaf.can_be_header = is_all_matched and indent < INDENTED
            paragraphs.add_line(self.writer, leaf, body)
            return body
        if is_all_matched and not is_fresh and isinstance(leaf, OpenTable):
            self._containers.had_blank = False
            self.writer.add_row(leaf, self._containers.following(), body)
            return None
        self._close_to(matched)
        paragraph = OpenParagraph(self._place(), len(self.writer.blocks))
        paragraph.is_waiting_for_definition = body[0] == "["
        self._leaf = paragraph
        paragraphs.add_line(self.writer, paragraph, body)
        return body

    def _blank(self, matched: int, *, is_all_matched: bool) -> None:
        if isinstance(self._leaf, OpenCode) and not is_all_matched:
            self._close_to(matched)
        elif not isinstance(self._leaf, OpenCode):
            self._close_leaf()
        ended = self._containers.first_ended_by_blank(matched)
        if ended is not None:
            self._close_to(ended)
        self._containers.had_blank = True

    # --- leaves -----------------------------------------------------------------------------------

    def _place(self) -> Place:
        return self._containers.place(self._line_start)

    def _close_to(self, count: int) -> None:
        """Close the leaf and every container above `count` frames."""
        self._close_leaf()
        containers = self._containers
        while len(containers.frames) > count:
            if not containers.frames[-1].has_leaf:
                self.writer.add_empty(self._place())
            containers.pop()

    def _close_leaf(self) -> None:
        leaf, self._leaf = self._leaf, None
        match leaf:
            case OpenParagraph():
                if not paragraphs.has_only_definitions(self.writer, leaf):
                    paragraphs.close(self.writer, leaf)
                elif leaf.place.shared < len(leaf.place.path):
                    self._containers.take_back_place()
            case OpenCode():
                self.writer.add_code(leaf)
            case OpenFormula():
                paragraphs.close(self.writer, display.as_paragraph(self.writer, leaf))
            case _:
                pass

    def _add_code_line(self, leaf: OpenCode, line: str) -> None:
        self._containers.had_blank = False
        self.writer.add_code_line(leaf, line)

    def _begin_indented(self, rest: str, column: int, matched: int) -> None:
        self._close_to(matched)
        leaf = OpenCode(self._place(), "")
        self._leaf = leaf
        self._continue_code(leaf, rest, column)

    def _settle_heading(self, leaf: OpenParagraph, mark: str) -> bool:
        """Turn the open paragraph into a heading, unless it held definitions only."""
        if paragraphs.has_only_definitions(self.writer, leaf):
            return False
        self.writer.retract(leaf.first_block)
        self._leaf = None
        self.writer.add_heading(leaf.place, "\n".join(leaf.lines).strip(" \t"), 1 if mark == "=" else 2)
        return True

    def _begin_table(self, leaf: OpenParagraph, body: str) -> bool:
        """Turn the last line of the open paragraph into a table header."""
        if not leaf.can_be_header or not leaf.lines or "|" not in leaf.lines[-1] or len(body.rstrip()) < 2:
            return False  # a single dash underlines a heading
        alignments = shapes.delimiter_row(body)
        if alignments is None or len(shapes.split_row(leaf.lines[-1])) != len(alignments):
            return False
        header = leaf.lines.pop()
        self.writer.retract(leaf.first_block)
        place = leaf.place
        if leaf.lines:
            above = OpenParagraph(place, leaf.first_block)
            self._leaf = above
            paragraphs.fill(self.writer, above, leaf.lines)
            self._close_leaf()
            place = self._place() if self.writer.blocks else place
        table = OpenTable(len(self.writer.blocks), alignments)
        self._leaf = table
        self._containers.had_blank = False
        self.writer.add_row(table, place, header, is_header=True)
        return True

    # --- the open end -----------------------------------------------------------------------------

    def show_open_end(self) -> None:
        """Append what is shown of the open leaf."""
        match self._leaf:
            case OpenParagraph() as leaf:
                paragraphs.show_end(self.writer, leaf)
            case OpenCode() as leaf:
                self.writer.add_code(leaf, is_open=True)
            case OpenFormula() as leaf:
                display.show(self.writer, leaf)
            case _:
                pass

    @property
    def is_defining(self) -> bool:
        """Inside a paragraph of definitions: what they resolve is looked up when it is over."""
        return isinstance(self._leaf, OpenParagraph) and self._leaf.is_waiting_for_definition

    @property
    def is_in_code(self) -> bool:
        """Inside a code block."""
        return isinstance(self._leaf, OpenCode)

    def can_keep(self, body: str) -> bool:
        """Whether a line that is not over can only be running text, which what follows continues."""
        leaf = self._leaf
        if not isinstance(leaf, OpenParagraph) or leaf.is_waiting_for_definition:
            return False
        return shapes.is_decided_text(body, is_first=len(leaf.lines) <= 1)

    def save(self) -> SavedReader:
        """Remember the state before a line that is not over is tried."""
        leaf = self._leaf
        return SavedReader(leaf, leaf.save() if leaf is not None else None, self._containers.save())

    def restore(self, saved: SavedReader) -> None:
        """Forget the line that was tried."""
        self._leaf = saved.leaf
        if saved.leaf is not None:
            saved.leaf.restore(saved.leaf_state)
        self._containers.restore(saved.containers)
