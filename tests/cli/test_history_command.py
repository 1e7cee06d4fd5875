import io
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.plain_turns import completed, failed

from chatui.cli.main import main
from chatui.config.paths import find_paths
from chatui.history.sqlite_history import SqliteHistory


@pytest.fixture
def path() -> Path:
    """The person's own history, in the clean world of the test."""
    path = find_paths().history_file
    history = SqliteHistory.open(path)
    history.commit("apples01", completed("a1", "How do apples\x1b[2J grow?", "On *trees*."))
    history.commit("apples01", completed("a2", "And pears?", "中文 too", parent="a1"))
    history.commit("plums001", completed("p1", "Plums"))
    history.save_unfinished("plums001", failed("cut", parent="p1"))
    history.close()
    return path


class Ran:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Ran]


@pytest.fixture
def history(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str) -> Ran:
        code = main(["history", *arguments])
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


def test_the_list_is_one_safe_line_for_each_conversation(path: Path, history: Run) -> None:
    ran = history("list")
    assert ran.code == 0
    first, second = ran.out.splitlines()
    assert first.startswith("plums001 ")
    assert "[unfinished]" in first
    assert "\x1b" not in second
    assert "2 turns" in second
    assert [entry["conversation_id"] for entry in history("list", "--json").json] == ["plums001", "apples01"]
    assert history("list", "apples", "--json").json[0]["turn_count"] == 2
    assert history("list", "-n", "1", "--json").json[0]["conversation_id"] == "plums001"
    assert history("list", "nothing").out == ""


def test_without_a_history_nothing_is_made(history: Run) -> None:
    for command in (["list"], ["search", "x"]):
        ran = history(*command)
        assert (ran.code, ran.out) == (0, "")
    assert history("show").code == 2
    assert history("export").code == 2
    assert history("check").code == 7
    assert not find_paths().history_file.exists()


def test_show_prints_a_conversation(path: Path, history: Run) -> None:
    ran = history("show", "apples")
    assert "On *trees*." in ran.out
    assert "\x1b" not in ran.out
    assert history("show", "apples01", "--json").json["turns"][0]["turn_id"] == "a1"
    assert "Plums" in history("show").out


def test_an_unknown_id_is_one_line_and_exit_2(path: Path, history: Run) -> None:
    for command in (["show", "zzz"], ["rename", "zzz", "x"], ["delete", "zzz"], ["export", "zzz"]):
        ran = history(*command)
        assert ran.code == 2
        assert ran.out == ""
        assert len(ran.err.splitlines()) == 1
        assert "zzz" in ran.err


def test_search_prints_where_and_what(path: Path, history: Run) -> None:
    ran = history("search", "中文")
    assert "apples01" in ran.out
    assert "中文 too" in ran.out
    (match,) = history("search", "pears", "--json").json["matches"]
    assert (match["turn_id"], match["place"]) == ("a2", "prompt")
    assert history("search", "plums", "--in", "apples", "--json").json["matches"] == []
    assert history("search", "nothing").code == 0


def test_search_finds_unfinished_turns_and_says_that_they_are(path: Path, history: Run) -> None:
    ran = history("search", "partly")
    assert "plums001" in ran.out
    assert "answer, unfinished" in ran.out
    (match,) = history("search", "partly", "--json").json["matches"]
    assert (match["turn_id"], match["is_unfinished"]) == ("cut", True)
    (match,) = history("search", "pears", "--json").json["matches"]
    assert match["is_unfinished"] is False


def test_what_is_exported_can_be_imported_elsewhere(path: Path, history: Run, tmp_path: Path) -> None:
    everything = tmp_path / "all.json"
    assert history("export", "--all", "-o", str(everything)).code == 0
    other = tmp_path / "other.db"
    (report,) = history("import", "--file", str(other), "--json", str(everything)).json
    assert (report["conversations"], report["turns"], report["unfinished"]) == (2, 3, 1)
    (report,) = history("import", "--file", str(other), "--json", str(everything)).json
    assert (report["conversations"], report["turns"], report["known"]) == (0, 0, 2)
    assert history("export", "--file", str(other), "--all", "-f", "json").out == everything.read_text()


def test_exports_go_to_stdout_a_file_or_a_folder(path: Path, history: Run, tmp_path: Path) -> None:
    assert history("export", "apples", "-f", "openai").out.startswith("[")
    assert len(history("export", "--all", "-f", "openai-lines").out.splitlines()) == 2
    page = tmp_path / "page.html"
    history("export", "apples", "-o", str(page))
    assert page.read_text().startswith("<!doctype html>")
    history("export", "--all", "-f", "html", "-o", f"{tmp_path}/pages/")
    assert len(list((tmp_path / "pages").glob("*.html"))) == 2
    assert history("export", "--all", "-f", "html").code == 2
    assert history("export", "apples", "-f", "papyrus").code == 2
    assert history("export", "apples", "-o", "/proc/none/x.md").code == 2


