"""`chatui doctor` as it is run: exit codes, JSON, a terminal that is asked and left as it was."""

import json
import socket
from pathlib import Path

import pytest
from support.program import CHATUI, KEY_VARIABLE, run_chatui
from support.scripted_server import DONE, ScriptedServer, chat_chunk, head, whole
from support.terminal import App

from chatui.cli.main import main
from chatui.cli.terminal_asking import read_answers

KEY = "sk-very-secret-0123456789"
MODELS = b'{"data": [{"id": "scripted"}]}'


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port: int = closed.getsockname()[1]
        return port


def test_no_problem_is_exit_code_0_and_the_report_can_be_pasted() -> None:
    with ScriptedServer() as server:
        server.play(whole(MODELS))
        where = ("--base-url", server.base_url, "-m", "scripted")
        ran = run_chatui("doctor", *where, env={KEY_VARIABLE: KEY, "NO_PROXY": "127.0.0.1"})
    assert ran.code == 0, ran.out
    assert ran.err == ""
    assert "no problem was found" in ran.out
    for secret in (KEY, str(Path.home()), "\x1b"):
        assert secret not in ran.out


def test_a_problem_is_exit_code_1_with_what_to_do_next() -> None:
    url = f"http://127.0.0.1:{closed_port()}/v1"
    ran = run_chatui("doctor", "--base-url", url, "-m", "m")
    assert ran.code == 1
    assert "✗ problem TCP" in ran.out
    assert "→ Is the server running" in ran.out
    assert "1 problem" in ran.out.splitlines()[-1]


def test_the_report_for_programs_holds_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json", "--base-url", f"http://127.0.0.1:{closed_port()}/v1", "-m", "m"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["problems"] == 1
    (wrong,) = [
        finding
        for section in report["sections"]
        for finding in section["findings"]
        if finding["verdict"] == "problem"
    ]
    assert (wrong["subject"], bool(wrong["next_step"])) == ("TCP", True)


def test_offline_nothing_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    with ScriptedServer() as server:
        assert main(["doctor", "--offline", "--base-url", server.base_url, "-m", "m"]) == 0
        assert not server.requests
    assert "--offline" in capsys.readouterr().out


def test_one_small_question_is_asked_when_that_was_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    with ScriptedServer() as server:
        server.play(whole(MODELS)).play(
            head(), *(chat_chunk(f"{number} ") for number in range(4)), chat_chunk({}, "stop"), DONE
        )
        assert main(["doctor", "--stream", "--base-url", server.base_url, "-m", "scripted"]) == 0
        assert server.requests[1].method == "POST"
    assert "proof of completion" in capsys.readouterr().out


def test_a_wrong_number_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["doctor", "--timeout", "soon"])
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_failed_question_leads_to_the_doctor_and_a_full_window_does_not() -> None:
    ran = run_chatui("ask", "--base-url", f"http://127.0.0.1:{closed_port()}/v1", "-m", "m", "hello")
    assert ran.code == 3
    assert "`chatui doctor` looks at each step" in ran.err
    full = b'{"error": {"code": "context_length_exceeded", "message": "too long"}}'
    with ScriptedServer() as server:
        server.play(whole(full, 400))
        ran = run_chatui("ask", "--base-url", server.base_url, "-m", "m", "hello")
    assert ran.code == 4
    assert "doctor" not in ran.err


# The terminal is asked


@pytest.mark.parametrize(
    ("said", "kitty", "frames", "emoji"),
    [
        ("\x1b[1;3R\x1b[?0u\x1b[?2026;2$y\x1b[?62;22c", True, True, 2),
        ("\x1b[1;7R\x1b[?2026;0$y\x1b[?1;2c", False, False, 6),
        ("\x1b[?1;2c", False, False, None),
        ("", None, None, None),
        ("\x1b[1;3R", None, None, None),
    ],
)
def test_what_a_terminal_answers_is_read_and_its_silence_means_nothing(
    said: str, kitty: bool | None, frames: bool | None, emoji: int | None
) -> None:
    answers = read_answers(said, 80, 24)
    assert answers.is_terminal
    assert (answers.has_kitty_keys, answers.has_synchronised_output, answers.emoji_cells) == (
        kitty,
        frames,
        emoji,
    )


@pytest.mark.pty
@pytest.mark.parametrize("has_kitty", [True, False])
def test_in_a_terminal_it_is_asked_and_left_as_it_was(has_kitty: bool) -> None:
    command = [*CHATUI, "doctor", "--offline"]
    with App(command, env={KEY_VARIABLE: "k"}, size=(110, 60), kitty=has_kitty) as app:
        assert app.wait("no problem was found", 40), app.text()
        assert app.wait_exit(10) == 0
        said = "every key is told apart" if has_kitty else "not told apart from Enter"
        assert app.find(said), app.text()
        assert app.find("a joined emoji takes 6 columns here"), "as the emulator of these tests draws it"
        assert "👩" not in app.text()
        assert app.leftovers() == []
