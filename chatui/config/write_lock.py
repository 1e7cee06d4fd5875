"""One writer of a small file at a time, among all chatuis of this machine.

Invariant: a file is read, changed and replaced by one process at a time; the system frees the lock however
that process ends, and one that never gives it back (stopped, or on a file system without locks) is waited for
briefly and then passed over: replacing a file as a whole is safe without it.
"""

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

LONGEST_WAIT_S = 1.0
_LOOK_AGAIN_AFTER_S: Final = 0.005

if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextlib.contextmanager
def write_lock(path: Path) -> Iterator[None]:
    """Hold the lock of a file, which is a file of its own beside it, since the file itself is replaced."""
    beside = path.with_name(f".{path.name}.lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(beside, os.O_CREAT | os.O_RDWR, 0o600)
    except OSError:  # whoever writes the file is told that this cannot be done
        yield
        return
    try:
        until_s = time.monotonic() + LONGEST_WAIT_S
        while True:
            try:
                _take(descriptor)
                break
            except OSError:
                if time.monotonic() >= until_s:
                    break
                time.sleep(_LOOK_AGAIN_AFTER_S)
        yield
    finally:
        os.close(descriptor)
