"""`chatui doctor` against real servers on loopback: every fault is found at its step, and nothing is told."""

import asyncio
import json
import os
import socket
import sqlite3
import stat
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest
from support.scripted_server import DONE, ScriptedServer, Wait, chat_chunk, head, whole
from transport.raw_server import CERTIFICATE, raw_server, response

from chatui.config.paths import find_paths
from chatui.core.diagnosis import Diagnosis, Finding, Section, Verdict, note, ok, problem
from chatui.history.sqlite_history import SqliteHistory
from chatui.transport.bundled_model import SMOLLM2
from chatui.view.diagnosis_lines import diagnosis_json, diagnosis_text, section_lines, summary_line
from chatui.view.glyphs import ASCII, UNICODE
from chatui.view.plain import plain_text
from chatui.wiring import LaunchOptions
from chatui.wiring.doctor.arrival import Arrival, judge
from chatui.wiring.doctor.check import Check, all_checks
from chatui.wiring.doctor.checks import history as history_check
from chatui.wiring.doctor.checks import multiplexer, stream, terminal
from chatui.wiring.doctor.examination import examine
from chatui.wiring.doctor.patient import Patient
from chatui.wiring.doctor.privacy import cleaned, shown_address, shown_path
from chatui.wiring.doctor.terminal_answers import TerminalAnswers

KEY = "sk-very-secret-0123456789"
MODELS = json.dumps({"object": "list", "data": [{"id": "scripted"}, {"id": "other"}]}).encode()
Reader, Writer = asyncio.StreamReader, asyncio.StreamWriter


async def diagnosed(
    base_url: str | None = None, *, model: str = "scripted", is_asking: bool = False, limit_s: float = 20.0
) -> dict[str, list[Finding]]:
    """Findings by title of their section."""
    options = LaunchOptions(base_url=base_url, model=model if base_url else None)
    async with Patient.of(options, is_asking=is_asking, limit_s=limit_s) as patient:
        diagnosis = await examine(patient)
    whole_text = diagnosis_json(diagnosis)
    assert KEY not in whole_text
    assert str(Path.home()) not in whole_text
    for section in diagnosis.sections:
        for finding in section.findings:
            assert finding.verdict is not Verdict.PROBLEM or finding.next_step, finding
    return {section.title: list(section.findings) for section in diagnosis.sections}


def problems(found: Mapping[str, list[Finding]], title: str) -> list[Finding]:
    return [finding for finding in found[title] if finding.verdict is Verdict.PROBLEM]


def words_of(found: list[Finding], subject: str) -> str:
    return " ".join(finding.words for finding in found if finding.subject == subject)


# The whole way


async def test_a_server_that_answers_has_no_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHATUI_API_KEY", KEY)
    with ScriptedServer() as server:
        server.play(whole(MODELS, Server="nginx/1.25"))
        found = await diagnosed(server.base_url)
    assert not problems(found, "Way to the server")
    assert [finding.subject for finding in found["Way to the server"]] == ["proxy", "DNS", "TCP"]
    assert not problems(found, "Server")
    assert "200 from nginx/1.25" in words_of(found["Server"], "HTTP")
    assert "among the 2" in words_of(found["Server"], "model")
    assert words_of(found["Key"], "key") == "from $CHATUI_API_KEY; it goes to 127.0.0.1 only"
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


async def test_a_model_that_is_not_listed_is_told_with_the_one_that_was_meant() -> None:
    with ScriptedServer() as server:
        server.play(whole(MODELS))
        found = await diagnosed(server.base_url, model="scriptd")
    (wrong,) = problems(found, "Server")
    assert wrong.subject == "model"
    assert '"scripted"' in wrong.next_step


async def test_a_port_that_refuses_is_found_at_the_step_tcp() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    found = await diagnosed(f"http://127.0.0.1:{port}/v1")
    (wrong,) = problems(found, "Way to the server")
    assert wrong.subject == "TCP"
    assert wrong.words == f"127.0.0.1:{port} refused the connection"
    assert not problems(found, "Server"), "one fault is one problem"
    assert found["Server"][0].verdict is Verdict.NOTE


async def test_a_name_that_nobody_knows_is_found_at_the_step_dns() -> None:
    found = await diagnosed("http://model.invalid/v1")
    (wrong,) = problems(found, "Way to the server")
    assert wrong.subject == "DNS"
    assert "model.invalid" in wrong.words


