"""A small question over the chat: its words are shown as they are, safe and whole."""

from textual import events

from chatui.ui.screens.asking import AskedLines, AskingScreen
from chatui.ui.theme import ThemeStyles
from chatui.ui.widgets.one_line import LinesWidget
from chatui.view.glyphs import Glyphs
from chatui.view.lines import EMPTY_LINE, Line, Run, Style, Tone
from chatui.view.plain_lines import plain_lines, runs_line

CHOICE_LINK = "chatui:choice/"


class QuestionLines(AskedLines):
    """Title, words and choices."""

    def __init__(
        self,
        title: str,
        words: tuple[str, ...],
        choices: tuple[tuple[str, str], ...],
        styles: ThemeStyles,
        signs: Glyphs,
    ) -> None:
        super().__init__(styles, signs)
        self._title = title
        self._words = words
        self._choices = choices
        self.at = 0

    def all_lines(self, width: int) -> list[Line]:
        """All lines."""
        lines = plain_lines(self._title, width, Style(Tone.TEXT, is_bold=True), indent=" ")
        for text in self._words:
            if text:
                lines.extend(plain_lines(text, width - 1, Style(Tone.MUTED), indent=" ", most=12))
        lines.append(EMPTY_LINE)
        for index, (name, words) in enumerate((*self._choices, ("", "leave it"))):
            is_here = index == self.at
            mark = f" {self.signs.marker if is_here else ' '} "
            style = Style(Tone.ACCENT if is_here else Tone.TEXT, is_bold=is_here)
            lines.append(runs_line((Run(mark, style), Run(words, style, CHOICE_LINK + name))))
        return lines


class Question(AskingScreen):
    """Asks, and gives the name of the choice or None."""

    def __init__(
        self,
        title: str,
        words: tuple[str, ...],
        choices: tuple[tuple[str, str], ...],
        styles: ThemeStyles,
        signs: Glyphs,
    ) -> None:
        self._choices = choices
        self._lines = QuestionLines(title, words, choices, styles, signs)
        super().__init__(self._lines)

    def on_key(self, event: events.Key) -> None:
        """Up and down choose, Enter takes, Esc leaves."""
        event.stop()
        if event.key in ("escape", "ctrl+c"):
            self.leave_with(None)
        elif event.key in ("up", "down", "tab"):
            step = -1 if event.key == "up" else 1
            self._lines.at = (self._lines.at + step) % (len(self._choices) + 1)
            self._lines.lines_changed()
        elif event.key == "enter":
            at = self._lines.at
            self.leave_with(self._choices[at][0] if at < len(self._choices) else None)

    def on_lines_widget_link_pressed(self, event: LinesWidget.LinkPressed) -> None:
        """A choice was clicked."""
        event.stop()
        self.leave_with(event.link.removeprefix(CHOICE_LINK) or None)
