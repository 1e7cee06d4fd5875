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
    """The whole line, tabs expanded, not safe yet; of a very long one the piece only."""
    start: int
    stop: int
    is_last: bool = True
    """The line ends with it."""
    is_long: bool = False
    """Of a very long line: the text is that of the row alone."""
    made: Line | None = field(default=None, compare=False)

    def line(self) -> Line:
        """The row."""
        if self.made is None:
            self.made = self.shape.line(self)
        return self.made


class _Wrapped(NamedTuple):
    """A very long line that was cut into rows; if it grows, all but the last rows stay."""

    number: int
    text: str
    rows: list[CodeLine]


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
        self._wrapped: _Wrapped | None = None
        self._label: Line | None = None
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
        """The language, above the code; always the same object."""
        if self._label is not None:
            return self._label
        text = safe_line(self.language)
        text = text[: fit(text, self._room)]
        at = self._beside.size + len(self._inset.text)
        runs = (*self._beside.first, self._inset, Run(text, styles.CODE_LABEL))
        self._label = Line(runs, at + cells(text), at + cells(text), False, styles.CODE_TEXT)
        return self._label

    def goes_on(self, language: str, beside: Margin, lines: Sequence[str]) -> bool:
        """Whether lines are those that are known, and more: the last of them may have grown."""
        last = len(self.lines) - 1
        return (
            self.language == language
            and self._beside == beside
            and 0 <= last < len(lines)
            and lines[last].startswith(self.lines[last])
            and all(map(str.__eq__, self.lines[:last], lines))
        )

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
        is_long = len(text) > _LONGEST_COLOURED
        rows = self._settled_rows(number, text) if is_long else []
        start = rows[-1].stop if rows else 0
        begin = start
        rest = text[begin:]
        safe = rest if rest.isascii() else safe_line(rest)
        size = len(text)
        while True:
            if safe.isascii():
                stop = min(start + self._room, size)
            else:
                piece = safe[start - begin : start - begin + self._room + 64]
                stop = min(start + max(fit(piece, self._room), 1), size)
            shown = text[start:stop] if is_long else text
            rows.append(CodeLine(self, number, shown, start, stop, stop >= size, is_long))
            start = stop
            if start >= size:
                break
        if is_long:
            self._wrapped = _Wrapped(number, text, rows)
        out += rows

    def _settled_rows(self, number: int, text: str) -> list[CodeLine]:
        """Rows of a very long line that do not change any more, though it goes on."""
        known = self._wrapped
        if known is None or known.number != number or not text.startswith(known.text):
            return []
        return known.rows[:-2]  # what came may join the last sign

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
        if entry.is_long:
            start, stop = 0, len(text)
        elif len(text) > _LONGEST_COLOURED:
            text, start, stop = text[start:stop], 0, stop - start
        elif self._colours is not None:
            at = 0
            for token in self._colours.tokens(self.lines, entry.number, TAB_CELLS):
                add_safe(flow, text[at : token.stop], styles.raised(token.tone))
                at = token.stop
            text = text[at:]
        add_safe(flow, text, styles.CODE_TEXT)
        shown = flow.text[start:stop]
        is_first = not entry.number and not entry.start and not self.language
        prefix = self._beside.first if is_first else self._beside.rest
        gutter: tuple[Run, ...] = ()
        if self._gutter:
            gutter = (Run(f"{self._numbered(entry):>4} ", styles.CODE_GUTTER),)
        inset = (self._inset,) if self._inset.text else ()
        runs = (*prefix, *inset, *gutter, *flow.runs(start, stop))
        return Line(runs, self._at + cells(shown), self._at, not entry.is_last, styles.CODE_TEXT)
