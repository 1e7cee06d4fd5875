"""Golden screens: each construct at three widths, looked at once by eye and kept as text.

`GOLDEN=write pytest tests/view/test_golden.py` writes them anew; read the difference before you commit it.
"""

import os
from pathlib import Path

import pytest
from view.constructs import CONSTRUCTS
from view.pages import shown

FOLDER = Path(__file__).parent / "golden"
WIDTHS = (24, 50, 90)


def _screens(text: str) -> str:
    parts = []
    for width in WIDTHS:
        lines = "\n".join(f"|{line}" for line in shown(text, width))
        parts.append(f"== {width} columns {'=' * (width - 14)}\n{lines}\n")
    return "".join(parts)


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_a_construct_looks_as_it_did(name: str) -> None:
    path = FOLDER / f"{name}.txt"
    screens = _screens(CONSTRUCTS[name])
    if os.environ.get("GOLDEN") == "write":
        path.write_text(screens, "utf-8", newline="\n")
    assert screens == path.read_text("utf-8")


def test_every_screen_belongs_to_a_construct() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(CONSTRUCTS)
    assert len(CONSTRUCTS) >= 60
