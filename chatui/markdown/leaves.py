"""Leaves that are still open: what has been read of them, and what is already certain.

A leaf hands out blocks as soon as nothing can change them; `save()` and `restore()` let a line that is not over yet be
tried without harm.
"""

from dataclasses import dataclass, field

from chatui.markdown.blocks import PLAIN_FACE, Alignment, Place, Spans, Text
from chatui.markdown.inline import is_plain
from chatui.markdown.settle import Settler

CODE_PIECE_LINES = 16
"""Lines in a piece of a code block."""


@dataclass(frozen=True, slots=True)
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


@dataclass(slots=True)
class OpenParagraph:
    """Running text; its lines are joined by line ends."""

    place: Place
    first_block: int
    settler: Settler = field(default_factory=Settler)
    known: KnownSpans = KnownSpans()
    shown: KnownSpans = KnownSpans()
    """What was shown last of a long end with open marks."""
    lines: list[str] = field(default_factory=list)
    is_waiting_for_definition: bool = False
    """Begins with a bracket and may be a definition: nothing is handed out yet."""
    has_pieces: bool = False
    can_be_header: bool = False
    """The last line stands where a table header may."""

    def save(self) -> tuple[object, ...]:
        """What `restore` needs."""
        # While a definition may be read, lines are taken off the front; later they are only added.
        lines = self.lines.copy() if self.is_waiting_for_definition else self.lines
        last = self.lines[-1] if self.lines else ""
        flags = (self.has_pieces, self.is_waiting_for_definition, self.can_be_header)
        return (self.settler.save(), lines, len(lines), last, flags)

    def restore(self, saved: tuple[object, ...]) -> None:
        """Forget everything since `save`."""
        settler, self.lines, count, last, flags = saved  # type: ignore[assignment]
        self.has_pieces, self.is_waiting_for_definition, self.can_be_header = flags  # type: ignore[misc]
        self.settler.restore(settler)  # type: ignore[arg-type]
        del self.lines[count:]  # type: ignore[misc]
        if self.lines:
            self.lines[-1] = last  # type: ignore[call-overload]


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

    def save(self) -> tuple[object, ...]:
        """What `restore` needs."""
        return (self.place, self.first_line, list(self.lines), list(self.blanks))

    def restore(self, saved: tuple[object, ...]) -> None:
        """Forget everything since `save`."""
        self.place, self.first_line, self.lines, self.blanks = saved  # type: ignore[assignment]


@dataclass(slots=True)
class OpenTable:
    """A table whose rows are blocks of their own."""

    table: int
    alignments: tuple[Alignment, ...]

    def save(self) -> tuple[object, ...]:
        """Nothing of it changes."""
        return ()

    def restore(self, saved: tuple[object, ...]) -> None:
        """Nothing of it changes."""


OpenLeaf = OpenParagraph | OpenCode | OpenTable
