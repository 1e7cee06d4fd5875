"""`chatui ask`: the answer to stdout, everything else to stderr, and an exit code that says which end it
was."""

import base64
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.program import ANSWER_LIMIT_S, CHATUI, run_chatui
from support.scripted_server import (
    CLOSE,
    DONE,
    RESET,
    Hold,
    ScriptedServer,
    chat_answer,
    chat_chunk,
    head,
    whole,
)

from chatui.cli.main import main
from chatui.config.paths import find_paths
from chatui.history.sqlite_history import SqliteHistory

KEY = "secret-key-0123456789"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    monkeypatch.setenv("CHATUI_API_KEY", KEY)
    with ScriptedServer() as made:
        yield made


Output = tuple[int, str, str]


@pytest.fixture
def ask(server: ScriptedServer, capsys: pytest.CaptureFixture[str]) -> "Asker":
    return Asker(server, capsys)


class Asker:
    def __init__(self, server: ScriptedServer, capsys: pytest.CaptureFixture[str]) -> None:
        self._server = server
        self._capsys = capsys

    def __call__(self, *arguments: str) -> Output:
        """Run `chatui ask` in this process; code, stdout, stderr."""
        where = ("--base-url", self._server.base_url, "-m", "m")
        try:
            code = main(["ask", *where, *arguments])
        except SystemExit as ended:
            code = int(ended.code or 0)
        said = self._capsys.readouterr()
        assert KEY not in said.out + said.err
        assert "Traceback" not in said.err
        return code, said.out, said.err

    def json(self, *arguments: str) -> dict[str, object]:
        _, out, _ = self("--json", *arguments)
        value = json.loads(out)
        assert isinstance(value, dict)
        return value


def body(server: ScriptedServer) -> dict[str, object]:
    return server.requests[-1].json


def test_the_answer_goes_to_stdout_with_a_line_end_and_nothing_to_stderr(
    server: ScriptedServer, ask: Asker
) -> None:
    server.play(*chat_answer("Hel", "lo"))
    assert ask("hi") == (0, "Hello\n", "")
    assert body(server)["messages"] == [{"role": "user", "content": "hi"}]
    assert body(server)["stream"] is True
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_what_a_model_sends_cannot_drive_the_terminal(server: ScriptedServer, ask: Asker) -> None:
    server.play(*chat_answer("a\x1b]52;c;aGk=\x07b", "\x9b2J\u202ec\r\n"))
    _, out, _ = ask("hi")
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", out)
    assert "a" in out
    assert "b" in out


def test_a_picture_in_the_answer_is_told_in_words(server: ScriptedServer, ask: Asker) -> None:
    png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (640).to_bytes(4, "big") + (480).to_bytes(4, "big")
    held = {"image_url": {"url": f"data:image/png;base64,{base64.b64encode(png).decode()}"}}
    server.play(
        head(), chat_chunk({"content": "Here.", "images": [held]}), chat_chunk({}, "stop"), DONE, CLOSE
    )
    assert ask("draw a sun") == (0, "Here.\n", "chatui: picture: PNG 640×480 24 B\n")


def test_json_holds_the_pictures_of_the_answer(server: ScriptedServer, ask: Asker) -> None:
    images = [
        {"image_url": {"url": "data:image/png;base64,AAAA"}},
        {"image_url": {"url": "https://example.org/a.png"}},
    ]
    server.play(
        head(), chat_chunk({"content": "Here.", "images": images}), chat_chunk({}, "stop"), DONE, CLOSE
    )
    _, out, _ = ask("--json", "draw a sun")
    assert json.loads(out)["pictures"] == [
        {"media_type": "image/png", "data_base64": "AAAA", "url": None},
        {"media_type": None, "data_base64": None, "url": "https://example.org/a.png"},
    ]


