"""Formulas in Unicode: as models write them; what is not understood is not touched, whatever it holds."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from chatui.core.safe_text import safe_line
from chatui.view.maths.boxes import Box
from chatui.view.maths.conversion import formula_box, formula_text

TABLE = [
    line.split("\t")
    for line in (Path(__file__).parent / "formulas.tsv").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
NOT_UNDERSTOOD = [
    "\\unknown{x}", "x^2 + \\foo", "\\frac{a}", "\\frac{a}{b", "x^", "x_", "{x", "x}", "\\left( x", "x \\right)", "x^a^b", "x_a_b",
    "\\begin{tikzpicture} x \\end{tikzpicture}", "\\begin{matrix} a \\end{pmatrix}", "\\begin{matrix} a", "\\hat{xy}", "\\widehat{ABC}",
    "\\\\", "\\", "\\sqrt[q]{x}", "\\text{a \\foo b}", "\\text{a", "\\ce{A ->[cat] B}", "\\newcommand{\\x}{y}", "#1", "a $ b",
    "\\bin", "\\input{/etc/passwd}", "\x1b[31m", "x\u202ey", "x\x00", "\ue000", "\ud800", "x\u200d", "", " ", "\\frac{\\begin{matrix}a\\\\b\\end{matrix}}{c}\\\\\\",
]  # fmt: skip
BLOCKS = {
    "A = \\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}^{-1} x": ["A = ⎛ a  b ⎞⁻¹ x", "    ⎝ c  d ⎠"],
    "f(x) = \\begin{cases} x & \\text{if } x > 0 \\\\ 0 & \\text{otherwise} \\end{cases}": [
        "f(x) = ⎧ x  if x > 0",
        "       ⎩ 0  otherwise",
    ],
    "\\begin{aligned} a &= b + c \\\\ &= d \\\\ x + y &= z \\end{aligned}": [
        "    a = b + c",
        "      = d",
        "x + y = z",
    ],
    "a &= b \\\\ c &= d": ["a = b", "c = d"],
    "\\begin{bmatrix} 1 & 0 & 0 \\\\ 0 & 10 & 0 \\\\ 0 & 0 & 1 \\end{bmatrix} v": [
        "⎡ 1  0   0 ⎤",
        "⎢ 0  10  0 ⎥ v",
        "⎣ 0  0   1 ⎦",
    ],
    "\\begin{vmatrix} a & b \\\\ c & d \\end{vmatrix} = 1": ["│ a  b │ = 1", "│ c  d │"],
    "\\left[\\begin{array}{rl} 1 & 20 \\\\ 30 & 4 \\end{array}\\right]": ["⎡ 1  20⎤", "⎣30  4 ⎦"],
    "\\boxed{x = 42}": ["┌────────┐", "│ x = 42 │", "└────────┘"],
    "\\binom{n}{k}": ["⎛n⎞", "⎝k⎠"],
    "\\underbrace{a+b+c}_{\\text{sum}} + d": ["a + b + c + d", "╰───┬───╯", "   sum"],
    "\\overbrace{a+b}^{2} + c": ["  2", "╭─┴─╮", "a + b + c"],
    "\\begin{gather} a = b \\\\ ccc = d \\end{gather}": [" a = b", "ccc = d"],
    "\\begin{cases} a \\\\ b \\\\ c \\\\ d \\end{cases}": ["⎧ a", "⎨ b", "⎪ c", "⎩ d"],
    "\\begin{align*} x &= 1 \\tag{2} \\\\ y &= 2 \\end{align*}": ["x = 1   (2)", "y = 2"],
    "x = 1 \\tag{3}": ["x = 1   (3)"],
    "\\begin{aligned} a &= 1, & b &= 2 \\\\[4pt] c &= 3, & d &= 4 \\end{aligned}": [
        "a = 1,   b = 2",
        "c = 3,   d = 4",
    ],
}


def rows_of(source: str, *, is_open: bool = False) -> list[str] | None:
    box = formula_box(source, is_block=True, is_open=is_open)
    return list(box.rows) if box is not None else None


def test_a_formula_is_shown_as_it_is_read() -> None:
    found = [(source, formula_text(source)) for source, _ in TABLE]
    assert found == [(source, shown) for source, shown in TABLE]


def test_the_table_is_long_enough_to_say_something() -> None:
    assert len(TABLE) >= 150


@pytest.mark.parametrize("source", NOT_UNDERSTOOD)
def test_what_is_not_understood_is_not_touched(source: str) -> None:
    assert formula_text(source) is None
    assert formula_box(source, is_block=True) is None


@pytest.mark.parametrize("source", BLOCKS)
def test_rows_and_columns_stand_below_each_other(source: str) -> None:
    assert rows_of(source) == BLOCKS[source]


def test_a_formula_that_is_being_written_never_shows_a_command() -> None:
    for source, shown in TABLE:
        for stop in range(1, len(source) + 1):
            for is_block in (False, True):
                box = formula_box(source[:stop], is_block=is_block, is_open=True)
                assert box is None or not any("\\" in row for row in box.rows), source[:stop]
        # All that is missing in the end is what a last command may still become.
        assert formula_text(source + " ", is_open=True) == shown, source


def test_every_beginning_of_a_formula_can_be_shown() -> None:
    for source in [*(source for source, _ in TABLE), *BLOCKS]:
        for stop in range(1, len(source) + 1):
            assert formula_box(source[:stop], is_block=True, is_open=True) is not None, source[:stop]


PIECES = (
    "x", "a", "12", "+", "-", "=", "^", "_", "{", "}", "(", ")", "[", "]", "|", "'", "&", "\\\\", " ", "\\frac", "\\sqrt", "\\left", "\\right",
    "\\left(", "\\right)", "\\begin{matrix}", "\\end{matrix}", "\\begin{cases}", "\\end{cases}", "\\text{", "\\hat", "\\bar", "\\vec{v}",
    "\\alpha", "\\sum", "\\lim", "\\sin", "\\,", "\\quad", "\\mathbb{R}", "\\mathbf", "\\boxed", "\\binom", "\\ce{", "\\tag{1}", "\\not",
    "\\overset", "\\underbrace", "\\operatorname*", "\\xrightarrow{f}", "\\substack{", "\\unknown", "\\", "$", "#", "%", "~", ":", ",", "é",
    "日本", "👩‍🚀", "\u0301", "\x1b", "\u202e", "\n", "\\middle|", "\\limits", "\\pmod", "\\color{red}", "1/2",
)  # fmt: skip
formulas = st.lists(st.sampled_from(PIECES), max_size=30).map("".join) | st.text(max_size=40)


@given(formulas, st.booleans(), st.booleans())
def test_no_formula_raises_and_none_brings_in_a_control_character(
    source: str, is_block: bool, is_open: bool
) -> None:
    box = formula_box(source, is_block=is_block, is_open=is_open)
    if box is not None:
        assert 0 <= box.base < len(box.rows)
        assert is_open or any(row.strip() for row in box.rows)
        assert all(safe_line(row) == row for row in box.rows)
        assert is_block or box.is_flat


@given(formulas)
def test_a_formula_that_is_understood_keeps_its_letters_and_digits(source: str) -> None:
    if "\\" not in source and formula_text(source) is not None:
        shown = formula_text(source) or ""
        kept = [character for character in source if character.isascii() and character.isalnum()]
        assert len(kept) <= sum(character.isalnum() or character in "ʰʲʳʷ" for character in shown)


@given(
    st.lists(
        st.sampled_from(["a & b \\\\", "\\hat{y} & 1 \\\\", "日本 & x_{ij} \\\\", "𝐱 & \\mathbf{x} \\\\"]),
        min_size=1,
        max_size=5,
    )
)
def test_the_rows_of_a_matrix_are_equally_wide(lines: list[str]) -> None:
    box = formula_box(f"\\begin{{pmatrix}} {' '.join(lines)} \\end{{pmatrix}}", is_block=True)
    assert box is not None
    assert len({wcswidth(row) for row in box.rows}) == 1


@pytest.mark.parametrize(
    "source",
    [
        "{" * 3000, "\\frac" * 700, "\\hat" * 900, "x^" * 1900, "\\sqrt" * 700, "\\left(" * 600, "\\begin{matrix}" * 280, "\\text{$" * 500,
        "\\substack{" * 390, "\\begin{cases}a\\\\" * 250, "\\underbrace{" * 320, "\\ce{" * 900, "\\operatorname{" * 280, "^{" * 1900,
    ],
)  # fmt: skip
def test_nesting_that_no_person_writes_is_not_understood(source: str) -> None:
    for is_block in (False, True):
        assert formula_box(source, is_block=is_block) is None
        formula_box(source, is_block=is_block, is_open=True)


def test_data_is_no_formula() -> None:
    assert formula_text("x" * 4001) is None
    assert formula_box("\\begin{matrix}" + "a & b \\\\" * 300 + "\\end{matrix}", is_block=True) is None


def test_marks_over_letters_take_no_cell() -> None:
    box = formula_box("\\hat{y} + \\vec{v} + \\bar{x} + \\hat{\\theta}")
    assert box == Box(("ŷ + v⃗ + x̄ + θ̂",))
    assert box.width == len("y + v + x + t")
