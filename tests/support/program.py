"""The real `chatui`, run as a person or a script does: a subprocess, or a terminal of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.terminal import App

CHATUI = (sys.executable, "-P", "-m", "chatui")
KEY_VARIABLE = "CHATUI_API_KEY"
ANSWER_LIMIT_S = 50.0


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command left."""

    code: int
    out: str
    err: str

    @property
    def answer(self) -> dict[str, Any]:
        """The one JSON object of `--json`."""
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value


def run_chatui(*arguments: str, stdin: str | None = None, env: dict[str, str] | None = None) -> Ran:
    """Run a command to its end. Without `stdin` its input is empty and no terminal."""
    ran = subprocess.run(
        [*CHATUI, *arguments],
        input=stdin or "",
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=ANSWER_LIMIT_S,
        check=False,
        env={**os.environ, **(env or {})},
    )
    return Ran(ran.returncode, ran.stdout, ran.stderr)


def ask(
    base_url: str,
    prompt: str,
    *options: str,
    protocol: str = "chat_completions",
    key: str = "key",
    model: str = "m",
) -> Ran:
    """`chatui ask --json` at a server."""
    where = ("--base-url", base_url, "--protocol", protocol, "-m", model)
    return run_chatui("ask", "--json", "--no-save", *where, *options, prompt, env={KEY_VARIABLE: key})


@contextmanager
def in_terminal(
    *arguments: str,
    size: tuple[int, int] = (100, 30),
    env: dict[str, str] | None = None,
    home: Path | None = None,
) -> Iterator[App]:
    """The full-screen program in a real pty with a clean home (or `home`, kept)."""
    app = App([*CHATUI, *arguments], env=env or {}, size=size, home=str(home) if home else None)
    try:
        yield app
    finally:
        app.close(keep_home=home is not None)


def is_saved(home: Path, *words: bytes) -> bool:
    """Whether each of the words stands in the history's files, journal and log included."""
    saved = b"".join(path.read_bytes() for path in home.rglob("history.db*") if path.is_file())
    return all(word in saved for word in words)
