"""Formulas on the page: in running text, on lines of their own, in tables; too wide, half written, as they are written.

`GOLDEN=write pytest tests/view/test_maths_pages.py` writes the screens anew; read the difference before you commit it.
"""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown.texts import MARKS, sizes
from view.pages import all_lines, grow, laid_out, page, shown
from wcwidth import wcswidth

from chatui.core.safe_text import safe_line
from chatui.markdown.document import IncrementalDocument
from chatui.view.layout.document_layout import DocumentLayout, LayoutOptions
from chatui.view.maths import conversion
from chatui.view.maths.reading import Reading

SCREENS = Path(__file__).parent / "maths_screens.txt"
ANSWER = r"""# The roots of $x^2$

For **every** quadratic $ax^2 + bx + c = 0$ with $a \neq 0$, the *roots* are

$$
x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}
$$

where \(\Delta = b^2 - 4ac\). It costs $5 and $6; `$x^2$`, $HOME and $PATH stay.

1. A matrix:
   \[
   A = \begin{pmatrix} a_{11} & a_{12} \\ a_{21} & a_{22} \end{pmatrix}
   \]
2. Cases: $f(x) = \begin{cases} 1 & x > 0 \\ 0 & \text{otherwise} \end{cases}$

$$
\begin{aligned}
\nabla \cdot \mathbf{E} &= \frac{\rho}{\varepsilon_0} \\
\nabla \times \mathbf{E} &= -\frac{\partial \mathbf{B}}{\partial t}
\end{aligned}
$$

> In a quote $\hat{y}$, and $\unknown{x}^2$ is not understood.

| name | value |
|---|---|
| $x_1$ | $\frac{1}{2}$ |
| $y_{22}$ | $\sum_{i=1}^n i$ |

```math
\int_0^1 f(x)\,dx = \boxed{42}
```

```latex
\alpha
```

$$
\begin{pmatrix} \text{a long entry of a matrix} & \text{another long entry} \\ \text{so that it} & \text{has no room} \end{pmatrix}
$$
"""
WIDTHS = (24, 40, 76)
MATHS = (
    "$x^2$", "$", "$$", "\n$$\n", "$$\n", "\\(a_{1}\\)", "\n\\[\n", "\n\\]\n", "\\frac{a}{b}", "x_{ij}", " = 1", "{", "}", "\\begin{cases}a",
    " \\\\ ", "&", "\\end{cases}", "\n```math\n", "\n```\n", "\\alpha", "\\unknown", "$5 and $6", " words that wrap ", "$a + b + c + d = e$",
    "\\boxed{4", "\n\n", "- ", "| ", " |\n|---|\n",
)  # fmt: skip
texts = st.lists(st.sampled_from(MATHS + MATHS + MARKS), max_size=24).map("".join)
widths = st.sampled_from([1, 2, 5, 13, 24, 60])


def test_an_answer_full_of_formulas_looks_as_it_did() -> None:
    parts = []
    for converts in (True, False):
        for width in WIDTHS:
            lines = "\n".join(f"|{line}" for line in shown(ANSWER, width, converts_maths=converts))
            parts.append(f"== {width} columns, {'unicode' if converts else 'source'}\n{lines}\n")
    screens = "".join(parts)
    if os.environ.get("GOLDEN") == "write":
        SCREENS.write_text(screens, "utf-8", newline="\n")
    assert screens == SCREENS.read_text("utf-8")


def test_a_terminal_without_unicode_shows_the_source() -> None:
    assert shown("so $x^2$ it is", 40, converts_maths=True, is_unicode=False) == ["so $x^2$ it is"]


@given(texts, sizes, widths)
def test_a_page_with_formulas_that_grew_equals_the_page_of_the_whole(
    text: str, pieces: list[int], width: int
) -> None:
    document, layout = grow(text, pieces, width, converts_maths=True)
    layout.settle()
    assert [line.text for line in all_lines(layout)] == [
        line.text for line in page(text, width, is_open=True, converts_maths=True)
    ]
    document.close()
    layout.refresh()
    assert list(all_lines(layout)) == page(text, width, converts_maths=True)


@given(texts, widths, st.booleans())
def test_a_page_with_formulas_is_safe_and_as_wide_as_it_may_be(text: str, width: int, is_open: bool) -> None:
    for line in page(text, width, is_open=is_open, converts_maths=True):
        assert line.cells <= width
        assert safe_line(line.text) == line.text
        if len(line.text) < 200 and "\u200d" not in line.text and "\ufe0f" not in line.text:
            assert wcswidth(line.text) == line.cells


