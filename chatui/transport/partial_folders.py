"""Folders for what is not whole yet.

Invariant: what stands in one never survives: it is removed however its work ends, and what a killed process
left behind by the next one that works there. Those of processes that live are left alone.
"""

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def partial_folder(within: Path) -> Iterator[Path]:
    """A folder of our own on the same file system, gone afterwards in any case that lets code run."""
    within.mkdir(parents=True, exist_ok=True)
    sweep(within)
    partial = Path(tempfile.mkdtemp(prefix=f".partial-{os.getpid()}-", dir=within))
    try:
        yield partial
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def sweep(within: Path) -> None:
    """Delete what killed downloads left behind; those of living processes stay."""
    for folder in within.glob(".partial-*"):
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
