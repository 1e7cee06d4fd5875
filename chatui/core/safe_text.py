"""The one sanitiser: makes text from outside safe to show.

Every C0 and C1 control, DEL, bidi control, line and paragraph separator, interlinear and tag character
becomes one visible mark of one cell. No sequence is recognised or deleted, so the function has no state: it
is safe at any split, idempotent, and `safe(a + b) == safe(a) + safe(b)`.

Source: Unicode 16 UAX 9 (bidi controls), ECMA-48 (C0, C1).
"""

from functools import cache
from typing import Final

BIDI_CONTROLS: Final = frozenset((0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)))
"""Characters that reorder text: able to show code as something that it is not."""

REPLACEMENT: Final = "\ufffd"


@cache
def _line_marks() -> dict[int, str]:
    """Two thousand entries, made for the first text that is not plain."""
    marks: dict[int, str] = {code: chr(0x2400 + code) for code in range(0x20)}
    marks[0x7F] = "\u2421"
    marks.update(dict.fromkeys(range(0x80, 0xA0), REPLACEMENT))
    marks.update(dict.fromkeys(BIDI_CONTROLS, REPLACEMENT))
    marks.update(
        {0x2028: "\u2424", 0x2029: "\u2424", 0xFFF9: REPLACEMENT, 0xFFFA: REPLACEMENT, 0xFFFB: REPLACEMENT}
    )
    marks.update(dict.fromkeys(range(0xD800, 0xE000), REPLACEMENT))
    marks.update(dict.fromkeys(range(0xE0000, 0xE0080), REPLACEMENT))
    return marks


@cache
def _block_marks() -> dict[int, str]:
    return {code: mark for code, mark in _line_marks().items() if code not in (0x09, 0x0A)}


@cache
def _json_escapes() -> dict[int, str]:
    return {code: _escape(code) for code in _line_marks() if code >= 0x7F}


def _escape(code: int) -> str:
    units = chr(code).encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def safe_json(text: str) -> str:
    """JSON that says the same, with escapes for what could drive a terminal or cannot be encoded.

    Encoders escape only what JSON wants escaped: C1 controls, DEL and bidi controls they write as they are.
    """
    return text if text.isascii() and "\x7f" not in text else text.translate(_json_escapes())


def safe_line(text: str) -> str:
    """Safe text for one line: tab and line ends become marks too (`␉`, `␊`)."""
    return text if text.isascii() and text.isprintable() else text.translate(_line_marks())


def safe_block(text: str) -> str:
    r"""Safe text that keeps `\t` and `\n`."""
    return text if text.isascii() and text.isprintable() else text.translate(_block_marks())
