"""The house stands as ARCHITECTURE.md draws it."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "chatui").rglob("*.py"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

BROAD_EXCEPTS = {
    "chatui/ui/app.py": "whatever is broken: the app must come to its end",
    "chatui/transport/local_child.py": "the native extension documents no error classes",
    "chatui/engine/http_backend.py": "hostile bytes that find a bug of a decoder must not take the app along",
    "chatui/ui/picture_decoding.py": "decoders of hostile pictures raise whatever they stumble over",
    "chatui/wiring/doctor/examination.py": "one broken check must not hide what the others find",
    "chatui/tools/schema.py": "a broken schema shows itself by any error of the library; its call is not run",
    "chatui/cli/main.py": "a person gets one line, never a traceback",
}
"""Files that may catch everything; each place says why beside it."""


def source_id(path: Path) -> str:
    return str(path.relative_to(ROOT))


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


@pytest.mark.parametrize("path", SOURCES, ids=source_id)
def test_every_module_says_what_it_is_for(path: Path) -> None:
    first = path.read_text(encoding="utf-8").lstrip("\nr")
    assert first.startswith('"""'), "no docstring"
    assert len(first.split('"""')[1].strip()) > 15


@pytest.mark.parametrize("path", SOURCES, ids=source_id)
def test_an_ignored_type_error_has_a_code_and_a_reason(path: Path) -> None:
    before = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if "type: ignore" in line:
            assert re.search(r"# type: ignore\[[a-z-]+(, ?[a-z-]+)*\]", line), f"no code: {line}"
            has_reason = re.search(r"type: ignore\[.+\].*\w{3,} \w+", line) or before.strip().startswith("#")
            assert has_reason, f"no reason beside or above: {line}"
        before = line


@pytest.mark.parametrize("path", SOURCES, ids=source_id)
def test_only_named_places_catch_everything_and_say_why(path: Path) -> None:
    for line in path.read_text(encoding="utf-8").splitlines():
        assert not re.match(r"\s*except\s*:", line), "a bare except"
        if re.match(r"\s*except\s+\(?.*\bException\b", line):
            assert source_id(path) in BROAD_EXCEPTS, f"not a named place: {line}"
            assert re.search(r"#.*\w+ \w+", line), f"no reason: {line}"


@pytest.mark.parametrize("path", SOURCES, ids=source_id)
def test_nothing_is_left_open(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for word in ("TODO", "FIXME", "XXX", "raise NotImplementedError"):
        assert word not in text, word


def test_textual_is_pinned_exactly() -> None:
    (pin,) = [line for line in PROJECT["project"]["dependencies"] if line.startswith("textual")]
    assert re.fullmatch(r"textual==\d+\.\d+\.\d+", pin)


def test_every_runtime_dependency_has_its_reason_in_the_file() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = text.split("\ndependencies = [\n", 1)[1].split("\n]\n", 1)[0]
    for line in block.splitlines():
        assert re.search(r'",\s+# .{10,}', line), line
