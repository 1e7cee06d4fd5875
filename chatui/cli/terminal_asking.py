"""Asks the terminal what it can do, by the questions that every terminal either answers or ignores.

Invariant: the terminal is left as it was, whatever happens; one that answers nothing costs a moment, not
more, because every terminal answers the last question (DA1).

Sources: xterm control sequences (DA1, DECRQM, cursor position report), kitty's keyboard protocol.
"""

import os
import re
import select
import shutil
import sys
import time
from typing import Final

from chatui.wiring.doctor.terminal_answers import EMOJI, TerminalAnswers

PATIENCE_S: Final = 5.0
"""So long the answers may take; over SSH they take two ways."""
MOST_BYTES: Final = 4096

_WIDTH_AND_KEYS: Final = f"\r{EMOJI}\x1b[6n\r\x1b[K\x1b[?u"
_MODE: Final = "\x1b[?2026$p"
"""Apple's Terminal does not know this form of question and would show its last letter."""
_WHO: Final = "\x1b[c"
_COLUMN: Final = re.compile(r"\x1b\[\d+;(\d+)R")
_KITTY: Final = re.compile(r"\x1b\[\?\d+u")
_FRAMES: Final = re.compile(r"\x1b\[\?2026;(\d)\$y")
_LAST: Final = re.compile(r"\x1b\[\?[\d;]*c")


def ask_terminal() -> TerminalAnswers:
    """What the terminal of this process says."""
    if not (sys.stdin and sys.stdout and sys.stdin.isatty() and sys.stdout.isatty()):
        return TerminalAnswers()
    size = shutil.get_terminal_size()
    if sys.platform == "win32" or os.environ.get("TERM", "dumb") == "dumb":
        return TerminalAnswers(is_terminal=True, columns=size.columns, rows=size.lines)
    mode = "" if os.environ.get("TERM_PROGRAM") == "Apple_Terminal" else _MODE
    return read_answers(_ask(_WIDTH_AND_KEYS + mode + _WHO), size.columns, size.lines)


def read_answers(text: str, columns: int, rows: int) -> TerminalAnswers:
    """What the answers of a terminal mean."""
    if not _LAST.search(text):  # it says nothing at all, so silence means nothing
        return TerminalAnswers(is_terminal=True, columns=columns, rows=rows)
    column = _COLUMN.search(text)
    frames = _FRAMES.search(text)
    return TerminalAnswers(
        is_terminal=True,
        columns=columns,
        rows=rows,
        emoji_cells=int(column[1]) - 1 if column else None,
        has_kitty_keys=_KITTY.search(text) is not None,
        has_synchronised_output=frames is not None and frames[1] in "123",
    )


def _ask(question: str) -> str:
    """What the terminal says to a question, up to its answer to DA1."""
    import termios
    import tty

    descriptor = sys.stdin.fileno()
    try:
        before = termios.tcgetattr(descriptor)
    except termios.error:
        return ""
    try:
        tty.setcbreak(descriptor, termios.TCSAFLUSH)
        sys.stdout.flush()
        os.write(sys.stdout.fileno(), question.encode("utf-8"))
        return _answer(descriptor)
    except (OSError, termios.error):
        return ""
    finally:
        # What arrived too late is thrown away with it: it would be typed into the shell.
        termios.tcsetattr(descriptor, termios.TCSAFLUSH, before)


def _answer(descriptor: int) -> str:
    text = ""
    until_s = time.monotonic() + PATIENCE_S
    while len(text) < MOST_BYTES and not _LAST.search(text):
        left_s = until_s - time.monotonic()
        if left_s <= 0 or not select.select([descriptor], [], [], left_s)[0]:
            break
        text += os.read(descriptor, MOST_BYTES).decode("latin-1")
    return text
