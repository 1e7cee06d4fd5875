"""What a long saved conversation takes of the app's memory and how quickly any place of it is shown.

Definitions. Resident memory of the app in a terminal: with an empty history, with the end of the conversation
in sight, after its beginning was shown, after all of it was paged through, searched, sent several times,
asked again and switched far above, and forked. What is told is what each is beyond the empty app. A place is
shown when the last byte after a key was written, before a tenth of a second of quiet.
"""

import os
import random
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from chatui.core.events import Usage
from chatui.core.messages import TextPart, user_message
from chatui.core.turn import Choice, Phase, Timing, Turn, TurnId
from chatui.history.sqlite_history import SqliteHistory
from harness.process_cost import resident_mib
from harness.programs import chatui_command, environment
from harness.report import Report
from harness.server_process import ServerProcess
from harness.terminal_program import COLUMNS, TerminalProgram, own_processors, prefer

READY: Final = "Ask anything"
FIRST_WORDS: Final = "the very first question"
_PAGE_UP: Final = "\x1b[5~"
_TO_START: Final = "\x1b[1;5H"
_TO_END: Final = "\x1b[1;5F"
_PAGES_AT_ONCE: Final = 4
_TEXT: Final = (
    "the answer is that every stream of words has an end which must be told from a cut by its own proof "
    "and nothing else because what looks whole may be a part and a part may look whole"
)
_WORDS: Final = tuple(_TEXT.split())
CONSTANT_MIB: Final = 12.0
"""What caches may take whatever the size of the conversation: laid-out rows and strips 8, SQLite 4."""
MOST_OF_TEXT: Final = 1.5
MOST_UNSEEN_MIB: Final = 3.0
MOST_SHOWN_MS: Final = 50.0
SENDS: Final = 4


Grown = dict[str, float]
"""Memory beyond the empty app after each step, in MiB."""


@dataclass(slots=True)
class LongDay:
    """What was found."""

    text_mib: float = 0.0
    empty_mib: float = 0.0
    grown_mib: Grown = field(default_factory=dict)
    shown_ms: dict[str, list[float]] = field(default_factory=dict)
    """How long each way of going somewhere took."""
    pages: int = 0


def write_conversation(path: Path, turns: int) -> int:
    """Fill a history with one conversation; returns the bytes of its text."""
    history = SqliteHistory.open(path)
    chance = random.Random(7)
    conversation = history.new_conversation(title="A long one")
    history.keep(conversation)
    size = 0
    parent: TurnId | None = None
    with history._database.writing(is_durable=False) as connection:
        number = history._turns.number(connection, conversation.conversation_id)
        assert number is not None
        for index in range(turns):
            prompt = " ".join(chance.choices(_WORDS, k=24)) if index else FIRST_WORDS
            paragraphs = [" ".join(chance.choices(_WORDS, k=chance.randint(60, 140))) for _ in range(4)]
            paragraphs.insert(2, "```python\n" + "\n".join(f"value_{n} = {n}" for n in range(8)) + "\n```")
            if index % 10 == 0:
                paragraphs.append("All of it \N{PARTY POPPER}.")
            answer = "\n\n".join(paragraphs)
            size += len(prompt.encode()) + len(answer.encode())
            turn = Turn(
                turn_id=TurnId(f"{index:032x}"),
                parent_id=parent,
                input=(user_message(prompt),),
                provider="example",
                protocol="chat_completions",
                requested_model="model-1",
                model="model-1-2026",
                response_id=f"chatcmpl-{index:024x}",
                started_at_epoch_s=1.7e9 + index * 60,
                phase=Phase.COMPLETED,
                choices=(Choice(0, (TextPart(answer),), "stop"),),
                usage=Usage(1200, 300, 1500),
                finish_reason="stop",
                delta_count=300,
                timing=Timing(
                    first_event_ms=200.0, first_text_ms=210.5, longest_gap_ms=90.0, total_ms=4000.0
                ),
                requests=1,
            )
            history._turns.insert(connection, number, turn, turn.started_at_epoch_s)
            parent = turn.turn_id
    history.close()
    return size


def _settled_mib(terminal: TerminalProgram) -> float:
    terminal.read_for(2.5)
    return resident_mib(terminal.process_id, is_peak=False)


def long_day(turns: int, *, is_paged: bool = True, most_s: float = 900.0) -> LongDay:
    """Run the app with an empty history and with a long conversation.

    Raises:
        TimeoutError: something that was wanted was not shown.
    """
    day = LongDay()
    with (
        tempfile.TemporaryDirectory(prefix="chatui-benchmark-", ignore_cleanup_errors=True) as home,
        ServerProcess() as server,
    ):
        command = chatui_command("--base-url", server.base_url, "--model", "prose-1k-0")
        terminal = TerminalProgram(command, environment(home), home)
        try:
            terminal.wait_for(READY, 30)
            day.empty_mib = _settled_mib(terminal)
        finally:
            terminal.stop()
        path = Path(home) / "data" / "chatui" / "history.db"
        path.parent.mkdir(parents=True, exist_ok=True)
        day.text_mib = write_conversation(path, turns) / (1 << 20)
        terminal = TerminalProgram([*command, "--continue"], environment(home), home)
        try:
            _Visit(terminal, server, day).all(is_paged=is_paged, most_s=most_s)
        finally:
            terminal.stop()
    return day