def test_import_reads_standard_input(history: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    messages = [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A"}]
    stdin = io.TextIOWrapper(io.BytesIO(json.dumps(messages).encode()))
    monkeypatch.setattr("sys.stdin", stdin)
    assert "1 new conversation, 1 new turn" in history("import", "-").out


def test_a_file_that_cannot_be_imported_does_not_keep_the_others_out(history: Run, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(
        json.dumps([{"role": "user", "content": "Q"}, {"role": "assistant", "content": [{"type": "smell"}]}])
    )
    bad.write_text("not json")
    ran = history("import", str(bad), str(good), str(tmp_path / "missing.json"))
    assert ran.code == 7
    assert "bad.json is no JSON" in ran.err
    assert "missing.json" in ran.err
    assert "1 new conversation" in ran.out
    assert "not mapped: 1 parts of the type 'smell'" in ran.out


def test_rename_and_delete_and_undo(path: Path, history: Run) -> None:
    assert history("rename", "apples", "Orchard").out == "apples01 Orchard\n"
    assert history("rename", "apples", "Orchard", "--json").json["title"] == "Orchard"
    ran = history("delete", "apples")
    assert "chatui history delete --undo apples01" in ran.out
    assert "apples01" not in history("list").out
    assert "apples01" in history("list", "--deleted").out
    assert history("delete", "--undo", "apples01").code == 0
    assert "Orchard" in history("list").out
    assert history("delete").code == 2


def test_pins_tags_and_the_archive(path: Path, history: Run) -> None:
    assert history("pin", "apples", "--json").json == {"pinned": ["apples01"]}
    assert history("list", "--json").json[0]["conversation_id"] == "apples01"
    assert history("pin", "--undo", "apples").code == 0
    assert history("tag", "apples", "fruit", "#red").out == "apples01 #fruit #red\n"
    assert history("list", "#fruit", "--json").json[0]["tags"] == ["fruit", "red"]
    assert history("archive", "apples").code == 0
    assert "apples01" not in history("list").out
    assert "apples01" in history("list", "--archived").out
    assert history("archive", "--undo", "apples").code == 0
    assert "apples01" in history("list").out


def test_what_cannot_be_undone_needs_a_word(
    path: Path, history: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    for command in (["delete", "--all"], ["delete", "--now", "apples"], ["repair"]):
        ran = history(*command)
        assert ran.code == 2
        assert "--yes" in ran.err
    assert len(history("list", "--json").json) == 2
    assert history("delete", "--now", "-y", "apples", "--json").json == {"removed": ["apples01"]}
    assert history("delete", "--all", "-y", "--json").json == {"removed": 1}
    assert b"trees" not in path.read_bytes()
    assert history("list", "--json").json == []


def test_check_repair_and_path(path: Path, history: Run) -> None:
    assert history("path").out == f"{path}\n"
    assert history("path", "--json").json["path"] == str(path)
    report = history("check", "--json")
    assert (report.code, report.json["turns"], report.json["problems"]) == (0, 3, [])
    with sqlite3.connect(path) as plain:
        plain.execute("UPDATE turns SET payload = 'broken' WHERE turn_id = 'a1'")
    ran = history("check")
    assert ran.code == 7
    assert "Turn a1" in ran.out
    ran = history("repair", "-y")
    assert ran.code == 0
    assert "Saved 2 conversations with 2 turns." in ran.out
    assert list(path.parent.glob("history.db.damaged-*"))


@pytest.mark.parametrize("content", [b"garbage " * 1000, b""])
def test_a_broken_history_is_one_line_that_names_it(content: bytes, path: Path, history: Run) -> None:
    if not content:
        with sqlite3.connect(path) as newer:
            newer.execute("PRAGMA user_version = 99")
    else:
        path.write_bytes(content)
    before = path.read_bytes()
    for command in (["list"], ["show"], ["search", "x"], ["delete", "--all", "-y"], ["import", "x"]):
        ran = history(*command)
        assert ran.code == 7
        assert len(ran.err.splitlines()) == 1
        assert str(path) in ran.err
    assert path.read_bytes() == before


def test_it_works_through_a_pipe_whose_reader_leaves(path: Path) -> None:
    command = [sys.executable, "-m", "chatui", "history", "show", "apples"]
    ran = subprocess.run(command, capture_output=True, check=True, env=os.environ)
    assert "中文 too".encode() in ran.stdout
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names of files are text here")
def test_the_path_is_printed_byte_for_byte_for_a_program(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/a\xff b")
    assert main(["history", "path", "--file", f"{folder}/history.db"]) == 0
    assert capfdbinary.readouterr().out == os.fsencode(folder) + b"/history.db\n"


def test_what_cannot_be_read_is_not_counted(path: Path, history: Run) -> None:
    path.write_bytes(b"no database " * 99)
    ran = history("check")
    assert ran.code == 7
    assert "cannot be read" in ran.out
    assert "0 conversations" not in ran.out
