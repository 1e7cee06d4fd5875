"""Getting one pinned package with this machine's own installer, so its index, proxy and certificates hold.

chatui names no registry and opens no connection for this: pip and uv know what the person
configured.
Environments made by `uv tool` have no pip, so several ways are tried in turn; what each of them said is kept.
Where no connection can be made nobody waits for an installer's own patience, unless it was asked for
(PIP_RETRIES, UV_HTTP_RETRIES).
Source: urllib3's and pip's warnings at a retry, uv's causes of a failed request.
"""

import asyncio
import contextlib
import importlib.util
import os
import re
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from chatui.core.values import frozen

POLL_S: Final = 0.2
STALL_S: Final = 300.0
"""No byte for this long ends a way; pip's own read timeout and its retries are shorter."""
PATIENCE_S: Final = 8.0
"""So long an installer may go on after it could not connect, and others after it, without getting a byte."""
SAID_LINES: Final = 3
_GIVEN_UP: Final = 125
"""In place of an exit code."""
_RETRIES: Final = ("PIP_RETRIES", "UV_HTTP_RETRIES")
_NO_CONNECTION: Final = re.compile(
    rb"NewConnectionError|NameResolutionError|ConnectTimeoutError|Failed to establish a new connection"
    rb"|client error \(Connect\)|dns error|tcp connect error|Network is unreachable|Connection refused",
    re.IGNORECASE,
)


class FetchError(Exception):
    """No way led to the package; says what each of them said."""


class Unreachable(FetchError):
    """No way led to the package because none could connect to where it is."""


@frozen
class Way:
    """One way to get a package: commands run one after the other."""

    name: str
    commands: tuple[tuple[str, ...], ...]
    tool: str
    """Who is asked for it: what is configured for one holds for its other ways too."""


@frozen
class Ended:
    """How a command ended."""

    code: int
    said: str
    could_connect: bool = True


def ways(requirement: str, folder: Path) -> list[Way]:
    """Every way that this machine offers, the most fitting first. All put their result below `folder`."""
    download = ("download", "--no-deps", "--only-binary", ":all:", "--no-input", "--progress-bar", "off")
    rest = ("--dest", str(folder / "files"), requirement)
    found = []
    if importlib.util.find_spec("pip") is not None:
        found.append(
            Way("pip of this environment", ((sys.executable, "-P", "-m", "pip", *download, *rest),), "pip")
        )
    if uv := shutil.which("uv"):
        install = ("pip", "install", "--no-deps", "--no-build", "--python", sys.executable)
        found.append(Way("uv", ((uv, *install, "--target", str(folder / "files"), requirement),), "uv"))
    if pip := shutil.which("pip3") or shutil.which("pip"):
        found.append(Way("pip on the path", ((pip, *download, *rest),), "pip"))
    if importlib.util.find_spec("ensurepip") is not None and importlib.util.find_spec("venv") is not None:
        venv = folder / "venv"
        python = venv / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
        make = (sys.executable, "-P", "-m", "venv", str(venv))
        fetch = (str(python), "-m", "pip", *download, *rest)
        found.append(Way("pip in a temporary environment", (make, fetch), "pip"))
    return found


async def fetch_package(requirement: str, folder: Path, on_bytes: Callable[[int], None]) -> None:
    """Get a package's wheel into `folder`, packed or unpacked.

    Args:
        requirement: `name==version`.
        folder: empty, ours alone; the installers' scratch space is there too, so its growth is the progress.
        on_bytes: told how many bytes are there, a few times a second, on the event loop.

    Raises:
        Unreachable: no way could connect.
        FetchError: no way worked.
    """
    said: dict[str, list[str]] = {}
    disconnected: set[str] = set()
    for way in ways(requirement, folder):
        if way.tool in disconnected:
            continue
        on_bytes(0)
        *preparing, fetching = way.commands
        for command in (*preparing, fetching):
            # What a preparing step writes is no part of the package.
            if command is fetching:
                ended = await _run(command, folder, on_bytes, is_doubtful=bool(disconnected))
            else:
                ended = await _run(command, folder, _not_counted, is_doubtful=False)
            if not ended.could_connect:
                disconnected.add(way.tool)
                break
            if ended.code != 0:
                said.setdefault(ended.said or f"exit code {ended.code}", []).append(way.name)
                break
        else:
            return
        await asyncio.to_thread(_empty, folder)
    if disconnected and not said:
        raise Unreachable("no connection")
    words = "; ".join(f"{', '.join(names)}: {tail}" for tail, names in said.items())
    raise FetchError(words or "neither pip nor uv was found")


