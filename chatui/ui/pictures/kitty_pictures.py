"""Pictures for terminals that show them where placeholder characters stand.

The picture is sent once; what stands on the page is ordinary text, so scrolling, clipping and windows above
it cost nothing. Invariant: the terminal is told to answer nothing, so nothing of this ever arrives as if it
were typed. Source: kitty's "Terminal graphics protocol", sections "Unicode placeholders", "Remote client"
and "Deleting images"; tmux's manual, `allow-passthrough`.
"""

import base64
from collections.abc import Iterator
from typing import Final

PLACEHOLDER: Final = "\U0010eeee"
CHUNK: Final = 4096
FIRST_ID: Final = 0x010000
LAST_ID: Final = 0xFFFFFF
"""An id is told by the colour of the placeholders."""
_PATIENT: Final = "q=2"
_DIACRITICS: Final = (
    "\u0305\u030d\u030e\u0310\u0312\u033d\u033e\u033f\u0346\u034a\u034b\u034c\u0350\u0351\u0352\u0357"
    "\u035b\u0363\u0364\u0365\u0366\u0367\u0368\u0369\u036a\u036b\u036c\u036d\u036e\u036f\u0483\u0484"
    "\u0485\u0486\u0487\u0592\u0593\u0594\u0595\u0597\u0598\u0599\u059c\u059d\u059e\u059f\u05a0\u05a1"
    "\u05a8\u05a9\u05ab\u05ac\u05af\u05c4\u0610\u0611\u0612\u0613\u0614\u0615\u0616\u0617\u0657\u0658"
    "\u0659\u065a\u065b\u065d\u065e\u06d6\u06d7\u06d8\u06d9\u06da\u06db\u06dc\u06df\u06e0\u06e1\u06e2"
    "\u06e4\u06e7\u06e8\u06eb\u06ec\u0730\u0732\u0733\u0735\u0736\u073a\u073d\u073f\u0740\u0741\u0743"
    "\u0745\u0747\u0749\u074a\u07eb\u07ec\u07ed\u07ee"
)
"""The combining characters that stand for the numbers from 0 on."""
MOST_CELLS: Final = len(_DIACRITICS)


def placeholders(row: int, columns: int) -> str:
    """The text of one row of a picture; each cell names its row and column, so it may be cut anywhere."""
    at_row = PLACEHOLDER + _DIACRITICS[row]
    return "".join(at_row + _DIACRITICS[column] for column in range(columns))


def transmission(picture_id: int, png: bytes, columns: int, rows: int, *, is_in_tmux: bool) -> str:
    """Sends a picture, to be shown in so many cells wherever its placeholders stand."""
    encoded = base64.b64encode(png).decode("ascii")
    chunks = [encoded[at : at + CHUNK] for at in range(0, len(encoded), CHUNK)] or [""]
    return "".join(
        _command(control, chunk, is_in_tmux)
        for control, chunk in zip(_controls(picture_id, len(chunks), columns, rows), chunks, strict=True)
    )


def _controls(picture_id: int, chunks: int, columns: int, rows: int) -> Iterator[str]:
    for number in range(chunks):
        more = f"m={int(number < chunks - 1)}"
        first = f"a=T,U=1,f=100,i={picture_id},c={columns},r={rows},"
        yield f"{first}{_PATIENT},{more}" if number == 0 else f"{_PATIENT},{more}"


def deletion(picture_id: int, *, is_in_tmux: bool) -> str:
    """Has the terminal forget a picture."""
    return _command(f"a=d,d=I,i={picture_id},{_PATIENT}", "", is_in_tmux)


def _command(control: str, payload: str, is_in_tmux: bool) -> str:
    body = f";{payload}" if payload else ""
    sequence = f"\x1b_G{control}{body}\x1b\\"
    if not is_in_tmux:
        return sequence
    doubled = sequence.replace("\x1b", "\x1b\x1b")
    return f"\x1bPtmux;{doubled}\x1b\\"
