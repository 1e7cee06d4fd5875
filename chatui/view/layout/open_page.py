"""What is kept of a page between two refreshes: its lines, and what its open end goes on from.

Guards: the open end can be cut off and laid out again, or set aside while something above it is.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from chatui.markdown.blocks import Block, Code, Paragraph, TableRow
from chatui.view.layout.code import CodeLine, CodeShape
from chatui.view.layout.flow import Flow
from chatui.view.layout.margin import Margin
from chatui.view.layout.options import LayoutOptions
from chatui.view.layout.table import RowLine, TableShape
from chatui.view.lines import Line, Run

Entry: TypeAlias = Line | RowLine | CodeLine
"""A line, or how to make it."""


class Carry(NamedTuple):
    """The last line of a paragraph's piece, in which the next piece goes on."""

    flow: Flow
    prefix: tuple[Run, ...]
    line: Line


def goes_on(block: Block) -> bool:
    """Whether a block begins in the last line of the one before it."""
    return isinstance(block, Paragraph) and block.is_continued


def continues(block: Block) -> bool:
    """Whether a block can only be laid out after the one before it."""
    match block:
        case Paragraph(is_continued=is_continued):
            return is_continued
        case TableRow(is_header=is_header):
            return not is_header
        case Code(first_line=first_line):
            return first_line > 0
        case _:
            return False


class Aside(NamedTuple):
    """What a page knows of its open end while something above it is laid out."""

    carries: dict[int, Carry]
    tables: dict[int, TableShape]
    codes: dict[int, CodeShape]
    code_key: int


class OpenPage:
    """Lines of blocks, and the state of what may go on."""

    def __init__(self, width: int, options: LayoutOptions) -> None:
        self.width = width
        self.options = options
        self.blocks: list[Block] = []
        self.starts: list[int] = []
        """First line of each block."""
        self.lines: list[Entry] = []
        self.dirty = 0
        """Lowest line that was changed by the refresh that is going on."""
        self.carries: dict[int, Carry] = {}
        """By the block that may go on in it; the last ones only."""
        self.tables: dict[int, TableShape] = {}
        self.codes: dict[int, CodeShape] = {}
        """By their first block."""
        self._cut_codes: dict[int, CodeShape] = {}
        """Those that were cut off last: one that comes again has grown."""
        self.code_key = -1
        """The code block that was laid out last."""
        self._margins: dict[tuple[int, int], tuple[object, Margin]] = {}

    def cut(self, first: int, start: int) -> None:
        """Forget blocks from `first` on, whose lines begin at `start`."""
        del self.blocks[first:], self.starts[first:], self.lines[start:]
        for key in [key for key in self.tables if key >= first]:
            del self.tables[key]
        self._cut_codes = {key: self.codes.pop(key) for key in [key for key in self.codes if key >= first]}

    def safe_start(self, blocks: Sequence[Block], first: int) -> int:
        """The block from which lines can be laid out anew, `first` or one before it."""
        while 0 < first < len(blocks):
            block = blocks[first]
            if not continues(block):
                break
            if isinstance(block, Paragraph) and first in self.carries:
                break
            if (
                isinstance(block, TableRow)
                and block.table in self.tables
                and block.table == self._last_table()
            ):
                break
            if isinstance(block, Code) and self.code_key in self.codes and self._is_last_code(first):
                break
            first -= 1
        return first

    def _last_table(self) -> int:
        return next(reversed(self.tables), -1)

    def _is_last_code(self, first: int) -> bool:
        """Whether the code block that was laid out last is the one that block `first` belongs to."""
        shape = self.codes[self.code_key]
        return shape.first_block < first and all(
            isinstance(block, Code) for block in self.blocks[shape.first_block : first][-2:]
        )

    def _is_table_open(self) -> bool:
        return bool(self.blocks) and isinstance(self.blocks[-1], TableRow)

    def set_aside(self) -> Aside:
        """Forget the open end for a while."""
        aside = Aside(self.carries, self.tables, self.codes, self.code_key)
        self.carries, self.tables, self.codes = {}, {}, {}
        return aside

    def take_back(self, aside: Aside) -> None:
        """Know the open end again, and what was laid out since."""
        self.carries = {**aside.carries, **self.carries}
        self.tables = {**aside.tables, **self.tables}
        self.codes, self.code_key = aside.codes, aside.code_key