def test_json_prints_one_object_with_everything_exactly_as_received(
    server: ScriptedServer, ask: Asker
) -> None:
    usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
    call = {"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "f", "arguments": '{"a":1}'}}]}
    server.play(
        head(),
        chat_chunk({"reasoning_content": "hm"}),
        chat_chunk("\x1b[31mred ü\u2028"),
        chat_chunk(call),
        chat_chunk({}, "tool_calls", usage=usage),
        DONE,
    )
    code, out, err = ask("--json", "hi")
    assert (code, err) == (0, "")
    assert out.isascii()
    answer = json.loads(out)
    assert answer["text"] == "\x1b[31mred ü\u2028"
    assert answer["reasoning"] == "hm"
    assert answer["tool_calls"] == [
        {"id": "c1", "name": "f", "arguments": {"a": 1}, "arguments_raw": '{"a":1}'}
    ]
    assert answer["usage"] == {
        "input_tokens": 1,
        "output_tokens": 2,
        "total_tokens": 3,
        "cached_tokens": None,
        "reasoning_tokens": None,
    }
    assert (answer["phase"], answer["reason"], answer["error"], answer["hint"]) == ("completed",) + (
        None,
    ) * 3
    assert (answer["finish_reason"], answer["model"], answer["requests"]) == ("tool_calls", "scripted", 1)
    assert answer["protocol"] == "chat_completions"
    assert set(answer["timing_ms"]) == {"first_event", "first_text", "longest_gap", "total"}
    assert [choice["index"] for choice in answer["choices"]] == [0]


@pytest.mark.parametrize(
    ("script", "code", "reason"),
    [
        (chat_answer("x", finish_reason="length"), 8, "length"),
        (chat_answer("x", finish_reason="content_filter"), 9, "content_filter"),
        ((head(), chat_chunk("x"), RESET), 3, "disconnect"),
        ((head(), chat_chunk("x"), b'data: {"error":{"message":"boom"}}\n\n', CLOSE), 6, "error"),
        (whole(b'{"error":{"message":"bad"}}', 400), 4, "http"),
        (whole(b"<html></html>", 200, "text/html"), 5, "protocol"),
    ],
    ids=["length", "filter", "disconnect", "error", "http", "protocol"],
)
def test_each_way_to_fail_has_its_exit_code_and_keeps_the_text(
    server: ScriptedServer, ask: Asker, script: tuple[bytes, ...], code: int, reason: str
) -> None:
    server.play(*script).play(*script)
    got_code, out, err = ask("hi")
    assert got_code == code
    assert out in ("x\n", "")
    assert err.startswith(f"chatui: {reason}: ")
    assert err.count("\n") == 1
    answer = ask.json("hi")
    assert (answer["phase"], answer["reason"]) == ("failed", reason)


def test_no_connection_is_exit_code_three(capsys: pytest.CaptureFixture[str]) -> None:
    ask = ["ask", "hi", "--base-url", "http://127.0.0.1:1/v1", "-m", "m", "--no-save"]
    assert main(ask) == 3
    assert "refused the connection" in capsys.readouterr().err


def test_a_timeout_is_exit_code_three_and_the_limit_can_be_set(server: ScriptedServer, ask: Asker) -> None:
    server.play(head(), Hold(threading.Event()))
    code, _, err = ask("--first-event-timeout", "0.2", "hi")
    assert code == 3
    assert "0.2 s" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ask", ""], "prompt is empty"),
        (["ask", "  \n"], "prompt is empty"),
        (["ask"], "prompt is empty"),
        (["ask", "hi", "--protocol", "smtp"], "invalid choice"),
        (["ask", "hi", "--nonsense"], "--nonsense"),
        (["ask", "hi", "-p", "opnai"], "openai"),
        (["ask", "hi", "--gap-timeout", "soon"], "number of seconds"),
        (["ask", "hi", "-c", "-r", "x"], "not allowed"),
        (["ask", "hi", "--base-url", "ftp://x"], "ftp://x"),
        (
            ["ask", "hi", "--base-url", "http://127.0.0.1:1/v1", "-m", "m", "-o", "temprature", "1"],
            "temperature",
        ),
        (["ask", "hi", "--base-url", "http://127.0.0.1:1/v1", "-m", "m", "-r", "nothing"], "nothing"),
        (["ask", "hi", "--base-url", "http://127.0.0.1:1/v1", "-m", "m", "-c"], "no conversation"),
        (
            ["ask", "hi", "--base-url", "http://127.0.0.1:1/v1", "-m", "m", "--api-key-env", "NO_KEY"],
            "NO_KEY",
        ),
        (["ask", "hi", "--base-url", "http://127.0.0.1:1/v1"], "--model"),
        (["ak", "hi"], "ask"),
        (["--provder", "x"], "--provder"),
        (["replay", "nothing.jsonl"], "nothing.jsonl"),
    ],
    ids=lambda value: " ".join(value[:9]) if isinstance(value, list) else "",
)
def test_what_cannot_be_right_is_told_in_one_line(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = main(arguments)
    except SystemExit as ended:
        code = int(ended.code or 0)
    said = capsys.readouterr()
    assert (code, said.out) == (2, "")
    assert said.err.count("\n") == 1, said.err
    assert words in said.err


def test_without_a_terminal_the_app_says_so_and_points_to_ask() -> None:
    ran = run_chatui()
    assert ran.code == 2
    assert "terminal" in ran.err
    assert "chatui ask" in ran.err
    assert ran.err.count("\n") == 1


def test_the_version_is_told() -> None:
    assert re.fullmatch(r"chatui \d+\.\d+\.\d+\n", run_chatui("--version").out)


def test_help_lists_the_commands_and_the_exit_codes() -> None:
    assert re.search(r"\bask\b.*\blocal\b.*\breplay\b", run_chatui("--help").out, re.DOTALL)
    assert "130 cancelled" in run_chatui("ask", "--help").out


def test_options_of_generation_reach_the_request(server: ScriptedServer, ask: Asker) -> None:
    server.play(*chat_answer("x"))
    ask(
        "hi",
        "-o",
        "temperature",
        "0.5",
        "-o",
        "max_output_tokens",
        "7",
        "-o",
        "top_k",
        "3",
        "--system",
        "be brief",
    )
    sent = body(server)
    assert (sent["temperature"], sent["top_k"]) == (0.5, 3)
    assert 7 in (sent.get("max_tokens"), sent.get("max_completion_tokens"))
    assert sent["messages"] == [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "hi"},
    ]


