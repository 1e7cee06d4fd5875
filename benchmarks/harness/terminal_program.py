"""Runs a program in a pseudo-terminal, answers what it asks of the terminal, and keeps what it wrote, with
times.

Invariant: reading comes first: what was written is put on the screen only while nothing waits to be read, or
when somebody looks, so that the times are those of the program. The program has the first processor to
itself, whoever measures and serves has the last one.
"""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Mapping, Sequence
from typing import Final

from harness.process_cost import family
from harness.screen import Screen

COLUMNS: Final = 120
ROWS: Final = 40
_READ_BYTES: Final = 1 << 16
_TERM_S: Final = 2.0

_QUESTION: Final = re.compile(
    rb"\x1b\[(?P<private>[?>=]?)(?P<values>[0-9;]*)(?P<final>[cnqt])"
    rb"|\x1b\[\?(?P<mode>[0-9]+)\$p"
    rb"|\x1b\](?P<colour>1[01]);\?(?:\x07|\x1b\\)"
)


def own_processors() -> tuple[set[int], set[int]]:
    """Processors for the program, and for whoever measures; the same where there is only one."""
    usable = sorted(os.sched_getaffinity(0))
    return {usable[0]}, {usable[-1]}


def prefer(nice: int) -> None:
    """Run before other work of the machine, where that is allowed."""
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, nice)


class TerminalProgram:
    """A program on a screen of 120 by 40.

    Attributes:
        written: What it wrote: when it was read, and the bytes.
        is_alive: Whether its end of the terminal is open.
    """

    def __init__(self, arguments: Sequence[str], environment: Mapping[str, str], directory: str) -> None:
        self.written: list[tuple[float, bytes]] = []
        self.is_alive = True
        self.started_s = time.monotonic()
        self._screen = Screen(COLUMNS, ROWS)
        self._seen = 0
        self._asked = b""
        program, _ = own_processors()
        self.process_id, self._terminal = pty.fork()
        if self.process_id == 0:
            try:
                for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGPIPE, signal.SIGTERM):
                    signal.signal(number, signal.SIG_DFL)
                os.sched_setaffinity(0, program)
                prefer(-10)
                _set_size(0)
                os.chdir(directory)
                os.execvpe(arguments[0], list(arguments), dict(environment))
            finally:
                os._exit(127)
        _set_size(self._terminal)

    def type(self, keys: str) -> float:
        """Press keys; returns when."""
        pressed_s = time.monotonic()
        self._write(keys.encode())
        return pressed_s

    def _write(self, given: bytes) -> None:
        try:
            os.write(self._terminal, given)
        except OSError:
            self.is_alive = False

    def read(self, wait_s: float, *others: int) -> bool:
        """Wait for output (or another readable file) and keep it; returns whether there was some."""
        ready, _, _ = select.select([self._terminal, *others], [], [], 0)
        while not ready and self._seen < len(self.written):
            self._look_at_one()
            ready, _, _ = select.select([self._terminal, *others], [], [], 0)
        if not ready:
            ready, _, _ = select.select([self._terminal, *others], [], [], max(0.0, wait_s))
        if self._terminal not in ready:
            return False
        try:
            got = os.read(self._terminal, _READ_BYTES)
        except OSError:
            got = b""
        if not got:
            self.is_alive = False
            return False
        self.written.append((time.monotonic(), got))
        if b"\x1b" in got or self._asked:
            self._answer(got)
        return True

    def _answer(self, got: bytes) -> None:
        asked = self._asked + got
        end = 0
        for question in _QUESTION.finditer(asked):
            end = question.end()
            if reply := self._reply(question):
                self._write(reply)
        rest = asked[end:]
        start = rest.rfind(b"\x1b")
        self._asked = rest[start:] if start >= 0 and len(rest) - start < 32 else b""

    def _reply(self, question: re.Match[bytes]) -> bytes:
        if mode := question["mode"]:
            return b"\x1b[?%s;%d$y" % (mode, 2 if mode == b"2026" else 0)
        if colour := question["colour"]:
            return b"\x1b]%s;rgb:%s\x1b\\" % (
                colour,
                b"d0d0/d0d0/d0d0" if colour == b"10" else b"1010/1010/1010",
            )
        match question["private"] + question["values"] + question["final"]:
            case b"c" | b"0c":
                return b"\x1b[?62;22c"
            case b"5n":
                return b"\x1b[0n"
            case b"6n" | b"?6n":
                screen = self.screen()
                return b"\x1b[%s%d;%dR" % (question["private"], screen.row + 1, screen.column + 1)
            case b">q" | b">0q":
                return b"\x1bP>|benchmark 1.0\x1b\\"
            case b"14t":
                return b"\x1b[4;800;1200t"
            case b"16t":
                return b"\x1b[6;20;10t"
            case b"18t":
                return b"\x1b[8;%d;%dt" % (ROWS, COLUMNS)
            case _:
                return b""

    def read_for(self, seconds: float) -> None:
        """Keep output for a while."""
        end_s = time.monotonic() + seconds
        while self.is_alive and (left_s := end_s - time.monotonic()) > 0:
            self.read(left_s)

    def screen(self) -> Screen:
        """The screen as it stands."""
        while self._seen < len(self.written):
            self._look_at_one()
        return self._screen

    def _look_at_one(self) -> None:
        self._screen.feed(self.written[self._seen][1])
        self._seen += 1

    def wait_for(self, pattern: str, timeout_s: float) -> bool:
        """Wait until the screen matches."""
        wanted = re.compile(pattern, re.DOTALL)
        end_s = time.monotonic() + timeout_s
        while self.is_alive and time.monotonic() < end_s:
            if wanted.search(self.screen().text()):
                return True
            self.read(0.05)
        return bool(wanted.search(self.screen().text()))

    def stop(self) -> None:
        """End it and everything it started."""
        members = family(self.process_id)
        for number in (signal.SIGTERM, signal.SIGKILL):
            for member in reversed(members):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(member, number)
            end_s = time.monotonic() + _TERM_S
            while time.monotonic() < end_s:
                self.read(0.02)
                try:
                    ended, _ = os.waitpid(self.process_id, os.WNOHANG)
                except ChildProcessError:
                    ended = self.process_id
                if ended:
                    os.close(self._terminal)
                    return
        os.close(self._terminal)


def _set_size(terminal: int) -> None:
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 1200, 800))
