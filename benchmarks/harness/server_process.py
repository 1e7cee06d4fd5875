"""Starts the fast server and hears what it reports."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from harness.terminal_program import own_processors, prefer


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """Something that happened at the server."""

    name: str
    at_s: float


class ServerProcess:
    """A running server; use it as a context."""

    def __init__(self) -> None:
        _, processors = own_processors()

        def before_start() -> None:
            os.sched_setaffinity(0, processors)
            prefer(-12)

        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("fast_server.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            preexec_fn=before_start,
        )
        assert self._process.stdout is not None
        self._output = self._process.stdout
        self.port = int(json.loads(self._output.readline())["port"])
        os.set_blocking(self._output.fileno(), False)
        self._rest = b""
        self.events: list[ServerEvent] = []

    @property
    def base_url(self) -> str:
        """The address to give to a client."""
        return f"http://127.0.0.1:{self.port}/v1"

    def fileno(self) -> int:
        """Readable when something happened."""
        return self._output.fileno()

    def listen(self) -> None:
        """Take what was reported."""
        while got := self._output.read():
            *lines, self._rest = (self._rest + got).split(b"\n")
            for line in lines:
                event = json.loads(line)
                self.events.append(ServerEvent(event["event"], event["at_s"]))

    def forget(self) -> None:
        """Begin a new measurement."""
        self.listen()
        self.events.clear()

    def when(self, name: str) -> float | None:
        """When something happened in this measurement; None if it has not."""
        return next((event.at_s for event in self.events if event.name == name), None)

    def __enter__(self) -> "ServerProcess":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._output.close()
