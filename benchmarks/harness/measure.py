"""One run: a program in a terminal streams one load, and what that took.

Definitions. CPU is user and system time of the program and its children from just before the first delta
until a second after the end is shown (spinner, cursor and the handling of typed keys included). Echo is
from a key pressed in the input to its character on the screen. Lag is from the last delta handed to the
kernel to the end on the screen. A gap is the time between two changes of the upper part of the screen
(where the answer stands) while text streams.
"""

import random
import re
import tempfile
import time
from dataclasses import dataclass, field
from typing import Final

from harness.corpus import END_MARK, START_MARK
from harness.load import Load
from harness.process_cost import cpu_s, resident_mib
from harness.programs import PROMPT, Program, environment
from harness.screen import Screen
from harness.server_process import ServerProcess
from harness.terminal_program import COLUMNS, ROWS, TerminalProgram

QUIET_S: Final = 1.0
LONGEST_QUIET_S: Final = 1.5
KEYS_BETWEEN_CLEARS: Final = 30
_KEY_LETTERS: Final = "jkqvxz"
_CLEAR: Final = "\x15"
_ESCAPE: Final = "\x1b"
_ANSWER_ROWS: Final = ROWS - 4


class RunFailedError(Exception):
    """A program did not do what the benchmark expects; the screen is in the message."""


@dataclass(slots=True)
class Outcome:
    """What one run took."""

    load: Load
    is_complete: bool = False
    cpu_s: float = 0.0
    output_bytes: int = 0
    total_s: float | None = None
    lag_s: float | None = None
    largest_gap_s: float | None = None
    memory_before_mib: float = 0.0
    memory_peak_mib: float = 0.0
    echoes_s: list[float] = field(default_factory=list)
    keys_pressed: int = 0
    stopped_shown_s: float | None = None
    stopped_closed_s: float | None = None

    @property
    def cpu_us_per_token(self) -> float:
        """Microseconds of processor time for each token."""
        return self.cpu_s / self.load.token_count * 1e6

    @property
    def kib_per_token(self) -> float:
        """Kilobytes (1000) written to the terminal for each token."""
        return self.output_bytes / self.load.token_count / 1000

    def echo_s(self, share: float) -> float | None:
        """A quantile of the echoes."""
        ordered = sorted(self.echoes_s)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else None


def run(
    program: Program,
    load: Load,
    server: ServerProcess,
    *,
    types_keys: bool = False,
    stops_after_s: float | None = None,
    patience_s: float = 60.0,
) -> Outcome:
    """Run a program once.

    Raises:
        RunFailedError: it did not start, or did not ask.
    """
    with tempfile.TemporaryDirectory(prefix="chatui-benchmark-", ignore_cleanup_errors=True) as home:
        server.forget()
        terminal = TerminalProgram(program.arguments(server.base_url, load.name), environment(home), home)
        try:
            return _Run(program, load, server, terminal).measure(types_keys, stops_after_s, patience_s)
        finally:
            terminal.stop()


