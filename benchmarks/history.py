"""Sizes and times of the history beside plain SQLite queries as the floor, and the long kill test.

    python benchmarks/history.py                          2,000 conversations of 20 messages
    python benchmarks/history.py --full                   100,000 conversations, 2,000,000 messages
    python benchmarks/history.py --memory                 memory of the app with 10,000 turns (Linux)
    python benchmarks/history.py --kills 1000             SIGKILL at random moments

Times are the median and the worst of several runs in this process, the file in the system's cache; opening
and the first list are also taken in a new process.

With 100,000 conversations and 2,000,000 messages (2.3 GB; 2 shared cores, Python 3.11, SQLite 3.40): open 0.9
ms, first list 0.7 ms, list 0.5 ms, filter 0.5 ms (nothing found: 44 ms, cold 280 ms), search 0.4 to 6 ms
(nothing found: 34 ms), end of a conversation of 10,000 turns 1.7 ms, all of it 300 ms, commit 0.4 ms, batch
0.1 ms.
"""

import argparse
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from chatui.core.conversation import Conversation
from chatui.core.events import Usage
from chatui.core.messages import TextPart, user_message
from chatui.core.turn import Choice, Phase, Turn, TurnId
from chatui.history.sqlite_history import SqliteHistory

WORDS = 40_000
LONG_WORDS = (150, 470)
"""Of an answer in the long conversation: 10,000 turns are 20 MB of text."""
HAN = (
    "的一是不了人我在有他这中大来上个国和也子时道出而要于就下得可你年生自会那后能对着事其里所去行"
    "过家十用发天如然作方成者多日都三小军二无同么经法当起与好看学进种将还分此心前面又定见只主没公从"
)


