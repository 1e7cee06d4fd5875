"""Text of one or several rows, put side by side and on top of each other.

Guards: all rows of a box take the same number of cells, so that what stands in columns stays in columns.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Final

from chatui.core.values import frozen
from chatui.view.layout.measure import cells


class Side(Enum):
    """Where a narrower box stands in a column."""

    LEFT = "left"
    MIDDLE = "middle"
    RIGHT = "right"


@frozen
class Box:
    """Rows of text; `base` is the row that stands on the line."""

    rows: tuple[str, ...]
    base: int = 0

    @property
    def width(self) -> int:
        """Cells of a row."""
        return max(map(cells, self.rows))

    @property
    def is_flat(self) -> bool:
        """It has one row."""
        return len(self.rows) == 1


EMPTY: Final = Box(("",))

_TALL: Final = {
    "(": "⎛⎜⎜⎝",
    ")": "⎞⎟⎟⎠",
    "[": "⎡⎢⎢⎣",
    "]": "⎤⎥⎥⎦",
    "{": "⎧⎪⎨⎩",
    "}": "⎫⎪⎬⎭",
    "|": "││││",
    "‖": "‖‖‖‖",
    "⌈": "⎡⎢⎢⎢",
    "⌉": "⎤⎥⎥⎥",
    "⌊": "⎢⎢⎢⎣",
    "⌋": "⎥⎥⎥⎦",
}
"""Of a tall sign: its first row, the rows between, its middle row, its last row."""


def padded(text: str, width: int, side: Side = Side.LEFT) -> str:
    """Text with blanks to a width."""
    room = width - cells(text)
    match side:
        case Side.LEFT:
            return text + " " * room
        case Side.RIGHT:
            return " " * room + text
        case Side.MIDDLE:
            return " " * (room // 2) + text + " " * (room - room // 2)


def beside(boxes: Sequence[Box]) -> Box:
    """Boxes side by side, on one line."""
    if all(box.is_flat for box in boxes):
        return Box(("".join(box.rows[0] for box in boxes),))
    above = max(box.base for box in boxes)
    below = max(len(box.rows) - box.base for box in boxes)
    rows = [""] * (above + below)
    for box in boxes:
        width = box.width
        first = above - box.base
        for number in range(len(rows)):
            at = number - first
            rows[number] += padded(box.rows[at] if 0 <= at < len(box.rows) else "", width)
    return Box(tuple(rows), above)


def stacked(boxes: Sequence[Box], base: int | None = None, side: Side = Side.LEFT) -> Box:
    """Boxes on top of each other; without a base the middle stands on the line."""
    width = max(box.width for box in boxes)
    rows = tuple(padded(row, width, side) for box in boxes for row in box.rows)
    return Box(rows, (len(rows) - 1) // 2 if base is None else base)


def tall(sign: str, like: Box) -> Box:
    """A bracket as high as a box."""
    count = len(like.rows)
    if count == 1 or not sign:
        return Box((sign,))
    shape = _TALL.get(sign)
    if shape is None:
        return Box(tuple(sign if row == like.base else "" for row in range(count)), like.base)
    rows = [shape[0], *[shape[1]] * (count - 2), shape[3]]
    if count > 2:
        rows[(count - 1) // 2] = shape[2]
    return Box(tuple(rows), like.base)


def framed(box: Box) -> Box:
    """A box with a line around it."""
    width = box.width
    rows = [f"│ {padded(row, width)} │" for row in box.rows]
    return Box((f"┌{'─' * (width + 2)}┐", *rows, f"└{'─' * (width + 2)}┘"), box.base + 1)


def grid(rows: Sequence[Sequence[Box]], sides: Sequence[Side], gaps: Sequence[int]) -> Box:
    """Boxes in columns; `gaps` are the cells before each column."""
    widths = [max((row[at].width for row in rows if at < len(row)), default=0) for at in range(len(sides))]
    lines: list[Box] = []
    for row in rows:
        parts: list[Box] = []
        for at, side in enumerate(sides):
            box = row[at] if at < len(row) else EMPTY
            parts.append(Box((" " * gaps[at],)))
            parts.append(Box(tuple(padded(line, widths[at], side) for line in box.rows), box.base))
        lines.append(beside(parts))
    return stacked(lines)
