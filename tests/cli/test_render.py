"""`chatui render` is a pager for answers: a file or stdin, at any width, in a pipe or a terminal."""

import argparse
import io
import sys
from pathlib import Path

import pytest

from chatui.cli import render as command
from chatui.cli.main import main


def _run(capfdbinary: pytest.CaptureFixture[bytes], *argv: str) -> tuple[int, str, str]:
    parser = argparse.ArgumentParser()
    command.register(parser.add_subparsers())
    code = command.run(parser.parse_args(["render", *argv]))
    out, err = capfdbinary.readouterr()
    return code, out.decode("utf-8"), err.decode("utf-8")


@pytest.fixture
def answer(tmp_path: Path) -> str:
    path = tmp_path / "answer.md"
    path.write_text("# Hi\n\n**bold** words and `code`\n", "utf-8")
    return str(path)


def test_a_file_is_printed_plain_in_a_pipe(answer: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert _run(capfdbinary, answer, "--width", "20") == (0, "Hi\n──\n\nbold words and code\n", "")


def test_colours_come_when_asked_for(answer: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    _, out, _ = _run(capfdbinary, answer, "--width", "20", "--ansi")
    assert "\x1b[1mbold\x1b[0m" in out


def test_stdin_is_read_without_a_file(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("- é\n".encode())))
    assert _run(capfdbinary, "--width", "20")[1] == " • é\n"


def test_chunks_and_an_open_end(answer: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    whole = _run(capfdbinary, answer, "--width", "20")
    assert _run(capfdbinary, answer, "--width", "20", "--chunks", "3") == whole
    assert _run(capfdbinary, answer, "--width", "20", "--open", "--chunks", "1")[0] == 0


def test_bytes_that_are_no_text_and_a_byte_order_mark_do_no_harm(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "bytes.md"
    path.write_bytes(b"\xef\xbb\xbf# T\n\nbad \xff\xfe byte\n")
    code, out, _ = _run(capfdbinary, str(path), "--width", "30")
    assert code == 0
    assert out.startswith("T\n─\n")
    assert "bad" in out
    assert "byte" in out


def test_a_file_that_is_not_there_is_one_line_on_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["render", str(tmp_path / "none.md")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "none.md" in err


@pytest.mark.parametrize("width", ["0", "-3", "x"])
def test_a_width_that_is_none_is_refused(
    width: str, answer: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    with pytest.raises(SystemExit):
        _run(capfdbinary, answer, "--width", width)


def test_formulas_are_printed_as_they_are_written_unless_unicode_is_asked_for(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "maths.md"
    path.write_text("So $x^{2} = \\frac{1}{2}$ for $5.\n", "utf-8")
    assert _run(capfdbinary, str(path))[1] == "So $x^{2} = \\frac{1}{2}$ for $5.\n"
    assert _run(capfdbinary, str(path), "--maths", "source")[1] == "So $x^{2} = \\frac{1}{2}$ for $5.\n"
    assert _run(capfdbinary, str(path), "--maths", "unicode")[1] == "So x² = ½ for $5.\n"
