"""Gives memory back to the system after much of it was needed for a moment.

Invariant: it is asked for beside the keyboard, and only after a request that held a long conversation whole.
Source: malloc_trim(3), mallopt(3). The C library keeps what was freed between blocks that are still used, in
as many places as there were threads: after four requests of 10,000 turns (20 MB of text) 80 MiB, with one
place for all threads 34, measured.
"""

import ctypes
import sys
from contextlib import suppress
from typing import Final

_M_ARENA_MAX: Final = -8


def share_one_place() -> None:
    """Let all threads use the same place; call it before there are any.

    Python lets one of them run at a time anyway.
    """
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):  # musl has no such places
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


def give_back() -> None:
    """Return what is free; does nothing where the C library has no such call (musl, macOS, Windows)."""
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):
            ctypes.CDLL(None).malloc_trim(0)
