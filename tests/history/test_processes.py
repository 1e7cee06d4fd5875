"""Real processes on one history: who owns what, and that nobody hurts or holds up another."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from support.plain_turns import completed

from chatui.core.errors import StoreBusy
from chatui.history import database
from chatui.history.check import check
from chatui.history.owners import Owners
from chatui.history.schema import SCHEMA_VERSION, migrate, version_of
from chatui.history.sqlite_history import SqliteHistory

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
TESTS = Path(__file__).parent.parent
ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{TESTS}{os.pathsep}{TESTS.parent}"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "history.db"


@contextmanager
def process(program: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A Python process that says something once it is ready, and waits for its standard input to end."""
    started = subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )
    assert started.stdout is not None
    assert started.stdin is not None
    try:
        assert started.stdout.readline() == "ready\n"
        yield started
    finally:
        started.kill()
        started.wait()
        started.stdin.close()
        started.stdout.close()


HOLDING = """
import sys
from pathlib import Path
from support.plain_turns import completed, receiving
from chatui.history.sqlite_history import SqliteHistory
history = SqliteHistory.open(Path(sys.argv[1]))
history.commit("c", completed("a"))
history.catalog.claim("c")
history.save_unfinished("c", receiving("b", answer="so far", parent="a"))
print("ready", flush=True)
sys.stdin.read()
history.close()
"""


def test_what_a_living_process_receives_stays_its_own_until_it_dies(path: Path) -> None:
    with process(HOLDING, str(path)) as other:
        history = SqliteHistory.open(path)
        assert history.load("c").unfinished == ()
        assert history.catalog.claim("c") == f"another chatui (process {other.pid})"
        history.commit("mine", completed("x"))
        os.kill(other.pid, signal.SIGKILL)
        other.wait()
        assert history.catalog.claim("c") == ""
        (back,) = history.load("c").unfinished
        assert back.text == "so far"
        history.close()
    again = SqliteHistory.open(path)
    assert again.load("c").unfinished == (back,)
    again.close()


def test_a_process_that_ends_well_leaves_nothing_behind(path: Path) -> None:
    with process(HOLDING, str(path)) as other:
        assert other.stdin is not None
        other.stdin.close()
        other.wait()
        history = SqliteHistory.open(path)
        assert history.catalog.claim("c") == ""
        history.close()
    assert not path.with_name("history.db.open").exists()


LOCKING = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
connection.execute("UPDATE conversations SET title = 'half written'")
print("ready", flush=True)
sys.stdin.read()
"""


def test_a_process_that_hangs_in_a_write_is_named_and_its_death_frees_the_file(path: Path) -> None:
    history = SqliteHistory.open(path)
    history.commit("c", completed("a"))
    with process(LOCKING, str(path)) as other:
        with pytest.raises(StoreBusy, match="another program"):
            history.commit("c", completed("b", parent="a"))
        assert len(history.load("c").path()) == 2
        assert history.list()[0].title == "Hello"
        late = SqliteHistory.open(path)
        assert late.load("c").path() == (completed("a"),)
        late.close()
        os.kill(other.pid, signal.SIGKILL)
        other.wait()
        assert history.save_waiting("c") == 1
    history.close()
    assert check(path).problems == []


WRITING = """
import contextlib
import sys
from pathlib import Path
from chatui.core.errors import StoreBusy
from support.plain_turns import completed, receiving
from chatui.history.sqlite_history import SqliteHistory
print("ready", flush=True)
sys.stdin.readline()
history = SqliteHistory.open(Path(sys.argv[1]))
name = sys.argv[2]
def keep(save, conversation, turn):  # as the session does: what has to wait is saved later
    with contextlib.suppress(StoreBusy):
        save(conversation, turn)
for index in range(25):
    keep(history.save_unfinished, name, receiving(f"{name}{index}", answer="x" * 3000))
    keep(history.save_unfinished, name, receiving(f"{name}{index}", answer="x" * 4000))
    keep(history.commit, name, completed(f"{name}{index}"))
    keep(history.commit, "shared", completed(f"shared-{name}{index}"))
for conversation in (name, "shared"):
    while True:
        with contextlib.suppress(StoreBusy):
            history.save_waiting(conversation)
            break
history.close()
"""


def test_processes_that_write_at_once_from_the_very_first_moment_lose_nothing(path: Path) -> None:
    with process(WRITING, str(path), "a") as one, process(WRITING, str(path), "b") as two:
        for started in (one, two):
            assert started.stdin is not None
            started.stdin.write("go\n")
            started.stdin.flush()
        assert (one.wait(), two.wait()) == (0, 0)
    report = check(path)
    assert report.problems == []
    assert (report.conversations, report.turns, report.unfinished) == (3, 100, 0)


def test_who_opens_waits_for_another_that_makes_the_tables_on_a_slow_machine(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_WAIT_MS", 1)  # what a key would wait for
    making = sqlite3.connect(path, isolation_level=None)
    making.execute("PRAGMA journal_mode = WAL")
    making.execute("BEGIN IMMEDIATE")
    has_come = threading.Event()

    def migrate_now(*given: Any) -> int:
        has_come.set()
        return migrate(*given)

    monkeypatch.setattr(database, "migrate", migrate_now)
    with ThreadPoolExecutor(1) as pool:
        opening = pool.submit(SqliteHistory.open, path)
        assert has_come.wait(30)
        with suppress(TimeoutError):
            opening.result(0.1)
        making.execute("ROLLBACK")
        opening.result(30).close()
    making.close()


def test_a_file_whose_tables_are_made_while_it_is_looked_at_is_not_taken_for_another_program_s(
    path: Path,
) -> None:
    one, two = (sqlite3.connect(path, isolation_level=None) for _ in range(2))
    one.execute("PRAGMA journal_mode = WAL")

    def meanwhile(statement: str) -> None:
        if "sqlite_master" in statement:
            one.set_trace_callback(None)
            assert migrate(two, "two", 0.0) == SCHEMA_VERSION

    one.set_trace_callback(meanwhile)
    assert version_of(one, "one") == 0
    assert version_of(one, "one") == SCHEMA_VERSION
    one.close()
    two.close()


def test_an_owner_is_alive_only_while_its_process_is(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    mine, other = Owners(folder), Owners(folder)
    token = mine.mine()
    assert mine.mine() == token
    assert other.is_alive(token)
    assert not other.is_alive("nobody")
    assert not other.is_alive("")
    os.close(mine._descriptor)  # as the system does when a process ends
    assert not other.is_alive(token)
    assert not (folder / token).exists()


def test_the_file_of_a_dead_process_is_swept_by_the_next_that_leaves(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    (folder / "dead").touch()
    owners = Owners(folder)
    owners.mine()
    owners.leave()
    assert not folder.exists()


def test_a_running_turn_of_another_process_is_not_shown_by_the_command_either(path: Path) -> None:
    with process(HOLDING, str(path)):
        shown = subprocess.run(
            [sys.executable, "-m", "chatui", "history", "show", "--file", str(path), "--json", "c"],
            capture_output=True,
            check=True,
            env=ENVIRONMENT,
        )
        assert "unfinished" not in json.loads(shown.stdout)


def test_a_file_that_another_process_is_making_is_waited_for(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    other = sqlite3.connect(path, isolation_level=None)
    waits: list[float] = []

    def let_go(seconds: float) -> None:
        if not waits:
            other.execute("ROLLBACK")
        waits.append(seconds)

    monkeypatch.setattr("chatui.history.file_opening.time.sleep", let_go)
    other.execute("BEGIN IMMEDIATE")
    SqliteHistory.open(path).close()
    assert waits
    other.close()
