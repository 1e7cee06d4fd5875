"""The programs that are measured, and how each is asked for an answer."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

REFERENCES: Final = Path(__file__).with_name("references")
PROMPT: Final = "stream now"
_KEPT: Final = ("PATH", "TMPDIR", "VIRTUAL_ENV", "PYTHONPATH")
"""`PYTHONPATH` lets another checkout of chatui be measured."""


@dataclass(frozen=True, slots=True)
class Program:
    """One program.

    Attributes:
        name: Its name in tables.
        arguments: The command line for a base URL and a model.
        ready: What its screen shows when it can be used.
        takes_keys: It shows what is typed while an answer streams.
        stopped: What its screen shows after Esc.
    """

    name: str
    arguments: Callable[[str, str], list[str]]
    ready: str = "READY7Q"
    takes_keys: bool = False
    stopped: str = ""


def _reference(file_name: str) -> Callable[[str, str], list[str]]:
    return lambda base_url, model: [sys.executable, str(REFERENCES / file_name), base_url, model]


def chatui_command(*arguments: str) -> list[str]:
    """The command line of this interpreter's chatui."""
    return [sys.executable, "-m", "chatui", *arguments]


FLOOR: Final = Program("floor", _reference("plain_printer.py"))
RICH_LIVE: Final = Program("rich.live", _reference("rich_live.py"))
MARKDOWN_STREAM: Final = Program("MarkdownStream", _reference("markdown_stream.py"), takes_keys=True)
CHATUI: Final = Program(
    "chatui",
    lambda base_url, model: chatui_command("--base-url", base_url, "--model", model),
    ready=r"Ask anything",
    takes_keys=True,
    stopped=r"(?i)stopped|cancelled",
)


def environment(home: str) -> dict[str, str]:
    """A terminal with all colours, a home of its own, and nothing else of the person's."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {
        **kept,
        **{name: value for name, value in os.environ.items() if name.startswith("CHATUI_BENCHMARK_")},
        "HOME": home,
        "XDG_CONFIG_HOME": f"{home}/config",
        "XDG_DATA_HOME": f"{home}/data",
        "XDG_STATE_HOME": f"{home}/state",
        "XDG_CACHE_HOME": f"{home}/cache",
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
    }
