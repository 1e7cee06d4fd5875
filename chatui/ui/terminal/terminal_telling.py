"""Tells the terminal what its window is about: its title, and a sign when a long answer ends unseen.

Invariant: only safe text of one line goes into a title or a notification; nothing is written while nothing
changes, and the old title comes back at the end (where the terminal keeps a stack of titles).
Sources: xterm control sequences (OSC 2, CSI 22/23 t), iTerm2 (OSC 9), rxvt-unicode (OSC 777).
"""

from collections.abc import Callable

from chatui.config.settings import Notification
from chatui.core.turn import Phase, TurnId
from chatui.ui.live import Live
from chatui.view.badge import seconds
from chatui.view.glyphs import Glyphs
from chatui.view.plain_lines import one_line

LONGEST_TITLE = 80
KEEP_TITLE = "\x1b[22;2t"
OLD_TITLE = "\x1b[23;2t"


def title_sequence(title: str) -> str:
    """Sets the title."""
    return f"\x1b]2;{one_line(title, LONGEST_TITLE)}\x1b\\"


def notification_sequence(kind: Notification, text: str) -> str:
    """Tells something while the window is not looked at."""
    safe = one_line(text, 200).replace(";", ",")
    match kind:
        case Notification.OFF:
            return ""
        case Notification.BELL:
            return "\x07"
        case Notification.OSC9:
            return f"\x1b]9;{safe}\x1b\\"
        case Notification.OSC777:
            return f"\x1b]777;notify;chatui;{safe}\x1b\\"


class TerminalTelling:
    """Title and notification of one window.

    Args:
        write: Writes to the terminal.
        signs: What the terminal can show.
        has_focus: Whether the window is looked at, as far as the terminal says.
    """

    def __init__(self, write: Callable[[str], None], signs: Glyphs, has_focus: Callable[[], bool]) -> None:
        self._write = write
        self._signs = signs
        self._has_focus = has_focus
        self._title = ""
        self._told: TurnId | None = None
        self._asked: object = None
        self.has_title = True
        self.kind = Notification.OFF
        self.after_s = 0.0

    def about(self, title: str, *, is_busy: bool) -> None:
        """The window is about this."""
        if not self.has_title:
            return
        mark = f"{self._signs.receiving[0]} " if is_busy else ""
        wanted = one_line(
            f"{mark}{title} {self._signs.dot} chatui" if title else f"{mark}chatui", LONGEST_TITLE
        )
        if wanted != self._title:
            self._write(title_sequence(wanted) if self._title else KEEP_TITLE + title_sequence(wanted))
            self._title = wanted

    def leave(self) -> None:
        """The app ends: the title is no longer ours."""
        if self._title:
            self._write(title_sequence("") + OLD_TITLE)
            self._title = ""

    def heard(self, live: Live, elapsed_s: float) -> None:
        """Something changed: an answer may have ended, or a call waits for the person."""
        update = live.update
        if live.question is not None and live.question is not self._asked:
            self._asked = live.question
            self._tell_away("A tool waits for your yes or no")
        if update is None or update.turn.phase is Phase.RECEIVING or update.turn.turn_id == self._told:
            return
        if live.is_busy:  # an answer that called for tools goes on
            return
        self._told = update.turn.turn_id
        if elapsed_s >= self.after_s:
            word = "completed" if update.turn.phase is Phase.COMPLETED else "not completed"
            self._tell_away(f"Answer {word} after {seconds(elapsed_s)}")

    def _tell_away(self, words: str) -> None:
        """Notify, unless the window is looked at."""
        sequence = "" if self._has_focus() else notification_sequence(self.kind, words)
        if sequence:
            self._write(sequence)
