"""How long chatui takes to start, beside an empty Textual app and a Python that does nothing, in the same
run.

    python benchmarks/startup.py              about two minutes
    python benchmarks/startup.py --quick      fewer starts, a smaller history

A start is over when the screen shows the composer; that it can be used is proved by a key that must
appear. All programs start in turns, and the medians are compared. The huge history is one conversation of
10,000 turns (20 MB) beside a thousand small ones, made by chatui's own code.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from harness.corpus import END_MARK, text
from harness.process_cost import cpu_s
from harness.programs import REFERENCES, chatui_command, environment
from harness.report import Report
from harness.terminal_program import TerminalProgram, own_processors, prefer

TURN_CHARACTERS: Final = 2000
KEYS: Final = "qzjxvk"
COMPOSER: Final = "Ask anything"
AT_NOTHING: Final = ("--base-url", "http://127.0.0.1:9/v1", "--model", "none")


@dataclass(slots=True)
class Starts:
    """What the starts of one program took."""

    arguments: list[str]
    ready: str
    home: str
    takes_keys: bool = True
    painted_s: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)
    echo_s: list[float] = field(default_factory=list)

    def once(self) -> None:
        """Start, wait, type, end."""
        program = TerminalProgram(self.arguments, environment(self.home), self.home)
        try:
            if not program.wait_for(self.ready, 30):
                raise SystemExit(f"{self.arguments} showed no {self.ready!r}:\n{program.screen().text()}")
            self.painted_s.append(program.written[-1][0] - program.started_s)
            self.cpu_s.append(cpu_s(program.process_id))
            if self.takes_keys:
                keys = "".join(random.sample(KEYS, 5))  # others than last time: a draft is kept
                pressed_s = program.type(keys)
                if not program.wait_for(keys, 10):
                    raise SystemExit(f"{self.arguments} showed no key:\n{program.screen().text()}")
                self.echo_s.append(program.written[-1][0] - pressed_s)
        finally:
            program.stop()


def make_history(home: str, turns: int) -> None:
    """One long conversation, the latest, beside many short ones."""
    from chatui.core.messages import TextPart, user_message
    from chatui.core.turn import Choice, Phase, Turn, TurnId
    from chatui.history.sqlite_history import SqliteHistory

    path = Path(home) / "data" / "chatui" / "history.db"
    path.parent.mkdir(parents=True)
    answers = text("md", turns * TURN_CHARACTERS // 40)
    history = SqliteHistory.open(path)

    def fill(count: int, last_words: str = "") -> None:
        conversation = history.new_conversation()
        history.keep(conversation)
        parent: TurnId | None = None
        for number in range(count):
            start = number * TURN_CHARACTERS % max(1, len(answers) - TURN_CHARACTERS)
            answer = answers[start : start + TURN_CHARACTERS] + (last_words if number == count - 1 else "")
            turn = Turn(
                turn_id=TurnId(f"{conversation.conversation_id}-{number}"),
                parent_id=parent,
                input=(user_message(f"Question {number}: how does this work?"),),
                phase=Phase.COMPLETED,
                choices=(Choice(0, (TextPart(answer),), "stop"),),
                model="none",
                started_at_epoch_s=1.7e9 + number,
            )
            history.commit(conversation.conversation_id, turn)
            parent = turn.turn_id

    for _ in range(turns // 10):
        fill(1)
    fill(turns, f"\n\n{END_MARK}")
    history.close()


def command_seconds(arguments: Sequence[str], home: str) -> float:
    """How long a command runs, start to end."""
    started_s = time.monotonic()
    subprocess.run(arguments, env=environment(home), stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - started_s


def app_starts(report: Report, rounds: int, turns: int) -> None:
    """The app with and without a history against an empty app."""
    with (
        tempfile.TemporaryDirectory(prefix="chatui-benchmark-") as empty,
        tempfile.TemporaryDirectory(prefix="chatui-benchmark-") as huge,
    ):
        make_history(huge, turns)
        least = Starts([sys.executable, str(REFERENCES / "empty_app.py")], "READY7Q", empty, takes_keys=False)
        fresh = Starts(chatui_command(*AT_NOTHING), COMPOSER, empty)
        beside = Starts(chatui_command(*AT_NOTHING), COMPOSER, huge)
        resumed = Starts(chatui_command("--continue", *AT_NOTHING), END_MARK, huge)
        programs = (least, fresh, beside, resumed)
        for program in programs:  # compiles what has changed, fills the system's cache
            program.once()
            for numbers in (program.painted_s, program.cpu_s, program.echo_s):
                numbers.clear()
        for _ in range(rounds):
            for program in programs:
                program.once()
    report.section("Start to a painted app")
    floor_s = statistics.median(least.painted_s)
    floor_cpu_s = statistics.median(least.cpu_s)
    report.note(f"empty Textual app: {floor_s * 1000:.0f} ms, {floor_cpu_s * 1000:.0f} ms of CPU")
    for name, starts in (
        ("empty history", fresh),
        ("huge history", beside),
        ("huge conversation resumed", resumed),
    ):
        painted_s = statistics.median(starts.painted_s)
        own_cpu_s = statistics.median(starts.cpu_s)
        report.note(f"{name}: {painted_s * 1000:.0f} ms, {own_cpu_s * 1000:.0f} ms of CPU")
        target = None if starts is resumed else 1.3
        report.add(f"start against an empty Textual app, {name}", painted_s / floor_s, target)
        report.add(f"CPU of the start against an empty Textual app, {name}", own_cpu_s / floor_cpu_s)
        report.add(f"first key to its echo, {name}", statistics.median(starts.echo_s) * 1000, None, "ms")
    later_s = statistics.median(resumed.painted_s) - statistics.median(fresh.painted_s)
    report.add(f"end of {turns:,} turns shown, later than a fresh start", later_s * 1000, 200, "ms")


def command_starts(report: Report, rounds: int) -> None:
    """The commands that must answer at once."""
    report.section("Commands")
    with tempfile.TemporaryDirectory(prefix="chatui-benchmark-") as home:
        commands = {
            "nothing": [sys.executable, "-c", "pass"],
            "--version": chatui_command("--version"),
            "--help": chatui_command("--help"),
        }
        seconds: dict[str, list[float]] = {name: [] for name in commands}
        for round_ in range(rounds + 1):
            for name, arguments in commands.items():
                took_s = command_seconds(arguments, home)
                if round_:
                    seconds[name].append(took_s)
    floor_s = statistics.median(seconds["nothing"])
    report.note(f"python -c pass: {floor_s * 1000:.0f} ms")
    report.add("chatui --version against it", statistics.median(seconds["--version"]) / floor_s, 2)
    report.add("chatui --help against it", statistics.median(seconds["--help"]) / floor_s)


def main(arguments: Sequence[str]) -> int:
    """Measure and print; returns 0 if every target holds."""
    parser = argparse.ArgumentParser(description="How long chatui takes to start, beside the least there is.")
    parser.add_argument("--quick", action="store_true", help="fewer starts, a smaller history")
    given = parser.parse_args(arguments)
    os.sched_setaffinity(0, own_processors()[1])
    prefer(-12)
    report = Report()
    app_starts(report, 5 if given.quick else 11, 1000 if given.quick else 10_000)
    command_starts(report, 9 if given.quick else 21)
    return report.end()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
