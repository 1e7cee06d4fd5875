"""Commands that are more than a sign: brackets, environments, roots, boxes, arrows.

Guards: each reads its own arguments and nothing behind them; what has no room in one line (a brace below a
sum) is not understood there.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from chatui.view.maths.boxes import Box, Side, beside, framed, stacked, tall
from chatui.view.maths.chemistry import chemical
from chatui.view.maths.environments import ENVIRONMENTS, laid_out
from chatui.view.maths.spacing import Atom, atom, blank, flat, fraction, joined, root, with_scripts
from chatui.view.maths.symbols import Kind, symbols
from chatui.view.maths.tokens import NotUnderstoodError
from chatui.view.maths.words import words

if TYPE_CHECKING:
    from chatui.view.maths.reading import Reading

_DELIMITERS: Final = {"<": "⟨", ">": "⟩", ".": "", r"\|": "‖", r"\Vert": "‖", r"\vert": "|", "/": "/"}


def _delimiter(reading: "Reading") -> str:
    piece = reading.skip_blanks()
    if reading.is_at_open_end:
        return ""
    reading.take()
    if piece in _DELIMITERS:
        return _DELIMITERS[piece]
    if piece in ("(", ")", "[", "]", "|"):
        return piece
    sign = symbols().signs.get(piece[1:]) if piece[:1] == "\\" else None
    if sign is None:
        raise NotUnderstoodError(f"{piece} as a bracket")
    return sign.text


def left(reading: "Reading") -> list[Atom]:
    r"""What stands between `\left` and `\right`."""
    opener = _delimiter(reading)
    signs = reading.sequence()
    reading.expect(r"\right")
    closer = _delimiter(reading)
    inside = joined(signs)
    if inside.is_flat:
        # `\right.` ends nothing that can be seen.
        ends = [atom(closer, Kind.CLOSE)] if closer else []
        return [*([atom(opener, Kind.OPEN)] if opener else []), *signs, *ends]
    return [Atom(beside([tall(opener, inside), inside, tall(closer, inside)]), Kind.BOX)]


def environment(reading: "Reading") -> list[Atom]:
    r"""What stands between `\begin` and `\end`."""
    name = words(reading)
    if name.removesuffix("*") not in ENVIRONMENTS:
        if reading.is_at_open_end:
            return []
        raise NotUnderstoodError(name)
    name = name.removesuffix("*")
    columns = ""
    if name in ("array", "alignat", "alignedat"):
        columns = words(reading)
    rows = reading.rows()
    reading.expect(r"\end")
    if not reading.is_at_open_end:
        ended = words(reading)
        if ended.removesuffix("*") != name and not reading.is_at_open_end:
            raise NotUnderstoodError(f"{name} ends as {ended}")
    box = laid_out(name, rows, is_block=reading.is_block, columns=columns)
    return [Atom(box, Kind.LETTER if box.is_flat else Kind.BOX)]


def operator_name(reading: "Reading") -> list[Atom]:
    """A function that has no command of its own."""
    is_large = reading.takes("*")
    name = flat(joined(reading.argument()))
    return [atom(name, Kind.LARGE if is_large else Kind.FUNCTION)]


def square_root(reading: "Reading") -> list[Atom]:
    """A root and its degree."""
    degree = reading.optional()
    return [root(reading.argument(), degree)]


def binomial(reading: "Reading") -> list[Atom]:
    """One thing over another between brackets."""
    upper, lower = joined(reading.argument()), joined(reading.argument())
    if not reading.is_block:
        return [atom(f"C({flat(upper)}, {flat(lower)})")]
    inside = stacked([upper, lower], 0, Side.MIDDLE)
    return [Atom(beside([tall("(", inside), inside, tall(")", inside)]), Kind.BOX)]


def boxed(reading: "Reading") -> list[Atom]:
    """What has a line around it."""
    inside = joined(reading.argument())
    return [Atom(framed(inside), Kind.BOX) if reading.is_block else atom(f"[{flat(inside)}]")]


def coloured(reading: "Reading") -> list[Atom]:
    """What has a colour, which is left out."""
    words(reading)
    return reading.argument()


def over(reading: "Reading") -> list[Atom]:
    """A sign with another above it."""
    upper = reading.script()
    return [with_scripts(_one(reading), "", upper)]


def under(reading: "Reading") -> list[Atom]:
    """A sign with another below it."""
    lower = reading.script()
    return [with_scripts(_one(reading), lower, "")]


def _one(reading: "Reading") -> Atom:
    signs = reading.argument()
    return signs[0] if len(signs) == 1 else atom(reading.as_one(signs))


def braced(reading: "Reading", mark: str) -> list[Atom]:
    """What has a brace below or above it, with words there."""
    box = joined(reading.argument())
    word = ""
    reading.skip_blanks()
    if reading.takes(mark):
        word = flat(joined(reading.argument()))
    if not reading.is_block or not box.is_flat:
        raise NotUnderstoodError("a brace within a line")
    width = max(box.width, 3)
    left, middle, right = "╰┬╯" if mark == "_" else "╭┴╮"
    half = (width - 3) // 2
    line = f"{left}{'─' * half}{middle}{'─' * (width - 3 - half)}{right}"
    boxes = [box, Box((line,)), *([Box((word,))] if word else [])]
    if mark == "^":
        boxes.reverse()
    return [Atom(stacked(boxes, 0 if mark == "_" else len(boxes) - 1, Side.MIDDLE), Kind.BOX)]


def derivative(reading: "Reading", change: str) -> list[Atom]:
    """A derivative, as the physics package writes it."""
    above, below = reading.argument(), reading.argument()
    return [fraction([atom(change), *above], [atom(change), *below])]


def arrow(reading: "Reading", line: str, head: str) -> list[Atom]:
    """An arrow with words on it."""
    if reading.optional():
        raise NotUnderstoodError("words below an arrow")
    word = flat(joined(reading.argument(), is_tight=True))
    return [atom(f"{head}{line}{word}{line}" if head == "←" else f"{line}{word}{line}{head}", Kind.RELATION)]


def lines(reading: "Reading") -> list[Atom]:
    """Several conditions below a sum."""
    reading.expect("{")
    rows = reading.rows()
    reading.expect("}")
    texts = [flat(joined([sign for cell in row for sign in cell], is_tight=True)) for row in rows]
    return [atom(", ".join(texts))]


def chemistry(reading: "Reading") -> list[Atom]:
    """A chemical formula."""
    return [atom(chemical(reading.raw(), is_open=reading.is_at_open_end))]


def tag(reading: "Reading") -> list[Atom]:
    """The number of an equation."""
    text = words(reading) if reading.takes("*") else f"({words(reading)})"
    return [blank(3), atom(text, Kind.WORD)]


def middle(reading: "Reading") -> list[Atom]:
    """A bar between two brackets."""
    return [atom(_delimiter(reading), Kind.RELATION)]


COMMANDS: Final[dict[str, Callable[["Reading"], list[Atom]]]] = {
    "left": left,
    "begin": environment,
    "sqrt": square_root,
    "binom": binomial,
    "dbinom": binomial,
    "tbinom": binomial,
    "boxed": boxed,
    "textcolor": coloured,
    "operatorname": operator_name,
    "mathop": lambda reading: [atom(flat(joined(reading.argument())), Kind.LARGE)],
    "overset": over,
    "stackrel": over,
    "underset": under,
    "underbrace": lambda reading: braced(reading, "_"),
    "overbrace": lambda reading: braced(reading, "^"),
    "dv": lambda reading: derivative(reading, "d"),
    "pdv": lambda reading: derivative(reading, "∂"),
    "substack": lines,
    "middle": middle,
    "tag": tag,
    "ce": chemistry,
    "xrightarrow": lambda reading: arrow(reading, "─", "→"),
    "xleftarrow": lambda reading: arrow(reading, "─", "←"),
    "xRightarrow": lambda reading: arrow(reading, "═", "⇒"),
}