def test_a_whole_answer_instead_of_a_stream_is_the_same(server: ScriptedServer, ask: Asker) -> None:
    answer = {"choices": [{"index": 0, "message": {"content": "Hello"}, "finish_reason": "stop"}]}
    server.play(*whole(json.dumps(answer).encode()))
    assert ask("hi", "--no-stream")[:2] == (0, "Hello\n")
    assert body(server).get("stream") in (False, None)


def test_events_are_printed_as_json_lines_in_their_order(server: ScriptedServer, ask: Asker) -> None:
    server.play(*chat_answer("Hel", "lo"))
    _, out, err = ask("--events", "hi")
    events = [json.loads(line) for line in out.splitlines()]
    assert "".join(event["text"] for event in events if event["event"] == "text_delta") == "Hello"
    assert events[-1]["event"] == "stream_completed"
    assert err == ""


def test_a_conversation_is_continued_and_resumed(server: ScriptedServer, ask: Asker) -> None:
    server.play(*chat_answer("one")).play(*chat_answer("two")).play(*chat_answer("three"))
    first = ask.json("first")
    second = ask.json("second", "-c")
    assert first["conversation"] == second["conversation"]
    assert body(server)["messages"] == [
        {"role": "user", "content": "first"},
        {"role": "assistant", "content": "one"},
        {"role": "user", "content": "second"},
    ]
    third = ask.json("third", "-r", str(first["conversation"]))
    assert third["conversation"] == first["conversation"]
    assert len(body(server)["messages"]) == 5  # type: ignore[arg-type]  # a list, as above


