"""The parts of a turn as sections: each part keeps its own while it grows.

Invariants: following a part costs time in proportion to what was added to it; every section, also one that
shows nothing yet, has the width of the turn; a code block in which the answer was cut is one with the rest.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from chatui.core.continuation import OpenFence, is_continued, open_fence
from chatui.core.messages import Part, ReasoningPart, TextPart
from chatui.core.turn import Phase, Turn
from chatui.view.lines import EMPTY_LINE, Gutter, Line, Run, Style, Tone
from chatui.view.part_lines import part_lines
from chatui.view.plain_lines import runs_line
from chatui.view.sections import DocumentSection, LinesSection, Section
from chatui.view.tool_lines import tool_lines
from chatui.view.turn_options import TurnViewOptions

if TYPE_CHECKING:
    from chatui.view.layout.document_layout import CodeRegion


class PartSections:
    """Follows the parts of one turn.

    Args:
        turn: Whose parts; nothing is read of it yet but what its prompt ends with.
        width: Cells of the text column.
        options: How it is laid out.
    """

    def __init__(self, turn: Turn, width: int, options: TurnViewOptions) -> None:
        self.shows_details = False
        """Reasoning and what tools were asked and gave are unfolded."""
        self._is_final = False
        self._width = width
        self._options = options
        self._parts: dict[tuple[int, int], tuple[Part, Section]] = {}
        """By choice and place in it; the heading of an alternative is at place -1."""
        self._details: dict[tuple[int, int], Section] = {}
        """What is unfolded below reasoning and calls of tools."""
        self._fence = open_fence(turn.input[-1].text) if is_continued(turn) else None
        self._rest: DocumentSection | None = None
        """The answer from the seam on."""
        self._gap = LinesSection(lambda _width: [EMPTY_LINE], width)

    def shown(self) -> list[Section]:
        """What there is to see, in order."""
        body: list[Section] = []
        for key, (part, section) in self._parts.items():
            if not section.height:
                continue
            if body and (isinstance(part, TextPart) or isinstance(body[-1], DocumentSection)):
                body.append(self._gap)
            body.append(section)
            details = self._details.get(key)
            if details is not None and details.height:
                body.append(details)
        return body

    def code_regions(self, placed: Iterable[tuple[int, Section]]) -> list[tuple[int, "CodeRegion"]]:
        """Code blocks of sections and the rows at which these begin, each with the row of its section.

        One in which the answer was cut goes on behind the seam, and is one.
        """
        found: list[tuple[int, CodeRegion]] = []
        fence = self._fence
        for start, section in placed:
            if not isinstance(section, DocumentSection):
                continue
            regions = list(section.code_regions())
            if fence is not None and section is self._rest and regions and found:
                above, first = found.pop()
                found.append((above, _whole(first, regions.pop(0), fence, start - above, section.source)))
            found.extend((start, region) for region in regions)
        return found

    def follow(self, turn: Turn, most: int | None) -> bool:
        """Follow the turn; returns whether text is left for another call because of `most` characters."""
        has_more = False
        self._is_final = turn.phase is not Phase.RECEIVING
        for choice in turn.choices:
            if choice.index and (choice.index, -1) not in self._parts:
                self._parts[choice.index, -1] = (TextPart(""), self._choice_heading(choice.index))
            for index, part in enumerate(choice.parts):
                has_more |= self._follow_part((choice.index, index), part, most)
        return has_more

    def take_rest(self) -> None:
        """Take at once what is left of texts that are not shown by their end."""
        for section in self._all():
            if isinstance(section, DocumentSection) and not section.is_early:
                section.take_rest(is_final=self._is_final)

    @property
    def is_early(self) -> bool:
        """Some text is being laid out in steps."""
        return any(isinstance(section, DocumentSection) and section.is_early for section in self._all())

    def show_whole(self) -> None:
        """Show all of what was laid out in steps."""
        for section in self._all():
            if isinstance(section, DocumentSection):
                section.show_whole()

    def settle(self) -> None:
        """The stream pauses: show exactly now what is put off while text streams fast."""
        for _, section in self._parts.values():
            if isinstance(section, DocumentSection):
                section.settle()

    def toggle_details(self) -> None:
        """Unfold what is folded, or fold it."""
        self.shows_details = not self.shows_details
        self._details = {}
        for key, (part, section) in list(self._parts.items()):
            if not isinstance(part, TextPart) and isinstance(section, LinesSection):
                section.remake()
                self._follow_details(key, part, None)

    def use_options(self, options: TurnViewOptions, *, in_steps: bool) -> None:
        """Lay out in another way; nothing is parsed again."""
        self._options = options
        for section in self._all():
            if isinstance(section, DocumentSection):
                section.use(options.layout, in_steps=in_steps)
            elif isinstance(section, LinesSection):
                section.remake()

    def resize(self, width: int, *, in_steps: bool) -> None:
        """Lay out for another width, also what shows nothing yet."""
        self._width = width
        for section in (self._gap, *self._all()):
            if isinstance(section, DocumentSection):
                section.resize(width, in_steps=in_steps)
            else:
                section.resize(width)

    def close(self) -> None:
        """Nobody looks at it any more: its lines are free at once."""
        self._parts.clear()
        self._details.clear()

    def _all(self) -> list[Section]:
        return [*(section for _, section in self._parts.values()), *self._details.values()]

    def _follow_part(self, key: tuple[int, int], part: Part, most: int | None) -> bool:
        known = self._parts.get(key)
        if isinstance(part, TextPart):
            if known is not None and isinstance(known[1], DocumentSection):
                document = known[1]
            else:
                document = self._new_document()
            self._parts[key] = (part, document)
            return document.feed(part.text, is_final=self._is_final, most=most)
        has_more = self._follow_details(key, part, most)
        if known is not None and known[0] == part and isinstance(known[1], LinesSection):
            return has_more

        def make(width: int) -> list[Line]:
            return self._lines_of(part, width)

        if known is not None and isinstance(known[1], LinesSection):
            known[1].remake(make)
            self._parts[key] = (part, known[1])
        else:
            self._parts[key] = (part, LinesSection(make, self._width))
        return has_more

    def _new_document(self) -> DocumentSection:
        if self._fence is None or self._rest is not None:
            return DocumentSection(self._width, self._options.layout)
        self._rest = DocumentSection(self._width, self._options.layout, opening=self._fence.opening)
        return self._rest

    def _follow_details(self, key: tuple[int, int], part: Part, most: int | None) -> bool:
        if not self.shows_details:
            return False
        if isinstance(part, ReasoningPart):
            document = self._details.get(key)
            if not isinstance(document, DocumentSection):
                document = DocumentSection(self._width, self._options.layout, Gutter.ASIDE)
                self._details[key] = document
            return document.feed(part.text, is_final=self._is_final, most=most)

        def make(width: int) -> list[Line]:
            return tool_lines(part, width, self._options.signs, is_running=not self._is_final)

        known = self._details.get(key)
        if isinstance(known, LinesSection):
            known.remake(make)
        else:
            self._details[key] = LinesSection(make, self._width, Gutter.ASIDE)
        return False

    def _choice_heading(self, index: int) -> LinesSection:
        def make(_width: int) -> list[Line]:
            return [
                EMPTY_LINE,
                runs_line((Run(f"alternative {index + 1}", Style(Tone.MUTED, is_bold=True)),)),
            ]

        return LinesSection(make, self._width)

    def _lines_of(self, part: Part, width: int) -> list[Line]:
        return part_lines(
            part,
            width,
            self._options.signs,
            is_running=not self._is_final,
            is_unfolded=self.shows_details,
            shelf=self._options.pictures,
        )


def _whole(
    first: "CodeRegion", rest: "CodeRegion", fence: OpenFence, rows_between: int, text: str
) -> "CodeRegion":
    """A code block with its other half, which begins so many rows below."""
    return replace(
        first,
        stop_line=rest.stop_line + rows_between,
        source=fence.joined(first.source, rest.source, text),
    )
