"""Control content that a full-screen program has no reason to write, whatever the wire says."""

from __future__ import annotations

from support.terminal_emulator import INCOMPLETE, TOK

BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"


def odd_controls(raw):
    """What no Textual program writes: C1, bells, DCS/APC/PM/SOS, resets, bidi controls, unfinished strings.

    Titles, OSC 8/52/10-12/4/22/9/777, CSI and XTGETTCAP are the program's own business: assert on them apart.
    """
    s = raw.decode("utf-8", "replace")
    out = []
    pos = 0
    while pos < len(s):
        m = TOK.match(s, pos)
        if m is None:
            if s[pos] == "\x1b":
                if not INCOMPLETE.match(s, pos):
                    out.append(f"stray ESC: {s[pos : pos + 24]!r}")
                elif len(s) - pos > 64:
                    out.append(f"unfinished sequence: {s[pos : pos + 24]!r}")
                    break
            else:
                out.append(f"C1 {s[pos : pos + 12]!r}")
            pos += 1
            continue
        if m["txt"] is not None:
            b = [c for c in m["txt"] if c in BIDI]
            if b:
                out.append("bidi control {!r} in {!r}".format(b[0], m["txt"][:30]))
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
                out.append("OSC {!r}".format(m["o"][:40]))
        elif m["dcs"] is not None:
            if not ((m["k"] == "P" and m["d"][:2] == "+q") or (m["k"] == "_" and m["d"][:1] == "G")):
                out.append("string {!r}".format(m["dcs"][:40]))
        elif m["esc"] is not None:
            if m["esc"] == "\x1bc":
                out.append("full reset")
        elif m["ctl"] is not None and m["ctl"] not in "\r\n\t\b\x0f\x0e":
            out.append("control {!r} near {!r}".format(m["ctl"], s[max(0, pos - 12) : pos + 12]))
        pos = m.end()
    return out
