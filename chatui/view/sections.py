"""The pieces of a laid-out turn.

Each knows its lines at a width and follows what it shows at a cost in proportion to what changed.

Invariant: a section returns the same `Line` object for a line that has not changed, so that its painted form
can be cached by identity.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from chatui.view.early_end import LONG, EarlyEnd
from chatui.view.layout.options import LayoutOptions
from chatui.view.lines import Gutter, Line

if TYPE_CHECKING:
    from chatui.view.layout.code import CodePlace
    from chatui.view.layout.document_layout import CodeRegion, DocumentLayout


class Section(Protocol):
    """Some lines of a turn."""

    gutter: Gutter

    @property
    def height(self) -> int:
        """Number of lines."""
        ...

    def line(self, index: int) -> Line:
        """One line."""
        ...

    def resize(self, width: int) -> None:
        """Lay out for another width."""
        ...


class SectionStack:
    """Sections one below the other; rows count from the first one's top."""

    def __init__(self, sections: Sequence[Section] = ()) -> None:
        self.sections = sections
        self.starts: list[int] = []
        """The first row of each."""
        height = 0
        for section in sections:
            self.starts.append(height)
            height += section.height
        self.height = height
        """Number of rows."""

    def at(self, row: int) -> tuple[int, int]:
        """The number of the section in which a row stands, and which of its lines that is."""
        number = bisect_right(self.starts, row) - 1
        return number, row - self.starts[number]


class LinesSection:
    """Lines made by a function of the width; made again only when told."""

    def __init__(
        self, make: Callable[[int], Sequence[Line]], width: int, gutter: Gutter = Gutter.PAGE
    ) -> None:
        self.gutter = gutter
        self._make = make
        self._width = width
        self._lines = list(make(width))

    @property
    def height(self) -> int:
        """Number of lines."""
        return len(self._lines)

    def line(self, index: int) -> Line:
        """One line."""
        return self._lines[index]

    def resize(self, width: int) -> None:
        """Lay out for another width."""
        self._width = width
        self.remake()

    def remake(self, make: Callable[[int], Sequence[Line]] | None = None) -> None:
        """Make the lines again; lines that are equal keep their identity."""
        if make is not None:
            self._make = make
        old = self._lines
        new = list(self._make(self._width))
        for index in range(min(len(old), len(new))):
            if old[index] == new[index]:
                new[index] = old[index]
        self._lines = new


