"""Which keys for a new line arrive in this terminal, as far as that is known.

Invariant: a key counts as arriving only if it was pressed and did, or if the terminal itself said that it
tells it apart; what is not known is said to be not known. Ctrl+J and a backslash before Enter arrive in every
terminal.

Sources: kitty's keyboard protocol (`CSI ? u` asks for its state), tmux's manual (extended-keys), xterm's
modifyOtherKeys.
"""

import os
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from chatui.core.late_pattern import late_pattern
from chatui.ui.keymap import key_name
from chatui.ui.terminal.terminal_replies import AwaitedReply

QUESTION: Final = "\x1b[?u"
_REPLY = late_pattern(r"\x1b\[\?\d+u")
_HALF = late_pattern(r"\x1b\[\?\d*")

SHIFT_ENTER: Final = "shift+enter"
ALT_ENTER: Final = "alt+enter"
CONTROL_J: Final = "ctrl+j"


def keyboard_reply() -> AwaitedReply:
    """Awaits the state of the kitty keyboard protocol: any state at all says that the terminal speaks it."""
    return AwaitedReply(QUESTION, _REPLY, "\x1b[?", _HALF)


class Arrival(StrEnum):
    """Whether a key arrives; the values are what help says of it."""

    PROVEN = "works here"
    """It was pressed, and it came."""
    EXPECTED = "this terminal sends it"
    COMMON = "most terminals send it"
    NOT_TOLD_APART = "not told apart from Enter here"


class NewlineKeys:
    """What is known of the keys for a new line, in one session of the app.

    Args:
        environ: Tells of tmux.
    """

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        environ = os.environ if environ is None else environ
        self.is_in_tmux = bool(environ.get("TMUX"))
        self.has_kitty_keys = False
        """The terminal said that it speaks the kitty keyboard protocol."""
        self.tmux_extended_keys = ""
        """tmux's option; empty is not known."""
        self._arrived: list[str] = []

    def ask_tmux(self) -> None:
        """Ask tmux, if it stands between, whether it tells keys apart; call it in a thread."""
        if self.is_in_tmux:
            from chatui.wiring.program_output import tmux_option

            self.tmux_extended_keys = tmux_option("extended-keys")

    def pressed(self, key: str) -> bool:
        """A key for a new line came; True if that is news."""
        if key in self._arrived:
            return False
        self._arrived.append(key)
        return True

    @property
    def arrived(self) -> tuple[str, ...]:
        """Keys that came, as a person reads them."""
        return tuple(key_name(key) for key in self._arrived)

    def arrival(self, key: str) -> Arrival:
        """Whether a key arrives here."""
        if key in self._arrived or key == CONTROL_J:
            return Arrival.PROVEN
        if self.has_kitty_keys:
            return Arrival.EXPECTED
        if key == ALT_ENTER:
            return Arrival.COMMON
        if self.is_in_tmux and self.tmux_extended_keys in ("on", "always"):
            return Arrival.COMMON
        return Arrival.NOT_TOLD_APART

    @property
    def best(self) -> str:
        """The key to name in a hint: the most usual one that is known to arrive."""
        is_known = self.arrival(SHIFT_ENTER) in (Arrival.PROVEN, Arrival.EXPECTED)
        return SHIFT_ENTER if is_known else CONTROL_J

    def help_rows(self) -> tuple[tuple[str, str], ...]:
        """Keys and what they do, for help: those that work first, then those that do not."""
        rows = [("Ctrl+J, or \\ then Enter", "New line (works in every terminal)")]
        for key in sorted((SHIFT_ENTER, ALT_ENTER), key=lambda key: list(Arrival).index(self.arrival(key))):
            rows.append((key_name(key), f"New line ({self.arrival(key).value})"))
        return tuple(rows)
