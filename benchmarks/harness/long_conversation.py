"""What a long saved conversation takes of the app's memory, beside the size of its text.

Definitions. Resident memory of the app in a terminal: with an empty history, with the end of the conversation
in sight, after all of it was loaded and its beginning shown, and after all of it was paged through. What is
told is what each is beyond the empty app.
"""

import random
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from chatui.core.events import Usage
from chatui.core.messages import TextPart, user_message
from chatui.core.turn import Choice, Phase, Timing, Turn, TurnId
from chatui.history.sqlite_history import SqliteHistory
from harness.process_cost import resident_mib
from harness.programs import chatui_command, environment
from harness.report import Report
from harness.terminal_program import TerminalProgram

READY: Final = "Ask anything"
FIRST_WORDS: Final = "the very first question"
_PAGE_UP: Final = "\x1b[5~"
_TO_START: Final = "\x1b[1;5H"
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


@dataclass(frozen=True, slots=True)
class Grown:
    """Memory beyond the empty app, in MiB, and the size of the text."""

    text_mib: float
    empty_mib: float
    opened_mib: float
    at_start_mib: float
    paged_mib: float
    pages: int


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
            paragraphs = [" ".join(chance.choices(_WORDS, k=chance.randint(35, 80))) for _ in range(4)]
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


def grown(turns: int, *, is_paged: bool = True, most_s: float = 600.0) -> Grown:
    """Run the app with an empty history and with a long conversation.

    Raises:
        TimeoutError: the beginning was not reached.
    """
    with tempfile.TemporaryDirectory(prefix="chatui-benchmark-", ignore_cleanup_errors=True) as home:
        command = chatui_command("--base-url", "http://127.0.0.1:9", "--model", "model-1")
        terminal = TerminalProgram(command, environment(home), home)
        try:
            terminal.wait_for(READY, 30)
            empty_mib = _settled_mib(terminal)
        finally:
            terminal.stop()
        path = Path(home) / "data" / "chatui" / "history.db"
        path.parent.mkdir(parents=True, exist_ok=True)
        text_bytes = write_conversation(path, turns)
        terminal = TerminalProgram([*command, "--continue"], environment(home), home)
        try:
            terminal.wait_for(READY, 30)
            opened_mib = _settled_mib(terminal)
            terminal.type(_TO_START)
            if not terminal.wait_for(FIRST_WORDS, 60):
                raise TimeoutError(f"the beginning was not shown:\n{terminal.screen().text()}")
            at_start_mib = _settled_mib(terminal)
            terminal.type("\x1b[1;5F")
            terminal.read_for(0.5)
            pages = _page_to_start(terminal, most_s) if is_paged else 0
            paged_mib = _settled_mib(terminal)
        finally:
            terminal.stop()
    return Grown(
        text_mib=text_bytes / (1 << 20),
        empty_mib=empty_mib,
        opened_mib=opened_mib - empty_mib,
        at_start_mib=at_start_mib - empty_mib,
        paged_mib=paged_mib - empty_mib,
        pages=pages,
    )


def _page_to_start(terminal: TerminalProgram, most_s: float) -> int:
    """Press page up until the first words are there; returns how often."""
    until_s = time.monotonic() + most_s
    pages = 0
    shown = ""
    while FIRST_WORDS not in shown:
        if time.monotonic() > until_s or not terminal.is_alive:
            raise TimeoutError(f"the beginning was not reached:\n{terminal.screen().text()}")
        terminal.type(_PAGE_UP * _PAGES_AT_ONCE)
        pages += _PAGES_AT_ONCE
        while terminal.read(0.02):
            pass
        shown = terminal.screen().text()
    return pages


def report_memory(turns: int) -> int:
    """Measure and tell; returns 0 if every target holds."""
    report = Report()
    report.section(f"Memory of the app, a saved conversation of {turns:,} turns")
    found = grown(turns)
    report.note(f"text {found.text_mib:.1f} MiB, empty app {found.empty_mib:.1f} MiB")
    report.add("beyond the empty app, its end shown", found.opened_mib, MOST_UNSEEN_MIB, "MiB")
    for what, size_mib in (
        ("its beginning shown", found.at_start_mib),
        (f"{found.pages:,} pages shown, all of it", found.paged_mib),
    ):
        report.note(f"{what}: {size_mib:.1f} MiB beyond the empty app")
        share = max(0.0, size_mib - CONSTANT_MIB) / found.text_mib
        report.add(f"{what}: beyond {CONSTANT_MIB:.0f} MiB, of its text", share, MOST_OF_TEXT)
    return report.end()
