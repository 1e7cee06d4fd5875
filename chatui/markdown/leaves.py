"""Leaves that are still open: what has been read of them, and what is already certain."""

from dataclasses import dataclass, field
from typing import Final, TypeAlias

from chatui.core.late_pattern import late_pattern
from chatui.markdown.blocks import Alignment, Place
from chatui.markdown.definitions import DefinitionReader
from chatui.markdown.inline_reader import InlineReader, Piece
from chatui.markdown.references import References
from chatui.markdown.rows import OpenRow

CODE_PIECE_LINES: Final = 16
"""Lines in a piece of a code block."""
_HEADING_END: Final = late_pattern(r"(?:^|[ \t])#+[ \t]*\Z")
_CLOSING: Final = " \t#"


@dataclass(slots=True)
class OpenParagraph:
    """Running text; its lines are joined by line ends."""

    place: Place
    first_block: int
    reader: InlineReader
    _lines: list[str] = field(default_factory=list)
    _more: list[str] = field(default_factory=list)
    """Text of the last line that is not joined to it yet: a line may hold a million letters."""
    waiting: str | None = None
    """Text that is not read yet: it may be a definition, or the header of a table."""
    is_waiting_for_definition: bool = False
    definition: DefinitionReader = field(default_factory=DefinitionReader)
    previewed: int = 0
    """Characters of the waiting text that were read because it is long."""
    queue: list[Piece] = field(default_factory=list)
    """What they settled."""
    row: OpenRow | None = None
    """Its first line as the header of a table, should a delimiter line follow."""
    has_pieces: bool = False
    is_html: bool = False
    """A line of it began with a tag: the lines stay what they are from there on."""
    can_be_header: bool = True
    """The last line stands where a table header may."""

    @property
    def lines(self) -> list[str]:
        """Its lines so far."""
        if self._more:
            self._lines[-1] += "".join(self._more)
            self._more.clear()
        return self._lines

    def add_text(self, text: str) -> None:
        """More of the last line."""
        self._more.append(text)

    def set_lines(self, lines: list[str]) -> None:
        """What is left when the definitions are taken off."""
        self._lines = lines
        self._more.clear()


@dataclass(slots=True)
class OpenCode:
    """A fence or an indented block; `lines` holds the piece that is not full yet."""

    place: Place
    language: str
    fence: str = ""
    """The opening marks; empty for an indented block."""
    indent: int = 0
    first_line: int = 0
    lines: list[str] = field(default_factory=list)
    blanks: list[str] = field(default_factory=list)
    """Blank lines of an indented block that count only if more code follows."""


@dataclass(slots=True)
class OpenFormula:
    """A formula on lines of its own whose end is still to come."""

    place: Place
    mark: str
    first_block: int
    lines: list[str]
    """As they are written."""
    size: int = 0


@dataclass(slots=True)
class OpenTable:
    """A table whose rows are blocks of their own."""

    table: int
    alignments: tuple[Alignment, ...]
    row: OpenRow | None = None
    """The row whose line is not over."""


class OpenHeading:
    """A heading whose line is not over."""

    __slots__ = ("_held", "_is_empty", "level", "place", "reader")

    def __init__(self, place: Place, level: int, references: References) -> None:
        self.place = place
        self.level = level
        self.reader = InlineReader(references)
        self._held = ""
        """What may be the closing sequence."""
        self._is_empty = True

    def feed(self, text: str) -> None:
        """More of the line, after the opening marks."""
        body = text.rstrip(_CLOSING)
        if not body:
            self._held += text
            return
        before = self._held.lstrip(" \t") if self._is_empty else self._held
        self.reader.feed(before + (body.lstrip(" \t") if self._is_empty and not before else body))
        self._is_empty = False
        self._held = text[len(body) :]

    def finish(self) -> Piece | None:
        """The line is over."""
        start = "" if self._is_empty else "x"
        held = _HEADING_END.sub("", start + self._held)[len(start) :].rstrip(" \t")
        if held:
            self.reader.feed(held)
        pieces = self.reader.finish()
        return pieces[-1] if pieces else None


OpenLeaf: TypeAlias = OpenParagraph | OpenCode | OpenFormula | OpenTable | OpenHeading