async def test_a_certificate_that_nobody_vouches_for_is_found_at_the_step_tls() -> None:
    async with raw_server(silent, has_tls=True) as place:
        found = await diagnosed(f"https://{place}/v1")
    (wrong,) = problems(found, "Way to the server")
    assert wrong.subject == "TLS"
    assert "certificate" in wrong.words
    assert "SSL_CERT_FILE" in wrong.next_step


async def test_a_certificate_of_ones_own_is_trusted_and_told_with_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))

    async def serve(reader: Reader, writer: Writer) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(response(MODELS, 200, Content_Type="application/json"))
        await writer.drain()

    async with raw_server(serve, has_tls=True) as place:
        found = await diagnosed(f"https://{place}/v1")
    way = found["Way to the server"]
    assert not problems(found, "Way to the server"), way
    assert "from SSL_CERT_FILE" in words_of(way, "certificates")
    assert words_of(way, "TLS").startswith("TLSv1.")
    assert "another" in words_of(way, "certificate")
    assert not problems(found, "Server")


async def test_a_certificate_file_that_is_missing_is_told_by_its_variable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "gone.pem"))
    async with raw_server(silent, has_tls=True) as place:
        found = await diagnosed(f"https://{place}/v1")
    (wrong,) = problems(found, "Way to the server")
    assert wrong.words.startswith("SSL_CERT_FILE names ")


async def silent(reader: Reader, _writer: Writer) -> None:
    await reader.read()
    await asyncio.Event().wait()


async def test_a_server_that_is_silent_is_told_and_waited_for_no_longer_than_the_limit() -> None:
    async with raw_server(silent) as place:
        found = await diagnosed(f"http://{place}/v1", limit_s=1.5)
    (wrong,) = problems(found, "Server")
    assert "within 1.5 s" in wrong.words
    assert not problems(found, "Way to the server")


async def test_https_to_a_server_that_never_says_anything_names_the_step_and_the_remedy() -> None:
    async with raw_server(silent) as place:
        found = await diagnosed(f"https://{place}/v1", limit_s=1.5)
    (wrong,) = problems(found, "Way to the server")
    assert wrong.subject == "TLS"
    assert "http://" in wrong.next_step


# Proxies


async def test_a_proxy_that_refuses_is_found_and_its_password_is_not_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heads: list[bytes] = []

    async def proxy(reader: Reader, writer: Writer) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(response(b"", 407))
        await writer.drain()

    async with raw_server(proxy) as place:
        monkeypatch.setenv("HTTPS_PROXY", f"http://person:{KEY}@{place}")
        found = await diagnosed("https://model.invalid/v1")
    way = found["Way to the server"]
    assert words_of(way, "proxy") == f"http://[redacted]@{place}, from HTTPS_PROXY"
    (wrong,) = problems(found, "Way to the server")
    assert wrong.subject == "tunnel"
    assert "407" in wrong.words
    assert "HTTPS_PROXY" in wrong.next_step
    assert heads[0].startswith(b"CONNECT model.invalid:443 HTTP/1.1\r\n")


async def test_a_proxy_that_is_not_there_is_blamed_in_place_of_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{port}")
    found = await diagnosed("https://model.invalid/v1")
    (wrong,) = problems(found, "Way to the server")
    assert (wrong.subject, "(from https_proxy) refused" in wrong.words) == ("TCP", True)


async def test_tls_is_tried_through_the_tunnel_of_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    async with raw_server(silent, has_tls=True) as target:

        async def proxy(reader: Reader, writer: Writer) -> None:
            await reader.readuntil(b"\r\n\r\n")
            host, _, port = target.partition(":")
            inner_reader, inner_writer = await asyncio.open_connection(host, int(port))
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await asyncio.gather(piped(reader, inner_writer), piped(inner_reader, writer))

        async with raw_server(proxy) as place:
            monkeypatch.setenv("HTTPS_PROXY", f"http://{place}")
            found = await diagnosed("https://model.invalid/v1")
    (wrong,) = problems(found, "Way to the server")
    assert [finding.subject for finding in found["Way to the server"]][-2:] == ["tunnel", "TLS"]
    assert "certificate of model.invalid" in wrong.words


