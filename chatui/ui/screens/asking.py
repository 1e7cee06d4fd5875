"""A small box over the chat that asks the person something: what one line and a few choices have in common.

Invariant: the box is as high as its words, what waits for the answer is called when the screen is gone, and
no answer is given as None.
"""

from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import ModalScreen

from chatui.ui.theme import ThemeStyles
from chatui.ui.widgets.one_line import LinesWidget

WIDEST_CELLS = 76


class AskingScreen(ModalScreen[str | None]):
    """Shows lines in a box, and gives the answer or None."""

    DEFAULT_CSS = f"""
    AskingScreen {{ align: center middle; background: $background 60%; }}
    AskingScreen Container {{ width: {WIDEST_CELLS}; max-width: 96%; height: auto; max-height: 90%; }}
    AskingScreen Container {{ padding: 1 1; background: $panel; }}
    AskingScreen LinesWidget {{ height: auto; }}
    """
    ALLOW_SELECT: ClassVar[bool] = False

    def __init__(self, lines: LinesWidget) -> None:
        super().__init__()
        self._box = lines

    def compose(self) -> ComposeResult:
        """The box."""
        with Container():
            yield self._box

    def on_mount(self) -> None:
        """As high as its words."""
        width = min(WIDEST_CELLS, int(self.app.size.width * 0.96)) - 2
        self._box.styles.height = len(self._box.make_lines(width))

    def leave_with(self, answer: str | None) -> None:
        """Close with an answer; what waits for it is called when the screen is gone."""
        _ = self.dismiss(answer)

    def use_theme(self, styles: ThemeStyles) -> None:
        """Paint in another theme."""
        self._box.use_theme(styles)
