"""A program with pipes that ends with chatui, and takes along what it started.

Invariants: a program is started only where something will end it: on POSIX systems a keeper (`tools.keeper`)
stands between, which learns from the kernel when chatui is gone; closing a program leaves nothing of it. What
holds where: on Linux every descendant ends, also one that called setsid; on macOS and other systems those of
the program's process group; on Windows the program itself, when chatui ends in order.
"""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from chatui.core.errors import ToolError

_POLITE_S: Final = 0.3
"""So long a program that is stopped may take to end by itself."""
_KILLED_S: Final = 2.0
_KEEPER: Final = Path(__file__).with_name("keeper.py")
_KEEPER_WORDS: Final = 5
"""So many words of a command line are the keeper's."""


class KeptProgram:
    """A program that runs. Make one with `start_kept`."""

    def __init__(
        self, transport: asyncio.SubprocessTransport, exited: asyncio.Event, life: socket.socket | None
    ) -> None:
        self.transport = transport
        self._exited = exited
        self._life = life
        """Open as long as the program may run; None where nobody watches it."""
        self.group: int | None = None
        """The process group of the program, where it has one of its own."""

    async def end(self) -> None:
        """End what is left of the program, asked first, then made to; and close its pipes."""
        exited = self._exited
        try:
            if not exited.is_set():
                self._ask()
                with suppress(TimeoutError):
                    await asyncio.wait_for(exited.wait(), _POLITE_S)
        finally:  # also when even this is cancelled
            self._make_end()
        with suppress(TimeoutError):  # the kernel may hold a program that waits for a broken disk
            await asyncio.wait_for(exited.wait(), _KILLED_S)
        self._end_without_keeper()
        self.transport.close()

    def _ask(self) -> None:
        with suppress(ProcessLookupError):
            self.transport.terminate()

    def _make_end(self) -> None:
        if self._life is not None:
            self._life.close()  # the keeper ends all when it hears of that
        else:
            with suppress(ProcessLookupError):
                self.transport.kill()

    def _end_without_keeper(self) -> None:
        """A keeper that hangs, or that somebody has killed, leaves the group to us."""
        is_killed = sys.platform != "win32" and self.transport.get_returncode() == -signal.SIGKILL
        if self._exited.is_set() and not is_killed:
            return
        with suppress(ProcessLookupError, PermissionError):
            if self.group is not None and sys.platform != "win32":
                os.killpg(self.group, signal.SIGKILL)


async def start_kept(
    protocol: asyncio.SubprocessProtocol,
    exited: asyncio.Event,
    argv: Sequence[str],
    directory: Path,
    environment: Mapping[str, str] | None,
    *,
    has_input: bool,
) -> KeptProgram:
    """Start a program with pipes; without an `environment` it has ours.

    Args:
        protocol: Takes what it writes.
        exited: Set by the protocol when it has ended.
        argv: The program and its arguments.
        directory: Where it runs.
        environment: What it finds there.
        has_input: It gets a pipe to read from; else its input is empty.

    Raises:
        ToolError: it cannot be started.
    """
    ours, theirs = (None, None) if sys.platform == "win32" or not sys.executable else socket.socketpair()
    if theirs is not None:
        argv = (sys.executable, "-I", "-S", str(_KEEPER), str(theirs.fileno()), *argv)
    try:
        transport, _ = await asyncio.get_running_loop().subprocess_exec(
            lambda: protocol,
            *argv,
            stdin=subprocess.PIPE if has_input else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=directory,
            env=environment,
            start_new_session=True,
            pass_fds=() if theirs is None else (theirs.fileno(),),
        )
    except BaseException as problem:  # also an interruption: our end is closed whatever happens
        if ours is not None:
            ours.close()
        if not isinstance(problem, OSError | ValueError):  # a NUL, or text that no program can be given
            raise
        words = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
        raise ToolError(f"{_program(argv)} cannot be started: {words}") from problem
    finally:
        if theirs is not None:
            theirs.close()
    kept = KeptProgram(transport, exited, ours)
    if ours is not None:
        try:
            kept.group = await _told_by_keeper(ours, argv)
        except BaseException:  # also when it is stopped meanwhile: nothing is left behind
            await kept.end()
            raise
    return kept


async def _told_by_keeper(ours: socket.socket, argv: Sequence[str]) -> int:
    """The process of the program.

    Raises:
        ToolError: it was not started.
    """
    ours.setblocking(False)
    said = await asyncio.get_running_loop().sock_recv(ours, 64)
    if said.startswith(b"+"):
        return int(said)
    words = os.strerror(-int(said)) if said else "its keeper has ended"
    raise ToolError(f"{_program(argv)} cannot be started: {words}")


def _program(argv: Sequence[str]) -> str:
    """The program itself, behind its keeper if it has one."""
    return argv[_KEEPER_WORDS] if len(argv) > _KEEPER_WORDS and argv[3] == str(_KEEPER) else argv[0]
