"""A turn as lines: what the person said, the name line with its badge, the answer, the foot of a failure.

Invariant: following a growing turn costs time in proportion to what was added; the badge always stands on
the name line; nothing of a failed turn is taken away.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from chatui.core.turn import Turn
from chatui.view.badge import Badge
from chatui.view.failure_foot import foot_lines
from chatui.view.lines import EMPTY_LINE, Gutter, Line, Run, Style, Tone
from chatui.view.part_sections import PartSections
from chatui.view.plain_lines import one_line, spread_line
from chatui.view.sections import DocumentSection, LinesSection, Section, SectionStack
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

    def __init__(
        self, turn: Turn, badge: Badge, width: int, options: TurnViewOptions, *, most: int | None = None
    ) -> None:
        self._options = with_pictures_of(turn, options)
        self._width = width
        self._badge = badge
        self._is_unfolded = False
        self._foot_hint = ""
        self._standing: tuple[Line, Line] | None = None
        self.turn = turn
        self._parts = PartSections(turn, width, self._options)
        self._head = self._head_sections()
        self._name = LinesSection(self._name_lines, width)
        self._foot = LinesSection(self._foot_lines, width)
        self._stack = SectionStack()
        if self._parts.follow(turn, most):
            self._parts.take_rest()
        self._arrange()

    def close(self) -> None:
        """Nobody looks at it any more: its lines are free at once; they need not wait for the collector."""
        self._parts.close()
        self._head = []
        self._stack = SectionStack()

    # What is shown

    @property
    def height(self) -> int:
        """Number of lines, the blank one at the end included."""
        return self._stack.height

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
        return self._stack.starts[len(self._head)]

    @property
    def name_line(self) -> Line:
        """The name line with the badge."""
        return self._name.line(0)

    @property
    def standing_line(self) -> Line:
        """The name line as it stands above its text when that is scrolled: with what was asked."""
        name = self.name_line
        if self._standing is None or self._standing[0] is not name:
            self._standing = (name, self._with_prompt(self._width))
        return self._standing[1]

    def row(self, index: int) -> tuple[Line, Gutter]:
        """One line and what stands at its left."""
        at, line = self._stack.at(index)
        section = self._stack.sections[at]
        return section.line(line), section.gutter

    def mark(self, row: int) -> TurnMark:
        """Where a row stands, in terms that hold at any width."""
        at, line = self._stack.at(row)
        section = self._stack.sections[at]
        if isinstance(section, DocumentSection):
            return TurnMark(at, *section.mark(line))
        return TurnMark(at, 0, line / max(1, section.height))

    def row_at(self, mark: TurnMark) -> int:
        """The row of such a place, at the width that is now."""
        stack = self._stack
        if mark.section >= len(stack.sections):
            return max(0, stack.height - 1)
        section = stack.sections[mark.section]
        if isinstance(section, DocumentSection):
            line = section.line_at(mark.start, mark.share)
        else:
            line = min(section.height - 1, round(mark.share * section.height))
        return stack.starts[mark.section] + max(0, line)

    def code_regions(self) -> list[tuple[int, "CodeRegion"]]:
        """Code blocks of the answer, each with the row at which its document begins.

        One in which the answer was cut goes on behind the seam, and is one.
        """
        return self._parts.code_regions(zip(self._stack.starts, self._stack.sections, strict=True))

    def code_at(self, row: int) -> tuple[int, "CodePlace"] | None:
        """The section of a row of code and what the row shows of the source; None for other rows."""
        at, line = self._stack.at(row)
        section = self._stack.sections[at]
        place = section.code_at(line) if isinstance(section, DocumentSection) else None
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
        has_more = self._parts.follow(turn, most)
        if foot_changed:
            self._foot.remake()
        if name_changed:
            self._name.remake()
        self._arrange()
        return has_more

    @property
    def is_early(self) -> bool:
        """A very long text is not shown whole yet: `lay_out_more` until it gives False, then show it."""
        return self._parts.is_early

    def lay_out_more(self, most: int) -> bool:
        """Lay out so many more characters without showing them; returns whether some are left."""
        return self._parts.follow(self.turn, most)

    def show_whole(self) -> None:
        """Show all of it; rows change."""
        self._parts.show_whole()
        self._arrange()

    def settle(self) -> None:
        """The stream pauses: show exactly now what is put off while text streams fast."""
        self._parts.settle()
        self._arrange()

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
            self._arrange()

    def toggle_fold(self) -> None:
        """Fold or unfold a long prompt."""
        self._is_unfolded = not self._is_unfolded
        self._head = self._head_sections()
        self._arrange()

    def toggle_details(self) -> None:
        """Unfold reasoning and what tools were asked and gave, or fold them."""
        self._parts.toggle_details()
        self._head = self._head_sections()
        self._arrange()

    def use_options(self, options: TurnViewOptions, *, in_steps: bool = False) -> None:
        """Lay out in another way; nothing is parsed again. A very long text `in_steps` `is_early` then."""
        self._options = with_pictures_of(self.turn, options)
        self._head = self._head_sections()
        self._parts.use_options(self._options, in_steps=in_steps)
        self._arrange()

    def resize(self, width: int, *, in_steps: bool = False) -> None:
        """Lay out for another width. A very long text `in_steps` `is_early` then."""
        if width == self._width:
            return
        self._width = width
        self._parts.resize(width, in_steps=in_steps)
        for section in (*self._head, self._name, self._foot):
            section.resize(width)
        self._arrange()

    # Sections

    def _arrange(self) -> None:
        foot = (self._foot,) if self._foot.height else ()
        self._stack = SectionStack((*self._head, self._name, *self._parts.shown(), *foot))

    def _head_sections(self) -> list[Section]:
        return head_sections(
            self.turn,
            self._width,
            self._options,
            is_unfolded=self._is_unfolded,
            shows_details=self._parts.shows_details,
        )

    def _name_lines(self, width: int) -> Sequence[Line]:
        return [spread_line((self._name_run(width),), self._badge.runs(), width)]

    def _name_run(self, width: int) -> Run:
        name = one_line(self.turn.model or self.turn.requested_model or "answer", max(8, width // 2))
        return Run(name, Style(Tone.TEXT, is_bold=True))

    def _with_prompt(self, width: int) -> Line:
        prompt = Run(f"  {one_line(self.turn.prompt[: 8 * width], width)}", Style(Tone.FAINT))
        return spread_line((self._name_run(width), prompt), self._badge.runs(), width)

    def _foot_lines(self, width: int) -> Sequence[Line]:
        return [*foot_lines(self.turn, width, self._options.signs, self._foot_hint), EMPTY_LINE]
