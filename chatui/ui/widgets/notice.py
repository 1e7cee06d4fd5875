"""Notices above the composer: what is broken in configuration or history, why nothing can be sent.

What to do.
"""

from collections.abc import Sequence
from dataclasses import replace

from chatui.ui.widgets.one_line import LinesWidget
from chatui.view.lines import Line, Run, Style, Tone
from chatui.view.plain_lines import plain_lines, runs_line

MOST_LINES = 6


class Notice(LinesWidget):
    """A few lines that stay until they are dismissed or no longer true."""

    SCOPED_CSS = False
    """It is shown while the screen has a class for it."""
    DEFAULT_CSS = """
    ChatScreen #notice { display: none; }
    ChatScreen.-notice #notice { display: block; height: auto; max-height: 6; }
    """
    surface = "raised"
    text = ""
    hint = ""
    tone = Tone.WARNING

    def tell(self, text: str, hint: str = "", tone: Tone = Tone.WARNING) -> None:
        """Show this; empty text shows nothing."""
        self.text = text
        self.hint = hint
        self.tone = tone
        self.styles.height = max(1, len(self.make_lines(self.size.width or self.app.size.width)))
        self.lines_changed()

    def make_lines(self, width: int) -> Sequence[Line]:
        """The words, wrapped."""
        hint = self._wrapped(self.hint, width, Tone.MUTED)[: MOST_LINES // 2]
        room = MOST_LINES - len(hint)
        told = self._wrapped(self.text, width, self.tone)
        if len(told) > room:
            more = f"   {self.signs.ellipsis} {len(told) - room + 1} more lines"
            told = [*told[: room - 1], runs_line((Run(more, Style(self.tone)),))]
        return [*told, *hint]

    def _wrapped(self, text: str, width: int, tone: Tone) -> list[Line]:
        found: list[Line] = []
        for part in text.split("\n") if text else ():
            lines = plain_lines(part, max(4, width), Style(tone), indent="   ")
            first = lines[0]
            dot = Run(f" {self.signs.dot} ", Style(tone))
            found += [replace(first, runs=(dot, *first.runs[1:])), *lines[1:]]
        return found
