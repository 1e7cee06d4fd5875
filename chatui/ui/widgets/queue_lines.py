"""The prompts that wait for the answer that is coming: each can be taken back or dropped.

Invariant: nothing waits unseen: of many, the first ones are shown and the rest is counted.
"""

from collections.abc import Sequence

from chatui.ui.widgets.stacked_lines import StackedLines
from chatui.ui.writing.prompts import Prompt
from chatui.view.lines import Line, Run, Style, Tone
from chatui.view.plain_lines import cell_width, one_line, spread_line

MOST_SHOWN = 4
EDIT_LINK = "chatui:queue/edit/"
SOONER_LINK = "chatui:queue/sooner/"
DROP_LINK = "chatui:queue/drop/"


class QueueLines(StackedLines):
    """One line for each waiting prompt."""

    prompts: Sequence[Prompt] = ()
    is_held = False

    def tell(self, prompts: Sequence[Prompt], *, is_held: bool) -> None:
        """Show these prompts."""
        self.prompts = tuple(prompts)
        self.is_held = is_held
        self.content_changed()

    def make_lines(self, width: int) -> Sequence[Line]:
        """Number, words, what can be done."""
        lines: list[Line] = []
        word = "held" if self.is_held else "next"
        count = len(self.prompts)
        shown = count if count <= min(MOST_SHOWN, self.room) else min(MOST_SHOWN, self.room - 1)
        for index, prompt in enumerate(self.prompts[:shown]):
            sooner = (Run("sooner", Style(Tone.ACCENT), f"{SOONER_LINK}{index}"), Run("  "))
            tail = (
                *(sooner if index else ()),
                Run("edit", Style(Tone.ACCENT), f"{EDIT_LINK}{index}"),
                Run("  "),
                Run("drop ", Style(Tone.ACCENT), f"{DROP_LINK}{index}"),
            )
            label = f" {word} {index + 1} "
            files = f" +{prompt.file_count} file{'s' if prompt.file_count > 1 else ''}" * bool(
                prompt.file_count
            )
            room = max(4, width - cell_width(label) - len(files) - (22 if index else 14))
            left = (
                Run(label, Style(Tone.WARNING if self.is_held else Tone.ACCENT, is_bold=True)),
                Run(one_line(prompt.text, room) + files, Style(Tone.MUTED)),
            )
            lines.append(spread_line(left, tail if width >= 40 else (), width))
        if count > shown:
            words = f"and {count - shown} more" if shown else f"{count} prompts wait"
            lines.append(spread_line((Run(f" {one_line(words, width - 1)}", Style(Tone.MUTED)),), (), width))
        if self.prompts and self.is_held:
            words = "An answer was not completed: Enter on an empty line sends what waits, Alt+Q edits it."
            lines.append(spread_line((Run(f" {one_line(words, width - 1)}", Style(Tone.MUTED)),), (), width))
        return lines
