"""Stands between chatui and a program that it runs, so that the program never outlives either of them.

Started as a plain script by `tools.kept_program`; imports nothing of chatui, and little at all: it starts
with each call of a tool. Invariants: when it ends, no process that the program started is left: on Linux also
none that called setsid, on other POSIX systems none of its group; when chatui is gone, however it went
(SIGKILL, its terminal closed), everything ends at once; it ends as the program ended, with its exit code or
by its signal.

How: chatui holds the other end of a socket, which the kernel closes with chatui. On Linux this process takes
orphans of its descendants for its children, so it has ended them all when it has no child any more.

Source: prctl(2) PR_SET_CHILD_SUBREAPER, proc_pid_stat(5), posix_spawn(3).
"""

import os
import select
import signal
import sys

TYPE_CHECKING = False  # `typing` takes as long to load as a bare Python
if TYPE_CHECKING:
    from collections.abc import Callable

LEFT_BEHIND_S = 0.5
"""So long what the program left behind may go on after it, to write what it still has to say."""
_LOOK_AGAIN_S = 0.02
_PR_SET_CHILD_SUBREAPER = 36
_IS_LINUX = sys.platform == "linux"


def main() -> int:
    """Run the program of the command line: keeper.py SOCKET PROGRAM ARGUMENTS.

    Returns:
        Its exit code.
    """
    socket, argv = int(sys.argv[1]), sys.argv[2:]
    os.set_inheritable(socket, False)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda _number, _frame: None)
    has_orphans = _takes_orphans()
    defaults = [number for number in (signal.SIGPIPE, signal.SIGXFSZ) if hasattr(signal, number.name)]
    try:
        program = os.posix_spawnp(argv[0], argv, os.environ, setpgroup=0, setsigdef=defaults)
    except OSError as problem:
        _say(socket, b"-%d" % (problem.errno or 0))
        return 1
    _say(socket, b"+%d" % program)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):  # the pipes are the program's: their end is its own to say
        os.dup2(nothing, descriptor)
    return _end_as(Keeper(socket, woken, program, has_orphans=has_orphans).run())


def _say(socket: int, words: bytes) -> None:
    try:
        os.write(socket, words)
    except OSError:  # chatui is gone already, which is seen by whoever reads from it
        return


def _send(send: "Callable[[int, int], None]", to: int, number: int) -> None:
    try:
        send(to, number)
    except (ProcessLookupError, PermissionError):  # gone, or somebody else's by now
        return


class Keeper:
    """Waits for the program, or for a reason to end it."""

    def __init__(self, socket: int, woken: int, program: int, *, has_orphans: bool) -> None:
        self._socket = socket
        self._woken = woken
        self._program = program
        self._has_orphans = has_orphans
        self._status: int | None = None

    def run(self) -> int:
        """Until nothing is left; returns how the program ended, as wait(2) tells it."""
        while self._status is None:
            self._wait(None)
        left_s = LEFT_BEHIND_S
        while left_s > 0 and self._is_anything_left():
            left_s -= _LOOK_AGAIN_S
            self._wait(_LOOK_AGAIN_S)
        self._end_all()
        return self._status

    def _wait(self, limit_s: float | None) -> None:
        ready, _, _ = select.select([self._socket, self._woken], [], [], limit_s)
        if self._socket in ready and not os.read(self._socket, 64):
            self._end_all()
            return
        if self._woken in ready and any(number != signal.SIGCHLD for number in os.read(self._woken, 64)):
            self._tell_all(signal.SIGTERM)
        self._reap(os.WNOHANG)

    def _reap(self, how: int) -> bool:
        """Take the state of children that have ended; whether there are more."""
        while True:
            try:
                ended, status = os.waitpid(-1, how)
            except ChildProcessError:
                return False
            if ended == 0:
                return True
            if ended == self._program:
                self._status = status

    def _is_anything_left(self) -> bool:
        if self._has_orphans:
            return self._reap(os.WNOHANG)
        try:
            os.killpg(self._program, 0)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    def _end_all(self) -> None:
        """Until there is no child: while one is ended, another may be made."""
        self._tell_all(signal.SIGKILL)
        while self._reap(os.WNOHANG):
            select.select([], [], [], _LOOK_AGAIN_S / 10)
            self._tell_all(signal.SIGKILL)
        self._status = self._status or 0

    def _tell_all(self, number: signal.Signals) -> None:
        _send(os.killpg, self._program, number)
        for process in _descendants() if self._has_orphans else ():
            _send(os.kill, process, number)


def _takes_orphans() -> bool:
    """Become the parent of what descendants leave behind, where the system has that."""
    if not _IS_LINUX:
        return False
    try:
        import ctypes

        return bool(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)
    except (ImportError, OSError, AttributeError):  # a Python without it: the group is all there is
        return False


def _descendants() -> list[int]:
    """Processes that this one started, and those that they started."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    parent = int(file.read().rpartition(b")")[2].split()[1])
            except (OSError, IndexError, ValueError):  # it has ended just now
                continue
            children.setdefault(parent, []).append(int(name))
    found: list[int] = []
    waiting = [os.getpid()]
    while waiting:
        more = children.pop(waiting.pop(), [])
        found += more
        waiting += more
    return found


def _end_as(status: int) -> int:
    """The exit code of the program; where a signal ended it, this ends by the same one."""
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return code
    number = signal.Signals(-code) if -code in set(signal.Signals) else signal.SIGKILL
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # what there was to see of it was the program's
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    return 128 - code


if __name__ == "__main__":
    sys.exit(main())
