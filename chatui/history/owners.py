"""Which chatui process owns a running turn or an open conversation, and whether it still lives.

Invariant: a process is alive exactly while it holds the lock on its own small file beside the history; the
system frees the lock however the process ends, so neither a process number used again nor a container can
mislead us.
"""

import os
import secrets
import sys
from contextlib import suppress
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


class Owners:
    """The processes that share one history. `folder` None is a history that nobody shares."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._token = ""
        self._descriptor = -1

    def mine(self) -> str:
        """The name of this process; its file is made when it is first asked for."""
        if not self._token:
            self._token = self._enter() if self._folder is not None else "memory"
        return self._token

    def known(self) -> str:
        """The name of this process if it has one already."""
        return self._token

    def is_alive(self, token: str) -> bool:
        """Whether the process of that name still runs."""
        if not token or self._folder is None:
            return bool(token) and token == self._token
        if token == self._token:
            return True
        return not _is_abandoned(self._folder / token)

    def leave(self) -> None:
        """Give the name back; every file of a dead process is removed too."""
        if self._folder is None or not self._token:
            return
        with suppress(OSError):
            (self._folder / self._token).unlink()
        with suppress(OSError):
            os.close(self._descriptor)
        self._token, self._descriptor = "", -1
        with suppress(OSError):
            for other in self._folder.iterdir():
                _is_abandoned(other)
            self._folder.rmdir()

    def _enter(self) -> str:
        """A new file, locked. One that was taken for abandoned before the lock was there is no use."""
        folder = self._folder
        assert folder is not None
        folder.mkdir(mode=0o700, exist_ok=True)
        while True:
            token = secrets.token_hex(8)
            path = folder / token
            try:
                descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
            except FileNotFoundError:  # another process has just removed the empty folder
                folder.mkdir(mode=0o700, exist_ok=True)
                continue
            if _lock(descriptor) and path.exists():
                self._descriptor = descriptor
                return token
            os.close(descriptor)


def _is_abandoned(path: Path) -> bool:
    """Whether nobody holds the lock; the file is removed then."""
    try:
        descriptor = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        if not _lock(descriptor):
            return False
        with suppress(OSError):
            path.unlink()
        return True
    finally:
        os.close(descriptor)