async def piped(reader: Reader, writer: Writer) -> None:
    while data := await reader.read(4096):
        writer.write(data)
        await writer.drain()
    writer.close()


async def test_a_host_that_no_proxy_names_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", "model.invalid")
    found = await diagnosed("https://model.invalid/v1")
    assert (
        words_of(found["Way to the server"], "proxy") == "not used for this host, because NO_PROXY names it"
    )


# What the server says


@pytest.mark.parametrize("status", [401, 403])
async def test_a_key_that_is_rejected_is_told_without_what_the_server_repeats_of_it(
    monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setenv("CHATUI_API_KEY", KEY)
    echo = json.dumps({"error": {"message": "Incorrect API key provided: sk-very-***6789"}}).encode()
    with ScriptedServer() as server:
        server.play(whole(echo, status))
        found = await diagnosed(server.base_url)
    (wrong,) = problems(found, "Server")
    assert wrong.subject == "key"
    assert "6789" not in str(found)


async def test_a_server_that_wants_a_key_is_told_where_there_is_none() -> None:
    with ScriptedServer() as server:
        server.play(whole(b"{}", 401))
        found = await diagnosed(server.base_url)
    assert not problems(found, "Server")
    assert words_of(found["Server"], "key") == "the server wants one, and none was sent"


@pytest.mark.parametrize(
    ("body", "content_type", "words"),
    [
        (b"<!doctype html><title>Sign in</title>", "text/html", "a web page"),
        (b'{"hello": 1}', "application/json", "no list of models"),
    ],
)
async def test_an_answer_that_is_no_list_of_models_is_told(
    body: bytes, content_type: str, words: str
) -> None:
    with ScriptedServer() as server:
        server.play(whole(body, 200, content_type))
        found = await diagnosed(server.base_url)
    (wrong,) = problems(found, "Server")
    assert words in wrong.words


async def test_an_address_without_its_version_is_told_with_the_version() -> None:
    with ScriptedServer() as server:
        server.play(whole(b"{}", 404))
        found = await diagnosed(f"{server.origin}/api")
    (wrong,) = problems(found, "Server")
    assert f"try {server.origin}/api/v1" in wrong.next_step


# The small question


async def test_an_answer_in_one_lump_long_after_the_question_is_a_buffering_proxy() -> None:
    lump = b"".join(chat_chunk(f"{number} ") for number in range(40)) + chat_chunk({}, "stop") + DONE
    with ScriptedServer() as server:
        server.play(whole(MODELS)).play(Wait(0.3), head(), lump)
        found = await diagnosed(server.base_url, is_asking=True)
    (wrong,) = problems(found, "Stream")
    assert wrong.subject == "arrival"
    assert wrong.words.startswith("in one lump: 40 events")
    assert "proof" in words_of(found["Stream"], "end")
    asked = server.requests[1].json
    assert asked["stream"] is True
    assert [message["role"] for message in asked["messages"]] == ["user"]  # type: ignore[attr-defined, index]


async def test_a_stream_that_ends_without_its_proof_is_told() -> None:
    with ScriptedServer() as server:
        server.play(whole(MODELS)).play(head(), chat_chunk("1 "), chat_chunk("2 "))
        found = await diagnosed(server.base_url, is_asking=True)
    (wrong,) = problems(found, "Stream")
    assert wrong.subject == "end"


async def test_the_question_is_given_up_when_no_answer_comes_for_some_times_the_limit() -> None:
    with ScriptedServer() as server:
        server.play(whole(MODELS)).play(head(), Wait(60.0))
        found = await diagnosed(server.base_url, is_asking=True, limit_s=0.3)
    (wrong,) = problems(found, "Stream")
    assert wrong.subject == "end"
    assert wrong.words.startswith("timeout")


async def test_a_question_that_is_refused_is_told_by_status_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHATUI_API_KEY", KEY)
    with ScriptedServer() as server:
        server.play(whole(MODELS)).play(whole(b'{"error": {"message": "account acct-77 owes 12"}}', 402))
        found = await diagnosed(server.base_url, is_asking=True)
    (wrong,) = problems(found, "Stream")
    assert wrong.words == "http: HTTP 402: payment required"
    assert "acct-77" not in str(found)


async def test_a_whole_body_in_place_of_a_stream_is_named() -> None:
    body = {"choices": [{"index": 0, "message": {"content": "1 2"}, "finish_reason": "stop"}]}
    with ScriptedServer() as server:
        server.play(whole(MODELS)).play(whole(json.dumps(body).encode()))
        found = await diagnosed(server.base_url, is_asking=True)
    assert not problems(found, "Stream")
    assert "does not stream" in words_of(found["Stream"], "arrival")


async def test_the_embedded_model_is_not_fetched_for_a_question() -> None:
    async with Patient.of(LaunchOptions(), is_asking=True) as patient:
        (found,) = await stream.look(patient)
    assert found.verdict is Verdict.NOTE
    assert found.next_step == "chatui local install"
    assert not find_paths().data_dir.exists()


async def test_the_model_is_asked_only_when_that_was_wanted() -> None:
    with ScriptedServer() as server:
        server.play(whole(MODELS))
        found = await diagnosed(server.base_url)
    assert "Stream" not in found
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("times", "events", "verdict", "words"),
    [
        (tuple(range(500, 1500, 25)), 40, Verdict.OK, "as a stream"),
        ((900.0,), 40, Verdict.PROBLEM, "in one lump"),
        ((900.0, 901.0), 40, Verdict.PROBLEM, "in one lump"),
        ((900.0, 901.0, 903.0, 904.0), 40, Verdict.PROBLEM, "in one lump"),
        (tuple(1500 + number for number in range(40)), 40, Verdict.OK, "as a stream"),
        ((20.0,), 40, Verdict.NOTE, "too quick"),
        ((900.0,), 3, Verdict.NOTE, "too few"),
        ((), 0, Verdict.PROBLEM, "no body"),
    ],
)
def test_a_lump_is_told_from_a_stream_and_from_what_cannot_be_told(
    times: tuple[float, ...], events: int, verdict: Verdict, words: str
) -> None:
    found = judge(Arrival(chunks_ms=times, events=events))
    assert found.verdict is verdict
    assert words in found.words


