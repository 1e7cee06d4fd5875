"""Help and hint name the keys for a new line that arrive in this terminal; what is not known is not claimed."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.program import CHATUI, KEY_VARIABLE
from support.scripted_server import ScriptedServer, chat_answer
from support.terminal import App

from chatui.ui.terminal.input_driver import InputGuard, Keys
from chatui.ui.terminal.newline_keys import (
    ALT_ENTER,
    CONTROL_J,
    SHIFT_ENTER,
    Arrival,
    NewlineKeys,
    keyboard_reply,
)
from chatui.ui.terminal.terminal_replies import TerminalReplies

SLOW_S = 30.0


# What is known


def test_ctrl_j_arrives_everywhere_and_shift_enter_only_where_it_is_known_to() -> None:
    keys = NewlineKeys({})
    assert keys.arrival(CONTROL_J) is Arrival.PROVEN
    assert keys.arrival(SHIFT_ENTER) is Arrival.NOT_TOLD_APART
    assert keys.arrival(ALT_ENTER) is Arrival.COMMON
    assert keys.best == CONTROL_J


def test_a_key_that_came_once_is_proven_and_is_news_once() -> None:
    keys = NewlineKeys({})
    assert keys.pressed(SHIFT_ENTER)
    assert not keys.pressed(SHIFT_ENTER)
    assert keys.arrival(SHIFT_ENTER) is Arrival.PROVEN
    assert keys.best == SHIFT_ENTER
    assert keys.arrived == ("Shift+Enter",)


def test_the_kitty_protocol_tells_every_key_apart() -> None:
    keys = NewlineKeys({})
    keys.has_kitty_keys = True
    assert keys.arrival(SHIFT_ENTER) is Arrival.EXPECTED
    assert keys.best == SHIFT_ENTER


@pytest.mark.parametrize(("option", "arrival"), [("off", Arrival.NOT_TOLD_APART), ("on", Arrival.COMMON)])
def test_in_tmux_its_option_decides_and_only_a_key_that_came_is_named_in_the_hint(
    option: str, arrival: Arrival
) -> None:
    keys = NewlineKeys({"TMUX": "/tmp/tmux-0/default,1,0"})
    keys.tmux_extended_keys = option
    assert keys.arrival(SHIFT_ENTER) is arrival
    assert keys.best == CONTROL_J


def test_help_lists_what_works_before_what_does_not() -> None:
    keys = NewlineKeys({})
    names = [name for name, _ in keys.help_rows()]
    assert names == ["Ctrl+J, or \\ then Enter", "Alt+Enter", "Shift+Enter"]
    keys.has_kitty_keys = True
    assert [name for name, _ in keys.help_rows()] == ["Ctrl+J, or \\ then Enter", "Shift+Enter", "Alt+Enter"]
    assert "not told apart" not in str(keys.help_rows())


# The terminal's answer


REPLY = "\x1b[?25u"


def typed(guard: InputGuard, *texts: str) -> str:
    return "".join(piece.text for text in texts for piece in guard.feed(text) if isinstance(piece, Keys))


@given(st.text("ab\r", max_size=8), st.integers(1, len(REPLY) - 1), st.text("ab\r", max_size=8))
def test_the_answer_is_taken_out_of_what_was_typed_wherever_it_is_split(
    before: str, cut: int, after: str
) -> None:
    replies, awaited = TerminalReplies(), keyboard_reply()
    assert replies.ask(awaited) == "\x1b[?u"
    guard = InputGuard(replies)
    assert typed(guard, before + REPLY[:cut], REPLY[cut:] + after) == before + after
    assert awaited.found


@pytest.mark.parametrize("other", ["\x1b[?2026;2$y", "\x1b[?62;22c", "\x1b[13;2u", "\x1b[A", "\x1b[97u"])
def test_other_answers_and_keys_pass_at_once(other: str) -> None:
    replies, awaited = TerminalReplies(), keyboard_reply()
    replies.ask(awaited)
    guard = InputGuard(replies)
    assert typed(guard, other) == other
    assert guard.patience_s is None
    assert not awaited.found


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("\x1b[27;2;13~", "\x1b[13;2u"),
        ("\x1b[27;3;13~", "\x1b[13;3u"),
        ("a\x1b[27;5;106~b", "a\x1b[106;5ub"),
        ("\x1b[27~", "\x1b[27~"),
        ("\x1b[5;2~", "\x1b[5;2~"),
    ],
)
def test_a_key_as_xterm_writes_it_is_read_like_any_other(written: str, read: str) -> None:
    assert list(InputGuard().feed(written)) == [Keys(read)]


# In a terminal


@contextmanager
def started(server: ScriptedServer, *, has_kitty: bool) -> Iterator[App]:
    arguments = ("--base-url", server.base_url, "-m", "scripted")
    app = App([*CHATUI, *arguments], env={KEY_VARIABLE: "k"}, size=(100, 36), kitty=has_kitty)
    try:
        assert app.wait("Ask anything", SLOW_S), app.text()
        yield app
    finally:
        app.close()


@pytest.mark.pty
@pytest.mark.timeout(120)
def test_a_terminal_with_the_kitty_protocol_is_told_shift_enter() -> None:
    with ScriptedServer() as server, started(server.play(chat_answer("Fine.")), has_kitty=True) as app:
        assert app.wait(r"Shift\+⏎ line", SLOW_S), app.text()
        app.keys("one", "<s-enter>", "two")
        assert app.wait("two", 10), app.text()
        assert not server.requests
        app.keys("<f1>")
        assert app.wait(r"New line \(works here\)\s+Shift\+Enter", 10), app.text()
        app.keys("<esc>", "<enter>")
        assert app.wait("completed", SLOW_S), app.text()
        assert server.requests[0].json["messages"][-1]["content"] == "one\ntwo"  # type: ignore[index]


@pytest.mark.pty
@pytest.mark.timeout(120)
def test_a_poor_terminal_is_told_ctrl_j_and_that_shift_enter_is_not_told_apart() -> None:
    with ScriptedServer() as server, started(server.play(chat_answer("Fine.")), has_kitty=False) as app:
        assert app.wait("⌃J line", SLOW_S), app.text()
        app.keys("<f1>")
        assert app.wait(r"New line \(not told apart from Enter here\)\s+Shift\+Enter", 10), app.text()
        assert "Shift+⏎" not in app.text()
        assert app.find("New line \\(works in every terminal\\)")


# In tmux


class Tmux:
    """A tmux of its own, with nobody's configuration."""

    def __init__(self, folder: Path, extended_keys: str) -> None:
        self._socket = str(folder / "tmux")
        command = f"{sys.executable} -c 'input()'"
        self.run("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "36", command)
        self.run("set-option", "-s", "extended-keys", extended_keys)

    def run(self, *words: str, may_fail: bool = False) -> str:
        environ = {name: value for name, value in os.environ.items() if name != "TMUX"}
        command = ["tmux", "-S", self._socket, *words]
        ran = subprocess.run(command, capture_output=True, text=True, check=not may_fail, env=environ)
        return ran.stdout

    def end(self) -> None:
        """It may have ended by itself, with its last program."""
        self.run("kill-server", may_fail=True)

    def start(self, *command: str) -> None:
        self.run("respawn-pane", "-k", *command)

    def screen(self) -> str:
        return self.run("capture-pane", "-p")

    def wait(self, is_there: Callable[[str], bool]) -> str:
        until_s = time.monotonic() + SLOW_S
        while not is_there(screen := self.screen()):
            assert time.monotonic() < until_s, screen
            time.sleep(0.05)
        return screen


READER = """
import os, sys, tty
tty.setraw(0)
print("reading", end="", flush=True)
with open(sys.argv[1], "wb") as file:
    file.write(os.read(0, 100))
"""


@pytest.mark.pty
@pytest.mark.timeout(120)
@pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")
def test_tmux_has_its_keys_back_when_the_app_has_ended(tmp_path: Path) -> None:
    tmux = Tmux(tmp_path, "on")
    (tmp_path / "reader.py").write_text(READER)
    try:
        with ScriptedServer() as server:
            app = f"{' '.join(CHATUI)} --base-url {server.base_url} -m scripted"
            reader = f"{sys.executable} {tmp_path / 'reader.py'} {tmp_path / 'keys'}"
            tmux.start("env", "LC_ALL=C.UTF-8", f"{KEY_VARIABLE}=k", "sh", "-c", f"{app}; {reader}")
            tmux.wait(lambda screen: "Ask anything" in screen)
            tmux.run("send-keys", "C-q")
            tmux.wait(lambda screen: "reading" in screen)
            tmux.run("send-keys", "S-Enter")
            until_s = time.monotonic() + SLOW_S
            while not (keys := (tmp_path / "keys").read_bytes()) and time.monotonic() < until_s:
                time.sleep(0.05)
            assert keys
            assert b"\x1b" not in keys
    finally:
        tmux.end()


@pytest.mark.pty
@pytest.mark.timeout(120)
@pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")
@pytest.mark.parametrize("extended_keys", ["on", "always"])
def test_shift_enter_arrives_through_tmux_where_it_tells_keys_apart(
    tmp_path: Path, extended_keys: str
) -> None:
    tmux = Tmux(tmp_path, extended_keys)
    try:
        with ScriptedServer() as server:
            server.play(chat_answer("Fine."))
            environ = f"{KEY_VARIABLE}=k"
            arguments = ("--base-url", server.base_url, "-m", "scripted")
            tmux.start("env", environ, "LC_ALL=C.UTF-8", *CHATUI, *arguments)
            tmux.wait(lambda screen: "Ask anything" in screen and "⌃J line" in screen)
            tmux.run("send-keys", "-l", "one")
            tmux.wait(lambda screen: "one" in screen)
            tmux.run("send-keys", "S-Enter")
            tmux.wait(lambda screen: "Shift+⏎ line" in screen)
            tmux.run("send-keys", "-l", "two")
            tmux.wait(lambda screen: "two" in screen)
            tmux.run("send-keys", "M-Enter")
            tmux.run("send-keys", "-l", "three")
            tmux.wait(lambda screen: "three" in screen)
            assert not server.requests
            tmux.run("send-keys", "Enter")
            tmux.wait(lambda screen: "completed" in screen)
            sent = server.requests[0].json["messages"][-1]["content"]  # type: ignore[index]
            assert sent == "one\ntwo\nthree"
    finally:
        tmux.end()
