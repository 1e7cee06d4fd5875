"""The line that is not over: what is known of it, and what is shown of it.

Guards: what a line is shown as is what it will be read as; text of it that comes later goes to the leaf that
it belongs to, once. Source: CommonMark 0.31.2 appendix "A parsing strategy".
"""

from dataclasses import dataclass, field
from typing import Final

from chatui.markdown import open_end, paragraphs
from chatui.markdown.containers import OpenContainers
from chatui.markdown.deciding import Decision, decide
from chatui.markdown.leaves import OpenCode, OpenFormula, OpenHeading, OpenLeaf, OpenParagraph, OpenTable
from chatui.markdown.rows import OpenRow
from chatui.markdown.writer import BlockWriter

_FREE: Final = 1024
"""So much may look like formulas on lines of their own and be none, in addition to a share of the text."""


@dataclass(slots=True)
class OpenLine:
    """What is open at the end of a document that is being read."""

    writer: BlockWriter = field(default_factory=BlockWriter)
    _containers: OpenContainers = field(default_factory=OpenContainers)
    _leaf: OpenLeaf | None = None
    _line_start: int = 0
    line_size: int = 0
    """Characters of the line that is not over."""
    _formulas_in_vain: int = 0
    """Characters of formulas on lines of their own that turned out to be none."""
    _partial: str = ""
    """The line that is not over as far as it may be part of a formula."""

    def read_text(self, text: str) -> None:
        """More of the line."""
        self.writer.references.characters_read += len(text)
        self.line_size += len(text)
        match self._leaf:
            case OpenParagraph() as leaf:
                paragraphs.add_text(self.writer, leaf, text)
            case OpenHeading() as leaf:
                leaf.feed(text)
            case OpenCode() as leaf:
                leaf.lines[-1] += text
            case OpenTable(row=OpenRow() as row):
                row.feed(text)
            case _:
                raise AssertionError("only the text of a leaf goes on")

    def decide(self, line: str, start: int) -> Decision:
        """Whether it is known already what a line is that is not over."""
        self._line_start = start
        decided = decide(self._containers, self._leaf, line, may_be_formula=self._may_be_formula)
        self.writer.references.characters_read += decided.looked
        self._partial = decided.formula
        return decided.decision

    @property
    def _may_be_formula(self) -> bool:
        """Not so much of the text before this line looked like formulas and was none."""
        return 8 * (self._formulas_in_vain - _FREE) <= 3 * self._line_start

    def show_open_end(self) -> None:
        """Append what is shown of the open leaf."""
        if self._partial:
            open_end.show_with_formula(
                self.writer, self._containers, self._leaf, self._partial, self._line_start
            )
        else:
            open_end.show(self.writer, self._containers, self._leaf)

    @property
    def is_defining(self) -> bool:
        """Inside a paragraph of definitions: what they resolve is looked up when it is over."""
        return isinstance(self._leaf, OpenParagraph) and self._leaf.is_waiting_for_definition

    @property
    def is_in_one_block(self) -> bool:
        """Inside a line that is one block however long it gets."""
        return isinstance(self._leaf, OpenHeading | OpenTable)

    @property
    def formula_size(self) -> int:
        """Characters of the formula that is open, which are read again if it is none."""
        return self._leaf.size if isinstance(self._leaf, OpenFormula) else 0

    @property
    def is_in_code(self) -> bool:
        """Inside a code block."""
        return isinstance(self._leaf, OpenCode)