class _Visit:
    """One run of the app, step by step."""

    def __init__(self, terminal: TerminalProgram, server: ServerProcess, day: LongDay) -> None:
        self._terminal = terminal
        self._server = server
        self._day = day

    def all(self, *, is_paged: bool, most_s: float) -> None:
        self._see(READY)
        self._step("its end shown")
        self._go("end to beginning", _TO_START, FIRST_WORDS)
        self._step("its beginning shown")
        self._go("beginning to end", _TO_END, "Ask anything")
        for _ in range(12):
            self._go("a page up", _PAGE_UP)
        self._drag()
        if is_paged:
            self._page_to_start(most_s)
            self._step("all of it paged through")
        self._go("back to its end", _TO_END)
        self._terminal.type("\x06")
        self._see("(?i)search|find")
        self._terminal.type("the very first")
        self._see("1/1|1 of 1")
        self._go("to what was found", "\r", FIRST_WORDS)
        self._step("searched")
        self._terminal.type("\x1b\x1b")
        self._terminal.read_for(0.5)
        for number in range(SENDS):
            self._server.forget()
            self._terminal.type(f"\x1b[1;5Fanother question {number}\r")
            self._ended()
        self._step(f"{SENDS} prompts sent with all of it")
        self._terminal.type("\x1b[1;5H")
        self._see(FIRST_WORDS)
        self._terminal.type("\t")
        self._terminal.read_for(0.3)
        self._server.forget()
        self._terminal.type("r")
        self._ended()
        self._step("the first prompt asked again")
        self._terminal.type("<")
        self._see(r"1/2")
        self._step("the other branch shown again")
        self._terminal.type("\x1b[1;5F")
        self._terminal.read_for(0.5)
        self._terminal.type("f")
        self._see("A fork")
        self._step("forked at its end")

    def _see(self, pattern: str) -> None:
        if not self._terminal.wait_for(pattern, 120):
            raise TimeoutError(f"{pattern!r} was not shown:\n{self._terminal.screen().text()}")

    def _ended(self) -> None:
        """The answer is whole and the app quiet."""
        until_s = time.monotonic() + 120
        while self._server.when("end") is None:
            if time.monotonic() > until_s or not self._terminal.is_alive:
                raise TimeoutError(f"no answer was sent:\n{self._terminal.screen().text()}")
            self._terminal.read(0.05, self._server.fileno())
            self._server.listen()
        self._terminal.read_for(1.0)

    def _step(self, name: str) -> None:
        self._day.grown_mib[name] = _settled_mib(self._terminal) - self._day.empty_mib

    def _go(self, name: str, keys: str, pattern: str = "") -> None:
        """Press keys that lead somewhere, and note how long that took."""
        terminal = self._terminal
        pressed_s = terminal.type(keys)
        if pattern:
            self._see(pattern)
        while terminal.read(0.1):
            pass
        shown_s = terminal.written[-1][0] - pressed_s
        if shown_s > 0:
            self._day.shown_ms.setdefault(name, []).append(shown_s * 1000)

    def _drag(self) -> None:
        """The scrollbar to places everywhere; the last column is its own."""
        terminal = self._terminal
        terminal.type(_TO_START)
        self._see(FIRST_WORDS)
        terminal.type(f"\x1b[<0;{COLUMNS};3M")  # at the beginning its thumb is in the first row of the text
        terminal.read_for(0.3)
        for row in (5, 30, 12, 22, 8, 28, 17):
            self._go("a place by the scrollbar", f"\x1b[<32;{COLUMNS};{row}M")
        terminal.type(f"\x1b[<0;{COLUMNS};17m")
        terminal.read_for(0.3)
        self._go("back to its end", _TO_END)

    def _page_to_start(self, most_s: float) -> None:
        """Press page up until the first words are there."""
        terminal = self._terminal
        until_s = time.monotonic() + most_s
        shown = ""
        while FIRST_WORDS not in shown:
            if time.monotonic() > until_s or not terminal.is_alive:
                raise TimeoutError(f"the beginning was not reached:\n{terminal.screen().text()}")
            terminal.type(_PAGE_UP * _PAGES_AT_ONCE)
            self._day.pages += _PAGES_AT_ONCE
            while terminal.read(0.02):
                pass
            shown = terminal.screen().text()


def report_memory(turns: int, *, is_paged: bool = True) -> int:
    """Measure and tell; returns 0 if every target holds."""
    report = Report()
    os.sched_setaffinity(0, own_processors()[1])
    prefer(-12)
    report.section(f"The app with a saved conversation of {turns:,} turns")
    found = long_day(turns, is_paged=is_paged)
    report.note(f"text {found.text_mib:.1f} MiB, empty app {found.empty_mib:.1f} MiB, {found.pages:,} pages")
    for index, (name, size_mib) in enumerate(found.grown_mib.items()):
        if index == 0:
            report.add(f"memory beyond the empty app, {name}", size_mib, MOST_UNSEEN_MIB, "MiB")
            continue
        report.note(f"{name}: {size_mib:.1f} MiB beyond the empty app")
        share = max(0.0, size_mib - CONSTANT_MIB) / found.text_mib
        report.add(f"{name}: memory beyond {CONSTANT_MIB:.0f} MiB, of its text", share, MOST_OF_TEXT)
    for name, times_ms in found.shown_ms.items():
        report.add(f"{name} ({len(times_ms)}), median", statistics.median(times_ms), MOST_SHOWN_MS, "ms")
    return report.end()
