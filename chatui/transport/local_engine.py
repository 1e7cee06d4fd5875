"""The parent side of the embedded engine: started on first use, stopped with the app.

Invariant: at most one engine process belongs to one `LocalEngine`, and it never outlives the app. The open
end of its standard input is held by this process alone, so even SIGKILL of the app ends it (see
`local_child`).
"""

import asyncio
import contextlib
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO, Final

from chatui.core.context_size import EMBEDDED_WINDOW_TOKENS
from chatui.core.errors import ConnectFailed
from chatui.transport.local_child import API_KEY_VARIABLE
from chatui.transport.local_model import LocalModel
from chatui.transport.local_platform import (
    CONNECT_ANOTHER,
    EngineProblem,
    Machine,
    cpu_problem,
    engine_problem,
    import_problem,
)
from chatui.transport.local_progress import LocalProgress, LocalStage, Progress, ignore_progress

BODY_MEMBERS: Final[dict[str, object]] = {"repeat_penalty": 1.1}
"""Part of every body (`Dialect.extra_body`); without it the bundled model repeats itself for ever."""
START_LIMIT_S: Final = 300.0
"""A person's own model may be many gigabytes on a slow disk; the bundled one is ready in a second or two."""
STOP_LIMIT_S: Final = 3.0
_STDERR_TAIL_BYTES: Final = 16_384


class LocalEngine:
    """The engine process of this app. All methods are called on one event loop."""

    def __init__(
        self,
        model: LocalModel,
        *,
        threads: int | None = None,
        context_tokens: int = EMBEDDED_WINDOW_TOKENS,
        template: Path | None = None,
    ) -> None:
        """Remember what to start; nothing is started.

        Args:
            model: the file to load; fetched first if it is missing.
            threads: None leaves one core to the rest of the machine, for ggml's threads spin while they wait.
            context_tokens: size of the context window.
            template: a chat template in place of the model's own.
        """
        self._model = model
        self._threads = threads or max(1, (os.cpu_count() or 2) - 1)
        self._context_tokens = context_tokens
        self._template = template
        self._process: asyncio.subprocess.Process | None = None
        self._starting: asyncio.Task[tuple[str, str]] | None = None
        self._listeners: list[Progress] = []
        self._latest: LocalProgress | None = None

    @property
    def process_id(self) -> int | None:
        """The engine's process while it runs."""
        return self._process.pid if self._process is not None and self._process.returncode is None else None

    async def ensure_started(self, progress: Progress = ignore_progress) -> tuple[str, str]:
        """Start the engine unless it runs; calls at the same time share one start.

        Cancelling a call leaves the start going: a download is not lost with one cancelled question.

        Args:
            progress: told how far it is, on the event loop.

        Returns:
            Base URL of its Chat Completions endpoint, and the key.

        Raises:
            ConnectFailed: it cannot run here, or the model cannot be fetched or loaded.
        """
        if self._starting is None or (self._starting.done() and self.process_id is None):
            self._starting = asyncio.create_task(self._start())
            self._starting.add_done_callback(_retrieve)
        elif self._latest is not None:
            progress(self._latest)
        self._listeners.append(progress)
        try:
            return await asyncio.shield(self._starting)
        finally:
            self._listeners.remove(progress)

    async def stop(self) -> None:
        """End the engine (or its start) and wait for its end, at most a few seconds."""
        starting, self._starting = self._starting, None
        if starting is not None and not starting.done():
            starting.cancel()
            await asyncio.wait({starting})
        process, self._process = self._process, None
        if process is not None:
            await _end(process)

    def _tell(self, progress: LocalProgress) -> None:
        self._latest = progress
        for listener in tuple(self._listeners):
            listener(progress)

    async def _start(self) -> tuple[str, str]:
        problem = await asyncio.to_thread(engine_problem)
        if problem is not None:
            raise ConnectFailed(problem.message, problem.hint)
        if not self._model.is_present:
            if self._model.is_own:
                raise ConnectFailed(
                    f"The model file is gone: {self._model.path}",
                    "Name another with `chatui local use FILE.gguf`, or go back with `chatui local install`.",
                )
            await self._model.install(self._tell)
        self._tell(LocalProgress(LocalStage.STARTING))
        key = secrets.token_urlsafe(32)
        with tempfile.TemporaryFile() as said:
            process = await self._spawn(key, said)
            try:
                async with asyncio.timeout(START_LIMIT_S):
                    line = await _first_word(process)
            except BaseException as ending:  # also a cancellation: no engine is left behind
                await _end(process)
                if isinstance(ending, TimeoutError):
                    raise ConnectFailed(
                        f"{self._model.name} was not ready after {START_LIMIT_S:.0f} s.", CONNECT_ANOTHER
                    ) from ending
                raise
            word, _, rest = line.partition(" ")
            if word != "READY":
                code = await process.wait()
                problem = _why(line, code, _tail(said), self._model)
                raise ConnectFailed(problem.message, problem.hint)
        self._process = process
        self._tell(LocalProgress(LocalStage.READY))
        return f"{rest.strip()}/v1", key

    async def _spawn(self, key: str, said: IO[bytes]) -> asyncio.subprocess.Process:
        script = Path(__file__).with_name("local_child.py")
        arguments = [
            *("--model", str(self._model.path)),
            *("--alias", self._model.name),
            *("--threads", str(self._threads)),
            *("--context-tokens", str(self._context_tokens)),
            *(() if self._model.is_own else ("--tiny",)),
            *(("--template", str(self._template)) if self._template else ()),
        ]
        # -P: neither the working folder nor this package's folder may shadow the engine's imports.
        # A session of its own: Ctrl-C in the terminal is the app's affair.
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            str(script),
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=said,
            env={**_without_secrets(os.environ), API_KEY_VARIABLE: key},
            start_new_session=sys.platform != "win32",
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )


