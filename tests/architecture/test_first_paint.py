"""What is loaded and compiled before the first paint, as counts: starting stays quick whatever is added."""

import json
import subprocess
import sys

import pytest

NOT_BEFORE_THE_FIRST_PAINT = (
    "httpx",
    "sqlite3",
    "markdown_it",
    "linkify_it",
    "pygments",
    "wcwidth",
    "xllamacpp",
    "chatui.core.events",
    "chatui.core.json_access",
    "chatui.core.send_plan",
    "chatui.engine.endpoint",
    "chatui.engine.session",
    "chatui.history",
    "chatui.markdown",
    "chatui.tools",
    "chatui.transport",
    "chatui.ui.branching",
    "chatui.ui.commands",
    "chatui.ui.writing.completing",
    "chatui.ui.pictures.gallery",
    "chatui.ui.lists",
    "chatui.ui.opening",
    "chatui.ui.panel",
    "chatui.ui.writing.prompting",
    "chatui.ui.shelf",
    "chatui.ui.warm_up",
    "chatui.ui.widgets.notice",
    "chatui.ui.widgets.search_bar",
    "chatui.ui.widgets.stacked_lines",
    "chatui.view.layout.code",
    "chatui.view.layout.document_layout",
    "chatui.view.turn_view",
    "textual.command",
    "textual.widgets._input",
)
MOST_MODULES = 110
MOST_COMPILED_PATTERNS = 8
MOST_STANDARD_DATACLASSES = 6

PROGRAM = """
import asyncio, collections, json, re, sys, dataclasses

counts = collections.Counter()

def of_ours():
    frame = sys._getframe(2)
    while frame is not None and not frame.f_globals.get("__name__", "").startswith(("chatui", "textual")):
        frame = frame.f_back
    return frame is not None and frame.f_globals["__name__"].startswith("chatui")

def counted(module, name, title):
    known = getattr(module, name)
    def call(*given, **named):
        if of_ours():
            counts[title] += 1
        return known(*given, **named)
    setattr(module, name, call)

from chatui.ui.terminal.lean_textual import load_textual

load_textual()
counted(re, "compile", "patterns")
known_dataclass = dataclasses.dataclass
def dataclass(*given, **named):
    if sys._getframe(1).f_globals["__name__"] != "chatui.core.values":
        counts["dataclasses"] += of_ours()
    return known_dataclass(*given, **named)
dataclasses.dataclass = dataclass

from chatui.wiring import LaunchOptions, open_checked
workspace = open_checked(LaunchOptions(base_url="http://127.0.0.1:9/v1", model="m"))
import chatui.ui.launch
from chatui.ui.app import ChatApp
from chatui.engine.clock import SystemClock
from textual.css.stylesheet import Stylesheet

known_reparse = Stylesheet.reparse
def reparse(sheet):
    counts["sheets"] += 1
    known_reparse(sheet)
Stylesheet.reparse = reparse
told = {}

async def main():
    begun = asyncio.Event()

    async def begin(app):
        told.update(modules=sorted(sys.modules), **counts)
        begun.set()

    ChatApp.begin = begin
    async with ChatApp(workspace, SystemClock()).run_test(size=(100, 30)):
        await begun.wait()

asyncio.run(main())
print("\\n" + json.dumps(told))
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    home = str(tmp_path_factory.mktemp("home"))
    environment = {"HOME": home, "PATH": "", "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False, env=environment
    )
    assert ran.returncode == 0, ran.stderr
    counts: dict[str, object] = json.loads(ran.stdout.splitlines()[-1])
    return counts


def _modules(told: dict[str, object]) -> list[str]:
    modules = told["modules"]
    assert isinstance(modules, list)
    return [str(name) for name in modules]


@pytest.mark.parametrize("name", NOT_BEFORE_THE_FIRST_PAINT)
def test_what_the_first_paint_does_not_need_is_loaded_after_it(told: dict[str, object], name: str) -> None:
    assert [module for module in _modules(told) if module == name or module.startswith(name + ".")] == []


def test_textuals_own_palette_is_there_for_whoever_asks_for_it_later() -> None:
    code = """
from chatui.ui.terminal.lean_textual import load_textual
load_textual()
from textual.app import App
from textual.command import CommandPalette, Provider
from textual.screen import Screen
from textual.system_commands import SystemCommandsProvider
print(issubclass(CommandPalette, Screen) and issubclass(SystemCommandsProvider, Provider))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["True"]


def test_what_lays_out_a_conversation_that_goes_on_is_loaded_before_it_is_shown() -> None:
    code = """
import sys
from chatui.ui.warm_up import load_layout
load_layout("Words with **marks**.\\n\\n```python\\nx = 1\\n```\\n")
before = set(sys.modules)
from chatui.markdown.document import IncrementalDocument
from chatui.view.layout.document_layout import DocumentLayout, LayoutOptions
document = IncrementalDocument()
document.append("More *words*, `code`.\\n\\n```python\\ny = 2\\n```\\n\\nThe end")
layout = DocumentLayout(document, 60, LayoutOptions())
layout.refresh()
layout.lines(0, layout.line_count)
import chatui.view.turn_view
print(sorted(set(sys.modules) - before))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["[]"]


def test_our_own_modules_before_the_first_paint_are_few(told: dict[str, object]) -> None:
    ours = [name for name in _modules(told) if name.startswith("chatui")]
    assert len(ours) <= MOST_MODULES, ours


def test_little_is_compiled_before_the_first_paint(told: dict[str, object]) -> None:
    assert int(str(told.get("patterns", 0))) <= MOST_COMPILED_PATTERNS
    assert int(str(told.get("dataclasses", 0))) <= MOST_STANDARD_DATACLASSES


def test_style_sheets_are_not_read_again_for_the_theme(told: dict[str, object]) -> None:
    assert "sheets" not in told


def test_the_version_is_told_without_loading_more_than_python_itself() -> None:
    code = "import sys; from chatui.cli.main import main; main(['--version']); print([n for n in ('typing', 're', 'enum', 'argparse', 'dataclasses') if n in sys.modules])"
    ran = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=False)
    if ran.returncode:  # chatui is found by `site` only
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"
