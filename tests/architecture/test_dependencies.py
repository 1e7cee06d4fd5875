"""What a person has to download is needed, and what is needed is named."""

import ast
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MODULES = {
    "markdown-it-py": "markdown_it",
    "linkify-it-py": "linkify_it",
    "tomli-w": "tomli_w",
    "pillow": "PIL",
}
"""Where a package's module has another name."""


def modules_of(requirements: list[str]) -> set[str]:
    names = (Requirement(line).name for line in requirements)
    return {MODULES.get(name, name) for name in names}


def imported() -> set[str]:
    found: set[str] = set()
    for path in (ROOT / "chatui").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.partition(".")[0])
    return found - set(sys.stdlib_module_names) - {"chatui"}


def test_every_dependency_is_imported_and_every_import_is_a_dependency() -> None:
    needed = modules_of(PROJECT["dependencies"])
    extras = (PROJECT["optional-dependencies"][name] for name in ("local", "pictures"))
    asked_for = modules_of([line for lines in extras for line in lines])
    assert imported() - asked_for == needed
    assert "PIL" in imported() - needed


def test_every_dependency_has_its_reason_beside_it() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    listed = text[text.index("\ndependencies = [") : text.index("\n]", text.index("\ndependencies = ["))]
    lines = listed.splitlines()[2:]
    assert len(lines) == len(PROJECT["dependencies"])
    assert [line for line in lines if "  # " not in line] == []
