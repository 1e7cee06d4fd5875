"""Completion is made from the parsers, and every help has examples that really work."""

import re
import shlex
import shutil
import subprocess

import pytest

from chatui.cli.completion import SHELLS
from chatui.cli.examples import EXAMPLES
from chatui.cli.main import command_names, main, whole_parser


def script(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


def bash_offers(source: str, *words: str) -> list[str]:
    line = " ".join(shlex.quote(word) for word in ("chatui", *words))
    program = f"{source}\nCOMP_WORDS=({line}); COMP_CWORD={len(words)}; _chatui; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    ran = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=False, cwd="/")
    assert ran.stderr == ""
    return ran.stdout.split("\n")


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_is_offered_commands_options_and_values(capsys: pytest.CaptureFixture[str]) -> None:
    source = script("bash", capsys)
    assert "ask" in bash_offers(source, "")
    assert bash_offers(source, "his")[0] == "history"
    assert "--base-url" in bash_offers(source, "--ba")
    assert "export" in bash_offers(source, "history", "ex")
    assert "--format" in bash_offers(source, "history", "export", "--f")
    assert "responses" in bash_offers(source, "ask", "--protocol", "")
    assert "--plain" not in bash_offers(source, "ask", "--pl")
    assert "etc" in " ".join(bash_offers(source, "-a", "/e"))


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_and_option_is_in_every_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    source = script(shell, capsys)
    assert {"ask", "history", "config", "models"} <= set(re.findall(r"\w+", source))
    for option in ("base-url", "attach", "no-save", "format"):
        assert option in source
    assert source.count("'") % 2 == 0 or shell == "bash"


@pytest.mark.skipif(shutil.which("zsh") is None, reason="needs zsh")
def test_zsh_can_read_its_script(capsys: pytest.CaptureFixture[str]) -> None:
    subprocess.run(["zsh", "-n"], input=script("zsh", capsys), text=True, check=True)


@pytest.mark.skipif(shutil.which("fish") is None, reason="needs fish")
def test_fish_can_read_its_script(capsys: pytest.CaptureFixture[str]) -> None:
    subprocess.run(["fish", "-n"], input=script("fish", capsys), text=True, check=True)


def test_an_unknown_shell_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["completion", "tcsh"])
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("line", [line for lines in EXAMPLES.values() for line in lines])
def test_every_example_is_taken_by_the_parser(line: str) -> None:
    words = shlex.split(line.rpartition("| ")[2].split(" > ")[0], comments=True)
    assert words[0] == "chatui"
    whole_parser().parse_args(words[1:])


def test_every_command_has_examples_in_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    from chatui.cli.main import _command_module

    for name in command_names():
        if _command_module(name) is None:
            continue
        assert name in EXAMPLES, name
        with pytest.raises(SystemExit):
            main([name, "--help"])
        assert "Examples:\n  " in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["--help"])
    out = capsys.readouterr().out
    assert "chatui --plain" in out
    assert "ask one question" in out


@pytest.mark.parametrize(
    ("words", "hint"),
    [(["ask", "--bogus", "hi"], "See chatui ask --help"), (["ask", "how", "are", "you"], "need quotes")],
)
def test_what_a_command_does_not_know_is_named_with_what_to_do(
    words: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "unrecognized arguments: " in said
    assert hint in said
