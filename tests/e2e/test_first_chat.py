"""The first thing that works is the real thing: app, engine and model in a terminal. Shapes, not words."""

import os
import signal
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from support.odd_controls import odd_controls
from support.program import in_terminal, is_saved
from support.real_servers import ENGINE_GROUP
from support.terminal import App

pytestmark = [
    pytest.mark.real,
    pytest.mark.pty,
    pytest.mark.xdist_group(ENGINE_GROUP),
    pytest.mark.timeout(180),
]

SLOW_S = 60.0
"""Two busy cores may take that long; the limit only ends a test that has failed."""


@pytest.fixture
def home(tmp_path: Path, model_file: Path) -> Path:
    """A home in which the model has been fetched already."""
    models = tmp_path / "person" / ".local" / "share" / "chatui" / "models"
    models.mkdir(parents=True)
    (models / model_file.name).symlink_to(model_file)
    return tmp_path / "person"


def engines(app: App) -> list[int]:
    return [process for process in app.tree() if b"local_child.py" in command_line(process)]


def command_line(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def eventually(condition: Callable[[], bool], limit_s: float = 30.0) -> bool:
    end = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def completed_turns(home: Path) -> int:
    with sqlite3.connect(home / ".local/share/chatui/history.db") as history:
        (count,) = history.execute("select count(*) from turns").fetchone()
    return int(count)


def rows_below(app: App, pattern: str) -> list[str]:
    """What stands under the first line that matches, up to the next blank line."""
    (_, row, _), *_ = app.find(pattern)
    below = [line.strip() for line in app.screen()[row + 1 :]]
    return below[: below.index("")] if "" in below else below


def test_ask_read_cancel_quit_and_resume(home: Path) -> None:
    with in_terminal(size=(100, 30), home=home) as app:
        assert app.wait("Ask anything", SLOW_S), app.text()
        assert app.wait("tiny", 10), "it says plainly what this model is"
        app.keys("Capital of France? Answer in one sentence.", "<enter>")
        assert app.wait("completed", SLOW_S), app.text()
        assert "".join(rows_below(app, "completed")), "an answer under its badge"
        assert eventually(lambda: completed_turns(home) == 1)

        app.keys("Write a very long story about a lighthouse keeper.", "<enter>")
        assert app.wait("receiving.*tok/s", SLOW_S), app.text()
        (running,) = engines(app)
        app.keys("<esc>")
        assert app.wait("stopped by you", 10), app.text()
        assert app.alive, "Esc never quits"
        assert eventually(lambda: completed_turns(home) == 1)

        app.keys("<c-c>", "<c-c>")
        assert app.wait_exit(10) == 0, app.text()
        assert app.leftovers() == []
        assert odd_controls(app.raw) == []
        assert eventually(lambda: not command_line(running)), "the engine ends with the app"

    with in_terminal("-c", size=(100, 30), home=home) as app:
        assert app.wait("Capital of France", SLOW_S), app.text()
        assert app.wait("stopped by you|unfinished", 10), "the cancelled answer is offered again"
        assert not engines(app), "nothing is started before it is needed"


@pytest.mark.parametrize(
    "ending", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP], ids=lambda ending: ending.name
)
def test_no_engine_outlives_the_app(home: Path, ending: signal.Signals) -> None:
    with in_terminal(home=home) as app:
        assert app.wait("Ask anything", SLOW_S), app.text()
        app.keys("Write a very long story about a lighthouse keeper.", "<enter>")
        assert app.wait("receiving.*tok/s", SLOW_S), app.text()
        (running,) = engines(app)
        os.kill(app.pid, ending)
        assert app.wait_exit(10) is not None
        assert eventually(lambda: not command_line(running))
        if ending is not signal.SIGKILL:
            assert app.leftovers() == []


def test_closing_the_terminal_window_ends_app_and_engine(home: Path) -> None:
    with in_terminal(home=home) as app:
        assert app.wait("Ask anything", SLOW_S), app.text()
        app.keys("Write a very long story about a lighthouse keeper.", "<enter>")
        assert app.wait("receiving.*tok/s", SLOW_S), app.text()
        (running,) = engines(app)
        app.hangup()
        assert app.wait_exit(10) is not None
        assert eventually(lambda: not command_line(running))


def test_a_killed_app_offers_what_it_had_received(home: Path) -> None:
    with in_terminal(home=home) as app:
        assert app.wait("Ask anything", SLOW_S), app.text()
        app.keys("Write a very long story about a lighthouse keeper.", "<enter>")
        assert app.wait("receiving.*tok/s", SLOW_S), app.text()
        assert app.wait(lambda: is_saved(home, b"lighthouse keeper")), (
            "the journal is written about once a second"
        )
        app.kill()
    with in_terminal("-c", home=home) as app:
        assert app.wait("lighthouse keeper", SLOW_S), app.text()
        assert app.alive


def test_the_app_is_usable_while_the_model_starts(home: Path) -> None:
    with in_terminal(home=home) as app:
        assert app.wait("Ask anything", SLOW_S), app.text()
        app.keys("Capital of France? Answer in one sentence.", "<enter>", "a draft typed meanwhile")
        assert app.wait("a draft typed meanwhile", 10), app.text()
        assert app.wait("completed", SLOW_S), app.text()
        assert "a draft typed meanwhile" in app.text()