def _not_counted(_size_bytes: int) -> None:
    """Nothing is told."""


async def _run(
    command: tuple[str, ...], folder: Path, on_bytes: Callable[[int], None], *, is_doubtful: bool
) -> Ended:
    scratch = folder / "scratch"
    scratch.mkdir(exist_ok=True)
    log = folder / "installer.log"
    environment = {
        **os.environ,
        "TMPDIR": str(scratch),
        "TEMP": str(scratch),
        "UV_CACHE_DIR": str(scratch / "uv"),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "NO_COLOR": "1",
    }
    is_patient = any(environment.get(name) for name in _RETRIES)
    if not is_patient:
        environment["UV_HTTP_RETRIES"] = "1"  # it says nothing of a connection before its last try
    try:
        with log.open("wb") as output:
            process = await asyncio.create_subprocess_exec(
                *command,
                cwd=folder,
                env=environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
            try:
                code = await _watch(process, folder, on_bytes, None if is_patient else log, is_doubtful)
            finally:
                await _end(process)
        could_connect = code == 0 or (code != _GIVEN_UP and not _tells_no_connection(log))
        return Ended(code, _tail(log), could_connect)
    except OSError as problem:
        return Ended(127, str(problem))
    finally:
        log.unlink(missing_ok=True)


async def _watch(
    process: asyncio.subprocess.Process,
    folder: Path,
    on_bytes: Callable[[int], None],
    log: Path | None,
    is_doubtful: bool,
) -> int:
    """The exit code; `log` is where a lost connection would be told, None waits for whatever comes.

    `is_doubtful` from the start: another tool could not connect.
    """
    waiting = asyncio.ensure_future(process.wait())
    seen, still_s, lost_s = -1, 0.0, 0.0
    try:
        while True:
            done, _ = await asyncio.wait({waiting}, timeout=POLL_S)
            size = _size_bytes(folder)
            still_s = 0.0 if size != seen else still_s + POLL_S
            seen = size
            on_bytes(size)
            if done:
                return waiting.result()
            if still_s > STALL_S:
                return 124
            if log is None or still_s == 0.0:
                lost_s = 0.0
            elif is_doubtful or _tells_no_connection(log):
                lost_s += POLL_S
                if lost_s > PATIENCE_S:
                    return _GIVEN_UP
    finally:
        waiting.cancel()


async def _end(process: asyncio.subprocess.Process) -> None:
    """Stop an installer that still runs, and what it started (its session is ours)."""
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


def _empty(folder: Path) -> None:
    for leftover in folder.iterdir():
        shutil.rmtree(leftover, ignore_errors=True)


def _size_bytes(folder: Path) -> int:
    total = 0
    for path in (*folder.glob("files/**/*"), *folder.glob("scratch/**/*")):
        with contextlib.suppress(OSError):  # the installer deletes its scratch files while we look
            if path.is_file():
                total += path.stat().st_size
    return total


def _tells_no_connection(log: Path) -> bool:
    return _NO_CONNECTION.search(log.read_bytes()) is not None


def _tail(log: Path) -> str:
    """The last lines that an installer said, those that look like its errors first."""
    lines = [
        line.strip()
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines()
        if line.strip()
    ]
    errors = [line.partition(":")[2].strip() for line in lines if line.lower().startswith("error:")]
    return " / ".join((errors or lines)[-SAID_LINES:])
