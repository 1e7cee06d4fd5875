"""Formulas in the app: shown in Unicode, as they are written when asked for, and copied as they are written."""

from pathlib import Path

from ui.acting import Acting, on_stage
from view.pages import page

from chatui.config.settings import MathsDisplay, Settings, UiSettings
from chatui.ui.turns.selection import Place, Selection, selected_text
from chatui.view.lines import Line

FORMULA = "$$\nA = \\begin{pmatrix} a_{1} & b \\\\ c & d \\end{pmatrix}\n$$"
ANSWER = f"The root of $x^{{2}} = 2$ is *not* rational.\n\n{FORMULA}\n\nIt costs $5 and $6."


async def answered(stage: Acting, text: str = ANSWER) -> None:
    await stage.ask()
    stage.session.text(text)
    stage.session.complete()
    await stage.settle()


def has(stage: Acting, text: str) -> bool:
    return any(text in line for line in stage.screen())


def copied(text: str, width: int, start: tuple[int, int], stop: tuple[int, int]) -> str:
    """What is copied of a page between two rows and cells."""
    lines = page(text, width, converts_maths=True)
    selection = Selection(Place(0, *start), Place(0, *stop))
    chosen: list[tuple[int, int, Line]] = [(0, row, lines[row]) for row in range(start[0], stop[0] + 1)]
    return selected_text(selection, chosen)


async def test_a_key_shows_formulas_as_they_are_written_and_in_unicode_again(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await answered(stage)
        assert has(stage, "The root of x² = 2 is not rational.")
        assert has(stage, "A = ⎛ a₁  b ⎞")
        assert has(stage, "It costs $5 and $6.")
        await stage.press("f6", "s")
        assert has(stage, "The root of $x^{2} = 2$ is not rational.")
        assert has(stage, "A = \\begin{pmatrix}")
        await stage.press("s")
        assert has(stage, "The root of x² = 2 is not rational.")


async def test_a_setting_shows_the_source_from_the_start(tmp_path: Path) -> None:
    async with on_stage(tmp_path, settings=Settings(ui=UiSettings(maths=MathsDisplay.SOURCE))) as stage:
        await answered(stage)
        assert has(stage, "The root of $x^{2} = 2$ is not rational.")


async def test_no_command_flashes_while_an_answer_arrives(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask()
        for stop in range(3, len(ANSWER) + 3, 3):
            stage.session.text(ANSWER[:stop])
            await stage.settle()
            assert not has(stage, "\\begin")
            assert not has(stage, "^{")
        stage.session.complete()
        await stage.settle()
        assert has(stage, "⎝ c   d ⎠")


async def test_the_answer_is_copied_as_it_was_received(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        seen: list[str] = []
        stage.app.copier.copy = lambda text, what: seen.append(text) or what  # type: ignore[method-assign,func-returns-value]
        await answered(stage)
        await stage.press("f6", "y")
        assert seen == [ANSWER]


def test_copying_a_line_gives_its_formula_as_it_is_written() -> None:
    text = "The root of $x^{2} = 2$ is real."
    assert copied(text, 60, (0, 0), (0, 60)) == text
    assert copied(text, 60, (0, 4), (0, 14)) == "root of $x^{2} = 2$"
    assert copied(text, 60, (0, 18), (0, 60)) == " is real."


def test_a_formula_over_two_lines_is_copied_once() -> None:
    text = "So $a + b + c + d + e = f_{1}$ is"
    assert copied(text, 14, (0, 0), (1, 14)) == text
    assert copied(text, 14, (1, 0), (1, 14)) == "$a + b + c + d + e = f_{1}$ is"
    text = "So $\\mathbf{a} + b + \\mathbf{c} + d = f_{1}$ is"
    assert copied(text, 14, (0, 0), (1, 14)) == text
    assert copied("We see $x_{1}$ $x_{1}$ here", 9, (0, 0), (1, 9)) == "We see $x_{1}$ $x_{1}$ here"


def test_any_row_of_a_formula_that_takes_several_stands_for_all_of_it() -> None:
    text = f"Before\n\n{FORMULA}\n\nAfter"
    assert copied(text, 60, (0, 0), (5, 60)) == text
    assert copied(text, 60, (2, 0), (3, 60)) == FORMULA
    assert copied(text, 60, (3, 6), (3, 9)) == FORMULA
    assert copied(text, 60, (3, 6), (5, 60)) == f"{FORMULA}\n\nAfter"
    twice = f"{FORMULA}\n{FORMULA}"
    assert copied(twice, 60, (0, 0), (4, 60)) == f"{FORMULA}\n\n{FORMULA}"


def test_a_row_of_a_table_is_copied_with_its_formulas() -> None:
    text = "| a | b |\n|---|---|\n| $x_{1}$ and | $\\frac{1}{2}$ |\n"
    assert copied(text, 60, (2, 0), (2, 60)) == "$x_{1}$ and\t$\\frac{1}{2}$"
