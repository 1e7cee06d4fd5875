"""A turn as lines: what the person said, the name line with its badge, the answer, tool calls.

And the foot of a failure.

Invariant: following a growing turn costs time in proportion to what was added; the badge always stands on
the name line; nothing of a failed turn is taken away.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from chatui.core.continuation import OpenFence, is_continued, open_fence
from chatui.core.messages import (
    Part,
    ReasoningPart,
    TextPart,
)
from chatui.core.turn import Phase, Turn
from chatui.view.badge import Badge
from chatui.view.failure_foot import foot_lines
from chatui.view.lines import EMPTY_LINE, Gutter, Line, Run, Style, Tone
from chatui.view.part_lines import part_lines
from chatui.view.plain_lines import one_line, runs_line, spread_line
from chatui.view.sections import DocumentSection, LinesSection, Section
from chatui.view.tool_lines import tool_lines
from chatui.view.turn_head import head_sections
from chatui.view.turn_options import TurnViewOptions, with_pictures_of

if TYPE_CHECKING:
    from chatui.view.layout.code import CodePlace
    from chatui.view.layout.document_layout import CodeRegion


class TurnMark(NamedTuple):
    """A place in a turn: a section, where its block begins in the source, and how far into it."""

    section: int
    start: int
    share: float


class TurnView:
    """Lines of one turn at a width; `update` follows the turn, `row` gives a line and its gutter."""

    def __init__(self, turn: Turn, badge: Badge, width: int, options: TurnViewOptions) -> None:
        self._options = with_pictures_of(turn, options)
        self._width = width
        self._badge = badge
        self._is_unfolded = False
        self._shows_details = False
        self._foot_hint = ""
        self.turn = turn
        self._parts: dict[tuple[int, int], tuple[Part, Section]] = {}
        self._details: dict[tuple[int, int], Section] = {}
        """What is unfolded below reasoning and calls of tools."""
        self._fence = open_fence(turn.input[-1].text) if is_continued(turn) else None
        self._rest: DocumentSection | None = None
        """The answer from the seam on."""
        self._head = self._head_sections()
        self._name = LinesSection(self._name_lines, width)
        self._gap = LinesSection(lambda _width: [EMPTY_LINE], width)
        self._foot = LinesSection(self._foot_lines, width)
        self._sections: list[Section] = []
        self._starts: list[int] = []
        self._height = 0
        self._arrange()

    def close(self) -> None:
        """Nobody looks at it any more: its lines are free at once; they need not wait for the collector."""
        self._parts.clear()
        self._details.clear()
        self._head = []
        self._sections = []
        self._starts = []

    # What is shown

    @property
    def height(self) -> int:
        """Number of lines, the blank one at the end included."""
        return self._height

    @property
    def width(self) -> int:
        """Cells of the text column."""
        return self._width

    @property
    def badge(self) -> Badge:
        """How the turn stands."""
        return self._badge

    @property
    def name_row(self) -> int:
        """The row of the name line."""
        return self._starts[len(self._head)]

    @property
    def name_line(self) -> Line:
        """The name line with the badge."""
        return self._name.line(0)

    def row(self, index: int) -> tuple[Line, Gutter]:
        """One line and what stands at its left."""
        at = bisect_right(self._starts, index) - 1
        section = self._sections[at]
        return section.line(index - self._starts[at]), section.gutter

    def mark(self, row: int) -> TurnMark:
        """Where a row stands, in terms that hold at any width."""
        at = bisect_right(self._starts, row) - 1
        section = self._sections[at]
        line = row - self._starts[at]
        if isinstance(section, DocumentSection):
            return TurnMark(at, *section.mark(line))
        return TurnMark(at, 0, line / max(1, section.height))

    def row_at(self, mark: TurnMark) -> int:
        """The row of such a place, at the width that is now."""
        if mark.section >= len(self._sections):
            return max(0, self._height - 1)
        section = self._sections[mark.section]
        if isinstance(section, DocumentSection):
            line = section.line_at(mark.start, mark.share)
        else:
            line = min(section.height - 1, round(mark.share * section.height))
        return self._starts[mark.section] + max(0, line)

    def code_regions(self) -> list[tuple[int, "CodeRegion"]]:
        """Code blocks of the answer, each with the row at which its document begins.

        One in which the answer was cut goes on behind the seam, and is one.
        """
        found: list[tuple[int, CodeRegion]] = []
        fence = self._fence
        for start, section in zip(self._starts, self._sections, strict=True):
            if not isinstance(section, DocumentSection):
                continue
            regions = list(section.code_regions())
            if fence is not None and section is self._rest and regions and found:
                above, first = found.pop()
                found.append((above, _whole(first, regions.pop(0), fence, start - above, section.source)))
            found.extend((start, region) for region in regions)
        return found

    def code_at(self, row: int) -> tuple[int, "CodePlace"] | None:
        """The section of a row of code and what the row shows of the source; None for other rows."""
        at = bisect_right(self._starts, row) - 1
        section = self._sections[at]
        place = section.code_at(row - self._starts[at]) if isinstance(section, DocumentSection) else None
        return None if place is None else (at, place)

    # Following the turn

    def update(self, turn: Turn, *, most: int | None = None) -> bool:
        """Follow the turn; returns whether text is left for another call because of `most`."""
        input_changed = turn.input is not self.turn.input and turn.input != self.turn.input
        foot_changed = (turn.failure, turn.notices, turn.phase) != (
            self.turn.failure,
            self.turn.notices,
            self.turn.phase,
        )
        name_changed = (turn.model, turn.requested_model) != (self.turn.model, self.turn.requested_model)
        self.turn = turn
        if input_changed:
            self._head = self._head_sections()
        has_more = self._follow_parts(most)
        if foot_changed:
            self._foot.remake()
        if name_changed:
            self._name.remake()
        self._arrange(are_parts_known=True)
        return has_more

    def settle(self) -> None:
        """The stream pauses: show exactly now what is put off while text streams fast."""
        for _, section in self._parts.values():
            if isinstance(section, DocumentSection):
                section.settle()
        self._arrange(are_parts_known=True)

    def set_badge(self, badge: Badge) -> bool:
        """Show another badge on the name line; returns whether it changed."""
        if badge == self._badge:
            return False
        self._badge = badge
        self._name.remake()
        return True

    def set_foot_hint(self, hint: str) -> None:
        """What must be pressed before the keys of the foot line work; empty if they work at once."""
        if hint != self._foot_hint:
            self._foot_hint = hint
            self._foot.remake()
            self._arrange(are_parts_known=True)

    def toggle_fold(self) -> None:
        """Fold or unfold a long prompt."""
        self._is_unfolded = not self._is_unfolded
        self._head = self._head_sections()
        self._arrange(are_parts_known=True)

    def toggle_details(self) -> None:
        """Unfold reasoning and what tools were asked and gave, or fold them."""
        self._shows_details = not self._shows_details
        self._details = {}
        for key, (part, section) in list(self._parts.items()):
            if not isinstance(part, TextPart) and isinstance(section, LinesSection):
                section.remake()
                self._follow_details(key, part, None)
        self._head = self._head_sections()
        self._arrange(are_parts_known=True)

    def use_options(self, options: TurnViewOptions) -> None:
        """Lay out in another way; nothing is parsed again."""
        self._options = with_pictures_of(self.turn, options)
        self._head = self._head_sections()
        for section in (*(section for _, section in self._parts.values()), *self._details.values()):
            if isinstance(section, DocumentSection):
                section.use(self._options.layout)
            elif isinstance(section, LinesSection):
                section.remake()
        self._arrange(are_parts_known=True)

    def resize(self, width: int) -> None:
        """Lay out for another width."""
        if width == self._width:
            return
        self._width = width
        for section in self._sections:
            section.resize(width)
        self._arrange(are_parts_known=True)

    # Sections

    def _arrange(self, *, are_parts_known: bool = False) -> None:
        if not are_parts_known:
            self._follow_parts(None)
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
        self._sections = [*self._head, self._name, *body]
        if self._foot.height:
            self._sections.append(self._foot)
        self._starts = []
        at = 0
        for section in self._sections:
            self._starts.append(at)
            at += section.height
        self._height = at

    def _follow_parts(self, most: int | None) -> bool:
        has_more = False
        is_final = self.turn.phase is not Phase.RECEIVING
        for choice in self.turn.choices:
            if choice.index and (choice.index, -1) not in self._parts:
                self._parts[choice.index, -1] = (TextPart(""), self._choice_heading(choice.index))
            for index, part in enumerate(choice.parts):
                key = (choice.index, index)
                is_last = index == len(choice.parts) - 1
                has_more |= self._follow_part(key, part, is_final or not is_last, most)
        return has_more

    def _follow_part(self, key: tuple[int, int], part: Part, is_final: bool, most: int | None) -> bool:
        known = self._parts.get(key)
        if isinstance(part, TextPart):
            if known is None or not isinstance(known[1], DocumentSection):
                section: Section = self._new_document()
            else:
                section = known[1]
            self._parts[key] = (part, section)
            assert isinstance(section, DocumentSection)
            return section.feed(
                part.text, is_final=is_final and self.turn.phase is not Phase.RECEIVING, most=most
            )
        has_more = self._follow_details(key, part, most)
        if known is not None and known[0] == part and isinstance(known[1], LinesSection):
            return has_more

        def make(width: int, part: Part = part) -> list[Line]:
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
        if not self._shows_details:
            return False
        if isinstance(part, ReasoningPart):
            document = self._details.get(key)
            if not isinstance(document, DocumentSection):
                document = DocumentSection(self._width, self._options.layout, Gutter.ASIDE)
                self._details[key] = document
            return document.feed(part.text, is_final=self.turn.phase is not Phase.RECEIVING, most=most)

        def make(width: int) -> list[Line]:
            is_running = self.turn.phase is Phase.RECEIVING
            return tool_lines(part, width, self._options.signs, is_running=is_running)

        known = self._details.get(key)
        if isinstance(known, LinesSection):
            known.remake(make)
        else:
            self._details[key] = LinesSection(make, self._width, Gutter.ASIDE)
        return False

    def _choice_heading(self, index: int) -> LinesSection:
        def make(width: int) -> list[Line]:
            return [
                EMPTY_LINE,
                runs_line((Run(f"alternative {index + 1}", Style(Tone.MUTED, is_bold=True)),)),
            ]

        return LinesSection(make, self._width)

    def _head_sections(self) -> list[Section]:
        return head_sections(
            self.turn,
            self._width,
            self._options,
            is_unfolded=self._is_unfolded,
            shows_details=self._shows_details,
        )

    def _name_lines(self, width: int) -> Sequence[Line]:
        name = one_line(self.turn.model or self.turn.requested_model or "answer", max(8, width // 2))
        return [spread_line((Run(name, Style(Tone.TEXT, is_bold=True)),), self._badge.runs(), width)]

    def _foot_lines(self, width: int) -> Sequence[Line]:
        return [*foot_lines(self.turn, width, self._options.signs, self._foot_hint), EMPTY_LINE]

    def _lines_of(self, part: Part, width: int) -> list[Line]:
        is_running = self.turn.phase is Phase.RECEIVING
        return part_lines(
            part,
            width,
            self._options.signs,
            is_running=is_running,
            is_unfolded=self._shows_details,
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
