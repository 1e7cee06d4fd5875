"""One line asked of the person, over the chat: a path, a command, the value of a variable, a key.

Invariant: a secret is never shown, and what was typed is given as it is.
"""

from collections.abc import Sequence

from textual import events

from chatui.ui.screens.asking import AskedLines, AskingScreen
from chatui.ui.theme import ThemeStyles
from chatui.ui.widgets.key_hints import TAKES, hint_rows
from chatui.ui.writing.text_field import TextField
from chatui.view.glyphs import Glyphs
from chatui.view.lines import EMPTY_LINE, Line, Run, Style, Tone
from chatui.view.plain_lines import plain_lines, runs_line

MOST_SECRET_MARKS = 24


class EntryLines(AskedLines):
    """Title, what is asked, the field."""

    def __init__(
        self, title: str, words: str, text: str, styles: ThemeStyles, signs: Glyphs, *, is_secret: bool
    ) -> None:
        super().__init__(styles, signs)
        self._title = title
        self._words = words
        self._is_secret = is_secret
        self.field = TextField(text)

    def all_lines(self, width: int) -> Sequence[Line]:
        """All lines."""
        lines = plain_lines(self._title, width, Style(Tone.TEXT, is_bold=True), indent=" ", most=3)
        if self._words:
            lines.extend(plain_lines(self._words, width - 1, Style(Tone.MUTED), indent=" ", most=6))
        lines.append(EMPTY_LINE)
        field = self.field
        if self._is_secret:
            field = TextField(self.signs.bullet * min(MOST_SECRET_MARKS, len(field.text)))
        runs = field.runs(max(4, width - 4))
        lines.append(runs_line((Run(f" {self.signs.marker} ", Style(Tone.ACCENT)), *runs)))
        lines.append(EMPTY_LINE)
        lines.extend(hint_rows(TAKES, width))
        return lines


class Entry(AskingScreen):
    """Asks, and gives the text or None."""

    def __init__(
        self,
        title: str,
        words: str,
        styles: ThemeStyles,
        signs: Glyphs,
        *,
        text: str = "",
        is_secret: bool = False,
    ) -> None:
        self.lines = EntryLines(title, words, text, styles, signs, is_secret=is_secret)
        super().__init__(self.lines)

    def on_key(self, event: events.Key) -> None:
        """Enter takes, Esc leaves, everything else is written."""
        event.stop()
        event.prevent_default()
        if event.key in ("escape", "ctrl+c"):
            self.leave_with(None)
        elif event.key == "enter":
            self.leave_with(self.lines.field.text)
        elif self.lines.field.key(event.key, event.character if event.is_printable else None):
            self.lines.lines_changed()

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text is written too."""
        event.stop()
        self.lines.field.insert(event.text)
        self.lines.lines_changed()
