"""Gives memory back to the system after much of it was needed for a moment.

Invariant: it is asked for beside the keyboard, and only after a request that held a long conversation whole.
Source: malloc_trim(3), mallopt(3). The C library keeps what was freed between blocks that are still used, in
as many places as there were threads: after four requests of 10,000 turns (20 MB of text) 80 MiB, with one
place for all threads (`ui.launch`) 34, measured.
"""

import ctypes
import sys
from contextlib import suppress


def give_back() -> None:
    """Return what is free; does nothing where the C library has no such call (musl, macOS, Windows)."""
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):
            ctypes.CDLL(None).malloc_trim(0)
