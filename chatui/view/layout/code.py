"""Code blocks to lines on the raised surface.

A block grows by lines. Each line is measured once; it is coloured when it is asked for, from the state in
which the line before it ended, so a long fence is never read from its start again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from chatui.core.safe_text import safe_line
from chatui.view.layout import styles
from chatui.view.layout.flow import Flow
from chatui.view.layout.highlight import Highlighter, highlighter
from chatui.view.layout.margin import Margin
from chatui.view.layout.measure import cells, fit
from chatui.view.layout.options import LayoutOptions
from chatui.view.layout.spans import add_safe
from chatui.view.lines import Line, Run

TAB_CELLS = 4
_LONGEST_COLOURED = 1000
"""Characters; longer lines are data, not code."""


@dataclass(slots=True)
class CodeLine:
    """A row of a code line that is made when it is asked for."""

    shape: "CodeShape"
    number: int
    text: str
    """The whole line, tabs expanded, not safe yet."""
    start: int
    stop: int
    made: Line | None = field(default=None, compare=False)

    def line(self) -> Line:
        """The row."""
        if self.made is None:
            self.made = self.shape.line(self)
        return self.made


class CodePlace(NamedTuple):
    """The piece of a source line that a row shows."""

    block: int
    """Which code block of the document; stays while the document grows."""
    source: str
    """The whole source line, as it was received."""
    start: int
    stop: int
    """The piece, in characters of the line with its tabs expanded."""

    def between(self, first: int, stop: int) -> str:
        """The source of some shown characters, counted from the beginning of the row."""
        first, stop = self.start + first, min(self.start + stop, self.stop)
        if "\t" not in self.source:
            return self.source[first:stop]
        kept: list[str] = []
        column = 0
        for character in self.source:
            if first <= column < stop:
                kept.append(character)
            column += TAB_CELLS - column % TAB_CELLS if character == "\t" else 1
        return "".join(kept)


class CodeShape:
    """Lines of a code block, and how they are laid out."""

    def __init__(
        self, first_block: int, language: str, width: int, beside: Margin, options: LayoutOptions
    ) -> None:
        self.first_block = first_block
        self.language = language
        self.lines: list[str] = []
        self._options = options
        self._beside = beside
        self._colours: Highlighter | None = (
            highlighter(language) if options.is_highlighted and language else None
        )
        room = width - beside.size
        inset = 2 if room > 12 else 0
        self._gutter = 5 if options.has_line_numbers and room > 20 else 0
        self._at = beside.size + inset + self._gutter
        self._inset = Run(" " * inset, styles.CODE_TEXT)
        self._room = max(room - 2 * inset - self._gutter, 1)

    def label(self) -> Line:
        """The language, above the code."""
        text = safe_line(self.language)
        text = text[: fit(text, self._room)]
        at = self._beside.size + len(self._inset.text)
        runs = (*self._beside.first, self._inset, Run(text, styles.CODE_LABEL))
        return Line(runs, at + cells(text), at + cells(text), False, styles.CODE_TEXT)

    def entries(self, first: int, lines: Sequence[str]) -> list[CodeLine]:
        """Replace the lines from `first` on; returns their rows, not made yet."""
        known = self.lines
        same = first
        for line in lines:
            if same >= len(known) or known[same] != line:
                break
            same += 1
        if self._colours is not None:
            self._colours.forget(same)
        known[first:] = lines
        out: list[CodeLine] = []
        room, wraps = self._room, self._options.wraps_code
        for number, line in enumerate(lines, first):
            text = line.expandtabs(TAB_CELLS) if "\t" in line else line
            size = len(text)
            if not wraps or (size <= room and text.isascii()):
                out.append(CodeLine(self, number, text, 0, size))
                continue
            self._wrap(number, text, out)
        return out

    def _wrap(self, number: int, text: str, out: list[CodeLine]) -> None:
        safe = text if text.isascii() else safe_line(text)
        start = 0
        while True:
            if safe.isascii():
                stop = min(start + self._room, len(safe))
            else:
                stop = start + max(fit(safe[start : start + self._room + 64], self._room), 1)
                stop = min(stop, len(safe))
            out.append(CodeLine(self, number, text, start, stop))
            start = stop
            if start >= len(safe):
                return

    def place(self, entry: CodeLine) -> CodePlace:
        """What a row shows, in the source."""
        return CodePlace(self.first_block, self.lines[entry.number], entry.start, entry.stop)

    def _numbered(self, entry: CodeLine) -> str:
        """The number before a row; of a number that has no room the end is shown, marked as such."""
        if entry.start:
            return ""
        number = str(entry.number + 1)
        return (
            number if len(number) < self._gutter else ("…" if self._options.is_unicode else "~") + number[-3:]
        )

    def line(self, entry: CodeLine) -> Line:
        """Make a row."""
        flow = Flow()
        text = entry.text
        start, stop = entry.start, entry.stop
        is_soft = stop < len(text)
        if len(text) > _LONGEST_COLOURED:
            text, start, stop = text[start:stop], 0, stop - start
        if self._colours is not None and len(entry.text) <= _LONGEST_COLOURED:
            at = 0
            for token in self._colours.tokens(self.lines, entry.number, TAB_CELLS):
                add_safe(flow, text[at : token.stop], styles.raised(token.tone))
                at = token.stop
            add_safe(flow, text[at:], styles.CODE_TEXT)
        else:
            add_safe(flow, text, styles.CODE_TEXT)
        shown = flow.text[start:stop]
        is_first = not entry.number and not entry.start and not self.language
        prefix = self._beside.first if is_first else self._beside.rest
        gutter: tuple[Run, ...] = ()
        if self._gutter:
            gutter = (Run(f"{self._numbered(entry):>4} ", styles.CODE_GUTTER),)
        inset = (self._inset,) if self._inset.text else ()
        runs = (*prefix, *inset, *gutter, *flow.runs(start, stop))
        return Line(runs, self._at + cells(shown), self._at, is_soft, styles.CODE_TEXT)
