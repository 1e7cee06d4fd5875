"""Drive a full-screen terminal program in a real pty, from outside.

    app = App(["chatui", "--model", "x"], env={}, size=(120, 40))
    app.wait(r"Ask", 10); app.keys("hello", "<enter>"); app.wait(r"completed", 10)
    app.screenshot("x.png"); app.quit()

A reader thread drains the pty, keeps a VT emulator with colours (class Term) and answers the questions that a real
terminal answers: DA1, DA2, DSR, XTVERSION, kitty keyboard, DECRQM 2026/2048, in-band resize, colours, XTGETTCAP, sizes.
Only processes started here are ever signalled, by their pid.  Needs wcwidth; pillow for .png screenshots.
"""

from __future__ import annotations

import base64
import codecs
import collections
import fcntl
import functools
import html
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
import unicodedata

from wcwidth import wcwidth

now = time.monotonic
W = functools.lru_cache(16384)(lambda c: max(wcwidth(c), 0))
Style = collections.namedtuple("Style", "fg bg bold dim italic underline reverse strike blink conceal link")
PLAIN = Style(None, None, False, False, False, False, False, False, False, False, None)
Cell = collections.namedtuple("Cell", "char style")
ANSI16 = [
    "#000000",
    "#cd3131",
    "#0dbc79",
    "#c8a415",
    "#2472c8",
    "#bc3fbc",
    "#11a8cd",
    "#d0d0d0",
    "#666666",
    "#f14c4c",
    "#23d18b",
    "#f5f543",
    "#3b8eea",
    "#d670d6",
    "#29b8db",
    "#ffffff",
]
FG, BG = "#d0d0d0", "#101010"


