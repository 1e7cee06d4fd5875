"""Lines to blocks: the block structure of CommonMark and GFM, each line read once.

The reader keeps the containers that are open and at most one open leaf. It never looks back: what a line
does depends on these and on the line alone, so it can stop after any line, and the tail of a document costs
what the tail is long. Source: CommonMark 0.31.2 appendix "A parsing strategy"; GFM 4.10 tables.
"""

from dataclasses import dataclass

from chatui.markdown import code_lines, display, paragraphs
from chatui.markdown import lines as shapes
from chatui.markdown.blocks import Alert, Place
from chatui.markdown.containers import INDENTED, MOST_NESTED
from chatui.markdown.formula_blocks import begins_block
from chatui.markdown.inline import read_whole
from chatui.markdown.leaves import (
    OpenCode,
    OpenFormula,
    OpenHeading,
    OpenParagraph,
    OpenTable,
)
from chatui.markdown.open_line import OpenLine
from chatui.markdown.rows import OpenRow


@dataclass(slots=True)
class Reader(OpenLine):
    """State of a document that is being read."""

    # --- lines ------------------------------------------------------------------------------------

    def read_line(self, line: str, start: int) -> None:
        """Read a line without its end."""
        self.begin_line(line, start)
        self.end_line()

    def begin_line(self, line: str, start: int) -> None:
        """Read a line that may go on, but is decided."""
        self.writer.references.characters_read += len(line)
        self._line_start, self.line_size, self._partial = start, len(line), ""
        rest, column, matched = self._containers.match(line)
        is_all_matched = matched == len(self._containers.frames)
        leaf = self._leaf
        if is_all_matched and isinstance(leaf, OpenCode) and self._continue_code(leaf, rest, column):
            return
        if is_all_matched and isinstance(leaf, OpenFormula) and self._continue_formula(leaf, rest, column):
            return
        self._open_blocks(rest, column, matched, is_all_matched=is_all_matched)

    def end_line(self) -> None:
        """The line is over."""
        self.line_size = 0
        match self._leaf:
            case OpenHeading():
                self._close_leaf()
            case OpenCode() as leaf:
                self.writer.end_code_line(leaf)
            case OpenTable() as leaf:
                self._end_row(leaf)
            case _:
                pass

    def finish(self) -> None:
        """The document is over."""
        self._close_to(1)

    def _continue_formula(self, leaf: OpenFormula, rest: str, column: int) -> bool:
        """Take a line of the open formula; False if it is none, but running text."""
        goes_on = display.take(self.writer, leaf, shapes.measure(rest, column)[1].rstrip(" \t"))
        if goes_on is False:
            self._formulas_in_vain += leaf.size
            self._leaf = display.as_paragraph(self.writer, leaf)
            return False
        if goes_on is None:
            self._leaf = None
            self._containers.had_blank = False
        return True

    def _continue_code(self, leaf: OpenCode, rest: str, column: int) -> bool:
        """Take a line of the open code block; False if the block ended before it."""
        goes_on = code_lines.take(self.writer, leaf, rest, column)
        if goes_on is None:
            self._close_leaf()
        elif goes_on:
            self._containers.had_blank = bool(leaf.blanks)
        return goes_on is not False

    def _open_blocks(self, rest: str, column: int, matched: int, *, is_all_matched: bool) -> None:
        """Open what the line begins; the rest of it is text of a leaf."""
        is_fresh = False
        while True:
            indent, body = shapes.measure(rest, column)
            if not body:
                break
            leaf = self._leaf if is_all_matched and not is_fresh else None
            paragraph = leaf if isinstance(leaf, OpenParagraph) else None
            if indent >= INDENTED:
                if isinstance(self._leaf, OpenParagraph) and not is_fresh:
                    break
                self._begin_indented(rest, column, matched)
                return
            if body[0].isalpha():
                break
            can_nest = matched <= MOST_NESTED
            if can_nest and body[0] == ">":
                self._close_to(matched)
                self._containers.open_quote()
                rest, column = shapes.advance(body[1:], column + indent + 1, 1)
                indent, body = shapes.measure(rest, column)
                if indent < INDENTED and (alert := shapes.ALERT.match(body)):
                    self._containers.name_quote(Alert(alert[1].lower()))
                    rest = ""
            elif self._begins_leaf(body, indent, matched, paragraph):
                return
            elif not can_nest:
                break
            elif item := shapes.item(body, indent, column, is_interrupting=paragraph is not None):
                self._close_to(matched)
                self._containers.open_item(item.kind, item.number, item.task, item.width)
                rest, column = item.rest, item.column
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
            return
        self._take_text(body, indent, matched, is_all_matched=is_all_matched, is_fresh=is_fresh)

    def _begins_leaf(self, body: str, indent: int, matched: int, paragraph: OpenParagraph | None) -> bool:
        """Whether the line is a heading, fence or rule, or makes the paragraph above a heading or table."""
        first = body[0]
        if first == "#" and (heading := shapes.HEADING.match(body)):
            self._close_to(matched)
            opened = OpenHeading(self._place(), len(heading[1]), self.writer.references)
            opened.feed(body[heading.end() :])
            self._leaf = opened
            return True
        if first in "`~" and (fence := shapes.FENCE.match(body)):
            self._close_to(matched)
            info = (fence[2] if fence[1] else fence[4]).strip(" \t")
            self._leaf = OpenCode(self._place(), shapes.language(info), fence[1] or fence[3], indent)
            return True
        if first in "$\\" and self._may_be_formula and begins_block(body):
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

    def _take_text(
        self, body: str, indent: int, matched: int, *, is_all_matched: bool, is_fresh: bool
    ) -> None:
        leaf = self._leaf
        if not is_fresh and isinstance(leaf, OpenParagraph):
            leaf.can_be_header = is_all_matched and indent < INDENTED
            paragraphs.add_line(self.writer, leaf, body)
            return
        if is_all_matched and not is_fresh and isinstance(leaf, OpenTable):
            self._containers.had_blank = False
            leaf.row = OpenRow(self.writer.references, len(leaf.alignments))
            leaf.row.feed(body)
            return
        self._close_to(matched)
        self._leaf = paragraph = paragraphs.opened(self.writer, self._place())
        paragraphs.begin(self.writer, paragraph, body)

    def _end_row(self, table: OpenTable) -> None:
        if table.row is not None:
            self.writer.add_row(table, self._containers.following(), table.row.finish())
            table.row = None

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
            case OpenHeading():
                self.writer.add_heading(leaf.place, leaf.finish(), leaf.level)
            case _:
                pass

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
        text = "\n".join(leaf.lines).strip(" \t")
        piece = read_whole(text, self.writer.references)
        self.writer.add_heading(leaf.place, piece, 1 if mark == "=" else 2)
        return True

    def _begin_table(self, leaf: OpenParagraph, body: str) -> bool:
        """Turn the last line of the open paragraph into a table header."""
        if not leaf.can_be_header or not leaf.lines or "|" not in leaf.lines[-1] or len(body.rstrip()) < 2:
            return False  # a single dash underlines a heading
        alignments = shapes.delimiter_row(body)
        if alignments is None or len(shapes.split_row(leaf.lines[-1])) != len(alignments):
            return False
        row = leaf.row
        header = leaf.lines.pop()
        self.writer.retract(leaf.first_block)
        place = leaf.place
        if leaf.lines:
            self._leaf = paragraphs.of_lines(self.writer, place, leaf.lines)
            self._close_leaf()
            place = self._place() if self.writer.blocks else place
        if row is None:
            row = OpenRow(self.writer.references, len(alignments))
            row.feed(header)
        table = OpenTable(len(self.writer.blocks), alignments)
        self._leaf = table
        self._containers.had_blank = False
        self.writer.add_row(table, place, row.finish(), is_header=True)
        return True
