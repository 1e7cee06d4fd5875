"""A small box over the chat that asks the person something: what one line and a few choices have in common.

Invariant: the box is as high as its words, what waits for the answer is called when the screen is gone, and
no answer is given as None.
"""

from collections.abc import Sequence
from typing import ClassVar, Final

from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import ModalScreen

from chatui.ui.theme import ThemeStyles
from chatui.ui.widgets.one_line import LinesWidget
from chatui.view.lines import EMPTY_LINE, Line

WIDEST_CELLS = 76
FEW_ROWS: Final = 12
"""In windows of fewer rows the box has no margin."""


def fitted(lines: Sequence[Line], most: int) -> list[Line]:
    """At most so many lines: first the empty ones go, then what stands between the title and the end."""
    if len(lines) <= most:
        return list(lines)
    told = [line for line in lines if line is not EMPTY_LINE]
    return told if len(told) <= most else [*told[:1], *told[len(told) - max(0, most - 1) :]]


class AskedLines(LinesWidget):
    """What is asked; what is answered with stands at the end and is always in sight."""

    surface = "overlay"
    most_rows = 1000

    def all_lines(self, width: int) -> Sequence[Line]:
        """Title, words, and what is answered with; a subclass gives them."""
        return ()

    def make_lines(self, width: int) -> Sequence[Line]:
        """As many of them as there is room for."""
        return fitted(self.all_lines(width), self.most_rows)


class AskingScreen(ModalScreen[str | None]):
    """Shows lines in a box, and gives the answer or None."""

    DEFAULT_CSS = f"""
    AskingScreen {{ align: center middle; background: $background 60%; }}
    AskingScreen Container {{ width: {WIDEST_CELLS}; max-width: 96%; height: auto; max-height: 90%; }}
    AskingScreen Container {{ padding: 1 1; background: $panel; }}
    AskingScreen.-small Container {{ padding: 0; max-width: 100%; max-height: 100%; }}
    """
    ALLOW_SELECT: ClassVar[bool] = False

    def __init__(self, lines: AskedLines) -> None:
        super().__init__()
        self._box = lines

    def compose(self) -> ComposeResult:
        """The box."""
        with Container():
            yield self._box

    def on_resize(self, event: events.Resize) -> None:
        """As high as its words, and never higher than the window."""
        columns, rows = event.size
        is_small = rows < FEW_ROWS
        self.set_class(is_small, "-small")
        width = min(WIDEST_CELLS, columns if is_small else int(columns * 0.96)) - (0 if is_small else 2)
        self._box.most_rows = rows if is_small else int(rows * 0.9) - 2
        self._box.styles.height = len(self._box.make_lines(width))
        self._box.lines_changed()

    def leave_with(self, answer: str | None) -> None:
        """Close with an answer; what waits for it is called when the screen is gone."""
        if self.app.screen is self:  # a key behind the one that closed it finds it closed
            _ = self.dismiss(answer)

    def use_theme(self, styles: ThemeStyles) -> None:
        """Paint in another theme."""
        self._box.use_theme(styles)
