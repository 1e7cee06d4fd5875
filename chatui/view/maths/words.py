r"""Words within formulas: what stands between the braces of `\text` and its like.

Guards: blanks count here, commands hardly do: one that is no sign makes the formula not understood.
"""

from typing import TYPE_CHECKING

from chatui.view.maths.spacing import Atom, atom, blank
from chatui.view.maths.symbols import Kind, symbols
from chatui.view.maths.tokens import END, NotUnderstoodError

if TYPE_CHECKING:
    from chatui.view.maths.reading import Reading


def words(reading: "Reading") -> str:
    """Text between braces, blanks and all."""
    reading.expect("{")
    parts: list[str] = []
    depth = 0
    while True:
        piece = reading.take()
        if piece == END:
            if reading.is_open:
                break
            raise NotUnderstoodError("} is missing")
        if piece == "}" and not depth:
            break
        depth += (piece == "{") - (piece == "}")
        if piece == "$":
            parts.append(reading.within(reading.take_until("$")))
        elif piece[0] == "\\" and len(piece) > 1:
            parts.append(_command(piece))
        elif piece not in "{}":
            parts.append(" " if piece == "~" else piece)
    return "".join(parts)


def _command(piece: str) -> str:
    name = piece[1:]
    if name in symbols().texts or name in symbols().ignored:
        return ""
    if name in symbols().spaces:
        return " " if symbols().spaces[name] else ""
    if name in ("textbackslash", "\\"):
        return " " if name == "\\" else "\\"
    sign = symbols().signs.get(name)
    if sign is None or sign.kind not in (Kind.LETTER, Kind.OPEN, Kind.CLOSE):
        raise NotUnderstoodError(f"{piece} within words")
    return sign.text


def worded(text: str) -> list[Atom]:
    """Words; blanks at their ends count once."""
    inside = text.strip(" ")
    if not inside:
        return [blank(1)] if text else []
    before = [blank(1)] if text.startswith(" ") else []
    after = [blank(1)] if text.endswith(" ") else []
    return [*before, atom(" ".join(inside.split()), Kind.WORD), *after]
