"""The status line: what can be pressed now at the left, what is known of the turn at the right.

Invariant: hints drop from the right until the rest fits, then facts; an unknown number is shown as unknown,
never as 0.
"""

from collections.abc import Sequence
from typing import NamedTuple

from chatui.ui.widgets.one_line import LinesWidget
from chatui.view.lines import Line, Run, Style, Tone
from chatui.view.plain_lines import cell_width, clip_runs, one_line, runs_line, spread_line

COMMAND_LINK = "chatui:command/"


class Hint(NamedTuple):
    """A key and what it does now."""

    key: str
    word: str
    command: str = ""


class StatusLine(LinesWidget):
    """One line at the bottom."""

    hints: tuple[Hint, ...] = ()
    facts: tuple[str, ...] = ()
    message = ""
    """Said once in place of the hints, until the next key."""
    message_tone = Tone.ACCENT

    def tell(self, *, hints: tuple[Hint, ...] | None = None, facts: tuple[str, ...] | None = None) -> None:
        """Show other hints or facts."""
        if hints in (None, self.hints) and facts in (None, self.facts):
            return
        self.hints = self.hints if hints is None else hints
        self.facts = self.facts if facts is None else facts
        self.lines_changed()

    def say(self, message: str, tone: Tone = Tone.ACCENT) -> None:
        """Say something in place of the hints; empty ends it."""
        if message != self.message or tone is not self.message_tone:
            self.message = message
            self.message_tone = tone
            self.lines_changed()

    def make_lines(self, width: int) -> Sequence[Line]:
        """Hints and facts that fit."""
        separator = f" {self.signs.dot} "
        facts = list(self.facts)
        if self.message:
            left: tuple[Run, ...] = (
                Run(" " + one_line(self.message, max(4, width - 2)), Style(self.message_tone)),
            )
            room = width - cell_width(left[0].text) - 3
        else:
            left = ()
            room = width // 2 if width >= 60 else 0
        while facts and cell_width(separator.join(facts)) > room:
            facts.pop()
        right = (Run(separator.join(facts) + " ", Style(Tone.FAINT)),) if facts else ()
        if not left:
            left = self._hint_runs(width - (cell_width(right[0].text) + 2 if right else 0))
        if not right:
            return [runs_line(clip_runs(left, width))]
        return [spread_line(left, right, width)]

    def _hint_runs(self, room: int) -> tuple[Run, ...]:
        runs: list[Run] = []
        used = 1
        for hint in self.hints:
            text = f"{hint.key} {hint.word}"
            if used + cell_width(text) + (2 if runs else 0) > room:
                break
            link = COMMAND_LINK + hint.command if hint.command else ""
            runs.append(Run("  " if runs else " "))
            runs.append(Run(hint.key, Style(Tone.ACCENT), link))
            runs.append(Run(f" {hint.word}", Style(Tone.MUTED), link))
            used += cell_width(text) + 2
        return tuple(runs)