# Nothing asked, nothing changed, nothing told


async def test_offline_nobody_is_asked_and_no_command_is_run(tmp_path: Path) -> None:
    paths = find_paths()
    paths.config_dir.mkdir(parents=True)
    mark = tmp_path / "was-run"
    paths.config_file.write_text(
        '[providers.work]\nbase_url = "http://model.invalid/v1"\ndefault_model = "m"\n'
        f'key_command = ["touch", "{mark}"]\n'
    )
    async with Patient.of(LaunchOptions(provider="work"), is_offline=True, is_asking=True) as patient:
        diagnosis = await examine(patient)
    assert not mark.exists()
    by_title = {section.title: section for section in diagnosis.sections}
    assert [finding.subject for finding in by_title["Way to the server"].findings] == ["skipped"]
    assert [finding.subject for finding in by_title["Server"].findings] == ["skipped"]
    assert "Stream" not in by_title
    assert "was not run" in words_of(list(by_title["Key"].findings), "key")


async def test_looking_writes_nothing_and_makes_no_folder() -> None:
    with ScriptedServer() as server:
        server.play(whole(MODELS))
        before = sorted(Path.home().rglob("*"))
        await diagnosed(server.base_url)
        assert sorted(Path.home().rglob("*")) == before


async def test_the_key_of_a_provider_stays_at_home_when_another_host_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ScriptedServer() as server:
        server.play(whole(MODELS))
        options = LaunchOptions(provider="openai", base_url=server.base_url, model="scripted")
        async with Patient.of(options) as patient:
            await examine(patient)
    assert "authorization" not in server.requests[0].headers


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("http://person:word@proxy.example:3128/", "http://[redacted]@proxy.example:3128"),
        ("proxy.example:3128", "http://proxy.example:3128"),
        ("https://h.example/v1?api-key=abc", "https://h.example/v1"),
        ("http://[::1]:80/v1", "http://[::1]:80/v1"),
        ("http://[broken", "[redacted]"),
    ],
)
def test_an_address_is_shown_without_what_may_be_secret(written: str, shown: str) -> None:
    assert shown_address(written) == shown


def test_the_home_folder_is_not_named_and_a_neighbour_of_it_stays_whole() -> None:
    home = Path.home()
    assert shown_path(home / "a" / "b") == "~/a/b"
    assert shown_path(f"{home}er/a") == f"{home}er/a"
    assert cleaned(problem("a", f"in {home}/x", f"see {home}/y and {KEY}"), (KEY,)) == problem(
        "a", "in ~/x", "see ~/y and [redacted]"
    )