class _Run:
    def __init__(
        self, program: Program, load: Load, server: ServerProcess, terminal: TerminalProgram
    ) -> None:
        self._program = program
        self._server = server
        self._terminal = terminal
        self._outcome = Outcome(load)
        self._keys: list[tuple[float, str]] = []
        self._random = random.Random(11)

    def measure(self, types_keys: bool, stops_after_s: float | None, patience_s: float) -> Outcome:
        self._begin()
        outcome, process_id = self._outcome, self._terminal.process_id
        before_s = cpu_s(process_id)
        started = len(self._terminal.written)
        pressed_s = None
        if stops_after_s is None:
            self._follow(patience_s, types_keys=types_keys and self._program.takes_keys)
        else:
            self._terminal.read_for(stops_after_s)
            pressed_s = self._terminal.type(_ESCAPE)
            self._terminal.read_for(1.0)
            self._server.listen()
        outcome.cpu_s = cpu_s(process_id) - before_s
        outcome.memory_peak_mib = resident_mib(process_id, is_peak=True)
        self._review(started, pressed_s)
        return outcome

    def _begin(self) -> None:
        terminal, server = self._terminal, self._server
        if not terminal.wait_for(self._program.ready, 30):
            raise RunFailedError(f"{self._program.name} did not become ready:\n{terminal.screen().text()}")
        terminal.read_for(1.0)
        self._outcome.memory_before_mib = resident_mib(terminal.process_id, is_peak=True)
        if self._program.takes_keys:
            terminal.type(PROMPT)
            terminal.read_for(0.3)
        terminal.type("\r")
        end_s = time.monotonic() + 20
        while server.when("ready") is None:
            terminal.read(0.005, server.fileno())
            server.listen()
            if time.monotonic() > end_s or not terminal.is_alive:
                terminal.read_for(0.5)
                raise RunFailedError(
                    f"{self._program.name} did not ask for an answer:\n{terminal.screen().text()}"
                )

    def _follow(self, patience_s: float, *, types_keys: bool) -> None:
        terminal, server = self._terminal, self._server
        next_key_s = time.monotonic() + 0.6
        deadline_s = time.monotonic() + self._outcome.load.duration_s + patience_s
        shown_s = quiet_since_s = 0.0
        while terminal.is_alive and (now_s := time.monotonic()) < deadline_s:
            if shown_s and (now_s - quiet_since_s >= QUIET_S or now_s - shown_s >= LONGEST_QUIET_S):
                break
            wait_s = min(0.05, next_key_s - now_s) if types_keys and not shown_s else 0.05
            if terminal.read(wait_s):
                quiet_since_s = time.monotonic()
            if not shown_s:
                server.listen()
                if server.when("last") is not None and END_MARK in terminal.screen().text():
                    shown_s = quiet_since_s = time.monotonic()
                elif types_keys and time.monotonic() >= next_key_s:
                    self._press()
                    next_key_s = time.monotonic() + self._random.uniform(0.15, 0.35)

    def _press(self) -> None:
        if self._keys and len(self._keys) % KEYS_BETWEEN_CLEARS == 0:
            self._terminal.type(_CLEAR)
            self._terminal.read_for(0.15)
        letter = self._random.choice(_KEY_LETTERS)
        since_clear = len(self._keys) % KEYS_BETWEEN_CLEARS
        typed = "".join(text[-1] for _, text in self._keys[len(self._keys) - since_clear :]) + letter
        self._keys.append((self._terminal.type(letter), typed[-6:]))

    def _review(self, started: int, escape_s: float | None) -> None:
        """Play what was written again and find when things were shown."""
        outcome, server = self._outcome, self._server
        screen = Screen(COLUMNS, ROWS)
        for _, written in self._terminal.written[:started]:
            screen.feed(written)
        shown = [screen.row_text(row) for row in range(ROWS)]
        stopped = (
            re.compile(self._program.stopped) if self._program.stopped and escape_s is not None else None
        )
        waiting = list(self._keys)
        first_s = server.when("first")
        last_s = server.when("last")
        previous_s: float | None = None
        for at_s, written in self._terminal.written[started:]:
            outcome.output_bytes += len(written)
            screen.touched.clear()
            screen.feed(written)
            changed = [row for row in screen.touched if screen.row_text(row) != shown[row]]
            for row in changed:
                shown[row] = screen.row_text(row)
            while waiting and waiting[0][0] <= at_s and any(waiting[0][1] in text for text in shown):
                outcome.echoes_s.append(at_s - waiting.pop(0)[0])
            if not outcome.is_complete and any(row < _ANSWER_ROWS for row in changed):
                if previous_s is not None:
                    outcome.largest_gap_s = max(outcome.largest_gap_s or 0.0, at_s - previous_s)
                if previous_s is not None or any(START_MARK in text for text in shown):
                    previous_s = at_s
            if not outcome.is_complete and any(END_MARK in shown[row] for row in changed):
                outcome.is_complete = True
                outcome.total_s = at_s - first_s if first_s is not None else None
                outcome.lag_s = at_s - last_s if last_s is not None else None
            if escape_s is None or at_s < escape_s or outcome.stopped_shown_s is not None:
                continue
            if stopped and any(stopped.search(shown[row]) for row in changed):
                outcome.stopped_shown_s = at_s - escape_s
        outcome.keys_pressed = len(self._keys)
        gone_s = server.when("disconnect")
        if escape_s is not None and gone_s is not None:
            outcome.stopped_closed_s = gone_s - escape_s
