"""One program run to its end, with bounded output, in a process group of its own.

Invariants: argv only, never a shell; when this returns or is cancelled no process of the group is left, also
none that the program left behind; memory holds at most the bytes that were asked for, however much comes.
"""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from chatui.core.errors import ToolError

_POLITE_S: Final = 0.3
"""So long a program that is stopped may take to end by itself."""
_KILLED_S: Final = 2.0
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


class _Watch(asyncio.SubprocessProtocol):
    """Takes what a program writes, and hears of its end.

    `asyncio.subprocess.Process.wait` is not used: before Python 3.12.4 it also waits for every process that
    holds a pipe of the program, which may be one that it left behind.
    """

    def __init__(self, most_bytes: int) -> None:
        self.output = Captured(most_bytes)
        self.errors = Captured(most_bytes)
        self.exited = asyncio.Event()
        self.drained = asyncio.Event()
        self._open = {1, 2}

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Some output."""
        (self.output if fd == 1 else self.errors).take(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Nobody holds this pipe any more."""
        del exc
        self._open.discard(fd)
        if not self._open:
            self.drained.set()

    def process_exited(self) -> None:
        """The program itself has ended."""
        self.exited.set()


async def run_program(
    argv: Sequence[str],
    directory: Path,
    standard_input: bytes | None,
    most_bytes: int,
    environment: Mapping[str, str] | None = None,
) -> Finished:
    """Run a program and wait for its end; without an `environment` it has ours.

    Raises:
        ToolError: it cannot be started.
    """
    try:
        transport, watch = await asyncio.get_running_loop().subprocess_exec(
            lambda: _Watch(most_bytes),
            *argv,
            stdin=subprocess.DEVNULL if standard_input is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=directory,
            env=environment,
            start_new_session=True,
        )
    except (OSError, ValueError) as problem:  # ValueError: a NUL, or text that no program can be given
        words = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
        raise ToolError(f"{argv[0]} cannot be started: {words}") from problem
    try:
        if standard_input is not None and (pipe := transport.get_pipe_transport(0)) is not None:
            assert isinstance(pipe, asyncio.WriteTransport)
            pipe.write(standard_input)
            pipe.close()
        await watch.exited.wait()
        with suppress(TimeoutError):
            await asyncio.wait_for(watch.drained.wait(), _DRAIN_S)
        return Finished(transport.get_returncode() or 0, watch.output, watch.errors)
    finally:
        await end_group(transport, watch.exited)


async def end_group(transport: asyncio.SubprocessTransport, exited: asyncio.Event) -> None:
    """End what is left of a program's group, asked first, then made to; and close its pipes."""
    try:
        if not exited.is_set():
            _signal(transport, signal.SIGTERM)
            with suppress(TimeoutError):
                await asyncio.wait_for(exited.wait(), _POLITE_S)
    finally:  # also when even this is cancelled
        _signal(transport, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
    with suppress(TimeoutError):  # the kernel may hold a program that waits for a broken disk
        await asyncio.wait_for(exited.wait(), _KILLED_S)
    transport.close()


def _signal(transport: asyncio.SubprocessTransport, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            transport.kill()
        else:
            os.killpg(transport.get_pid(), number)