def _without_secrets(environ: "os._Environ[str]") -> dict[str, str]:
    """The engine needs no key of anybody else."""
    secret = ("_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
    return {name: value for name, value in environ.items() if not name.upper().endswith(secret)}


async def _first_word(process: asyncio.subprocess.Process) -> str:
    """The child's own line, past whatever the native library may print; empty if it ended without one."""
    assert process.stdout is not None
    async for raw in process.stdout:
        line = raw.decode("utf-8", "replace").strip()
        if line.startswith(("READY ", "FAILED ")):
            return line
    return ""


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None and process.stdin is not None:
        process.stdin.close()
        try:
            async with asyncio.timeout(STOP_LIMIT_S):
                await process.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()


def _why(line: str, code: int, said: str, model: LocalModel) -> EngineProblem:
    """What a start that failed means for a person."""
    if line.startswith("FAILED import "):
        return import_problem(line.removeprefix("FAILED import "))
    if code == -signal.SIGILL:
        return cpu_problem(Machine.this()) or EngineProblem(
            "This processor lacks instructions that the embedded model's engine needs (AVX2, FMA, F16C).",
            CONNECT_ANOTHER,
        )
    reason = _load_error(said) or line.removeprefix("FAILED load ") or f"exit code {code}"
    if model.is_own:
        hint = "Go back to the bundled model with `chatui local install`."
    else:
        hint = "Fetch it anew: chatui local remove, then chatui local install."
    return EngineProblem(f"{model.path.name} could not be loaded: {reason}", hint)


def _load_error(said: str) -> str:
    """The engine's first line about an error that names a cause, without its clock and level."""
    for line in said.splitlines():
        _, level, text = line.partition(" E ")
        if level and ("gguf" in text or "error loading model" in text or "alloc" in text):
            return text.split(":", 1)[-1].strip()
    return ""


def _tail(said: IO[bytes]) -> str:
    said.seek(0, os.SEEK_END)
    said.seek(max(0, said.tell() - _STDERR_TAIL_BYTES))
    return said.read().decode("utf-8", "replace")


def _retrieve(task: "asyncio.Task[tuple[str, str]]") -> None:
    """A start whose every caller was cancelled may fail unseen; the next call starts anew."""
    if not task.cancelled():
        task.exception()
