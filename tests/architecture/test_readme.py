"""The README is kept true where a machine can tell."""

import re
from pathlib import Path

import pytest
from support.program import run_chatui

from chatui.ui.commands import ALL
from chatui.ui.keymap import key_name

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["start", "ask", "test"])
def test_each_command_that_ci_runs_is_one_line(name: str) -> None:
    (block,) = re.findall(rf"<!-- {name} command -->\n```sh\n(.*?)\n```\n<!-- end -->", README, re.DOTALL)
    assert "\n" not in block
    assert block.startswith("python3 -m venv .venv && .venv/bin/pip install '.[local")


def test_every_file_that_the_documents_link_to_exists() -> None:
    for document in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#]+)\)", document.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_every_option_and_command_in_the_readme_exists() -> None:
    known = run_chatui("--help").out + run_chatui("ask", "--help").out + run_chatui("models", "--help").out
    shown = "\n".join(re.findall(r"```sh\n(.*?)```", README, re.DOTALL))
    for option in set(re.findall(r"chatui.* (--[a-z-]+)", shown)):
        assert option in known, option
    for command in set(re.findall(r"chatui (ask|replay|render|history|config|models|local)\b", README)):
        assert re.search(rf"^ +{command} ", known, re.MULTILINE), command


def test_the_exit_codes_are_those_of_the_help() -> None:
    def codes(text: str) -> list[str]:
        sentence = text.split("Exit codes:", 1)[1].split("cancelled", 1)[0]
        return re.findall(r"\d+", sentence)

    assert codes(README) == codes(run_chatui("ask", "--help").out)


def test_the_number_of_providers_is_right() -> None:
    (told,) = re.findall(r"(\d+) providers come along", README)
    assert int(told) == len(list((ROOT / "chatui" / "config" / "providers").glob("*.toml")))


def test_every_key_that_the_documents_name_is_bound() -> None:
    in_composer = {"Ctrl+J", "Shift+Enter", "Alt+Enter", "Ctrl+Z"}
    bound = {key_name(key) for command in ALL for key in command.keys} | in_composer
    for document in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        text = document.read_text(encoding="utf-8")
        named = set(re.findall(r"\b(?:(?:Ctrl|Alt|Shift)\+[A-Z][a-z]*|F\d{1,2})\b", text))
        assert named <= bound, f"{document.name}: {named - bound}"