# Files and folders


async def test_a_wrong_setting_is_told_with_its_line_and_an_open_key_file_with_the_command() -> None:
    paths = find_paths()
    paths.keys_dir.mkdir(parents=True)
    paths.config_file.write_text('[ui]\nthemme = "paper"\n')
    key_file = paths.keys_dir / "openai"
    key_file.write_text(KEY)
    key_file.chmod(0o644)
    found = await diagnosed()
    (wrong,) = problems(found, "Configuration")
    assert wrong.words.startswith("~/.config/chatui/config.toml:2: ui.themme")
    (open_file,) = problems(found, "Folders")
    assert open_file.next_step == "Run: chmod 600 ~/.config/chatui/keys/openai"
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o644, "looked at, not changed"


async def test_a_file_where_a_folder_should_be_is_told() -> None:
    paths = find_paths()
    paths.state_dir.write_text("")
    found = await diagnosed()
    assert any("is no folder" in finding.words for finding in problems(found, "Folders"))


async def test_a_whole_history_is_counted_and_a_damaged_one_is_told_with_the_repair() -> None:
    path = find_paths().history_file
    path.parent.mkdir(parents=True)
    SqliteHistory.open(path).close()
    found = await diagnosed()
    assert "0 conversations" in words_of(found["History"], "history")
    assert words_of(found["History"], "lock") == "free"
    path.write_bytes(b"this is no database" * 100)
    (wrong,) = problems(await diagnosed(), "History")
    assert "`chatui history repair`" in wrong.next_step


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders here")
async def test_a_pipe_in_place_of_the_history_is_told_and_not_waited_for() -> None:
    path = find_paths().history_file
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    (wrong,) = problems(await diagnosed(), "History")
    assert "it is a pipe" in wrong.words
    assert "Move it away" in wrong.next_step
    assert stat.S_ISFIFO(path.stat().st_mode), "looked at, not changed"


async def test_a_folder_in_place_of_the_configuration_is_told_as_one() -> None:
    paths = find_paths()
    paths.config_file.mkdir(parents=True)
    found = await diagnosed()
    told = [finding for finding in problems(found, "Configuration") if finding.subject == "file"]
    assert ["is a folder" in finding.words for finding in told] == [True]
    assert "does not exist" not in words_of(found["Configuration"], "file")


