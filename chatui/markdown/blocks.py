"""The closed union of blocks and spans that every view of Markdown is built from.

A document is a flat sequence of leaves (paragraph, heading, code, table row, rule). What a leaf stands in
(quotes, list items, footnotes) is its `path`. Nothing here has children, so nesting costs no recursion, a
closed leaf never changes when its list grows, and a list of ten thousand items is ten thousand leaves.

Very long leaves come in pieces: a paragraph is cut where its inline marks are settled
(`Paragraph.is_continued`), code every few lines (`Code.first_line`), a table by its rows. Text is raw: it
is made safe when it is laid out.
"""

from dataclasses import field
from enum import Enum
from typing import Final, NamedTuple, TypeAlias

from chatui.core.values import frozen


class Face(NamedTuple):
    """How a span is set."""

    is_bold: bool = False
    is_italic: bool = False
    is_struck: bool = False


PLAIN_FACE: Final = Face()


@frozen
class Text:
    """Words. `target` is the raw address of the link around them, or empty."""

    text: str
    face: Face = PLAIN_FACE
    target: str = ""


@frozen
class CodeText:
    """Inline code."""

    text: str
    face: Face = PLAIN_FACE
    target: str = ""


@frozen
class Image:
    """A picture, shown by its description; `source` is its raw address."""

    text: str
    source: str
    face: Face = PLAIN_FACE
    target: str = ""


@frozen
class NoteMark:
    """The mark of a footnote in running text."""

    label: str
    face: Face = PLAIN_FACE


@frozen
class Maths:
    """A formula in running text."""

    text: str
    """As it is written, its marks included."""
    body: str
    """What stands between its marks."""
    is_open: bool = False
    """Its end is still to come."""
    face: Face = PLAIN_FACE
    target: str = ""


@frozen
class LineBreak:
    """A line end that was asked for."""


Span: TypeAlias = Text | CodeText | Maths | Image | NoteMark | LineBreak
Spans: TypeAlias = tuple[Span, ...]


class TaskState(Enum):
    """The box of a task list item."""

    NONE = "none"
    OPEN = "open"
    DONE = "done"


class Alert(Enum):
    """What a quote that begins with `[!NOTE]` and the like is."""

    NOTE = "note"
    TIP = "tip"
    IMPORTANT = "important"
    WARNING = "warning"
    CAUTION = "caution"


@frozen
class Quote:
    """A block quote; `ordinal` tells two quotes apart."""

    ordinal: int
    alert: Alert | None = None


@frozen
class ListItem:
    """An item of a list. `number` is None for bullets; `depth` counts the lists around it."""

    ordinal: int
    list_ordinal: int
    number: int | None
    depth: int
    task: TaskState = TaskState.NONE


@frozen
class Note:
    """The text of a footnote."""

    ordinal: int
    label: str


Container: TypeAlias = Quote | ListItem | Note
Path: TypeAlias = tuple[Container, ...]


class Alignment(Enum):
    """Of a table column."""

    NONE = ""
    LEFT = "left"
    CENTER = "center"
    RIGHT = "right"


@frozen(kw_only=True)
class Place:
    """Where a leaf stands."""

    path: Path = ()
    shared: int = 0
    """How many containers of the path the leaf before stands in as well; the others begin here."""
    has_gap: bool = False
    """Space above it."""
    start: int = 0
    """Offset in the source of the top-level block that it belongs to."""

    def following(self) -> "Place":
        """The place of the next piece of the same leaf."""
        return Place(path=self.path, shared=len(self.path), start=self.start)


@frozen(kw_only=True)
class Paragraph:
    """Running text; empty for a container without any text."""

    key: int
    place: Place
    spans: Spans
    is_continued: bool = False
    """Goes on in the line of the piece before."""
    revision: int = field(default=0, compare=False)


@frozen(kw_only=True)
class Heading:
    """A heading of level 1 to 6."""

    key: int
    place: Place
    spans: Spans
    level: int
    revision: int = field(default=0, compare=False)


@frozen(kw_only=True)
class Code:
    """Lines of a code block; `first_line` is 0 for its first piece."""

    key: int
    place: Place
    language: str
    lines: tuple[str, ...]
    first_line: int = 0
    revision: int = field(default=0, compare=False)


@frozen(kw_only=True)
class Formula:
    """A formula that stands on lines of its own."""

    key: int
    place: Place
    lines: tuple[str, ...]
    """As they are written: with the marks around it, without those of a fence."""
    body: str
    """What stands between its marks."""
    is_fence: bool = False
    is_open: bool = False
    """Its end is still to come."""
    revision: int = field(default=0, compare=False)


@frozen(kw_only=True)
class TableRow:
    """A row of a table; the header is the first, its key names the table."""

    key: int
    place: Place
    table: int
    alignments: tuple[Alignment, ...]
    cells: tuple[Spans, ...]
    is_header: bool = False
    revision: int = field(default=0, compare=False)


@frozen(kw_only=True)
class Rule:
    """A thematic break."""

    key: int
    place: Place
    revision: int = field(default=0, compare=False)


Block: TypeAlias = Paragraph | Heading | Code | Formula | TableRow | Rule


def visible_text(spans: Spans) -> str:
    """What a reader sees of spans."""
    parts: list[str] = []
    for span in spans:
        match span:
            case Text(text=text) | CodeText(text=text) | Image(text=text) | Maths(text=text):
                parts.append(text)
            case NoteMark(label=label):
                parts.append(f"[{label}]")
            case LineBreak():
                parts.append("\n")
    return "".join(parts)
