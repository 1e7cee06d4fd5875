"""The end of a very long text, laid out before the rest of it is.

Invariant: it is only shown until the whole is laid out, and begins where a block most likely begins; places
in it are told in terms of the whole text, so that who reads on stays at the text that is read.
"""

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final

from chatui.core.continuation import open_fence
from chatui.core.late_pattern import late_pattern
from chatui.view.layout.options import LayoutOptions
from chatui.view.lines import EMPTY_LINE, Line, Run, Style, Tone
from chatui.view.plain_lines import runs_line

if TYPE_CHECKING:
    from chatui.view.layout.document_layout import CodeRegion

LONG: Final = 64_000
"""Characters that are laid out at once: longer texts take more than a few frames."""
LEAST: Final = 8_000
"""Characters at the end that are laid out at once, at least: some windows full."""
MOST: Final = 40_000
_BLOCK: Final = late_pattern(r"\n[ \t]*\n(?=[^\s])")
_ROWS_A_NOTE: Final = 12
_NOTE: Final = "… this part is still being laid out"


class EarlyEnd:
    """Lines for the end of a text, and rows that stand for all that comes before it."""

    def __init__(self, text: str, width: int, options: LayoutOptions) -> None:
        from chatui.markdown.document import IncrementalDocument

        self._text = text
        self._cut = _cut_of(text)
        before = text[: self._cut]
        fence = open_fence(before) if "```" in before or "~~~" in before else None
        opening = fence.opening if fence is not None else ""
        self._is_in_code = fence is not None
        self._shift = self._cut - len(opening)
        self._document = IncrementalDocument(opening + text[self._cut :])
        self._document.close()
        self._line_ends = before.count("\n")
        self.use(width, options)

    def use(self, width: int, options: LayoutOptions) -> None:
        """Lay out at a width, or in another way."""
        from chatui.view.layout.document_layout import DocumentLayout

        self._layout = DocumentLayout(self._document, width, options)
        self._layout.refresh()
        self._rows = 1 + self._cut // max(1, width) + self._line_ends

    @property
    def height(self) -> int:
        """Number of lines, about as many as the whole will have."""
        return self._rows + self._layout.line_count

    def line(self, index: int) -> Line:
        """One line."""
        if index >= self._rows:
            return self._layout.lines(index - self._rows, index - self._rows + 1)[0]
        return EMPTY_LINE if (self._rows - index) % _ROWS_A_NOTE else runs_line(_NOTE_RUNS)

    def mark(self, line: int) -> tuple[int, float]:
        """Where a line stands in the source, as `DocumentSection.mark` tells it."""
        if line < self._rows:
            return self._text.rfind("\n", 0, self._cut * line // self._rows) + 1, 0.0
        start = self._layout.source_at(line - self._rows)[0]
        first, stop = self._lines_of(start)
        return max(start + self._shift, self._cut), (line - self._rows - first) / max(1, stop - first)

    def line_at(self, start: int, share: float) -> int:
        """The line of such a place."""
        if start < self._cut:
            return self._rows * start // max(1, self._cut)
        first, stop = self._lines_of(start - self._shift)
        at = first + min(round(share * (stop - first)), max(0, stop - first - 1))
        return self._rows + max(0, min(at, self._layout.line_count - 1))

    def _lines_of(self, start: int) -> tuple[int, int]:
        lines = range(self._layout.line_count)

        def begin(line: int) -> int:
            return self._layout.source_at(line)[0]

        return bisect_left(lines, start, key=begin), bisect_right(lines, start, key=begin)

    def code_regions(self) -> "list[CodeRegion]":
        """Code blocks of which all is there; one that began above is not."""
        from dataclasses import replace

        regions = list(self._layout.code_regions())[int(self._is_in_code) :]
        return [
            replace(
                region, first_line=region.first_line + self._rows, stop_line=region.stop_line + self._rows
            )
            for region in regions
        ]


_NOTE_RUNS: Final = (Run(_NOTE, Style(Tone.FAINT)),)


def _cut_of(text: str) -> int:
    """Where the end begins: at a block if one begins there, else at a line, else at a word."""
    first, last = max(0, len(text) - MOST), max(0, len(text) - LEAST)
    blocks: list[re.Match[str]] = list(_BLOCK.finditer(text, first, last))
    if blocks:
        return blocks[-1].end()
    for sign in ("\n", " "):
        found = text.rfind(sign, first, last)
        if found >= 0:
            return found + 1
    return last
