"""`chatui --plain`: lines that are only added, one announcement for each phase, and a chat that works."""

import signal
import subprocess
import threading
from pathlib import Path

import pytest
from core.test_attached_file import png
from support.program import CHATUI, KEY_VARIABLE, in_terminal, run_chatui
from support.scripted_server import RESET, Hold, ScriptedServer, chat_answer, chat_chunk, head

pytestmark = pytest.mark.timeout(120)
ENV = {KEY_VARIABLE: "k"}


def plain(server: ScriptedServer, said: str, *more: str, **env: str) -> list[str]:
    """The lines that a whole chat prints."""
    where = () if "ACCESSIBLE" in env else ("--plain",)
    ran = run_chatui(
        *where, "--base-url", server.base_url, "-m", "m", "--no-save", *more, stdin=said, env={**ENV, **env}
    )
    assert ran.code == 0, ran.err
    assert "\x1b" not in ran.out
    assert "\r" not in ran.out
    return ran.out.splitlines()


def test_prompts_are_answered_in_lines_and_each_phase_is_said_once() -> None:
    with ScriptedServer() as server:
        server.play(chat_answer("One ", "line\nand ", "another"))
        server.play(chat_answer("Again."))
        lines = plain(server, "Hello\\\nthere\n/nope\nMore\n/quit\nnever\n")
        assert lines.count("[waiting for the answer]") == 2
        assert lines.count("[answer]") == 2
        at = lines.index("[answer]")
        assert lines[at + 1 : at + 3] == ["One line", "and another"]
        assert lines[at + 3].startswith("[completed")
        assert any("no command /nope" in line for line in lines)
        assert [request.json["messages"][-1]["content"] for request in server.requests] == [
            "Hello\nthere",
            "More",
        ]


def test_the_environment_asks_for_it_too() -> None:
    with ScriptedServer() as server:
        server.play(chat_answer("Fine."))
        assert "Fine." in plain(server, "Hi\n", ACCESSIBLE="1")


def test_a_cut_answer_is_said_to_be_one_and_can_go_on() -> None:
    with ScriptedServer() as server:
        server.play(head(), chat_chunk("half of"), RESET)
        server.play(chat_answer(" it"))
        lines = plain(server, "Go\n/continue\n/models nobody\n")
        assert "half of" in lines
        assert "[/retry asks again, /continue goes on from what was received.]" in lines
        assert "[there is no provider nobody; /models lists them]" in lines
        assert any(line.startswith("[connection lost") for line in lines)
        roles = [message["role"] for message in server.requests[1].json["messages"]]
        assert roles == ["user", "assistant", "user"]


def test_hostile_text_is_text() -> None:
    with ScriptedServer() as server:
        server.play(chat_answer("a\x1b[2Jb\x9b31m", "\u202ec\x07\r"))
        lines = plain(server, "Hi\n")
        assert not any(character in "".join(lines) for character in "\x1b\x9b\x07\u202e")


def test_a_very_long_line_is_said_in_pieces_between_words() -> None:
    words = " ".join(f"word{number}" for number in range(200))
    with ScriptedServer() as server:
        server.play(chat_answer(words))
        lines = plain(server, "Hi\n")
        at = lines.index("[answer]")
        pieces = [line for line in lines[at + 1 :] if not line.startswith("[")]
        assert len(pieces) > 3
        assert " ".join(pieces) == words


def test_files_go_along(tmp_path: Path) -> None:
    (tmp_path / "p.png").write_bytes(png(2, 2))
    (tmp_path / "n.txt").write_text("notes")
    with ScriptedServer() as server:
        server.play(chat_answer("Seen."), chat_answer("Seen."))
        plain(server, f"look at @{tmp_path}/n.txt\nnow alone\n", "-a", str(tmp_path / "p.png"))
        first, second = (request.json["messages"] for request in server.requests)
        assert [part["type"] for part in first[-1]["content"]] == ["image_url", "text", "text"]
        assert second[-1]["content"] == "now alone"


def test_ctrl_c_stops_the_answer_and_not_the_chat() -> None:
    with ScriptedServer() as server:
        released = threading.Event()
        server.play(head(), chat_chunk("begun\n"), Hold(released))
        server.play(chat_answer("Still here."))
        command = [*CHATUI, "--plain", "--base-url", server.base_url, "-m", "m", "--no-save"]
        import os

        with subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **ENV},
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write("one\n")
            process.stdin.flush()
            for line in process.stdout:
                if line == "begun\n":
                    break
            process.send_signal(signal.SIGINT)
            process.stdin.write("two\n")
            process.stdin.close()
            rest = process.stdout.read()
            released.set()
            assert "[stopped by you" in rest
            assert "Still here." in rest
            assert process.wait(30) == 0


@pytest.mark.pty
def test_in_a_terminal_it_is_a_conversation_without_a_single_redraw() -> None:
    with ScriptedServer() as server:
        server.play(chat_answer("Fine."))
        with in_terminal("--plain", "--base-url", server.base_url, "-m", "m", "--no-save", env=ENV) as app:
            assert app.wait("you:", 30), app.text()
            app.keys("Hello", "<enter>")
            assert app.wait("completed", 30), app.text()
            assert "Fine." in app.text()
            assert b"\x1b[?1049h" not in app.raw
            assert app.wait(lambda: len(app.find("you:")) == 2), "before that nobody reads the end of input"
            app.keys("<c-d>")
            assert app.wait_exit(10) == 0


def test_ask_sends_files_and_tells_limits_first(tmp_path: Path) -> None:
    (tmp_path / "p.png").write_bytes(png(9000, 2))
    (tmp_path / "n.md").write_text("notes")
    with ScriptedServer() as server:
        server.play(chat_answer("Seen."))
        files = ("-a", str(tmp_path / "p.png"), "-a", str(tmp_path / "n.md"))
        ran = run_chatui(
            "ask", "--base-url", server.base_url, "-m", "m", "--no-save", "What?", *files, env=ENV
        )
        assert (ran.code, ran.out) == (0, "Seen.\n"), ran.err
        content = server.requests[0].json["messages"][-1]["content"]
        assert [part["type"] for part in content] == ["image_url", "text", "text"]
        assert "notes" in content[1]["text"]


@pytest.mark.parametrize("name", ["missing.png", "odd.bin"])
def test_a_file_that_cannot_be_sent_is_one_line_and_a_usage_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "odd.bin").write_bytes(b"\0\1")
    for command in (("ask", "What?"), ("--plain",), ()):
        ran = run_chatui(
            *command,
            "--base-url",
            "http://127.0.0.1:9/v1",
            "-m",
            "m",
            "--no-save",
            "-a",
            str(tmp_path / name),
            stdin="Hi\n",
        )
        assert ran.code == 2
        assert len(ran.err.splitlines()) == 1
        assert name in ran.err or not command, "without a terminal that is said first"
