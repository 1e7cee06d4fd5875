"""Keys as a terminal sends them, in the legacy encoding or the kitty protocol's."""

from __future__ import annotations

import re

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