async def test_a_history_that_another_program_writes_to_is_told() -> None:
    path = find_paths().history_file
    path.parent.mkdir(parents=True)
    SqliteHistory.open(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        async with Patient.of(LaunchOptions()) as patient:
            found = list(await history_check.look(patient))
    assert [finding.verdict for finding in found if finding.subject == "lock"] == [Verdict.NOTE]


async def test_a_damaged_model_file_is_told_where_it_is_the_one_that_is_asked() -> None:
    folder = find_paths().data_dir / "models"
    folder.mkdir(parents=True)
    (folder / Path(SMOLLM2.member).name).write_bytes(b"GGUF, and then nothing")
    found = await diagnosed()
    broken = [finding for finding in found["Embedded model"] if "checksum" in finding.words]
    assert [finding.verdict for finding in broken] == [Verdict.PROBLEM]
    (folder / "own-model.txt").write_text("/nowhere/model.gguf\n")
    assert "is missing" in words_of((await diagnosed())["Embedded model"], "model")


# Terminal


async def terminal_findings(
    environ: Mapping[str, str], answers: TerminalAnswers | None = None, tmux: Mapping[str, str] | None = None
) -> list[Finding]:
    options = dict(tmux or {})
    async with Patient.of(
        LaunchOptions(),
        environ=environ,
        terminal=answers,
        output_of=lambda command: options.get(command[-1]),
    ) as patient:
        return [*await terminal.look(patient), *await multiplexer.look(patient)]


async def test_a_terminal_that_cannot_draw_is_a_problem() -> None:
    found = await terminal_findings({"TERM": "dumb"})
    assert [finding.subject for finding in found if finding.verdict is Verdict.PROBLEM] == ["TERM"]


async def test_how_to_see_pictures_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    found = await terminal_findings({"TERM": "xterm"})
    assert "can be shown" in words_of(found, "pictures")
    monkeypatch.setattr(terminal, "find_spec", lambda _name: None)
    found = await terminal_findings({"TERM": "xterm"})
    assert [finding.next_step for finding in found if finding.subject == "pictures"] == [
        "To see them: pip install 'chatui[pictures]'"
    ]


async def test_keys_frames_and_emoji_are_told_as_the_terminal_answered() -> None:
    poor = TerminalAnswers(
        is_terminal=True,
        columns=80,
        rows=24,
        has_kitty_keys=False,
        has_synchronised_output=False,
        emoji_cells=6,
    )
    found = await terminal_findings({"TERM": "xterm-256color"}, poor)
    assert "Shift+Enter is not told apart" in words_of(found, "keys")
    assert "half drawn" in words_of(found, "frames")
    assert "takes 6 columns here, chatui counts 2" in words_of(found, "emoji")
    rich = TerminalAnswers(is_terminal=True, has_kitty_keys=True, has_synchronised_output=True, emoji_cells=2)
    found = await terminal_findings({"TERM": "xterm-kitty", "COLORTERM": "truecolor"}, rich)
    assert {finding.verdict for finding in found} == {Verdict.OK}


@pytest.mark.parametrize(
    ("version", "keys", "clipboard", "notes"),
    [
        ("tmux 3.3a", "off", "external", ["tmux", "keys", "clipboard"]),
        ("tmux 3.5", "on", "on", []),
        ("tmux next-3.6", "always", "on", []),
        ("tmux 3.5", "", "", ["keys", "clipboard"]),
    ],
)
async def test_what_tmux_lets_through_is_told(
    version: str, keys: str, clipboard: str, notes: list[str]
) -> None:
    options = {"-V": version, "extended-keys": keys, "set-clipboard": clipboard}
    found = await terminal_findings({"TERM": "tmux-256color", "TMUX": "/tmp/x,1,0"}, tmux=options)
    told = [finding.subject for finding in found if finding.subject in ("tmux", "keys", "clipboard")]
    assert told == ["tmux", "keys", "clipboard"]
    assert [f.subject for f in found if f.verdict is Verdict.NOTE and f.subject in told] == notes


# The house


def test_every_check_of_the_folder_is_found_with_a_title_and_a_place_of_its_own() -> None:
    checks = all_checks()
    assert len(checks) >= 12
    assert len({check.title for check in checks}) == len(checks)
    assert len({check.order for check in checks}) == len(checks)


async def test_a_check_that_breaks_is_a_finding_and_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(_patient: Patient) -> list[Finding]:
        raise ZeroDivisionError(KEY)

    async def fine(_patient: Patient) -> list[Finding]:
        return [ok("b", "well")]

    checks = (Check(title="A", order=1, look=broken), Check(title="B", order=2, look=fine))
    monkeypatch.setattr("chatui.wiring.doctor.examination.all_checks", lambda: checks)
    told: list[Section] = []
    async with Patient.of(LaunchOptions()) as patient:
        diagnosis = await examine(patient, told.append)
    assert diagnosis.problem_count == 1
    assert diagnosis.sections == tuple(told)
    assert "ZeroDivisionError" in told[0].findings[0].words
    assert KEY not in str(diagnosis)


async def test_nobody_who_left_is_told_more() -> None:
    told: list[Section] = []
    async with Patient.of(LaunchOptions()) as patient:
        await examine(patient, told.append, lambda: len(told) < 2)
    assert len(told) == 2


@pytest.mark.parametrize("width", [20, 60, 110])
def test_every_finding_is_shown_with_its_glyph_and_its_word(width: int) -> None:
    section = Section(
        "T\x1b[2Jitle",
        (ok("a", "fine"), note("b", "x " * 60, "look"), problem("c\x1b]0;x\x07", "bad\u202e", "mend it")),
    )
    for signs in (UNICODE, ASCII):
        text = plain_text(section_lines(section, width, signs))
        for word in ("ok", "note", "problem", "look", "mend it"):
            assert word in text
        assert f"{signs.error} problem" in text
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert max(map(len, text.splitlines())) <= max(width, 30)
    diagnosis = Diagnosis((section,))
    assert "1 problem" in plain_text([summary_line(diagnosis, UNICODE)])
    assert "\x1b" not in diagnosis_text(diagnosis.sections)
    assert json.loads(diagnosis_json(diagnosis))["problems"] == 1
