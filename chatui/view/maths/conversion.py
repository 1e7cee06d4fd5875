"""A TeX formula as lines of Unicode text, or nothing where it is not understood.

Guards: never raises, never answers with a half of a formula; the lines hold no control character that the
formula did not, and they are made safe like all text from outside where they become runs.

Libraries that were looked at (2026-11): pylatexenc 2.11 drops what it does not know and lays out no rows;
unicodeit and flatlatex convert what they can and leave the rest standing among it, and have had no release
since 2023 and 2021. None of them tells that it did not understand.
"""

from functools import lru_cache
from typing import Final

from chatui.view.maths.boxes import Box
from chatui.view.maths.reading import Reading
from chatui.view.maths.tokens import NotUnderstoodError

_ENTITIES: Final = {"&lt;": "<", "&gt;": ">", "&amp;": "&"}
"""Written by models that take what they write for HTML."""


def formula_box(source: str, *, is_block: bool = False, is_open: bool = False) -> Box | None:
    """What stands between the marks of a formula as text, or None.

    Args:
        source: The formula, without its marks.
        is_block: It stands on lines of its own and may take several.
        is_open: Its end is still to come.
    """
    # A formula that is being written is another one with each frame: those are kept for one frame.
    return (_open_box if is_open else _whole_box)(source, is_block)


def _read(source: str, is_block: bool, is_open: bool) -> Box | None:
    try:
        for entity, sign in _ENTITIES.items():
            source = source.replace(entity, sign)
        box = Reading(source, is_block=is_block, is_open=is_open).formula()
    except NotUnderstoodError:
        return None
    rows = tuple(row.rstrip(" ") for row in box.rows)
    return Box(rows, box.base) if any(rows) or is_open else None


@lru_cache(maxsize=1024)
def _whole_box(source: str, is_block: bool) -> Box | None:
    return _read(source, is_block, False)


@lru_cache(maxsize=16)
def _open_box(source: str, is_block: bool) -> Box | None:
    return _read(source, is_block, True)


def formula_text(source: str, *, is_open: bool = False) -> str | None:
    """A formula in running text, or None."""
    box = formula_box(source, is_open=is_open)
    return box.rows[0].strip(" ") if box is not None and box.is_flat else None
