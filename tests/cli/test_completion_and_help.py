"""Completion is made from the parsers, and every help has examples that really work."""

import argparse
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.terminal import App

from chatui.cli.completion import SHELLS
from chatui.cli.examples import EXAMPLES
from chatui.cli.launch_options import TIMEOUTS
from chatui.cli.main import command_names, main, whole_parser
from chatui.config.settings import Timeouts


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
    assert not any(bash_offers(source, "hom")), "a folder that happens to be here is no command"
    assert "home" in bash_offers(source, "replay", "hom")


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_offers_after_an_option_what_it_takes_in_that_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`-o` is an option of the model for `ask` and a file for `history export`."""
    source = script("bash", capsys)
    assert bash_offers(source, "ask", "-o")[0] == "-o"
    assert not any(bash_offers(source, "ask", "-o", "")), "a name of the model's options, which is no file"
    assert not any(bash_offers(source, "ask", "-o", "temperature", "")), "its value"
    assert not any(bash_offers(source, "ask", "--model", "")), "no files where none are taken"
    assert "etc" in " ".join(bash_offers(source, "history", "export", "-o", "/e"))
    assert "etc" in " ".join(bash_offers(source, "ask", "-a", "/e"))
    assert "home" in bash_offers(source, "ask", "hom"), "prompts may be files too, as ever"


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_and_option_is_in_every_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    source = script(shell, capsys)
    assert {"ask", "history", "config", "models"} <= set(re.findall(r"\w+", source))
    for option in ("base-url", "attach", "no-save", "format"):
        assert option in source
    assert source.count("'") % 2 == 0 or shell == "bash"


# zsh, as a person uses it: the script among its functions, the Tab key pressed


@contextmanager
def zsh(folder: Path, source: str) -> Iterator[App]:
    """An interactive zsh that completes, without anybody's settings."""
    (folder / "_chatui").write_text(source)
    with App(["zsh", "-f", "-i"], env={"PS1": "> ", "DIRECTORY": str(folder)}, size=(120, 40)) as app:
        assert app.wait(">", 10), app.text()
        app.write("fpath=($DIRECTORY $fpath); autoload -Uz compinit; compinit -D -u; print rea''dy\r")
        assert app.wait("ready", 20), app.text()
        yield app
        app.write("\x15exit\r")


ONLY_ONE = (
    ("chatui his", "chatui history "),
    ("chatui ask --ba", "chatui ask --base-url "),
    ("chatui history ex", "chatui history export "),
    ("chatui history export --for", "chatui history export --format "),
    ("chatui ask --protocol resp", "chatui ask --protocol responses "),
    ("chatui ask -o temperature 0.2 --ev", "chatui ask -o temperature 0.2 --events "),
    ("chatui -a /et", "chatui -a /etc/"),
    ("chatui render /et", "chatui render /etc/"),
    ("chatui local install --from /et", "chatui local install --from /etc/"),
    ("chatui history import /et", "chatui history import /etc/"),
)


@pytest.mark.pty
@pytest.mark.skipif(shutil.which("zsh") is None, reason="needs zsh")
def test_zsh_completes_what_is_the_only_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with zsh(tmp_path, script("zsh", capsys)) as app:
        for typed, becomes in ONLY_ONE:
            app.write(f"\x15\x0c{typed}\t")
            assert app.wait(re.escape(f"> {becomes}").rstrip("\\ "), 15), app.text()


@pytest.mark.pty
@pytest.mark.skipif(shutil.which("zsh") is None, reason="needs zsh")
def test_zsh_lists_several_with_what_they_do_and_nothing_that_is_not_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with zsh(tmp_path, script("zsh", capsys)) as app:
        app.write("chatui history \t")
        assert app.wait("export +-- write conversations", 15), app.text()
        app.write("\x15\x0cchatui ask --pro\t")
        assert app.wait("--provider +-- provider, e.g. openai", 15), app.text()
        assert "--plain" not in app.text()


# fish says itself what it would offer


def fish_offers(source: Path, line: str) -> list[str]:
    program = f"source {shlex.quote(str(source))}; complete -C {shlex.quote(line)}"
    ran = subprocess.run(
        ["fish", "--no-config", "-c", program], capture_output=True, text=True, check=False, cwd="/"
    )
    assert ran.stderr == ""
    return [offer.split("\t")[0] for offer in ran.stdout.splitlines()]


@pytest.mark.skipif(shutil.which("fish") is None, reason="needs fish")
def test_fish_is_offered_commands_options_and_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "chatui.fish"
    source.write_text(script("fish", capsys))
    assert "ask" in fish_offers(source, "chatui ")
    assert fish_offers(source, "chatui his") == ["history"]
    assert fish_offers(source, "chatui --ba") == ["--base-url"]
    assert fish_offers(source, "chatui history ex") == ["export"]
    assert "--format" in fish_offers(source, "chatui history export --f")
    assert "responses" in fish_offers(source, "chatui ask --protocol ")
    assert fish_offers(source, "chatui ask --pl") == []
    assert fish_offers(source, "chatui ask -o temperature 0.2 --ev") == ["--events"]
    for line in ("-a ", "render ", "local install --from ", "history import "):
        assert fish_offers(source, f"chatui {line}/et") == ["/etc/"], line


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


def parsers(
    parser: argparse.ArgumentParser, words: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], argparse.ArgumentParser]]:
    yield words, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                yield from parsers(inner, (*words, name))


@pytest.mark.parametrize("words", [words for words, _ in parsers(whole_parser())], ids=" ".join)
def test_every_help_is_a_manual_page(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*words, "--help"])
    assert ended.value.code == 0
    out = capsys.readouterr().out
    assert out.startswith(f"usage: {' '.join(('chatui', *words))} ")
    assert "\nExit codes: " in out
    assert "\nExamples:\n  " in out
    parser = dict(parsers(whole_parser()))[words]
    assert parser.description
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            continue
        assert action.help, action.dest
        has_default = action.nargs != 0 and action.default not in (None, [], "", argparse.SUPPRESS)
        assert not has_default or "default" in str(action.help), f"{action.dest}: its default is not told"


def test_the_defaults_of_the_timeouts_are_those_of_the_settings() -> None:
    limits = Timeouts()
    values = (limits.connect_s, limits.first_event_s, limits.gap_s, limits.total_s)
    told = [default for _, _, default in TIMEOUTS]
    assert told == [f"{value:g}" if value else "no limit" for value in values]


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
