"""Matrices, cases and aligned equations, laid out in rows and columns or put into one line.

Guards: what stands below each other in TeX stands below each other here; in one line rows are told apart.
"""

from typing import Final, NamedTuple, TypeAlias

from chatui.view.maths.boxes import EMPTY, Box, Side, beside, grid, tall
from chatui.view.maths.spacing import Atom, flat, joined
from chatui.view.maths.symbols import Kind
from chatui.view.maths.tokens import NotUnderstoodError

Rows: TypeAlias = list[list[list[Atom]]]
"""Signs of cells of rows."""

MOST_CELLS: Final = 400


class Environment(NamedTuple):
    """How rows and columns stand."""

    opener: str = ""
    closer: str = ""
    side: Side = Side.MIDDLE
    is_aligned: bool = False
    """Every other column ends where the next begins."""


_ALIGNED: Final = Environment(is_aligned=True)
_GATHERED: Final = Environment(side=Side.MIDDLE)
ENVIRONMENTS: Final = {
    "matrix": Environment(),
    "smallmatrix": Environment(),
    "pmatrix": Environment("(", ")"),
    "bmatrix": Environment("[", "]"),
    "Bmatrix": Environment("{", "}"),
    "vmatrix": Environment("|", "|"),
    "Vmatrix": Environment("‖", "‖"),
    "array": Environment(),
    "cases": Environment("{", "", Side.LEFT),
    "dcases": Environment("{", "", Side.LEFT),
    "rcases": Environment("", "}", Side.LEFT),
    "aligned": _ALIGNED,
    "align": _ALIGNED,
    "alignat": _ALIGNED,
    "alignedat": _ALIGNED,
    "flalign": _ALIGNED,
    "split": _ALIGNED,
    "eqnarray": _ALIGNED,
    "gather": _GATHERED,
    "gathered": _GATHERED,
    "multline": Environment(side=Side.LEFT),
    "equation": _GATHERED,
    "displaymath": _GATHERED,
    "math": _GATHERED,
}
_SIDES: Final = {"l": Side.LEFT, "c": Side.MIDDLE, "r": Side.RIGHT}


def laid_out(name: str, rows: Rows, *, is_block: bool, columns: str = "") -> Box:
    """An environment as a box.

    Args:
        name: Of the environment, without a star.
        rows: What it holds.
        is_block: There is room for several rows.
        columns: The letters that tell how the columns of an array stand.
    """
    shape = ENVIRONMENTS[name]
    if sum(map(len, rows)) > MOST_CELLS:
        raise NotUnderstoodError("a table of data")
    cells = [[joined(cell) for cell in row] for row in rows]
    if not is_block:
        return Box((_in_one_line(shape, rows, cells),))
    count = max(map(len, rows))
    if shape.is_aligned:
        sides = [Side.LEFT if at % 2 else Side.RIGHT for at in range(count)]
        gaps = [_gap_before(at, rows) for at in range(count)]
    else:
        sides = _array_sides(columns, count) if columns else [shape.side] * count
        gaps = [0, *[2] * (count - 1)]
    box = grid(cells, sides, gaps)
    if not shape.opener and not shape.closer:
        return box
    # A bar stands apart from what it holds, as a bracket does.
    left = Box((f"{'' if box.is_flat else ' '}",)) if shape.opener else EMPTY
    right = Box((f"{'' if box.is_flat else ' '}",)) if shape.closer else EMPTY
    return beside([tall(shape.opener, box), left, box, right, tall(shape.closer, box)])


def _gap_before(column: int, rows: Rows) -> int:
    """Cells before a column of aligned equations."""
    if not column:
        return 0
    if column % 2 == 0:
        return 3
    first = [row[column][0].kind for row in rows if column < len(row) and row[column]]
    return int(any(kind in (Kind.RELATION, Kind.OPERATOR) for kind in first))


def _array_sides(columns: str, count: int) -> list[Side]:
    sides = [_SIDES[letter] for letter in columns if letter in _SIDES]
    if len(sides) < count or columns.strip("lcr|@{} "):
        raise NotUnderstoodError("columns of their own kind")
    return sides[:count]


def _in_one_line(shape: Environment, rows: Rows, cells: list[list[Box]]) -> str:
    lines: list[str] = []
    for signs, boxes in zip(rows, cells, strict=True):
        texts = [flat(box) for box in boxes]
        if shape.is_aligned:
            lines.append(flat(joined([sign for cell in signs for sign in cell])))
        elif shape.side is Side.LEFT or any(" " in text for text in texts):
            lines.append(", ".join(text.rstrip(",") for text in texts if text))
        else:
            lines.append(" ".join(texts))
    return f"{shape.opener}{'; '.join(lines)}{shape.closer}"
