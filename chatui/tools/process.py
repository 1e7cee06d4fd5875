"""One program run to its end, with bounded output, in a process group of its own.

Invariants: argv only, never a shell; when this returns or is cancelled no process of the group is left, also
none that the program left behind; memory holds at most the bytes that were asked for, however much comes.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from chatui.core.errors import ToolError

_READ_BYTES: Final = 64 * 1024
_POLITE_S: Final = 0.3
"""So long a program that is stopped may take to end by itself."""
_DRAIN_S: Final = 0.5
"""So long output may still come after the program has ended, from what it left behind."""


@dataclass(slots=True)
class Captured:
    """The beginning of a stream, and how much of it there was."""

    most_bytes: int
    kept: bytearray = field(default_factory=bytearray)
    total_bytes: int = 0

    def take(self, data: bytes) -> None:
        """Keep what there is room for."""
        self.total_bytes += len(data)
        room = self.most_bytes - len(self.kept)
        if room > 0:
            self.kept += data[:room]

    @property
    def text(self) -> str:
        """What was kept, as text."""
        return self.kept.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Finished:
    """How a program ended."""

    exit_code: int
    """Negative: the number of the signal that ended it."""
    output: Captured
    errors: Captured


async def run_program(
    argv: Sequence[str], directory: Path, standard_input: bytes | None, most_bytes: int
) -> Finished:
    """Run a program and wait for its end.

    Raises:
        ToolError: it cannot be started.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.DEVNULL if standard_input is None else asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=directory,
            start_new_session=True,
        )
    except (OSError, ValueError) as problem:  # ValueError: a NUL, or text that no program can be given
        words = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
        raise ToolError(f"{argv[0]} cannot be started: {words}") from problem
    output, errors = Captured(most_bytes), Captured(most_bytes)
    readers = [
        asyncio.create_task(_read(process.stdout, output), name="chatui tool output"),
        asyncio.create_task(_read(process.stderr, errors), name="chatui tool errors"),
    ]
    writer = asyncio.create_task(_write(process, standard_input), name="chatui tool input")
    try:
        exit_code = await process.wait()
        await asyncio.wait(readers, timeout=_DRAIN_S)
        return Finished(exit_code, output, errors)
    finally:
        await _end_group(process)
        for task in (*readers, writer):
            task.cancel()
        await asyncio.wait((*readers, writer))


async def _read(stream: asyncio.StreamReader | None, into: Captured) -> None:
    while stream is not None and (data := await stream.read(_READ_BYTES)):
        into.take(data)


async def _write(process: asyncio.subprocess.Process, data: bytes | None) -> None:
    stream = process.stdin
    if stream is None or data is None:
        return
    with suppress(ConnectionError):  # it does not want to know more
        stream.write(data)
        await stream.drain()
    stream.close()


async def _end_group(process: asyncio.subprocess.Process) -> None:
    """End what is left of the group: asked first, then made to."""
    if process.returncode is None:
        _signal(process, signal.SIGTERM)
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _POLITE_S)
    _signal(process, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
    if process.returncode is None:
        await process.wait()


def _signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            if process.returncode is None:
                process.kill()
        else:
            os.killpg(process.pid, number)
