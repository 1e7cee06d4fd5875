"""A VT emulator with colours: control sequences in, cells out; it answers what a real terminal answers.

DA1, DA2, DSR, XTVERSION, kitty keyboard, DECRQM 2026/2048, in-band resize, colours, XTGETTCAP, sizes.
"""

from __future__ import annotations

import base64
import codecs
import collections
import functools
import re

from wcwidth import wcwidth

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
    r"|(?P<esc>\x1b[ -/]*[0-OQ-WYZ\\`-~])"
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
        self.shown = None
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

    def seen(self):
        """Rows and styles; within a synchronised update still those before it, as a terminal shows them."""
        return self.shown or (self.rows, self.styles)

    def display(self):
        return ["".join(r) for r in self.seen()[0]]

    def cells(self):
        return [[Cell(c, s) for c, s in zip(r, t)] for r, t in zip(*self.seen())]

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
        self.shown = None
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
        if m == 2026:
            if not on and self.modes.get(2026):
                self.frames += 1
            self.shown = ([r[:] for r in self.rows], [t[:] for t in self.styles]) if on else None
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