class DocumentSection:
    """Markdown text that grows: appends only the new end of the text to its document."""

    def __init__(
        self, width: int, options: LayoutOptions, gutter: Gutter = Gutter.PAGE, opening: str = ""
    ) -> None:
        self.gutter = gutter
        self._opening = opening
        """Read before the text, as what it goes on from: the line that opened a code block."""
        self._options = options
        self._width = width
        self._start()

    def _start(self) -> None:
        # Parser and layout are loaded with the first text: an app that has just started shows none.
        from chatui.markdown.document import IncrementalDocument

        self._document = IncrementalDocument(self._opening)
        self._layout = self._new_layout()
        self._given = ""
        self._taken = 0
        self._is_closed = False
        self._early: EarlyEnd | None = None
        self._next: DocumentLayout | None = None
        """All of the text in another way, laid out in steps while the lines are still the ones before."""

    def feed(self, text: str, *, is_final: bool, most: int | None = None) -> bool:
        """Follow the text.

        Args:
            text: The whole text so far.
            is_final: Nothing more will come.
            most: Take at most this many new characters now.

        Returns:
            Whether some of it is still to be taken.
        """
        if self._is_closed and text == self._given:
            return self._go_on_with_next(most)
        if self._is_closed or not text.startswith(self._given):
            self._start()
        if (
            is_final
            and most is not None
            and not (self._taken or self._opening)
            and len(text) > max(most, LONG)
        ):
            self._early = EarlyEnd(text, self._width, self._options)
        self._given = text
        stop = len(text) if most is None else min(len(text), self._taken + most)
        if stop > self._taken:
            self._document.append(text[self._taken : stop])
            self._taken = stop
        has_more = self._taken < len(text)
        if is_final and not has_more:
            self._document.close()
            self._is_closed = True
        self._layout.refresh()
        if most is None:
            self._early = None
        elif self._early is not None and (count := self._layout.line_count):
            self._layout.lines(count - 1, count)  # colours of code are carried on from line to line
        return has_more

    def take_rest(self, *, is_final: bool) -> None:
        """Take what is left of the text."""
        self.feed(self._given, is_final=is_final)

    def _go_on_with_next(self, most: int | None) -> bool:
        if self._next is not None and most is not None:
            has_more = self._next.lay_out_more(most)
            self._next.lines(self._next.line_count - 1, self._next.line_count)  # colours are carried on
            return has_more
        if self._next is not None:
            while self._next.lay_out_more(LONG):
                pass
            self._layout, self._next = self._next, None
        return False

    @property
    def is_early(self) -> bool:
        """All of it is laid out in steps; until then its end is shown, or how it was laid out before."""
        return self._early is not None or self._next is not None

    def show_whole(self) -> None:
        """Take what is left, and show all of it."""
        self._go_on_with_next(None)
        if self._early is not None:
            self.take_rest(is_final=True)
            self._early = None

    @property
    def source(self) -> str:
        """The text that is shown."""
        return self._given[: self._taken]

    @property
    def height(self) -> int:
        """Number of lines."""
        return self._layout.line_count if self._early is None else self._early.height

    def line(self, index: int) -> Line:
        """One line."""
        if self._early is not None:
            return self._early.line(index)
        return self._layout.lines(index, index + 1)[0]

    def resize(self, width: int, *, in_steps: bool = False) -> None:
        """Lay out for another width; a very long text `in_steps`, if told so: then it `is_early`."""
        self._width = width
        if self._begins_next(in_steps=in_steps):
            return
        self._layout.resize(width)
        self._layout.refresh()
        if self._early is not None:
            self._early.use(width, self._options)

    def use(self, options: LayoutOptions, *, in_steps: bool = False) -> None:
        """Lay out in another way; a very long text `in_steps`, if told so: then it `is_early`."""
        self._options = options
        if self._begins_next(in_steps=in_steps):
            return
        self._layout = self._new_layout()
        self._layout.refresh()
        if self._early is not None:
            self._early.use(self._width, options)

    def _begins_next(self, *, in_steps: bool) -> bool:
        is_long = self._is_closed and self._early is None and len(self._given) > LONG
        self._next = self._new_layout() if in_steps and is_long else None
        return self._next is not None

    def _new_layout(self) -> "DocumentLayout":
        from chatui.view.layout.document_layout import DocumentLayout

        return DocumentLayout(self._document, self._width, self._options)

    def settle(self) -> None:
        """The stream pauses: show exactly now what is put off while text streams fast."""
        if not self._is_closed:
            self._layout.settle()

    def mark(self, line: int) -> tuple[int, float]:
        """Where a line stands in the source: its block's beginning, and how far into the block's lines."""
        if self._early is not None:
            return self._early.mark(line)
        start = self._layout.source_at(line)[0]
        first, count = self._lines_of_block(start)
        return start, (line - first) / max(1, count)

    def line_at(self, start: int, share: float) -> int:
        """The line of such a place, at the width that is now."""
        if self._early is not None:
            return self._early.line_at(start, share)
        first, count = self._lines_of_block(start)
        return max(0, min(self.height - 1, first + min(round(share * count), max(0, count - 1))))

    def _lines_of_block(self, start: int) -> tuple[int, int]:
        lines = range(self.height)
        first = bisect_left(lines, start, key=lambda line: self._layout.source_at(line)[0])
        stop = bisect_right(lines, start, key=lambda line: self._layout.source_at(line)[0])
        return first, stop - first

    def code_at(self, line: int) -> "CodePlace | None":
        """What a line of code shows, in the source."""
        return self._layout.code_at(line) if self._early is None else None

    def code_regions(self) -> "Sequence[CodeRegion]":
        """Code blocks of the document."""
        return self._layout.code_regions() if self._early is None else self._early.code_regions()
