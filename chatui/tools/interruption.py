"""A bound in time for code of others that never waits: an expression of a schema may take for ever on a text.

Invariant: behind it signals are handled as before. It holds on the main thread of POSIX systems, where the
app and `chatui ask` check arguments; elsewhere the code runs as long as it does.

Source: CPython looks for signals while it matches an expression (`Modules/_sre`, every few thousand steps);
signal(2), setitimer(2).
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_HAS_TIMER: Final = hasattr(signal, "setitimer")


class TookTooLong(Exception):
    """It was interrupted."""


@contextmanager
def interrupted_after(limit_s: float) -> Iterator[None]:
    """Interrupt what is done within.

    Raises:
        TookTooLong: it was not done in time.
    """
    if not _HAS_TIMER or threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(_number: int, _frame: object) -> None:
        raise TookTooLong

    handler = signal.signal(signal.SIGALRM, late)
    left_s, interval_s = signal.setitimer(signal.ITIMER_REAL, limit_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, handler)
        if left_s:
            signal.setitimer(signal.ITIMER_REAL, left_s, interval_s)
