"""The house stands as ARCHITECTURE.md draws it."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "chatui").rglob("*.py"))}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

BROAD_EXCEPTS = {
    "chatui/ui/app.py": "whatever is broken: the app must come to its end",
    "chatui/transport/local_child.py": "the native extension documents no error classes",
    "chatui/engine/http_backend.py": "hostile bytes that find a bug of a decoder must not take the app along",
    "chatui/ui/pictures/picture_decoding.py": "decoders of hostile pictures raise whatever they stumble over",
    "chatui/wiring/doctor/examination.py": "one broken check must not hide what the others find",
    "chatui/tools/schema.py": "a broken schema shows itself by any error of the library; its call is not run",
    "chatui/cli/main.py": "a person gets one line, never a traceback",
}
"""Files that may catch everything; each place says why beside it."""


def test_the_import_contracts_hold() -> None:
    linted = subprocess.run(
        [
            sys.executable,
            "-c",
            "from importlinter.cli import lint_imports_command as run; run()",
            "--no-cache",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert linted.returncode == 0, linted.stdout + linted.stderr
    assert "0 broken" in linted.stdout


def test_the_layers_in_architecture_md_are_those_of_the_contract() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    (drawn,) = re.findall(r"^ {4}(__main__ > .+)$", text, re.MULTILINE)
    contract = next(
        contract for contract in PROJECT["tool"]["importlinter"]["contracts"] if contract["type"] == "layers"
    )
    assert contract["exhaustive"]
    assert drawn.split(" > ") == contract["layers"]


def lines_of_ours() -> Iterator[tuple[str, str, str]]:
    """Every line of the program, with the one before it and where it stands."""
    for path, text in SOURCES.items():
        before = ""
        for number, line in enumerate(text.splitlines(), 1):
            yield f"{path.relative_to(ROOT)}:{number}", before, line
            before = line


def test_every_module_says_what_it_is_for() -> None:
    said = {path: ast.get_docstring(ast.parse(text)) for path, text in SOURCES.items()}
    assert [path for path, docstring in said.items() if len(docstring or "") <= 15] == []


def test_an_ignored_type_error_has_a_code_and_a_reason() -> None:
    for where, before, line in lines_of_ours():
        if "type: ignore" in line:
            assert re.search(r"# type: ignore\[[a-z-]+(, ?[a-z-]+)*\]", line), f"no code: {where}"
            has_reason = re.search(r"type: ignore\[.+\].*\w{3,} \w+", line) or before.strip().startswith("#")
            assert has_reason, f"no reason beside or above: {where}"


def test_only_named_places_catch_everything_and_say_why() -> None:
    for where, _, line in lines_of_ours():
        assert not re.match(r"\s*except\s*:", line), f"a bare except: {where}"
        if re.match(r"\s*except\s+\(?.*\b(Base)?Exception\b", line):
            assert re.search(r"#.*\w+ \w+", line), f"no reason: {where}"
            if "BaseException" not in line:
                assert where.partition(":")[0] in BROAD_EXCEPTS, f"not a named place: {where}"


def test_nothing_is_left_open() -> None:
    open_words = ("TODO", "FIXME", "XXX", "raise NotImplementedError")
    assert [where for where, _, line in lines_of_ours() if any(word in line for word in open_words)] == []


def test_textual_is_pinned_exactly() -> None:
    (pin,) = [line for line in PROJECT["project"]["dependencies"] if line.startswith("textual")]
    assert re.fullmatch(r"textual==\d+\.\d+\.\d+", pin)
