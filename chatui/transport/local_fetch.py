"""Getting one pinned package with this machine's own installer, so its index, proxy and certificates hold.

chatui names no registry and opens no connection for this: pip and uv know what the person
configured.
Environments made by `uv tool` have no pip, so several ways are tried in turn; what each of them said is kept.
"""

import asyncio
import contextlib
import importlib.util
import os
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
SAID_LINES: Final = 3


class FetchError(Exception):
    """No way led to the package; says what each of them said."""


@frozen
class Way:
    """One way to get a package: commands run one after the other."""

    name: str
    commands: tuple[tuple[str, ...], ...]


def ways(requirement: str, folder: Path) -> list[Way]:
    """Every way that this machine offers, the most fitting first. All put their result below `folder`."""
    download = ("download", "--no-deps", "--only-binary", ":all:", "--no-input", "--progress-bar", "off")
    rest = ("--dest", str(folder / "files"), requirement)
    found = []
    if importlib.util.find_spec("pip") is not None:
        found.append(Way("pip of this environment", ((sys.executable, "-P", "-m", "pip", *download, *rest),)))
    if uv := shutil.which("uv"):
        install = ("pip", "install", "--no-deps", "--no-build", "--python", sys.executable)
        found.append(Way("uv", ((uv, *install, "--target", str(folder / "files"), requirement),)))
    if pip := shutil.which("pip3") or shutil.which("pip"):
        found.append(Way("pip on the path", ((pip, *download, *rest),)))
    if importlib.util.find_spec("ensurepip") is not None and importlib.util.find_spec("venv") is not None:
        venv = folder / "venv"
        python = venv / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
        make = (sys.executable, "-P", "-m", "venv", str(venv))
        found.append(
            Way("pip in a temporary environment", (make, (str(python), "-m", "pip", *download, *rest)))
        )
    return found


async def fetch_package(requirement: str, folder: Path, on_bytes: Callable[[int], None]) -> None:
    """Get a package's wheel into `folder`, packed or unpacked.

    Args:
        requirement: `name==version`.
        folder: empty, ours alone; the installers' scratch space is there too, so its growth is the progress.
        on_bytes: told how many bytes are there, a few times a second, on the event loop.

    Raises:
        FetchError: no way worked.
    """
    said: dict[str, list[str]] = {}
    for way in ways(requirement, folder):
        on_bytes(0)
        *preparing, fetching = way.commands
        for command in (*preparing, fetching):
            # What a preparing step writes is no part of the package.
            code, tail = await _run(command, folder, on_bytes if command is fetching else _not_counted)
            if code != 0:
                said.setdefault(tail or f"exit code {code}", []).append(way.name)
                break
        else:
            return
        await asyncio.to_thread(_empty, folder)
    told = "; ".join(f"{', '.join(names)}: {tail}" for tail, names in said.items())
    raise FetchError(told or "neither pip nor uv was found")


def _not_counted(_size_bytes: int) -> None:
    """Nothing is told."""


async def _run(command: tuple[str, ...], folder: Path, on_bytes: Callable[[int], None]) -> tuple[int, str]:
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
                code = await _watch(process, folder, on_bytes)
            finally:
                await _end(process)
        return code, _tail(log)
    except OSError as problem:
        return 127, str(problem)
    finally:
        log.unlink(missing_ok=True)


async def _watch(process: asyncio.subprocess.Process, folder: Path, on_bytes: Callable[[int], None]) -> int:
    waiting = asyncio.ensure_future(process.wait())
    seen, still_s = -1, 0.0
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


def _tail(log: Path) -> str:
    """The last lines that an installer said, those that look like its errors first."""
    lines = [
        line.strip()
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines()
        if line.strip()
    ]
    errors = [line.partition(":")[2].strip() for line in lines if line.lower().startswith("error:")]
    return " / ".join((errors or lines)[-SAID_LINES:])