class Vocabulary:
    """Made-up words, drawn as often as words of a language are (Zipf)."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        letters = "etaoinshrdlucmfwypvbgkjqxz"
        self.words: list[str] = ["the", "of", "and", "to", "in", "is", "you", "that", "it", "for"]
        seen = set(self.words)
        while len(self.words) < WORDS:
            word = "".join(self.random.choices(letters, range(26, 0, -1), k=self.random.randint(3, 11)))
            if word not in seen:
                seen.add(word)
                self.words.append(word)
        self.weights = [1 / (rank + 2) for rank in range(WORDS)]
        self.pool: list[str] = []

    def text(self, count: int) -> str:
        if len(self.pool) < count:
            self.pool = self.random.choices(self.words, self.weights, k=500_000)
        taken = [self.pool.pop() for _ in range(count)]
        if self.random.random() < 0.05:
            taken.append("".join(self.random.choices(HAN, k=30)))
        return " ".join(taken)


def generate(path: Path, conversations: int, turns_each: int, long_turns: int) -> None:
    """Fill a history through its own code, many turns in one transaction and without waiting for the disk."""
    history = SqliteHistory.open(path)
    vocabulary = Vocabulary(1)
    table, database = history._turns, history._database
    began = time.monotonic()
    at = 1.7e9

    def fill(
        connection: sqlite3.Connection, conversation_id: str, turns: int, words: tuple[int, int] = (20, 90)
    ) -> None:
        nonlocal at
        table.keep(connection, Conversation(conversation_id=conversation_id, created_at_epoch_s=at))
        number = table.number(connection, conversation_id)
        assert number is not None
        parent: TurnId | None = None
        for index in range(turns):
            at += 40
            turn = Turn(
                turn_id=TurnId(f"{conversation_id}-{index}"),
                parent_id=parent,
                input=(user_message(vocabulary.text(vocabulary.random.randint(3, 30))),),
                provider="example",
                protocol="chat_completions",
                requested_model="model-1",
                started_at_epoch_s=at,
                phase=Phase.COMPLETED,
                choices=(Choice(0, (TextPart(vocabulary.text(vocabulary.random.randint(*words))),), "stop"),),
                usage=Usage(120, 80),
                finish_reason="stop",
                model="model-1",
            )
            table.insert(connection, number, turn, at)
            parent = turn.turn_id

    done = 0
    while done < conversations:
        with database.writing(is_durable=False) as connection:
            for _ in range(min(500, conversations - done)):
                fill(connection, f"{done:012x}", turns_each)
                done += 1
        if done % 5000 == 0:
            print(
                f"  {done:,} conversations in {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True
            )
    with database.writing(is_durable=False) as connection:
        fill(connection, "long", long_turns, LONG_WORDS)
    history.close()


def measure(what: str, run: Callable[[], object], repeats: int = 9) -> None:
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        run()
        times.append((time.perf_counter() - began) * 1000)
    print(f"{what:58} {statistics.median(times):8.2f} ms   worst {max(times):8.2f} ms", flush=True)


NEW_PROCESS = """
import sys, time
from pathlib import Path
from chatui.history.sqlite_history import SqliteHistory
began = time.perf_counter()
history = SqliteHistory.open(Path(sys.argv[1]))
opened = time.perf_counter()
history.list()
print(f"{(opened - began) * 1000:.2f} {(time.perf_counter() - opened) * 1000:.2f}")
"""


def in_new_process(path: Path) -> str:
    """Times of opening and of the first list."""
    found = subprocess.run(
        [sys.executable, "-c", NEW_PROCESS, str(path)], capture_output=True, text=True, check=True
    )
    opened, listed = found.stdout.split()
    return f"open {opened} ms, first list {listed} ms"


def report(path: Path) -> None:
    """All times."""
    empty = path.with_name("empty.db")
    SqliteHistory.open(empty).close()
    print(f"file {path.stat().st_size / 1e6:,.0f} MB")
    print(f"{'new process, empty history':58} {in_new_process(empty)}")
    print(f"{'new process, this history':58} {in_new_process(path)}")
    history = SqliteHistory.open(path)
    plain = sqlite3.connect(path)
    vocabulary = Vocabulary(1)
    measure("list: 50 newest", history.list)
    measure(
        "  floor: SELECT number ... ORDER BY ... LIMIT 50",
        lambda: plain.execute(
            "SELECT number FROM conversations WHERE (deleted_at_epoch_s IS NULL) = 1 AND is_archived = 0 "
            "ORDER BY is_pinned DESC, updated_at_epoch_s DESC LIMIT 50"
        ).fetchall(),
    )
    measure("list: filter that matches many", lambda: history.list(query="the"))
    measure("list: filter that matches nothing", lambda: history.list(query="zzzqqq"))
    rare, middle = vocabulary.words[-7], vocabulary.words[800]
    queries = {
        "a common word": "the ",
        "a word in the middle": f"{middle} ",
        "a rare word": f"{rare} ",
        "no such word": "zzzqqqxx ",
        "two common words": "the of ",
        "a common and a rare word": f"the {rare} ",
        "two rare words": f"{rare} {vocabulary.words[-99]} ",
        "a phrase of common words": '"the of and"',
        "beginning of a word, 2 letters": "th",
        "beginning of a word, 3 letters": rare[:3],
        "beginning of a word, 4 letters": rare[:4],
        "one Han character": "国",
        "two Han characters": "国和",
        "three Han characters": "国和也",
    }
    for name, query in queries.items():
        count = len(history.search(query).matches)
        measure(f"search: {name} ({count} shown)", partial(history.search, query))
    measure(
        "  floor: MATCH a rare word, LIMIT 50",
        lambda: plain.execute(
            "SELECT rowid FROM turn_words WHERE turn_words MATCH ? ORDER BY rowid DESC LIMIT 50", (rare,)
        ).fetchall(),
    )
    measure("search in the long conversation", lambda: history.search(middle, conversation_id="long"))
    end = history.load("long", last=1).turns[0]
    measure("resume 10,000 turns: last 100", lambda: history.load("long", last=100))
    measure(
        "  floor: SELECT 100 payloads",
        lambda: plain.execute(
            "SELECT payload FROM turns WHERE conversation = (SELECT number FROM conversations WHERE "
            "conversation_id = 'long') ORDER BY number DESC LIMIT 100"
        ).fetchall(),
    )
    measure("names of all its turns", lambda: history.pages.before("long", end.parent_id, 1 << 30))
    first = history.pages.before("long", end.parent_id, 1 << 30)[0][20:68]
    measure(
        "a page of 48 turns at its beginning",
        lambda: history.pages.read("long", [outline.turn_id for outline in first]),
    )
    measure("the whole of it", lambda: history.load("long"), 3)
    measure("a fork at its end", lambda: history.fork("long", end.turn_id), 1)
    turn = history.load("long", last=1).turns[0]
    numbers = iter(range(1_000_000))
    run = os.urandom(4).hex()

    def commit() -> None:
        history.commit("written", replace(turn, turn_id=TurnId(f"{run}-{next(numbers)}"), parent_id=None))

    measure("commit of a turn (durable)", commit, 100)
    text = "lorem ipsum dolor sit amet " * 80_000
    running = replace(turn, turn_id=TurnId(f"{run}-running"), phase=Phase.RECEIVING)
    sizes = iter(range(1_000_000, 2_100_000, 1000))

    def batch() -> None:
        history.save_unfinished(
            "written", replace(running, choices=(Choice(0, (TextPart(text[: next(sizes)]),)),))
        )

    measure("batch of a running turn of 1 MB and more", batch, 200)
    history.discard_unfinished("written", running.turn_id)
    history.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conversations", type=int, default=2_000)
    parser.add_argument("--turns", type=int, default=10, help="turns of each, two messages in a turn")
    parser.add_argument("--long", type=int, default=10_000, help="turns of the one long conversation")
    parser.add_argument("--full", action="store_true", help="100,000 conversations of 10 turns")
    parser.add_argument("--file", type=Path, help="keep the generated history here and use it again")
    parser.add_argument(
        "--memory",
        action="store_true",
        help="only what the long one takes of the app's memory, and how quickly its places are shown",
    )
    parser.add_argument("--unpaged", action="store_true", help="with --memory: do not page through all of it")
    parser.add_argument("--kills", type=int, default=0)
    options = parser.parse_args()
    if options.memory:
        from harness.long_conversation import report_memory

        sys.exit(report_memory(options.long, is_paged=not options.unpaged))
    if options.kills:
        sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
        from support.killing import kill_many

        kill_many(options.kills, Path(tempfile.mkdtemp()), seed=None, say=print)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = options.file or Path(folder) / "history.db"
        if not path.exists():
            conversations = 100_000 if options.full else options.conversations
            generate(path, conversations, options.turns, options.long)
        report(path)


if __name__ == "__main__":
    main()
