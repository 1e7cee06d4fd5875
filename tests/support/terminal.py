"""Drive a full-screen terminal program in a real pty, from outside.

    app = App(["chatui", "--model", "x"], env={}, size=(120, 40))
    app.wait(r"Ask", 10); app.keys("hello", "<enter>"); app.wait(r"completed", 10)
    app.screenshot("x.png"); app.quit()

A reader thread drains the pty into an emulator. Only processes started here are ever signalled, by their
process id.
"""

from __future__ import annotations

import collections
import fcntl
import glob
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import threading
import time

from support.terminal_emulator import MOUSE, PLAIN, Cell, Term
from support.terminal_keys import KEY, encode_key
from support.terminal_pictures import render_png, render_svg

now = time.monotonic
PATIENCE_S = 30.0
"""A machine may be so slow: no wait for what must come is shorter, whatever is asked."""


class App:
    """A program in a pty.  Without home=, it gets a new empty HOME with XDG folders (removed by close())."""

    def __init__(
        self,
        argv,
        env=None,
        size=(120, 40),
        home=None,
        cwd=None,
        term="xterm-256color",
        kitty=True,
        in_band=True,
        sync=True,
        keep_env=("PATH", "TMPDIR"),
        type_delay=0.012,
    ):
        self.argv, self.size, self.type_delay = list(map(str, argv)), tuple(size), type_delay
        self.own_home = home is None
        self.home = home or tempfile.mkdtemp(prefix="tui-home-")
        e = {k: os.environ[k] for k in keep_env if k in os.environ}
        e.update(
            HOME=self.home,
            TERM=term,
            COLORTERM="truecolor",
            LANG="C.UTF-8",
            LC_ALL="C.UTF-8",
            USER="tester",
            LOGNAME="tester",
            SHELL="/bin/sh",
            TMPDIR=self.home + "/tmp",
            PYTHONDONTWRITEBYTECODE="1",
        )
        for k, d in (
            ("XDG_CONFIG_HOME", ".config"),
            ("XDG_DATA_HOME", ".local/share"),
            ("XDG_STATE_HOME", ".local/state"),
            ("XDG_CACHE_HOME", ".cache"),
            ("XDG_RUNTIME_DIR", "run"),
        ):
            e[k] = f"{self.home}/{d}"
            os.makedirs(e[k], exist_ok=True)
            os.chmod(e[k], 0o700) if os.access(e[k], os.W_OK) else None
        os.makedirs(self.home + "/tmp", exist_ok=True)
        for k, v in (env or {}).items():
            if v is None:
                e.pop(k, None)
            else:
                e[k] = str(v)
        self.env = e
        self.lock = threading.RLock()
        self.wlock = threading.Lock()
        self.chunks = []
        self.nbytes = 0
        self.exit_code = None
        self._eof = threading.Event()
        self.t0 = now()
        self.term = Term(*size, reply=self._reply)
        self.term.kitty_ok = kitty
        self.term.support = {2026: 2 if sync else 0, 2048: 2 if in_band else 0}
        pid, fd = pty.fork()
        if pid == 0:
            try:
                for s in (
                    signal.SIGINT,
                    signal.SIGQUIT,
                    signal.SIGHUP,
                    signal.SIGPIPE,
                    signal.SIGTERM,
                    signal.SIGTSTP,
                ):
                    signal.signal(s, signal.SIG_DFL)
                fcntl.ioctl(
                    0, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], size[0] * 10, size[1] * 20)
                )
                os.chdir(cwd or self.home)
                os.execvpe(self.argv[0], self.argv, e)
            except BaseException as err:
                os.write(2, f"cannot start {self.argv[0]}: {err}\r\n".encode())
            finally:
                os._exit(127)
        self.pid, self.fd = pid, fd
        os.set_inheritable(fd, False)
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], size[0] * 10, size[1] * 20))
        self.attrs0 = termios.tcgetattr(fd)
        self.attrs_last = None
        self.out = collections.deque()
        self.wake_r, self.wake_w = os.pipe()
        os.set_blocking(fd, False)
        self.thread = threading.Thread(target=self._loop, daemon=True)
        self.thread.start()

    # -- the pty
    def _reply(self, b):
        self.out.append(b)

    def _loop(self):
        while not self._eof.is_set():
            try:
                r, w, _ = select.select([self.fd, self.wake_r], [self.fd] if self.out else [], [], 0.5)
            except (OSError, ValueError):
                break
            if self.wake_r in r:
                os.read(self.wake_r, 4096)
            if self.fd in r:
                try:
                    d = os.read(self.fd, 1 << 16)
                except BlockingIOError:
                    d = None
                except OSError:
                    d = b""
                if d == b"":
                    break
                if d:
                    with self.lock:
                        self.chunks.append((now(), d))
                        self.nbytes += len(d)
                        self.term.feed(d)
            if self.out and self.fd in w:
                b = self.out.popleft()
                try:
                    k = os.write(self.fd, b)
                except BlockingIOError:
                    k = 0
                except OSError:
                    break
                if k < len(b):
                    self.out.appendleft(b[k:])
        self.term.shown = None
        self._eof.set()

    def write(self, data):
        """Raw bytes to the program."""
        if self._eof.is_set():
            return
        data = data.encode() if isinstance(data, str) else data
        if not data:
            return
        for i in range(0, len(data), 4096):
            self.out.append(data[i : i + 4096])
        try:
            os.write(self.wake_w, b"x")
        except OSError:
            pass

    def flushed(self, timeout=PATIENCE_S):
        """Wait until everything written has gone into the pty."""
        end = now() + timeout
        while self.out and now() < end and not self._eof.is_set():
            time.sleep(0.002)
        return not self.out

    # -- input
    def keys(self, *items, delay=None):
        """Type.  '<enter>', '<c-p>', '<s-enter>', '<a-enter>', '<pgup>', '<f1>' ... are keys, all else is typed letter by letter."""
        delay = self.type_delay if delay is None else delay
        typed = False
        for it in items:
            if len(it) > 2 and KEY.match(it):
                if typed:
                    time.sleep(max(delay, 0.15))  # no burst: a paste detector must not see one
                self.write(encode_key(it, self.term.kitty[-1]))
                self.flushed()
                time.sleep(0.03)
                typed = False
                continue
            for c in it:
                self.write(encode_key(c, self.term.kitty[-1]) if " " <= c < "\x7f" else c.encode())
                self.flushed()
                typed = True
                if delay:
                    time.sleep(delay)

    def paste(self, text, bracketed=None, end=True):
        """As a terminal pastes: bracketed when the program asked for it, line ends as CR."""
        b = text.replace("\r\n", "\r").replace("\n", "\r").encode()
        on = self.term.modes.get(2004) if bracketed is None else bracketed
        if on:
            b = b"\x1b[200~" + b.replace(b"\x1b[201~", b"") + (b"\x1b[201~" if end else b"")
        self.write(b)

    def mouse(self, x, y, button=0, press=True, motion=False, mods=0):
        """SGR mouse report; x, y are cells from 0.  Sent only if the program turned the mouse on."""
        if not any(self.term.modes.get(m) for m in (1000, 1002, 1003)):
            return False
        b = button + (32 if motion else 0) + mods
        px, py = x + 1, y + 1
        if self.term.modes.get(1016):
            px, py = x * 10 + 5, y * 20 + 10
        self.write("\x1b[<%d;%d;%d%s" % (b, px, py, "M" if press else "m"))
        self.flushed()
        time.sleep(0.01)
        return True

    def click(self, x, y, button=0, times=1):
        for _ in range(times):
            ok = self.mouse(x, y, button) and self.mouse(x, y, button, press=False)
        return ok

    def scroll(self, x, y, lines=-3):
        """Wheel: negative is up."""
        for _ in range(abs(lines)):
            self.mouse(x, y, 64 if lines < 0 else 65)

    def drag(self, x1, y1, x2, y2, steps=8):
        self.mouse(x1, y1)
        for i in range(1, steps + 1):
            self.mouse(x1 + (x2 - x1) * i // steps, y1 + (y2 - y1) * i // steps, motion=True)
        self.mouse(x2, y2, press=False)

    def resize(self, cols, rows):
        with self.lock:
            self.size = (cols, rows)
            fcntl.ioctl(
                self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, cols * 10, rows * 20)
            )  # sends SIGWINCH
            self.term.resize(cols, rows)
        try:
            os.write(self.wake_w, b"x")
        except OSError:
            pass

    def focus(self, on=True):
        if self.term.modes.get(1004):
            self.write("\x1b[I" if on else "\x1b[O")

    # -- what is seen
    def screen(self):
        """Lines of the screen, as strings (right padding kept)."""
        with self.lock:
            return self.term.display()

    def text(self):
        return "\n".join(l.rstrip() for l in self.screen())

    def cells(self):
        with self.lock:
            return self.term.cells()

    def cell(self, x, y):
        with self.lock:
            rows, styles = self.term.seen()
            return Cell(rows[y][x], styles[y][x])

    def find(self, pattern, screen=None):
        """[(column, row, matched text)] of a regex or string on single lines; columns count cells."""
        rx = re.compile(pattern, re.IGNORECASE) if isinstance(pattern, str) else pattern
        out = []
        with self.lock:
            rows = [list(r) for r in self.term.seen()[0]]
        for y, r in enumerate(rows):
            line = "".join(r)
            starts = []
            for x, c in enumerate(r):
                starts += [x] * len(c)
            for m in rx.finditer(line):
                if m.group(0):
                    out.append((starts[m.start()], y, m.group(0)))
        return out

    @property
    def cursor(self):
        return (self.term.x, self.term.y, bool(self.term.modes.get(25)))

    @property
    def raw(self):
        with self.lock:
            return b"".join(d for _, d in self.chunks)

    output = raw

    def mark(self):
        return self.nbytes

    def raw_since(self, mark):
        return self.raw[mark:]

    @property
    def title(self):
        return self.term.title

    @property
    def clipboard(self):
        return list(self.term.clipboard)

    def wait(self, what, timeout=PATIENCE_S, poll=0.02):
        """Until a regex is found on the screen (re.I, lines joined by newline), or a callable is true.  The value or None."""
        return self.look(what, max(timeout, PATIENCE_S), poll)

    def look(self, what, timeout, poll=0.02):
        """Like wait, for what may also never come."""
        end = now() + timeout
        rx = (
            None
            if callable(what)
            else re.compile(what, re.IGNORECASE | re.DOTALL)
            if isinstance(what, str)
            else what
        )
        while True:
            dead = self._eof.is_set()
            v = what() if rx is None else rx.search(self.text())
            if v:
                return v
            if dead or now() >= end:
                return None
            time.sleep(poll)

    def settle(self, quiet=0.25, timeout=5):
        """Until the screen did not change for `quiet` seconds in which the program had nothing to do."""
        end = now() + timeout
        last, t = self.text(), now()
        while now() < end and self.alive:
            time.sleep(0.03)
            s = self.text()
            if s != last or self.has_work():
                last, t = s, now()
            elif now() - t >= quiet:
                return True
        return False

    def has_work(self):
        """Whether a thread of the program runs or would like to: on a busy machine silence is no rest."""
        for stat in glob.glob(f"/proc/{self.pid}/task/*/stat"):
            try:
                with open(stat) as file:
                    if file.read().rpartition(")")[2].split()[0] in "RD":
                        return True
            except OSError:  # the thread has ended meanwhile
                pass
        return False

    def falls_silent(self, quiet):
        """Whether there comes a time of so many seconds in which it lives and writes nothing."""
        end = now() + PATIENCE_S
        mark, t = self.mark(), now()
        while self.alive and now() < end:
            time.sleep(0.03)
            if self.mark() != mark or self.has_work():
                mark, t = self.mark(), now()
            elif now() - t >= quiet:
                return True
        return False

    # -- life and death
    @property
    def alive(self):
        if self.exit_code is not None:
            return False
        try:
            p, st = os.waitpid(self.pid, os.WNOHANG)
        except ChildProcessError:
            self.exit_code = -999
            return False
        if p == 0:
            return True
        self.exit_code = os.waitstatus_to_exitcode(st)
        self._end()
        return False

    def _end(self):
        self._eof.wait(1.0)  # drain what is still in the pty
        self._eof.set()
        try:
            self.attrs_last = termios.tcgetattr(self.fd)
        except (OSError, ValueError, termios.error):
            pass

    def wait_exit(self, timeout=PATIENCE_S):
        """The exit code (negative: signal), or None while it lives."""
        end = now() + max(timeout, PATIENCE_S)
        while self.alive and now() < end:
            time.sleep(0.02)
        return self.exit_code

    def signal(self, sig):
        return os.kill(self.pid, sig) if self.alive else None

    def leftovers(self):
        """What the program left switched on: [] is what a polite program leaves at its exit."""
        t = self.term
        m = t.modes
        out = []
        if t.alt:
            out.append("alternate screen")
        out += ["mouse mode %d" % k for k in MOUSE if m.get(k)]
        for k, n in (
            (2004, "bracketed paste"),
            (1004, "focus reports"),
            (2048, "in-band resize"),
            (2026, "synchronised update"),
            (1, "application cursor keys"),
        ):
            if m.get(k):
                out.append(n)
        if not m.get(25, True):
            out.append("cursor hidden")
        if not m.get(7, True):
            out.append("no line wrap")
        if t.kitty[-1]:
            out.append("kitty keyboard %d" % t.kitty[-1])
        if t.keypad:
            out.append("application keypad")
        if (t.top, t.bot) != (0, t.nrows - 1):
            out.append("scroll region")
        if t.style._replace(link=None) != PLAIN:
            out.append("colours or attributes")
        a = self.attrs_last or self._attrs()
        if a and self.attrs0:
            for bit, n in (
                (termios.ECHO, "echo off"),
                (termios.ICANON, "raw input"),
                (termios.ISIG, "signals off"),
            ):
                if self.attrs0[3] & bit and not a[3] & bit:
                    out.append("tty: " + n)
        return out

    def _attrs(self):
        try:
            return termios.tcgetattr(self.fd)
        except (OSError, ValueError, termios.error):
            return None

    def tree(self):
        """pids of the program and its descendants."""
        kids = {}
        for d in os.listdir("/proc"):
            if d.isdigit():
                try:
                    kids.setdefault(
                        int(open(f"/proc/{d}/stat").read().rsplit(")", 1)[1].split()[1]), []
                    ).append(int(d))
                except OSError:
                    pass
        out, todo = [], [self.pid]
        while todo:
            p = todo.pop()
            out.append(p)
            todo += kids.get(p, [])
        return out

    def cpu_s(self):
        t = 0
        for p in self.tree():
            try:
                r = open(f"/proc/{p}/stat").read().rsplit(")", 1)[1].split()
                t += int(r[11]) + int(r[12])
            except OSError:
                pass
        return t / os.sysconf("SC_CLK_TCK")

    def rss_mib(self):
        for l in open(f"/proc/{self.pid}/status"):
            if l.startswith("VmHWM"):
                return int(l.split()[1]) / 1024

    def kill(self):
        """SIGKILL to the program itself only (its children must notice by themselves)."""
        if self.alive:
            os.kill(self.pid, signal.SIGKILL)
            self.wait_exit(3)

    def hangup(self):
        """The terminal window is closed: the kernel sends SIGHUP, reads and writes of the program fail."""
        self._eof.set()
        try:
            os.write(self.wake_w, b"x")
        except OSError:
            pass
        self.thread.join(2)
        fd, self.fd = self.fd, -1
        os.close(fd)

    def close(self, keep_home=False):
        if self.alive:
            pids = self.tree()
            os.kill(self.pid, signal.SIGTERM)
            if not self.look(lambda: not self.alive, 1.5):
                for p in reversed(pids):
                    try:
                        os.kill(p, signal.SIGKILL)
                    except OSError:
                        pass
                self.wait_exit(2)
        self._eof.set()
        try:
            os.write(self.wake_w, b"x")
        except OSError:
            pass
        self.thread.join(2)
        for f in (self.fd, self.wake_r, self.wake_w):
            try:
                f >= 0 and os.close(f)
            except OSError:
                pass
        self.fd = -1
        if self.own_home and not keep_home:
            subprocess.run(["chmod", "-R", "u+rwX", self.home], stderr=subprocess.DEVNULL)
            shutil.rmtree(self.home, ignore_errors=True)

    quit = close

    def __enter__(self):
        return self

    def __exit__(self, *a):
        self.close()

    def screenshot(self, path):
        with self.lock:
            cells = self.term.cells()
            cur = self.cursor
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        (render_svg if path.endswith(".svg") else render_png)(cells, path, cur, self.title)
        return path
