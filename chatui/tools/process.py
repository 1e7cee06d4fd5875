"""One program run to its end, with bounded output.

Invariants: argv only, never a shell; when this returns or is cancelled no process of it is left, also none
that it left behind (`tools.kept_program` says where that holds); memory holds at most the bytes that were
asked for, however much comes.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from chatui.tools.kept_program import start_kept

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
    watch = _Watch(most_bytes)
    kept = await start_kept(
        watch, watch.exited, argv, directory, environment, has_input=standard_input is not None
    )
    try:
        pipe = kept.transport.get_pipe_transport(0)
        if standard_input is not None and isinstance(pipe, asyncio.WriteTransport):
            pipe.write(standard_input)
            pipe.close()
        await watch.exited.wait()
        with suppress(TimeoutError):
            await asyncio.wait_for(watch.drained.wait(), _DRAIN_S)
        return Finished(kept.transport.get_returncode() or 0, watch.output, watch.errors)
    finally:
        await kept.end()