@given(texts)
def test_another_look_and_back_gives_the_same_page(text: str) -> None:
    document = IncrementalDocument(text)
    document.close()
    converted, source = (LayoutOptions(converts_maths=converts) for converts in (True, False))
    seen = []
    for options in (converted, source, converted):
        layout = DocumentLayout(document, 40, options)
        layout.refresh()
        seen.append([line.text for line in all_lines(layout)])
    assert seen[0] == seen[2]


@pytest.mark.parametrize(
    "text",
    [
        "$$\n\\begin{aligned}\na &= b_{1} \\\\\n&= \\frac{c}{d}\n\\end{aligned}\n$$\n",
        "\\[ \\int_0^1 x^2 \\, dx = \\frac{1}{3} \\]\n",
        "So $\\frac{x_{1}}{y^{2}} = \\sqrt{z}$ holds.\n",
        "```math\n\\sum_{i=1}^{n} i\n```\n",
        "| a |\n|---|\n| $\\hat{y}_{1}$ |\n",
        "## The $x^{2}$ and \\(\\alpha_{1}\\)\n",
    ],
)
def test_no_mark_of_a_formula_flashes_while_it_is_written(text: str) -> None:
    document = IncrementalDocument()
    layout = DocumentLayout(document, 60, LayoutOptions(converts_maths=True))
    for character in text:
        document.append(character)
        layout.refresh()
        for line in all_lines(layout):
            assert not any(mark in line.text for mark in ("\\", "$", "{", "\ufdd0")), (
                document.source,
                line.text,
            )


def test_a_formula_that_is_cut_off_by_the_end_is_shown_as_it_is_written() -> None:
    assert shown("so $x^2 + y", 40, converts_maths=True) == ["so $x^2 + y"]
    assert shown("$$\nx^2", 40, converts_maths=True) == ["$$ x^2"]


def test_a_fence_of_maths_is_a_code_block_for_who_copies_it() -> None:
    for converts in (True, False):
        layout = laid_out("Words\n\n```math\nx^2\n```\n", 40, converts_maths=converts)
        (region,) = layout.code_regions()
        assert (region.language, region.source) == ("math", "x^2")
        lines = [line.text.strip() for line in all_lines(layout)]
        assert lines[region.first_line : region.stop_line] == (["x²"] if converts else ["math", "x^2"])


def test_a_formula_names_its_source_on_each_of_its_lines() -> None:
    formula = "$a + b + c + d + e = f_{1}$"
    lines = page(f"So {formula} is", 14, converts_maths=True)
    assert [run.source for line in lines for run in line.runs if run.source] == [formula] * 2
    assert [line.text for line in lines] == ["So a + b + c +", "d + e = f₁ is"]


def test_letters_that_most_fonts_lack_are_plain_ones_in_bold_and_italics() -> None:
    (line,) = page("So $\\mathbf{E} \\in \\mathcal{O}$ and $\\mathbb{R}$", 60, converts_maths=True)
    assert line.text == "So E ∈ O and ℝ"
    looks = {run.text: (run.style.is_bold, run.style.is_italic) for run in line.runs}
    assert looks["E"] == (True, False)
    assert looks["O"] == (False, True)
    assert page("So 𝐄 it is", 60, converts_maths=True)[0].text == "So 𝐄 it is"
    (line,) = page("$$\n\\hat{\\mathbf{x}}\n$$", 60, converts_maths=True)
    assert [run.text for run in line.runs if run.style.is_bold] == ["x\u0302"]


def test_a_formula_that_stands_is_read_once_and_one_that_grows_once_a_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []

    def counted(source: str, **more: bool) -> Reading:
        read.append(source)
        return Reading(source, **more)

    monkeypatch.setattr(conversion, "Reading", counted)
    text = "".join(f"The $x_{{{number}}}^2 = \\frac{{a}}{{{number}}}$ and " for number in range(60, 160))
    document = IncrementalDocument()
    layout = DocumentLayout(document, 60, LayoutOptions(converts_maths=True))
    looks = 0
    for at in range(0, len(text), 40):
        document.append(text[at : at + 40])
        layout.refresh()
        looks += 1
    document.close()
    layout.refresh()
    assert len(read) <= 100 + 2 * looks
    assert sum(map(len, read)) <= 3 * len(text)
    before = len(read)
    layout.resize(30)
    layout.refresh()
    assert len(read) == before
