"""Leaves that are still open: what has been read of them, and what is already certain.

`save()` and `restore()` let a line that is not over yet be tried without harm.
"""

from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from chatui.core.values import frozen
from chatui.markdown.blocks import PLAIN_FACE, Alignment, Place, Spans, Text
from chatui.markdown.inline import is_plain
from chatui.markdown.settle import SavedSettler, Settler

CODE_PIECE_LINES: Final = 16
"""Lines in a piece of a code block."""


@frozen
class KnownSpans:
    """The start of a piece, up to a blank, that was read already and in which no mark is open."""

    text: str = ""
    spans: Spans = ()

    def extended(self, text: str) -> Spans | None:
        """Spans of `text` if it only adds plain words, or None."""
        size = len(self.text)
        if not size or not text.startswith(self.text) or not is_plain(text, size):
            return None
        added = text[size:]
        if not added:
            return self.spans
        last = self.spans[-1] if self.spans else None
        if isinstance(last, Text) and last.face is PLAIN_FACE and not last.target:
            return (*self.spans[:-1], Text(last.text + added))
        return (*self.spans, Text(added))


class SavedParagraph(NamedTuple):
    """State of an open paragraph."""

    settler: SavedSettler
    lines: list[str]
    line_count: int
    last_line: str
    flags: tuple[bool, bool, bool]


class SavedCode(NamedTuple):
    """State of an open code block."""

    place: Place
    first_line: int
    lines: list[str]
    blanks: list[str]


class SavedFormula(NamedTuple):
    """State of an open formula."""

    line_count: int


SavedLeaf: TypeAlias = SavedParagraph | SavedCode | SavedFormula | None


@dataclass(slots=True)
class OpenParagraph:
    """Running text; its lines are joined by line ends."""

    place: Place
    first_block: int
    settler: Settler = field(default_factory=Settler)
    known: KnownSpans = field(default_factory=KnownSpans)
    shown: KnownSpans = field(default_factory=KnownSpans)
    """What was shown last of a long end with open marks."""
    lines: list[str] = field(default_factory=list)
    is_waiting_for_definition: bool = False
    """Begins with a bracket and may be a definition: nothing is handed out yet."""
    has_pieces: bool = False
    can_be_header: bool = True
    """The last line stands where a table header may."""

    def save(self) -> SavedParagraph:
        """What `restore` needs."""
        # While a definition may be read, lines are taken off the front; later they are only added.
        lines = self.lines.copy() if self.is_waiting_for_definition else self.lines
        last = self.lines[-1] if self.lines else ""
        flags = (self.has_pieces, self.is_waiting_for_definition, self.can_be_header)
        return SavedParagraph(self.settler.save(), lines, len(lines), last, flags)

    def restore(self, saved: SavedLeaf) -> None:
        """Forget everything since `save`."""
        assert isinstance(saved, SavedParagraph)
        self.lines = saved.lines
        self.has_pieces, self.is_waiting_for_definition, self.can_be_header = saved.flags
        self.settler.restore(saved.settler)
        del self.lines[saved.line_count :]
        if self.lines:
            self.lines[-1] = saved.last_line


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

    def save(self) -> SavedCode:
        """What `restore` needs."""
        return SavedCode(self.place, self.first_line, self.lines.copy(), self.blanks.copy())

    def restore(self, saved: SavedLeaf) -> None:
        """Forget everything since `save`."""
        assert isinstance(saved, SavedCode)
        self.place, self.first_line = saved.place, saved.first_line
        self.lines, self.blanks = saved.lines, saved.blanks


@dataclass(slots=True)
class OpenFormula:
    """A formula on lines of its own whose end is still to come."""

    place: Place
    mark: str
    first_block: int
    lines: list[str]
    """As they are written."""

    def save(self) -> SavedFormula:
        """What `restore` needs."""
        return SavedFormula(len(self.lines))

    def restore(self, saved: SavedLeaf) -> None:
        """Forget everything since `save`."""
        assert isinstance(saved, SavedFormula)
        del self.lines[saved.line_count :]


@dataclass(slots=True)
class OpenTable:
    """A table whose rows are blocks of their own."""

    table: int
    alignments: tuple[Alignment, ...]

    def save(self) -> None:
        """Nothing of it changes."""

    def restore(self, saved: SavedLeaf) -> None:
        """Nothing of it changes."""


OpenLeaf: TypeAlias = OpenParagraph | OpenCode | OpenFormula | OpenTable
