"""The thin bar at the left of the composer: bright while it has the focus."""

from collections.abc import Sequence

from chatui.ui.widgets.one_line import LinesWidget
from chatui.view.lines import Line, Run, Style, Tone
from chatui.view.plain_lines import runs_line

WIDTH = 3


class ComposerBar(LinesWidget):
    """As many lines as the composer has."""

    is_bright = True
    mode = ""
    """A letter in place of the bar: the mode of modal editing."""

    def tell(self, *, is_bright: bool) -> None:
        """Show whether typing goes to the composer."""
        self.is_bright = is_bright
        self.lines_changed()

    def tell_mode(self, mode: str) -> None:
        """Show a mode; empty shows the bar."""
        self.mode = mode
        self.lines_changed()

    def make_lines(self, width: int) -> Sequence[Line]:
        """The bar."""
        tone = Tone.ACCENT if self.is_bright else Tone.RULE
        line = runs_line((Run(f" {self.mode or self.signs.caret_bar} "[:width], Style(tone)),))
        return [line] * max(1, self.size.height)