def test_going_on_with_another_provider_than_the_last_one_is_said(
    server: ScriptedServer, ask: Asker, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedServer() as usual:
        usual.play(*chat_answer("two")).play(*chat_answer("three"))
        settings = find_paths().config_file
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text(
            f'provider = "home"\n[providers.home]\nbase_url = "{usual.base_url}"\n'
            'default_model = "m2"\nneeds_key = false\n'
        )
        server.play(*chat_answer("one"))
        ask("first")
        capsys.readouterr()
        assert main(["ask", "-c", "second"]) == 0
        said = capsys.readouterr()
        assert said.out == "two\n"
        place = server.base_url.partition("://")[2].partition("/")[0]
        assert (
            f"the last answer came from {place} (m), this one comes from home (m2); "
            f"to go on there give --base-url URL -m m"
        ) in said.err
        assert "authorization" not in usual.requests[0].headers, "a key goes to its own host only"
        assert main(["ask", "-c", "third"]) == 0
        assert capsys.readouterr().err == "", "the same one as before needs no words"
        server.play(*chat_answer("four"))
        assert ask("fourth", "-c")[2] == "", "whoever names it knows it"


def test_a_failed_answer_is_not_part_of_the_conversation(server: ScriptedServer, ask: Asker) -> None:
    server.play(*chat_answer("one")).play(head(), chat_chunk("half"), RESET).play(*chat_answer("two"))
    ask("first")
    ask("second", "-c")
    _, _, err = ask("third", "-c")
    assert "half" not in json.dumps(body(server))
    assert "not sent: An unfinished turn" in err, "the person can see what was left out, and why"


def test_json_says_what_was_left_out_of_the_context_and_why(server: ScriptedServer, ask: Asker) -> None:
    server.play(*chat_answer("one")).play(head(), chat_chunk("half"), RESET).play(*chat_answer("two"))
    assert ask.json("first")["omissions"] == []
    ask("second", "-c")
    (omission,) = ask.json("third", "-c")["omissions"]  # type: ignore[misc]  # a list
    assert omission["what"] == "An unfinished turn"
    assert "was not accepted" in omission["why"]
    assert omission["turn_id"]


def test_what_was_dropped_in_the_app_is_not_sent_here_either_and_told(
    server: ScriptedServer, ask: Asker
) -> None:
    server.play(*chat_answer("one")).play(*chat_answer("two")).play(*chat_answer("three"))
    name = str(ask.json("first")["conversation"])
    ask("second", "-c")
    history = SqliteHistory.open(find_paths().history_file)
    history.send_from(name, history.load(name).path()[1].turn_id)
    history.close()
    answer = ask.json("third", "-c")
    assert [message["content"] for message in body(server)["messages"]] == ["second", "two", "third"]  # type: ignore[attr-defined]
    (omission,) = answer["omissions"]  # type: ignore[misc]  # a list
    assert "oldest turn" in omission["what"]


def test_nothing_is_kept_when_that_was_asked_for(server: ScriptedServer, ask: Asker) -> None:
    server.play(*chat_answer("one"))
    assert ask.json("hi", "--no-save")["conversation"] is None
    assert not list(Path.home().rglob("history.db"))


def test_a_history_that_cannot_be_written_is_told_after_the_answer(
    server: ScriptedServer, ask: Asker
) -> None:
    server.play(*chat_answer("one"))
    data = Path(os.environ["XDG_DATA_HOME"]) / "chatui"
    data.mkdir(parents=True)
    (data / "history.db").write_text("this is no database, but somebody's file")
    code, out, err = ask("hi")
    assert (code, out) == (7, "one\n")
    assert "history.db" in err
    assert (data / "history.db").read_text().startswith("this is no database")


def test_a_broken_configuration_is_told_with_its_line_and_the_answer_comes(
    server: ScriptedServer, ask: Asker
) -> None:
    server.play(*chat_answer("one"))
    config = Path(os.environ["XDG_CONFIG_HOME"]) / "chatui"
    config.mkdir(parents=True)
    (config / "config.toml").write_text("[ui]\nthem = 3\n")
    code, out, err = ask("hi")
    assert (code, out) == (0, "one\n")
    assert "config.toml" in err
    assert "2" in err


def test_a_refusal_is_printed_as_the_answer(server: ScriptedServer, ask: Asker) -> None:
    server.play(head(), chat_chunk({"refusal": "I will not."}), chat_chunk({}, "stop"), DONE)
    code, out, _ = ask("hi")
    assert out == "I will not.\n"
    assert code in (0, 9)


def test_tool_calls_are_told_beside_the_answer(server: ScriptedServer, ask: Asker) -> None:
    call = {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f\x1b", "arguments": "{}"}}]}
    server.play(head(), chat_chunk("Let me see."), chat_chunk(call), chat_chunk({}, "tool_calls"), DONE)
    _, out, err = ask("hi")
    assert out == "Let me see.\n"
    assert "tool call: f" in err
    assert "\x1b" not in err


def test_a_retry_is_told_while_it_waits(server: ScriptedServer, ask: Asker) -> None:
    server.play(*whole(b'{"error":{"message":"slow down"}}', 429, retry_after="1")).play(*chat_answer("ok"))
    code, out, err = ask("hi")
    assert (code, out) == (0, "ok\n")
    assert re.search(r"slow down.*trying again in 1 s", err)


def test_a_recording_is_made_told_and_replayed(server: ScriptedServer, ask: Asker, tmp_path: Path) -> None:
    server.play(*chat_answer("Hel", "lo"))
    wires = tmp_path / "wires"
    _, _, err = ask("hi", "--record", str(wires))
    assert str(wires) in err
    (file,) = wires.iterdir()
    replayed = run_chatui("replay", str(file))
    assert (replayed.code, replayed.out) == (0, "Hello\n")
    assert run_chatui("replay", str(file), "--json").answer["text"] == "Hello"


@pytest.mark.parametrize(
    ("argument", "piped", "prompt"),
    [("sum up", "the text\n", "sum up\n\nthe text"), (None, "only this\n", "only this"), ("hi", "", "hi")],
)
def test_what_is_piped_in_is_joined_to_the_prompt(
    server: ScriptedServer, argument: str | None, piped: str, prompt: str
) -> None:
    server.play(*chat_answer("ok"))
    where = ("--base-url", server.base_url, "-m", "m", "--no-save")
    ran = run_chatui("ask", *where, *([argument] if argument else []), stdin=piped)
    assert (ran.code, ran.out) == (0, "ok\n"), ran.err
    assert body(server)["messages"] == [{"role": "user", "content": prompt}]


def test_bytes_that_are_no_text_do_not_stop_it(server: ScriptedServer) -> None:
    server.play(*chat_answer("ok"))
    ran = subprocess.run(
        [*CHATUI, "ask", "--base-url", server.base_url, "-m", "m", "--no-save", b"a\xffb"],
        input=b"c\xfed",
        capture_output=True,
        check=False,
        timeout=ANSWER_LIMIT_S,
    )
    assert ran.stdout == b"ok\n", ran.stderr
    assert body(server)["messages"] == [{"role": "user", "content": "a\ufffdb\n\nc\ufffdd"}]


def started(server: ScriptedServer, *arguments: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [*CHATUI, "ask", "hi", "--base-url", server.base_url, "-m", "m", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        env=dict(os.environ),
    )


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_stops_the_answer_keeps_its_text_and_hangs_up(server: ScriptedServer) -> None:
    server.play(head(), chat_chunk("half an answer"), Hold(threading.Event()))
    running = started(server)
    assert running.stdout is not None
    assert running.stdout.read(4) == b"half"
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=ANSWER_LIMIT_S)
    assert running.returncode == 130
    assert out == b" an answer\n"
    assert err.startswith(b"chatui: cancelled: ")
    assert b"Traceback" not in err
    assert server.gone.wait(30)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_before_the_first_byte_ends_with_json_too(server: ScriptedServer) -> None:
    server.play(Hold(threading.Event()))
    running = started(server, "--json", "--no-save")
    for _ in range(3000):
        if server.requests:
            break
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    out, _ = running.communicate(timeout=ANSWER_LIMIT_S)
    assert running.returncode == 130
    assert json.loads(out)["reason"] == "cancelled"


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_reader_that_goes_away_stops_the_answer_quietly(server: ScriptedServer) -> None:
    released = threading.Event()
    server.play(head(), chat_chunk("half"), Hold(released), *(chat_chunk("more " * 1000) for _ in range(50)))
    running = started(server, "--no-save")
    assert running.stdout is not None
    assert running.stdout.read(4) == b"half"
    running.stdout.close()
    released.set()
    assert running.stderr is not None
    err = running.stderr.read()
    assert running.wait(30) == 130
    assert b"Traceback" not in err
    assert b"BrokenPipe" not in err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("arguments", [["--version"], ["ask", "hi"], ["ask", "hi", "--json"]], ids=" ".join)
def test_output_that_cannot_be_written_is_told_in_one_line(
    server: ScriptedServer, arguments: list[str]
) -> None:
    server.play(*chat_answer("Hello"))
    where = ["--base-url", server.base_url, "-m", "m", "--no-save"] if len(arguments) > 1 else []
    with open("/dev/full", "w") as full:
        ran = subprocess.run(
            [*CHATUI, *arguments, *where],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=ANSWER_LIMIT_S,
        )
    assert ran.returncode == 1
    assert ran.stderr == "chatui: standard output: No space left on device\n"


def test_a_closed_output_is_told(server: ScriptedServer) -> None:
    command = " ".join([*CHATUI, "ask", "hi", "--base-url", server.base_url, "-m", "m", ">&-"])
    ran = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, check=False, timeout=ANSWER_LIMIT_S
    )
    assert (ran.returncode, ran.stderr) == (2, "chatui: standard output is closed\n")


def test_the_sound_of_a_spoken_answer_is_saved_where_it_was_asked_for_and_replaces_nothing(
    server: ScriptedServer, ask: Asker, tmp_path: Path
) -> None:
    path = tmp_path / "answer.mp3"
    audio = [
        {"audio": {"transcript": "Hel", "data": "SUQz"}},
        {"audio": {"transcript": "lo", "data": "AAEC"}},
    ]
    server.play(head(), *map(chat_chunk, audio), chat_chunk({}, "stop"), DONE)
    code, out, err = ask("hi", "--save-audio", str(path))
    assert (code, out) == (0, "Hello\n")
    assert str(path) in err
    assert path.read_bytes() == b"ID3\0\1\2"
    code, _, err = ask("hi", "--save-audio", str(path))
    assert code == 2
    assert str(path) in err
    assert len(server.requests) == 1, "nothing was asked when the answer could not be saved"


def test_every_member_of_the_json_is_in_the_documentation(server: ScriptedServer, ask: Asker) -> None:
    server.play(*chat_answer("one"))
    page = (Path(__file__).parents[2] / "docs" / "using.md").read_text()
    table = page.partition("## From scripts")[2].partition("\n## ")[0]
    names = re.findall(
        r"`(\w+)`", "\n".join(row.split("|")[1] for row in table.splitlines() if row[:1] == "|")
    )
    assert sorted(names) == sorted(ask.json("hi"))
