"""The real app killed, started again and started twice: what a person finds then."""

import signal
import sys
import threading
from pathlib import Path

import pytest
from support.program import KEY_VARIABLE, in_terminal, is_saved
from support.scripted_server import Hold, ScriptedServer, chat_answer, chat_chunk, head

pytestmark = [
    pytest.mark.pty,
    pytest.mark.timeout(180),
    pytest.mark.skipif(sys.platform == "win32", reason="a pty"),
]
SLOW_S = 30.0
KEY = {KEY_VARIABLE: "k"}


def at(server: ScriptedServer) -> tuple[str, ...]:
    return ("--base-url", server.base_url, "-m", "scripted")


def test_a_killed_stream_comes_back_under_its_badge_and_is_not_sent_again(tmp_path: Path) -> None:
    released = threading.Event()
    with ScriptedServer() as server:
        server.play(chat_answer("Fine."))
        server.play(head(), *(chat_chunk(f"part {number} ") for number in range(20)), Hold(released))
        with in_terminal(*at(server), env=KEY, home=tmp_path) as app:
            assert app.wait("Ask anything", SLOW_S), app.text()
            app.keys("first", "<enter>")
            assert app.wait("completed", SLOW_S), app.text()
            app.keys("the second question", "<enter>")
            assert app.wait("part 19", SLOW_S), app.text()
            app.keys("half a thought")
            assert app.wait("half a thought", 10), app.text()
            # What came is journalled four times a second, a draft a little later.
            assert app.wait(lambda: is_saved(tmp_path, b"part 19", b"half a thought"))
            app.signal(signal.SIGKILL)
            app.wait_exit(10)
        released.set()
        asked = len(server.requests)
        with in_terminal(*at(server), "-c", env=KEY, home=tmp_path) as app:
            assert app.wait("interrupted: chatui ended", SLOW_S), app.text()
            assert app.wait("half a thought", 10), app.text()
            assert "part 19" in app.text()
            for words in ("r retry", "c continue", "a accept", "e edit", "x dismiss"):
                assert words in app.text()
            assert len(server.requests) == asked, "nothing is sent by itself"
            app.keys("<c-c>", "<tab>", "x")
            assert app.wait(lambda: "part 19" not in app.text(), 10), app.text()
            app.keys("<tab>", "<up>")
            assert app.wait("the second question", 10), app.text()


def test_a_second_window_reads_and_what_it_sends_goes_into_a_copy(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        server.play(chat_answer("From the first window."))
        server.play(chat_answer("From the second window."))
        with in_terminal(*at(server), env=KEY, home=tmp_path) as one:
            assert one.wait("Ask anything", SLOW_S), one.text()
            one.keys("first", "<enter>")
            assert one.wait("completed", SLOW_S), one.text()
            with in_terminal(*at(server), "-c", env=KEY, home=tmp_path) as two:
                assert two.wait("open in another chatui", SLOW_S), two.text()
                assert "From the first window." in two.text()
                two.keys("second", "<enter>")
                assert two.wait("From the second window.", SLOW_S), two.text()
                assert "open elsewhere" not in two.text()
            assert "From the second window." not in one.text()
            one.keys("<c-r>")
            assert one.wait("2 turns", 10), one.text()
            assert "1 turn " in one.text()


def test_a_temporary_conversation_leaves_nothing_on_disk(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        server.play(chat_answer("A very secret answer."))
        with in_terminal(*at(server), "--temporary", env=KEY, home=tmp_path) as app:
            assert app.wait("temporary: nothing is saved", SLOW_S), app.text()
            app.keys("a very secret question", "<enter>")
            assert app.wait("completed", SLOW_S), app.text()
            app.keys("a very secret draft")
            app.settle(quiet=1.0, timeout=1.5)
            app.keys("<c-c>", "<c-c>")
            app.wait_exit(10)
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert b"very secret" not in path.read_bytes(), path
