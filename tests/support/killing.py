"""Kills a process that streams and commits turns with SIGKILL, again and again, and looks at what is left.

What has to hold after each kill: the database passes its integrity check; every turn whose commit had
returned is there exactly once; the turn that was being received is there as unfinished with everything whose
batch had returned; no turn is both.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from chatui.core.messages import ReasoningPart, TextPart, user_message
from chatui.core.turn import Choice, Phase, Turn, TurnId
from chatui.history.check import check
from chatui.history.file_opening import connect_to_read
from chatui.history.sqlite_history import SqliteHistory

CONVERSATIONS = ("one", "two")
NEW_FILE_AFTER = 40
"""Kills on one file, so that its check stays quick."""


def answer(turn_id: str, pieces: int) -> str:
    """The text of a turn after so many pieces."""
    return "".join(f"{turn_id} piece {index} of the answer, " * (index % 7 + 1) for index in range(pieces))


def turn_at(turn_id: str, parent: str | None, pieces: int, phase: Phase) -> Turn:
    """A turn after so many pieces."""
    parts = (ReasoningPart(answer("thought", pieces // 3)), TextPart(answer(turn_id, pieces)))
    return Turn(
        turn_id=TurnId(turn_id),
        parent_id=None if parent is None else TurnId(parent),
        input=(user_message(f"prompt of {turn_id}"),),
        started_at_epoch_s=1_700_000_000.0,
        phase=phase,
        choices=(Choice(0, parts),),
    )


def stream_until_killed(path: Path, name: str, seed: int) -> None:
    """What the killed process does; it says on stdout what has returned."""
    chance = random.Random(seed)
    history = SqliteHistory.open(path)
    number = 0
    while True:
        conversation = chance.choice(CONVERSATIONS)
        known = history.list()
        has_head = any(summary.conversation_id == conversation for summary in known)
        parent = history.load(conversation, last=1).head if has_head else None
        turn_id = f"{name}-{number}"
        number += 1
        pieces = 0
        for _ in range(chance.randint(1, 12)):
            history.save_unfinished(conversation, turn_at(turn_id, parent, pieces, Phase.RECEIVING))
            print("saved", turn_id, pieces, flush=True)
            pieces += chance.randint(1, 12)
        if chance.random() < 0.2:
            history.drafts.save(conversation, f"draft {number}")
        history.commit(conversation, turn_at(turn_id, parent, pieces, Phase.COMPLETED))
        print("committed", turn_id, pieces, flush=True)


@dataclass(slots=True)
class Told:
    """What the killed processes had said."""

    committed: dict[str, int] = field(default_factory=dict)
    saved: dict[str, int] = field(default_factory=dict)

    def hear(self, line: str) -> None:
        verb, turn_id, pieces = line.split()
        if verb == "committed":
            self.committed[turn_id] = int(pieces)
        else:
            self.saved[turn_id] = int(pieces)


def kill_many(kills: int, folder: Path, seed: int | None, say: Callable[[str], None]) -> None:
    """Kill so many times; raises `AssertionError` when something does not hold."""
    seed = random.SystemRandom().randrange(1 << 32) if seed is None else seed
    say(f"seed {seed}")
    chance = random.Random(seed)
    path, told = folder / "0.db", Told()
    for kill in range(kills):
        if kill % NEW_FILE_AFTER == 0:
            path, told = folder / f"{kill}.db", Told()
        _kill_once(path, told, f"k{kill}", chance)
        _look(path, told)
        if (kill + 1) % 100 == 0:
            say(f"{kill + 1} kills, {len(told.committed)} turns in this file")


def _kill_once(path: Path, told: Told, name: str, chance: random.Random) -> None:
    places = [str(Path(__file__).parent.parent), str(Path(__file__).parent.parent.parent)]
    process = subprocess.Popen(
        [sys.executable, __file__, str(path), name, str(chance.randrange(1 << 32))],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(places)},
    )
    assert process.stdout is not None
    with process.stdout:
        is_starting = chance.random() < 0.1
        for _ in range(0 if is_starting else chance.randint(1, 60)):
            told.hear(process.stdout.readline())
        # The moment inside the next operation, or inside the start, is left to chance.
        until = time.perf_counter() + chance.random() * (0.2 if is_starting else 0.003)
        while time.perf_counter() < until:
            pass
        process.send_signal(signal.SIGKILL)
        for line in process.stdout:
            if line.endswith("\n"):
                told.hear(line)
    process.wait()


def _look(path: Path, told: Told) -> None:
    if not path.exists():  # killed before it was made
        return
    SqliteHistory.open(path).close()
    report = check(path)
    assert report.problems == [], report.problems
    with closing(connect_to_read(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    history = SqliteHistory.open(path)
    stored: dict[str, Turn] = {}
    unfinished: dict[str, Turn] = {}
    for summary in history.list():
        conversation = history.load(summary.conversation_id)
        assert conversation.problems == ()
        for turn in conversation.turns:
            assert turn.turn_id not in stored, f"{turn.turn_id} is there twice"
            stored[turn.turn_id] = turn
        unfinished |= {turn.turn_id: turn for turn in conversation.unfinished}
    history.close()
    for turn_id, pieces in told.committed.items():
        assert turn_id in stored, f"{turn_id} was committed and is lost"
        assert stored[turn_id].text == answer(turn_id, pieces)
    for turn_id, pieces in told.saved.items():
        if turn_id in stored:
            assert turn_id not in unfinished, f"{turn_id} is both history and unfinished"
            continue
        assert turn_id in unfinished, f"{turn_id} was journalled and is lost"
        turn = unfinished[turn_id]
        assert turn.phase is Phase.FAILED
        assert turn.prompt == f"prompt of {turn_id}"
        assert len(turn.text) >= len(answer(turn_id, pieces)), f"{turn_id} lost what had been journalled"
        assert answer(turn_id, pieces + 30).startswith(turn.text)


if __name__ == "__main__":
    stream_until_killed(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
