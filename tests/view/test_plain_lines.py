"""Plain text is wrapped by display width and loses nothing."""

from hypothesis import given
from hypothesis import strategies as st

from chatui.core.safe_text import safe_block
from chatui.view.lines import Line, Run
from chatui.view.plain_lines import (
    TAB_CELLS,
    cell_width,
    clip_cells,
    cut_cells,
    one_line,
    plain_lines,
    spread_line,
)

TEXT = st.text(
    st.one_of(st.sampled_from(" \n\tab漢字é́👍🏽\u200b\u202e\x1b\r"), st.characters(codec=None)), max_size=120
)


def joined(lines: list[Line]) -> str:
    found: list[str] = []
    for line in lines:
        found.append(line.text)
        found.append(line.soft_join if line.is_soft_wrapped else "\n")
    return "".join(found).removesuffix("\n")


@given(TEXT, st.integers(4, 40))
def test_lines_joined_over_soft_wraps_are_the_safe_source(text: str, width: int) -> None:
    source = safe_block(text.replace("\r\n", "\n").replace("\r", "\n"))
    expected = "\n".join(line.expandtabs(TAB_CELLS) for line in source.split("\n"))
    assert joined(plain_lines(text, width)) == expected


@given(TEXT, st.integers(4, 40))
def test_no_line_is_wider_than_asked(text: str, width: int) -> None:
    for line in plain_lines(text, width):
        assert line.cells == cell_width(line.text)
        assert line.cells <= width or len(line.text) <= 12, "only one grapheme may be wider than the width"


@given(TEXT, st.integers(0, 20))
def test_cutting_never_makes_text_wider(text: str, cells: int) -> None:
    safe = one_line(text)
    assert cell_width(cut_cells(safe, cells)) <= cells
    assert cell_width(clip_cells(safe, cells)) <= max(cells, 0)


@given(TEXT)
def test_one_line_is_one_safe_line(text: str) -> None:
    assert all(character.isprintable() or ord(character) > 0x9F for character in one_line(text, 30))
    assert "\n" not in one_line(text)


def test_lines_stop_at_the_most_that_was_asked() -> None:
    assert len(plain_lines("x\n" * 1_000_000, 80, most=5)) == 5


def test_the_right_text_is_kept_when_both_do_not_fit() -> None:
    line = spread_line((Run("a very long title indeed"),), (Run("badge"),), 16)
    assert line.text.endswith("badge")
    assert line.cells == 16
