"""What is not needed is not loaded: start-up stays quick and the layers hold for deferred imports too."""

import json
import subprocess
import sys

import pytest
from support.scripted_server import ScriptedServer, chat_answer

HEAVY = {"textual", "rich", "httpx", "sqlite3", "markdown_it", "pygments", "xllamacpp"}

LOADED = """
import json, sys
{code}
print("\\n" + json.dumps(sorted({{name.partition(".")[0] for name in sys.modules}})))
"""

COMMAND = """
from chatui.cli.main import main
try:
    main({arguments!r})
except SystemExit:
    pass
"""


def loaded_by(code: str) -> set[str]:
    ran = subprocess.run(
        [sys.executable, "-c", LOADED.format(code=code)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    modules: list[str] = json.loads(ran.stdout.splitlines()[-1])
    return set(modules)


def test_importing_the_package_loads_nothing_of_it() -> None:
    ran = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, chatui; print([m for m in sys.modules if m.startswith('chatui.')])",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.strip() == "[]"


def test_importing_the_command_line_loads_nothing_heavy() -> None:
    assert not loaded_by("import chatui.cli.main") & HEAVY


@pytest.mark.parametrize(
    "arguments", [["--version"], ["--help"], ["ask", "--help"], ["local", "--help"]], ids=" ".join
)
def test_version_and_help_load_nothing_heavy(arguments: list[str]) -> None:
    assert not loaded_by(COMMAND.format(arguments=arguments)) & HEAVY


def test_a_one_shot_question_loads_no_screen() -> None:
    with ScriptedServer() as server:
        server.play(chat_answer("Hello."))
        arguments = ["ask", "--no-save", "--base-url", server.base_url, "-m", "scripted", "hi"]
        loaded = loaded_by(COMMAND.format(arguments=arguments))
    assert "httpx" in loaded
    assert not loaded & {"textual", "xllamacpp"}  # httpx itself loads rich where that is installed


@pytest.mark.parametrize("package", ["core", "protocols", "engine", "markdown", "view"])
def test_the_pure_layers_load_no_edge(package: str) -> None:
    code = f"""
import importlib, pkgutil
import chatui.{package} as package
for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(found.name)
"""
    assert not loaded_by(code) & {"textual", "rich", "httpx", "sqlite3", "xllamacpp"}
