"""What can be completed at the caret: slash commands or files, one of them marked."""

from collections.abc import Sequence

from chatui.core.values import frozen
from chatui.ui.widgets.stacked_lines import StackedLines
from chatui.view.lines import Line, Run, Style, Tone
from chatui.view.plain_lines import cell_width, one_line, spread_line


@frozen
class Completion:
    """Something that can stand at the caret."""

    text: str
    shown: str
    weak: str = ""
    is_open: bool = False
    """More is to be typed after it (a folder): nothing is sent, no blank follows."""
    is_whole: bool = False
    """Nothing more can be typed after it (a command without words): Enter does it."""


class CompletionLines(StackedLines):
    """A few rows, the marked one among them."""

    surface = "overlay"
    items: Sequence[Completion] = ()
    at = 0

    def tell(self, items: Sequence[Completion], at: int = 0) -> None:
        """Show these."""
        self.items = tuple(items)
        self.at = max(0, min(at, len(self.items) - 1))
        self.content_changed()

    def make_lines(self, width: int) -> Sequence[Line]:
        """The rows around the marked one."""
        room = self.room
        top = max(0, min(self.at - room + 1, len(self.items) - room))
        lines: list[Line] = []
        for index in range(top, min(len(self.items), top + room)):
            item = self.items[index]
            is_here = index == self.at
            shown = one_line(item.shown, max(4, width - 6))
            weak = one_line(item.weak, max(0, width - cell_width(shown) - 8))
            left = (
                Run(f" {self.signs.marker if is_here else ' '} ", Style(Tone.ACCENT, is_bold=True)),
                Run(shown, Style(Tone.ACCENT if is_here else Tone.TEXT, is_bold=is_here)),
            )
            lines.append(spread_line(left, (Run(f"{weak} ", Style(Tone.MUTED)),) if weak else (), width))
        return lines
