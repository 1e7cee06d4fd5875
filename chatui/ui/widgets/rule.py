"""A thin rule across the screen, with a joint where the side panel begins and, at the right.

A word when there is one.
"""

from collections.abc import Sequence

from chatui.ui.widgets.one_line import LinesWidget
from chatui.view.lines import Line, Run, Style, Tone
from chatui.view.plain_lines import cell_width, runs_line

END_LINK = "chatui:end"


class Rule(LinesWidget):
    """One line; `joint_at` is the column of the side panel's border, or None."""

    joint_at: int | None = None
    joint = ""
    label = ""

    def tell(self, *, joint_at: int | None, joint: str, label: str | None = None) -> None:
        """Place the joint and the label."""
        self.joint_at = joint_at
        self.joint = joint
        if label is not None:
            self.label = label
        self.lines_changed()

    def make_lines(self, width: int) -> Sequence[Line]:
        """The rule."""
        sign = self.signs.rule
        joint_at = self.joint_at if self.joint_at is not None and 0 <= self.joint_at < width else None
        room = joint_at if joint_at is not None else width
        label = f" {self.label} " if self.label else ""
        if cell_width(label) > room - 2:
            label = ""
        before = max(0, room - cell_width(label) - (2 if label else 0))
        style = Style(Tone.RULE)
        runs = [Run(sign * before, style)]
        if label:
            runs.append(Run(label, Style(Tone.ACCENT), END_LINK))
            runs.append(Run(sign * (room - before - cell_width(label)), style))
        if joint_at is not None:
            runs.append(Run(self.joint, style))
            runs.append(Run(sign * (width - joint_at - 1), style))
        return [runs_line(tuple(run for run in runs if run.text))]