def rgb(color, default):
    """'#rrggbb' of a cell colour: None, ('i', n) or (r, g, b)."""
    if color is None:
        return default
    if color[0] == "i":
        n = color[1]
        if n < 16:
            return ANSI16[n]
        if n < 232:
            n -= 16
            v = (0, 95, 135, 175, 215, 255)
            return "#%02x%02x%02x" % (v[n // 36], v[n // 6 % 6], v[n % 6])
        return "#%02x%02x%02x" % ((8 + (n - 232) * 10,) * 3)
    return "#%02x%02x%02x" % tuple(color)


TOK = re.compile(
    r"(?P<txt>[^\x00-\x1f\x7f-\x9f]+)"
    r"|(?P<csi>\x1b\[(?P<p>[<-?]?[0-9;:]*)(?P<i>[ -/]*)(?P<f>[@-~]))"
    r"|(?P<osc>\x1b\](?P<o>[^\x07\x1b]*)(?P<t>\x07|\x1b\\))"
    r"|(?P<dcs>\x1b(?P<k>[PX^_])(?P<d>[^\x1b]*)\x1b\\)"
    r"|(?P<esc>\x1b[ -/]*[0-Z\\^-~])"
    r"|(?P<ctl>[\x00-\x1a\x1c-\x1f\x7f])",
    re.DOTALL,
)
INCOMPLETE = re.compile(r"\x1b(?:\[[<-?]?[0-9;:]*[ -/]*|\][^\x07\x1b]*\x1b?|[PX^_][^\x1b]*\x1b?|[ -/]*)?$")
MOUSE = (9, 1000, 1001, 1002, 1003, 1005, 1006, 1015, 1016)


class Term:
    """A VT emulator with colours.  rows: list of list of str ('' is the right half of a wide character)."""

    def __init__(self, cols=120, rows=40, reply=None):
        self.cols, self.nrows = cols, rows
        self.reply = reply or (lambda b: None)
        self.dec = codecs.getincrementaldecoder("utf-8")("replace")
        self.buf = ""
        self.style = PLAIN
        self.title = ""
        self.titles = []
        self.clipboard = []
        self.bells = 0
        self.modes = {7: True, 25: True}
        self.modes_seen = set()
        self.kitty = [0]
        self.keypad = False
        self.notify = []
        self.c1_seen = 0
        self.resets = 0
        self.frames = 0
        self.modify_other = 0
        self._screen()
        self.alt_saved = None
        self.alt = False
        self.scrolled = []
        self.support = {2026: 2, 2048: 2}
        self.kitty_ok = True
        self.unknown = []
        self.queries = []

    def _screen(self):
        self.rows = [[" "] * self.cols for _ in range(self.nrows)]
        self.styles = [[PLAIN] * self.cols for _ in range(self.nrows)]
        self.x = self.y = 0
        self.saved = (0, 0, PLAIN)
        self.top, self.bot = 0, self.nrows - 1
        self.wrapn = False
        self.last = " "

    def display(self):
        return ["".join(r) for r in self.rows]

    def cells(self):
        return [[Cell(c, s) for c, s in zip(r, t)] for r, t in zip(self.rows, self.styles)]

    def resize(self, cols, rows):
        def fit(g, fill):
            for r in g:
                if cols < len(r):
                    del r[cols:]
                else:
                    r.extend([fill] * (cols - len(r)))
            cut = max(0, len(g) - rows)
            if cut:
                del g[rows:]
            while len(g) < rows:
                g.append([fill] * cols)

        fit(self.rows, " ")
        fit(self.styles, PLAIN)
        if self.alt_saved:
            fit(self.alt_saved[0], " ")
            fit(self.alt_saved[1], PLAIN)
        self.cols, self.nrows = cols, rows
        self.top, self.bot = 0, rows - 1
        self.x, self.y = min(self.x, cols - 1), min(self.y, rows - 1)
        self.wrapn = False
        if self.modes.get(2048):
            self.reply(b"\x1b[48;%d;%d;%d;%dt" % (rows, cols, rows * 20, cols * 10))

    def _blank(self):
        s = PLAIN._replace(bg=self.style.bg)
        return [" "] * self.cols, [s] * self.cols

    def scroll(self, n, top=None, up=True):
        top = self.top if top is None else top
        for _ in range(min(n, self.bot - top + 1)):
            a, b = (top, self.bot) if up else (self.bot, top)
            r = self.rows.pop(a)
            self.styles.pop(a)
            if up and a == 0 and not self.alt:
                self.scrolled.append("".join(r).rstrip())
            r, s = self._blank()
            self.rows.insert(b, r)
            self.styles.insert(b, s)

    def lf(self):
        if self.y == self.bot:
            self.scroll(1)
        elif self.y < self.nrows - 1:
            self.y += 1
        self.wrapn = False

    def _split(self, row, x):
        """Blank the other half of a wide character that is about to be cut at cell x."""
        if 0 < x < self.cols and row[x] == "":
            row[x - 1] = " "
            row[x] = " "

    def put(self, s):
        cols = self.cols
        self.last = s[-1]
        st = self.style
        wrap = self.modes.get(7, True)
        if s.isascii():
            i, n = 0, len(s)
            while i < n:
                if self.wrapn:
                    self.x = 0
                    self.lf()
                seg = s[i : i + cols - self.x]
                L = len(seg)
                row = self.rows[self.y]
                self._split(row, self.x)
                self._split(row, self.x + L)
                row[self.x : self.x + L] = seg
                self.styles[self.y][self.x : self.x + L] = [st] * L
                self.x += L
                i += L
                if self.x >= cols:
                    self.x = cols - 1
                    self.wrapn = wrap
                    if not wrap:
                        break
            return
        for c in s:
            w = W(c)
            if w == 0:
                x = self.x if self.wrapn else self.x - 1
                row = self.rows[self.y]
                if x >= 0 and row[x] == "" and x:
                    x -= 1
                if x >= 0 and len(row[x]) < 12:
                    row[x] += c
                continue
            if self.wrapn or self.x + w > cols:
                if wrap:
                    self.x = 0
                    self.lf()
                else:
                    self.x = cols - w
            row = self.rows[self.y]
            self._split(row, self.x)
            self._split(row, self.x + w)
            row[self.x] = c
            self.styles[self.y][self.x] = st
            if w == 2 and self.x + 1 < cols:
                row[self.x + 1] = ""
                self.styles[self.y][self.x + 1] = st
            self.x += w
            if self.x >= cols:
                self.x = cols - 1
                self.wrapn = wrap

    def erase(self, y, a, b):
        row = self.rows[y]
        self._split(row, a)
        self._split(row, b)
        row[a:b] = [" "] * (b - a)
        self.styles[y][a:b] = [PLAIN._replace(bg=self.style.bg)] * (b - a)

    def sgr(self, p):
        if not p:
            self.style = PLAIN
            return
        a = []
        for part in p.split(";"):
            if ":" in part:
                q = [int(x) if x else 0 for x in part.split(":")]
                if q[0] in (38, 48, 58):
                    if len(q) > 2 and q[1] == 2:
                        a += [q[0], 2, *q[-3:]]
                    else:
                        a += q
                elif q[0] == 4:
                    a += [4 if q[1:] and q[1] else 24]
                else:
                    a.append(q[0])
            else:
                a.append(int(part) if part else 0)
        s = self.style._asdict()
        i = 0
        while i < len(a):
            n = a[i]
            if n == 0:
                link = s["link"]
                s = PLAIN._asdict()
                s["link"] = link
            elif n in (1, 2, 3, 4, 5, 7, 8, 9):
                s[
                    {
                        1: "bold",
                        2: "dim",
                        3: "italic",
                        4: "underline",
                        5: "blink",
                        7: "reverse",
                        8: "conceal",
                        9: "strike",
                    }[n]
                ] = True
            elif n == 21:
                s["underline"] = True
            elif n == 22:
                s["bold"] = s["dim"] = False
            elif n in (23, 24, 25, 27, 28, 29):
                s[
                    {23: "italic", 24: "underline", 25: "blink", 27: "reverse", 28: "conceal", 29: "strike"}[
                        n
                    ]
                ] = False
            elif 30 <= n <= 37:
                s["fg"] = ("i", n - 30)
            elif 40 <= n <= 47:
                s["bg"] = ("i", n - 40)
            elif 90 <= n <= 97:
                s["fg"] = ("i", n - 82)
            elif 100 <= n <= 107:
                s["bg"] = ("i", n - 92)
            elif n == 39:
                s["fg"] = None
            elif n == 49:
                s["bg"] = None
            elif n in (38, 48, 58):
                key = {38: "fg", 48: "bg", 58: None}[n]
                v = None
                if a[i + 1 : i + 2] == [5]:
                    v = ("i", a[i + 2] if i + 2 < len(a) else 0)
                    i += 2
                elif a[i + 1 : i + 2] == [2]:
                    v = tuple((a[i + 2 : i + 5] + [0, 0, 0])[:3])
                    i += 4
                if key and v:
                    s[key] = v
            i += 1
        self.style = Style(**s)

    def mode(self, m, on):
        self.modes_seen.add(m)
        if m == 2026 and not on and self.modes.get(2026):
            self.frames += 1
        if m in (1049, 47, 1047):
            if on and not self.alt:
                self.alt_saved = (self.rows, self.styles, self.x, self.y)
                x, y = self.x, self.y
                self._screen()
                self.x, self.y = x, y
                self.alt = True
                self.kitty_main, self.kitty = self.kitty, [0]
            elif not on and self.alt:
                self.rows, self.styles, self.x, self.y = self.alt_saved
                self.alt_saved = None
                self.alt = False
                self.kitty = self.kitty_main
            m = 1049
        if m in (
            1005,
            1006,
            1015,
            1016,
        ):  # one value in real terminals: setting one replaces, resetting any clears
            for k in (1005, 1006, 1015, 1016):
                self.modes[k] = False
        if m in (9, 1000, 1001, 1002, 1003) and not on:  # likewise the tracking mode
            for k in (9, 1000, 1001, 1002, 1003):
                self.modes[k] = False
        self.modes[m] = on
        if m == 2048 and on:
            self.reply(b"\x1b[48;%d;%d;%d;%dt" % (self.nrows, self.cols, self.nrows * 20, self.cols * 10))

    def csi(self, p, i, f):
        priv = p[0] if p and p[0] in "<=>?" else ""
        q = p[1:] if priv else p
        if f == "m" and not priv and not i:
            return self.sgr(q)
        a = [int(x.split(":")[0] or 0) if x else 0 for x in q.split(";")] if q else []
        n = a[0] if a and a[0] else 1
        if i == "$" and f == "p":
            self.queries.append("DECRQM %s" % q)
            m = a[0] if a else 0
            if priv == "?":
                known = m in (1, 7, 25, 1000, 1002, 1003, 1004, 1006, 1049, 2004) or m in self.support
                v = (1 if self.modes.get(m) else 2) if known and self.support.get(m, 2) else 0
                self.reply(b"\x1b[?%d;%d$y" % (m, v))
            return None
        if i == "!" and f == "p":
            self.style = PLAIN
            return None
        if i:
            return None
        if priv == "?" and f in "hl":
            for m in a:
                self.mode(m, f == "h")
            return None
        if f == "u" and priv:
            if not self.kitty_ok:
                return None
            if priv == "?":
                self.queries.append("kitty")
                self.reply(b"\x1b[?%du" % self.kitty[-1])
            elif priv == ">":
                self.kitty.append(a[0] if a else 0)
            elif priv == "<":
                for _ in range(n):
                    if len(self.kitty) > 1:
                        self.kitty.pop()
                    else:
                        self.kitty[-1] = 0
            elif priv == "=":
                v = a[0] if a else 0
                how = a[1] if len(a) > 1 else 1
                self.kitty[-1] = v if how == 1 else self.kitty[-1] | v if how == 2 else self.kitty[-1] & ~v
            return None
        if f == "q" and priv == ">":
            self.queries.append("XTVERSION")
            self.reply(b"\x1bP>|tui-harness 1.0\x1b\\")
            return None
        if f == "m" and priv == ">":
            self.modify_other = a[1] if len(a) > 1 and a[0] == 4 else 0
            return None
        if f == "c":
            self.queries.append("DA" + priv)
            self.reply(
                {"": b"\x1b[?62;22c", ">": b"\x1b[>1;10;0c", "=": b"\x1bP!|00000000\x1b\\"}.get(priv, b"")
            )
            return None
        if f == "n":
            self.queries.append("DSR %s%s" % (priv, q))
            if n == 6:
                self.reply((b"\x1b[?%d;%d;1R" if priv else b"\x1b[%d;%dR") % (self.y + 1, self.x + 1))
            elif n == 5:
                self.reply(b"\x1b[0n")
            elif n == 996:
                self.reply(b"\x1b[?997;1n")
            return None
        if f == "t":
            self.queries.append("size %s" % q)
            r = {
                18: b"\x1b[8;%d;%dt" % (self.nrows, self.cols),
                14: b"\x1b[4;%d;%dt" % (self.nrows * 20, self.cols * 10),
                16: b"\x1b[6;20;10t",
            }.get(n)
            if r:
                self.reply(r)
            return None
        if priv:
            self.unknown.append("CSI " + p + f)
            return None
        if f not in "rs":
            self.wrapn = False
        if f in "Hf":
            self.y = min(max((a[0] if a else 1) or 1, 1), self.nrows) - 1
            self.x = min(max((a[1] if len(a) > 1 else 1) or 1, 1), self.cols) - 1
        elif f == "A":
            self.y = max(0, self.y - n)
        elif f in "Be":
            self.y = min(self.nrows - 1, self.y + n)
        elif f in "Ca":
            self.x = min(self.cols - 1, self.x + n)
        elif f == "D":
            self.x = max(0, self.x - n)
        elif f in "G`":
            self.x = min(self.cols, n) - 1
        elif f == "d":
            self.y = min(self.nrows, n) - 1
        elif f == "E":
            self.x = 0
            self.y = min(self.nrows - 1, self.y + n)
        elif f == "F":
            self.x = 0
            self.y = max(0, self.y - n)
        elif f == "J":
            m = a[0] if a else 0
            if m == 0:
                self.erase(self.y, self.x, self.cols)
                r = range(self.y + 1, self.nrows)
            elif m == 1:
                self.erase(self.y, 0, self.x + 1)
                r = range(self.y)
            else:
                r = range(self.nrows)
            for y in r:
                self.erase(y, 0, self.cols)
        elif f == "K":
            self.erase(
                self.y, *((self.x, self.cols), (0, self.x + 1), (0, self.cols))[min(a[0] if a else 0, 2)]
            )
        elif f == "X":
            self.erase(self.y, self.x, min(self.cols, self.x + n))
        elif f in "P@":
            n = min(n, self.cols - self.x)
            for g, fill in ((self.rows, " "), (self.styles, PLAIN)):
                r = g[self.y]
                if f == "P":
                    del r[self.x : self.x + n]
                    r += [fill] * n
                else:
                    r[self.x : self.x] = [fill] * n
                    del r[self.cols :]
        elif f == "b":
            self.put(self.last * n)
        elif f == "L":
            self.top <= self.y <= self.bot and self.scroll(n, self.y, False)
        elif f == "M":
            self.top <= self.y <= self.bot and self.scroll(n, self.y, True)
        elif f == "S":
            self.scroll(n)
        elif f == "T":
            self.scroll(n, up=False)
        elif f == "r":
            self.top = max((a[0] if a else 1) or 1, 1) - 1
            self.bot = min((a[1] if len(a) > 1 else 0) or self.nrows, self.nrows) - 1
            self.x = self.y = 0
        elif f == "s":
            self.saved = (self.x, self.y, self.style)
        elif f == "u":
            self.x, self.y, self.style = self.saved
        elif f == "I":
            for _ in range(n):
                self.x = min(self.cols - 1, (self.x // 8 + 1) * 8)
        elif f == "Z":
            for _ in range(n):
                self.x = max(0, (self.x - 1) // 8 * 8)
        elif f in "hl":
            self.modes["ansi%s" % q] = f == "h"
        else:
            self.unknown.append("CSI " + p + f)

    def osc(self, o):
        n, _, v = o.partition(";")
        if n in ("0", "2"):
            self.title = v
            self.titles.append(v)
        elif n == "8":
            self.style = self.style._replace(link=v.partition(";")[2] or None)
        elif n == "52":
            kind, _, data = v.partition(";")
            if data == "?":
                self.queries.append("OSC52")
                return
            try:
                self.clipboard.append(base64.b64decode(data).decode("utf-8", "replace"))
            except ValueError:
                self.clipboard.append("invalid base64: " + data[:80])
        elif n in ("9", "777", "99"):
            self.notify.append(o)
        elif n in ("10", "11", "12") and v == "?":
            self.queries.append("OSC" + n)
            c = {"10": b"d0d0/d0d0/d0d0", "11": b"1010/1010/1010", "12": b"ffff/ffff/ffff"}[n]
            self.reply(b"\x1b]%s;rgb:%s\x1b\\" % (n.encode(), c))
        elif n == "4" and v.endswith("?"):
            k = v.split(";")[0]
            c = rgb(("i", int(k) if k.isdigit() else 0), FG)[1:]
            self.reply(
                b"\x1b]4;%s;rgb:%s/%s/%s\x1b\\"
                % (k.encode(), *(c[j : j + 2].encode() * 2 for j in (0, 2, 4)))
            )

    def feed(self, data):
        s = self.buf + self.dec.decode(data)
        self.buf = ""
        pos, n = 0, len(s)
        match = TOK.match
        while pos < n:
            m = match(s, pos)
            if m is None:
                if s[pos] == "\x1b" and INCOMPLETE.match(s, pos):
                    self.buf = s[pos:]
                    return
                if "\x80" <= s[pos] <= "\x9f":
                    self.c1_seen += 1
                pos += 1
                continue
            g = m.group
            if g("txt") is not None:
                self.put(g("txt"))
            elif g("csi") is not None:
                self.csi(g("p"), g("i"), g("f"))
            elif g("osc") is not None:
                self.osc(g("o"))
            elif g("dcs") is not None:
                if g("k") == "P" and g("d").startswith("+q"):
                    self.reply(b"\x1bP0+r%s\x1b\\" % g("d")[2:].encode())
                elif g("k") == "P" and g("d").startswith("$q"):
                    self.reply(b"\x1bP0$r\x1b\\")
            elif g("esc") is not None:
                e = g("esc")[1:]
                if e == "7":
                    self.saved = (self.x, self.y, self.style)
                elif e == "8":
                    self.x, self.y, self.style = self.saved
                elif e == "M":
                    if self.y == self.top:
                        self.scroll(1, up=False)
                    else:
                        self.y = max(0, self.y - 1)
                elif e == "D":
                    self.lf()
                elif e == "E":
                    self.x = 0
                    self.lf()
                elif e in "=>":
                    self.keypad = e == "="
                elif e == "c":
                    self.resets += 1
                    self.style = PLAIN
                    self._screen()
            else:
                c = g("ctl")
                if c in "\n\x0b\x0c":
                    self.lf()
                elif c == "\r":
                    self.x = 0
                    self.wrapn = False
                elif c == "\b":
                    self.x = max(0, self.x - 1)
                    self.wrapn = False
                elif c == "\t":
                    self.x = min(self.cols - 1, (self.x // 8 + 1) * 8)
                elif c == "\x07":
                    self.bells += 1
            pos = m.end()


# ------------------------------------------------------------------ keys
NAMED = {"enter": 13, "esc": 27, "escape": 27, "tab": 9, "backspace": 127, "bs": 127, "space": 32}
ARROWS = {"up": "A", "down": "B", "right": "C", "left": "D", "end": "F", "home": "H"}
TILDE = {
    "insert": 2,
    "delete": 3,
    "del": 3,
    "pageup": 5,
    "pgup": 5,
    "pagedown": 6,
    "pgdn": 6,
    "f5": 15,
    "f6": 17,
    "f7": 18,
    "f8": 19,
    "f9": 20,
    "f10": 21,
    "f11": 23,
    "f12": 24,
}
F14 = {"f1": "P", "f2": "Q", "f3": "R", "f4": "S"}
KEY = re.compile(r"^<((?:[cas]-)*)([a-z0-9]+|[^\w\s]|.)>$", re.IGNORECASE | re.DOTALL)


def encode_key(name, flags=0):
    """Bytes of a key such as '<c-c>', '<s-enter>', '<f1>', 'x' under the kitty flags (0: legacy)."""
    m = KEY.match(name)
    if not m:
        mods, key = set(), name
    else:
        mods, key = set(m[1].lower().replace("-", "")), m[2]
    mod = 1 + ("s" in mods) + 2 * ("a" in mods) + 4 * ("c" in mods)
    low = key.lower()
    if low in ARROWS:
        return ("\x1b[%s" % ARROWS[low] if mod == 1 else "\x1b[1;%d%s" % (mod, ARROWS[low])).encode()
    if low in TILDE:
        return ("\x1b[%d~" % TILDE[low] if mod == 1 else "\x1b[%d;%d~" % (TILDE[low], mod)).encode()
    if low in F14:
        if mod > 1:
            return b"\x1b[1;%d%s" % (mod, F14[low].encode())
        return (
            (b"\x1b[" if flags & 1 and low != "f3" else b"\x1bO") + F14[low].encode()
            if low != "f3" or not flags & 1
            else b"\x1b[13~"
        )
    code = NAMED.get(low, ord(key[0]) if len(key) == 1 else None)
    if code is None:
        raise ValueError("unknown key " + name)
    plain = low not in NAMED
    if flags & 8 and (code < 128):
        base = ord(chr(code).lower()) if plain else code
        if plain and chr(code).isupper():
            mod |= 1
            mod = mod if "s" in mods else mod + 1 - (mod - 1 & 1)
        text = ";%d" % code if (plain or low == "space") and not mods & {"c", "a"} and flags & 16 else ""
        if plain and chr(code).isupper() and not mods & {"c", "a"}:
            mod = 2
        return (
            "\x1b[%d%s%su" % (base, ";%s" % (mod if mod > 1 else "") if text or mod > 1 else "", text)
        ).encode()
    if flags & 1 and (low in ("esc", "escape") or (mod > 1 and not (plain and mods == {"s"}))):
        return ("\x1b[%d;%du" % (code, mod) if mod > 1 else "\x1b[%du" % code).encode()
    out = chr(code)
    if "c" in mods:
        out = {"space": "\0"}.get(low) or (
            chr(ord(out.lower()) & 31) if out.isalpha() or out in "@[\\]^_" else out
        )
    if low == "tab" and "s" in mods:
        out = "\x1b[Z"
    return (("\x1b" if "a" in mods else "") + out).encode()


# ------------------------------------------------------------------ the program under test
class Gone(Exception):
    pass


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

    def flushed(self, timeout=10):
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
            return Cell(self.term.rows[y][x], self.term.styles[y][x])

    def find(self, pattern, screen=None):
        """[(column, row, matched text)] of a regex or string on single lines; columns count cells."""
        rx = re.compile(pattern, re.IGNORECASE) if isinstance(pattern, str) else pattern
        out = []
        with self.lock:
            rows = [list(r) for r in self.term.rows]
        for y, r in enumerate(rows):
            line = "".join(r)
            starts = []
            i = 0
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

    def wait(self, what, timeout=10, poll=0.02):
        """Until a regex is found on the screen (re.I, lines joined by newline), or a callable is true.  The value or None."""
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
        """Until the program wrote nothing for `quiet` seconds (or the screen did not change)."""
        end = now() + timeout
        last = self.text()
        t = now()
        while now() < end and self.alive:
            time.sleep(0.03)
            s = self.text()
            if s != last:
                last, t = s, now()
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

    def wait_exit(self, timeout=5):
        """The exit code (negative: signal), or None while it lives."""
        end = now() + timeout
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
            if self.wait_exit(1.5) is None:
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


# ------------------------------------------------------------------ pictures
def _look(s):
    fg, bg = rgb(s.fg, FG), rgb(s.bg, BG)
    if s.reverse:
        fg, bg = bg, fg
    if s.dim:
        fg = _mix(fg, bg, 0.45)
    if s.conceal:
        fg = bg
    return fg, bg


def _mix(a, b, k):
    p = [int(a[i : i + 2], 16) for i in (1, 3, 5)]
    q = [int(b[i : i + 2], 16) for i in (1, 3, 5)]
    return "#%02x%02x%02x" % tuple(round(x * (1 - k) + y * k) for x, y in zip(p, q))


CW, CH, SIZE = 10, 21, 16
MONO = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono%s.ttf"
FALL = [
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
]
EMOJI = "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf"


@functools.lru_cache(None)
def _font(path, size):
    from PIL import ImageFont

    return ImageFont.truetype(path, size)


@functools.lru_cache(None)
def _has(path, ch, size=SIZE):
    f = _font(path, size)
    m = bytes(f.getmask(ch))
    return m not in (bytes(f.getmask("\uffff")), bytes(f.getmask("\U000e1234"))) and bool(m)


@functools.lru_cache(None)
def _pick(ch, bold, italic):
    base = (
        MONO
        % {(0, 0): "", (1, 0): "-Bold", (0, 1): "-Oblique", (1, 1): "-BoldOblique"}[bool(bold), bool(italic)]
    )
    if ord(ch) >= 0x1F000 and os.path.exists(EMOJI) and _has(EMOJI, ch, 109):
        return EMOJI, 109, True
    for p in [base, MONO % "", *FALL]:
        if os.path.exists(p) and _has(p, ch):
            return p, SIZE, False
    if os.path.exists(EMOJI) and _has(EMOJI, ch, 109):
        return EMOJI, 109, True
    return base, SIZE, False


def render_png(cells, path, cursor=None, title=""):
    """Cells as a person would see them.  Wide characters take two cells; box lines join."""
    from PIL import Image, ImageDraw

    h, w = len(cells), len(cells[0])
    im = Image.new("RGB", (w * CW, h * CH), BG)
    d = ImageDraw.Draw(im)
    for y, row in enumerate(cells):
        for x, (c, s) in enumerate(row):
            d.rectangle((x * CW, y * CH, x * CW + CW - 1, y * CH + CH - 1), fill=_look(s)[1])
    for y, row in enumerate(cells):
        for x, (c, s) in enumerate(row):
            fg = _look(s)[0]
            X, Y = x * CW, y * CH
            n = 2 if x + 1 < w and row[x + 1].char == "" else 1
            if s.underline and c != "":
                d.line((X, Y + CH - 3, X + n * CW - 1, Y + CH - 3), fill=fg)
            if s.strike and c != "":
                d.line((X, Y + CH // 2, X + n * CW - 1, Y + CH // 2), fill=fg)
            if not c.strip():
                continue
            if c in BOXES:
                l, r, u, b, th = BOXES[c]
                mx, my = X + CW // 2, Y + CH // 2
                if l:
                    d.line((X, my, mx, my), fill=fg, width=th)
                if r:
                    d.line((mx, my, X + CW, my), fill=fg, width=th)
                if u:
                    d.line((mx, Y, mx, my), fill=fg, width=th)
                if b:
                    d.line((mx, my, mx, Y + CH), fill=fg, width=th)
                continue
            if ("\u2580" <= c <= "\u2590" and c not in "\u2590\u2580") or c in "\u2580\u2590":
                k = ord(c) - 0x2580
                box = (
                    (0, 0, 1, 0.5)
                    if k == 0
                    else (0, 1 - k / 8, 1, 1)
                    if k <= 8
                    else (0, 0, (16 - k) / 8, 1)
                    if k < 16
                    else (0.5, 0, 1, 1)
                )
                d.rectangle(
                    (X + box[0] * CW, Y + box[1] * CH, X + box[2] * CW - 1, Y + box[3] * CH - 1), fill=fg
                )
                continue
            p, size, emoji = _pick(c[0], s.bold, s.italic)
            if emoji:
                g = Image.new("RGBA", (136, 128))
                ImageDraw.Draw(g).text((0, 0), c, font=_font(p, 109), embedded_color=True)
                g = g.resize((n * CW, min(CH, n * CW)))
                im.paste(g, (X, Y + (CH - g.height) // 2), g)
            else:
                f = _font(p, size)
                wd = f.getlength(c)
                d.text((X + max(0, (n * CW - wd) / 2), Y + CH - 6), c, font=f, fill=fg, anchor="ls")
    if cursor and cursor[2]:
        d.rectangle(
            (cursor[0] * CW, cursor[1] * CH, cursor[0] * CW + CW - 1, cursor[1] * CH + CH - 1),
            outline="#ffffff",
        )
    im.save(path)


def _boxes():
    out = {}
    for code in range(0x2500, 0x2580):
        n = unicodedata.name(chr(code))
        th = 2 if "HEAVY" in n or "DOUBLE" in n else 1
        if "DIAGONAL" in n or ("DASH" in n and False):
            continue
        k = dict(
            l="LEFT" in n or "HORIZONTAL" in n,
            r="RIGHT" in n or "HORIZONTAL" in n,
            u="UP" in n or "VERTICAL" in n,
            b="DOWN" in n or "VERTICAL" in n,
        )
        if any(k.values()):
            out[chr(code)] = (k["l"], k["r"], k["u"], k["b"], th)
    return out


BOXES = _boxes()


def render_svg(cells, path, cursor=None, title=""):
    h, w = len(cells), len(cells[0])
    o = []
    for y, row in enumerate(cells):
        x = 0
        while x < w:
            s = row[x].style
            n = 1
            while x + n < w and row[x + n].style == s:
                n += 1
            fg, bg = _look(s)
            if bg != BG:
                o.append(f'<rect x="{x * CW}" y="{y * CH}" width="{n * CW}" height="{CH}" fill="{bg}"/>')
            i = x
            while i < x + n:  # one text element per run of narrow cells, one per wide one
                j = i + 1
                wide = j < w and row[j].char == ""
                if wide:
                    j += 1
                else:
                    while (
                        j < x + n
                        and row[j].char.isascii()
                        and row[i].char.isascii()
                        and not (j + 1 < w and row[j + 1].char == "")
                    ):
                        j += 1
                t = "".join(c.char for c in row[i:j])
                if t.strip() or s.underline or s.strike:
                    t = "".join(c if c >= " " and not "\x7f" <= c <= "\x9f" else "\ufffd" for c in t)
                    st = ('font-weight="bold" ' if s.bold else "") + (
                        'font-style="italic" ' if s.italic else ""
                    )
                    if s.underline or s.strike:
                        st += 'text-decoration="%s" ' % ("underline" if s.underline else "line-through")
                    o.append(
                        f'<text x="{i * CW}" y="{y * CH + CH - 6}" fill="{fg}" {st}textLength="{(j - i) * CW}" lengthAdjust="spacingAndGlyphs">{html.escape(t)}</text>'
                    )
                i = j
            x += n
    if cursor and cursor[2]:
        o.append(
            f'<rect x="{cursor[0] * CW}" y="{cursor[1] * CH}" width="{CW}" height="{CH}" fill="none" stroke="#fff"/>'
        )
    with open(path, "w", encoding="utf-8") as f:
        f.write(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w * CW} {h * CH}" width="{w * CW}" height="{h * CH}" font-family="DejaVu Sans Mono, Noto Sans Mono CJK SC, monospace" font-size="{SIZE}" xml:space="preserve">'
            f'<title>{html.escape(title)}</title><rect width="100%" height="100%" fill="{BG}"/>'
            + "".join(o)
            + "</svg>"
        )


# ------------------------------------------------------------------ what must never reach a terminal from the wire
BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"


def odd_controls(raw):
    """Control content in output that a Textual program has no reason to write: C1, bells, DCS/APC/PM/SOS, resets, bidi controls,
    unfinished strings.  Titles, OSC 8/52/10-12/4/22/9/777, CSI and XTGETTCAP are the program's own business (assert on them apart)."""
    s = raw.decode("utf-8", "replace")
    out = []
    pos = 0
    while pos < len(s):
        m = TOK.match(s, pos)
        if m is None:
            if s[pos] == "\x1b":
                if not INCOMPLETE.match(s, pos):
                    out.append("stray ESC: %r" % s[pos : pos + 24])
                elif len(s) - pos > 64:
                    out.append("unfinished sequence: %r" % s[pos : pos + 24])
                    break
            else:
                out.append("C1 %r" % s[pos : pos + 12])
            pos += 1
            continue
        if m["txt"] is not None:
            b = [c for c in m["txt"] if c in BIDI]
            if b:
                out.append("bidi control %r in %r" % (b[0], m["txt"][:30]))
        elif m["osc"] is not None:
            if m["o"].split(";")[0] not in (
                "0",
                "2",
                "8",
                "52",
                "10",
                "11",
                "12",
                "4",
                "22",
                "9",
                "777",
                "99",
                "104",
                "110",
                "111",
                "112",
            ):
                out.append("OSC %r" % m["o"][:40])
        elif m["dcs"] is not None:
            if not ((m["k"] == "P" and m["d"][:2] == "+q") or (m["k"] == "_" and m["d"][:1] == "G")):
                out.append("string %r" % m["dcs"][:40])
        elif m["esc"] is not None:
            if m["esc"] == "\x1bc":
                out.append("full reset")
        elif m["ctl"] is not None and m["ctl"] not in "\r\n\t\b\x0f\x0e":
            out.append("control %r near %r" % (m["ctl"], s[max(0, pos - 12) : pos + 12]))
        pos = m.end()
    return out
