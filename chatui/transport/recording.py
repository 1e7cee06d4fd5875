"""Writes the wire of every exchange to a file of its own, beside whatever transport really sends.

Invariants: a recording never changes what the engine sees, a full disk ends the recording and not the
answer, files are readable by their owner alone, and no credential is in them.
"""

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TextIO

from chatui.core.errors import ChatuiError, ConfigError, ConnectFailed, ConnectionLost
from chatui.engine.ports import HttpRequest, HttpResponse, OpenStage, Transport
from chatui.transport.passed_response import PassedResponse
from chatui.transport.wire_file import (
    FORMAT,
    SUFFIX,
    Ending,
    chunk_line,
    event_line,
    redacted_headers,
    secrets_in,
)


class RecordingTransport:
    """A transport that records another one. `directory` may be set and cleared at any time; None is off."""

    def __init__(self, inner: Transport, directory: Path | None = None) -> None:
        self._inner = inner
        self._directory = directory
        self._count = 0
        self.trouble = ""
        """Why the last recording is not whole; empty if it is."""

    @property
    def directory(self) -> Path | None:
        """Where recordings go."""
        return self._directory

    def record_to(self, directory: Path | None) -> None:
        """Begin to record later exchanges, or stop.

        Raises:
            ConfigError: the directory cannot be made or written.
        """
        if directory is not None:
            try:
                directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            except OSError as error:
                raise ConfigError(f"{directory} cannot be made for recordings: {error.strerror}") from error
            if not os.access(directory, os.W_OK | os.X_OK):
                raise ConfigError(f"{directory} cannot be written to for recordings")
        self._directory = directory

    async def open(
        self, request: HttpRequest, on_stage: Callable[[OpenStage], None] | None = None
    ) -> HttpResponse:
        """Send through the inner transport, and record if that is on."""
        if self._directory is None:
            return await self._inner.open(request, on_stage)
        tape = self._tape(request)
        try:
            response = await self._inner.open(request, on_stage)
        except ChatuiError as error:
            tape.end(_ending_of(error), error.message)
            raise
        except asyncio.CancelledError:
            tape.end(Ending.CLOSED)
            raise
        tape.head(response)
        return _RecordedResponse(response, tape)

    async def aclose(self) -> None:
        """Close the inner transport."""
        await self._inner.aclose()

    def _tape(self, request: HttpRequest) -> "_Tape":
        self._count += 1
        stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
        assert self._directory is not None
        path = self._directory / f"{stamp}-{os.getpid()}-{self._count:03}{SUFFIX}"
        tape = _Tape(path, self._note_trouble)
        tape.begin(request)
        return tape

    def _note_trouble(self, trouble: str) -> None:
        self.trouble = trouble


class _Tape:
    """One file being written. Its first error ends it and is told through `on_trouble`."""

    def __init__(self, path: Path, on_trouble: Callable[[str], None]) -> None:
        self._path = path
        self._on_trouble = on_trouble
        self._began_s = time.monotonic()
        self._file: TextIO | None = None
        self._secrets: tuple[bytes, ...] = ()

    def begin(self, request: HttpRequest) -> None:
        self._secrets = tuple(secrets_in(request.headers, request.url))
        try:
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            self._file = os.fdopen(descriptor, "w", encoding="utf-8")
        except OSError as error:
            self._on_trouble(f"{self._path} cannot be written: {error.strerror}")
            return
        self._write(
            event_line(
                {
                    "chatui_wire": FORMAT,
                    "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                    "about": dict(request.about),
                    "request": {
                        "method": request.method,
                        "url": request.url.partition("?")[0],
                        "headers": redacted_headers(request.headers),
                        "body": json.loads(request.body) if request.body else None,
                    },
                }
            )
        )

    def head(self, response: HttpResponse) -> None:
        self._write(
            event_line(
                {
                    "ms": self._now_ms(),
                    "status": response.status,
                    "url": response.url.partition("?")[0],
                    "headers": redacted_headers(response.headers),
                }
            )
        )

    def chunk(self, content: bytes) -> None:
        for secret in self._secrets:
            # A server may repeat the key that it refused; the length stays, so that framing in the body
            # holds.
            content = content.replace(secret, b"*" * len(secret))
        self._write(chunk_line(self._now_ms(), content))

    def end(self, ending: Ending, message: str = "") -> None:
        if self._file is None:
            return
        self._write(event_line({"ms": self._now_ms(), "end": ending.value, "message": message}))
        file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except OSError as error:
                self._on_trouble(f"{self._path} could not be written: {error.strerror}")

    def _write(self, line: str) -> None:
        if self._file is None:
            return
        try:
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            self._on_trouble(f"{self._path} could not be written: {error.strerror}")
            self._file = None

    def _now_ms(self) -> float:
        return round((time.monotonic() - self._began_s) * 1000, 3)


class _RecordedResponse(PassedResponse):
    """Hands everything through and writes it down."""

    def __init__(self, inner: HttpResponse, tape: _Tape) -> None:
        super().__init__(inner)
        self._tape = tape

    async def chunks(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in super().chunks():
                self._tape.chunk(chunk)
                yield chunk
        except ChatuiError as error:
            self._tape.end(_ending_of(error), error.message)
            raise
        self._tape.end(Ending.COMPLETE)

    async def finish(self) -> None:
        self._tape.end(Ending.CLOSED)
        await super().finish()

    async def close(self) -> None:
        self._tape.end(Ending.CLOSED)
        await super().close()


def _ending_of(error: ChatuiError) -> Ending:
    match error:
        case ConnectFailed():
            return Ending.CONNECT_FAILED
        case ConnectionLost():
            return Ending.CONNECTION_LOST
        case _:
            return Ending.WIRE_ERROR
