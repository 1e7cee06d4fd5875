"""Laid-out text: what every renderer (screen, ANSI, plain) draws.

A line is a tuple of runs; a run is safe text with a style that names a meaning, never a colour. Invariant:
no run holds a control character, a bidi control or a line end; its width is `cells`.
"""

from dataclasses import field
from enum import IntEnum
from typing import Final, NamedTuple

from chatui.core.messages import ImagePart
from chatui.core.values import frozen


class Tone(IntEnum):
    """What a run means; a theme gives it colours."""

    TEXT = 0
    MUTED = 1
    FAINT = 2
    HEADING = 3
    CODE = 4
    """Inline code."""
    LINK = 5
    BULLET = 6
    QUOTE_BAR = 7
    QUOTE = 8
    RULE = 9
    TABLE_RULE = 10
    TABLE_HEADER = 11
    CODE_LABEL = 12
    CODE_GUTTER = 13
    NEUTRALISED = 14
    """A mark that stands for something that was made safe."""
    ACCENT = 15
    SUCCESS = 16
    WARNING = 17
    ERROR = 18
    SYNTAX_KEYWORD = 30
    SYNTAX_NAME = 31
    SYNTAX_STRING = 32
    SYNTAX_NUMBER = 33
    SYNTAX_COMMENT = 34
    SYNTAX_OPERATOR = 35
    SYNTAX_FUNCTION = 36
    SYNTAX_TYPE = 37
    SYNTAX_TEXT = 38
    DIFF_ADDED = 39
    DIFF_REMOVED = 40
    DIFF_HUNK = 41


class Gutter(IntEnum):
    """What stands in the two cells at the left of a line."""

    PAGE = 0
    PERSON = 1
    """The coloured bar of what the person said."""
    ASIDE = 2
    """The thin bar of what belongs to an answer and is no answer: reasoning, what tools gave."""


class Style(NamedTuple):
    """A tone and its marks; use the interned constants or `style()` so that equal styles are one object."""

    tone: Tone = Tone.TEXT
    is_bold: bool = False
    is_italic: bool = False
    is_struck: bool = False
    is_underlined: bool = False
    is_raised: bool = False
    """On the raised surface of a code block."""


PLAIN = Style()


class Run(NamedTuple):
    """Safe text in one style. `link` is the raw target of a link, or empty."""

    text: str
    style: Style = PLAIN
    link: str = ""
    source: str = ""
    """What is copied in place of a text that stands for it: the formula, of which this may be a piece."""


OWN_LINK: Final = "chatui:"
"""A link that begins so runs a command of the app."""


def outside_link(target: str) -> str:
    """The target of a link from outside, which never runs a command of the app."""
    return f" {target}" if target.startswith(OWN_LINK) else target


@frozen
class PictureBox:
    """Room for a picture. What fills it is for who paints the page: here are no pixels."""

    name: str
    """Safe words that stand for the picture where it is copied."""
    columns: int
    rows: int
    key: tuple[int, int]
    """Tells pictures apart, so that they need not be compared byte by byte."""
    image: ImagePart = field(compare=False)


class PictureRow(NamedTuple):
    """One row of a picture."""

    box: PictureBox
    row: int


@frozen
class Line:
    """One line of at most the layout's width."""

    runs: tuple[Run, ...]
    cells: int
    """Display width of all runs."""
    content_at: int = 0
    """Cells of decoration at the left (margin, bullet, bar) that are not part of what is copied."""
    is_soft_wrapped: bool = False
    """The text goes on in the next line without a line end in the source."""
    fill_style: Style | None = None
    """Style of the rest of the row to the right edge (code surface); None is the page."""
    soft_join: str = ""
    """What stood in the source between a soft-wrapped line and the next (the blank at the wrap)."""
    picture: PictureRow | None = None
    """A row of a picture stands where the last run has blanks."""

    @property
    def text(self) -> str:
        """The runs' text, joined."""
        return "".join(run.text for run in self.runs)


EMPTY_LINE = Line((), 0)


def soft_join(line: Line) -> str:
    """What stood between a soft-wrapped line and the next: the blank at which it was wrapped, or nothing."""
    # The blank of the decoration does not count.
    has_blank = line.cells > line.content_at and line.text.endswith(" ")
    return "" if has_blank else line.soft_join
