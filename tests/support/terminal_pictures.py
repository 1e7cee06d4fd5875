"""Cells as a person would see them, as PNG or SVG. Wide characters take two cells; box lines join."""

from __future__ import annotations

import functools
import html
import os
import unicodedata

from support.terminal_emulator import BG, FG, rgb


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
