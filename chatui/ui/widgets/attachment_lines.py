"""Chips of the files that go with the prompt: name, what is sent, size; and why one may be refused.

Invariant: a chip is shown for every file that would be sent, before it is sent.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chatui.ui.links import LOOK_LINK
from chatui.ui.widgets.stacked_lines import StackedLines
from chatui.view.lines import Line, Run, Style, Tone
from chatui.view.plain_lines import cell_width, one_line, plain_lines, runs_line

if TYPE_CHECKING:
    from chatui.core.attached_file import AttachedFile

MOST_CHIP_LINES = 3
LONGEST_NAME = 32


class AttachmentLines(StackedLines):
    """A few lines of chips, then problems."""

    files: "Sequence[AttachedFile]" = ()
    problems: Sequence[str] = ()

    def tell(self, files: "Sequence[AttachedFile]", problems: Sequence[str]) -> None:
        """Show these files."""
        self.files = tuple(files)
        self.problems = tuple(problems)
        self.content_changed()

    def make_lines(self, width: int) -> Sequence[Line]:
        """Chips side by side, then one line for each problem."""
        if not self.files and not self.problems:
            return []
        from chatui.core.attachment_limits import what_is_sent

        lines: list[Line] = []
        runs: list[Run] = []
        used = 0
        for file in self.files:
            name = one_line(file.name, max(4, min(LONGEST_NAME, width // 2)))
            facts = one_line(what_is_sent(file), max(4, width - cell_width(name) - 5))
            cells = cell_width(name) + cell_width(facts) + 5
            if runs and used + cells > width:
                lines.append(runs_line(tuple(runs)))
                runs, used = [], 0
            runs.append(Run(f" {self.signs.bullet} ", Style(Tone.ACCENT)))
            link = f"{LOOK_LINK}{file.name}" if file.width_pixels else ""
            runs.append(Run(name, Style(Tone.TEXT, is_bold=True), link))
            runs.append(Run(f" {facts}", Style(Tone.MUTED)))
            used += cells
        if runs:
            lines.append(runs_line(tuple(runs)))
        if len(lines) > MOST_CHIP_LINES:
            words = f" {len(self.files)} files go with this prompt"
            lines = [*lines[: MOST_CHIP_LINES - 1], runs_line((Run(words, Style(Tone.MUTED)),))]
        for problem in self.problems[:4]:
            mark = f" {self.signs.error} "
            lines.extend(plain_lines(problem, max(8, width - 1), Style(Tone.WARNING), indent=mark, most=2))
        return lines
