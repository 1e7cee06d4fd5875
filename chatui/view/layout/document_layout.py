"""Stub of the interface; the body is being written. The one thing a screen needs to show a growing document."""

from collections.abc import Sequence
from dataclasses import dataclass

from chatui.markdown.document import IncrementalDocument
from chatui.view.lines import Line


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutOptions:
    """How lines are laid out."""

    is_unicode: bool = True
    """False: ASCII twins for bullets, bars and rules."""
    wraps_code: bool = True
    has_line_numbers: bool = False
    shows_link_targets: bool = False
    is_highlighted: bool = True


@dataclass(frozen=True, slots=True)
class CodeRegion:
    """A code block on the laid-out page."""

    first_line: int
    stop_line: int
    language: str
    source: str
    """Exactly what is copied."""


class DocumentLayout:
    """Lines of a document at a width; follows the document as it grows, at a cost in proportion to what changed."""

    def __init__(self, document: IncrementalDocument, width: int, options: LayoutOptions) -> None:
        raise NotImplementedError

    def refresh(self) -> int:
        """Bring the lines up to date; returns the first line that may have changed (line_count if none)."""
        raise NotImplementedError

    def resize(self, width: int) -> None:
        """Lay out at another width; cheap if lines are not asked for."""
        raise NotImplementedError

    @property
    def width(self) -> int:
        """Cells."""
        raise NotImplementedError

    @property
    def line_count(self) -> int:
        """Lines after the last refresh."""
        raise NotImplementedError

    def lines(self, start: int, stop: int) -> Sequence[Line]:
        """Lines of a range; the same `Line` object is returned as long as a line does not change."""
        raise NotImplementedError

    def source_at(self, line: int) -> tuple[int, int]:
        """Offsets into the source of the top-level block that this line belongs to."""
        raise NotImplementedError

    def code_regions(self) -> Sequence[CodeRegion]:
        """All code blocks, in order."""
        raise NotImplementedError
