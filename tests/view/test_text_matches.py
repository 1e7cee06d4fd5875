"""Text is found and marked as it is read, wherever its lines were wrapped."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from view.pages import page

from chatui.view.lines import Line, Style, Tone
from chatui.view.plain_lines import cell_width, cut_cells, plain_lines
from chatui.view.text_matches import FOUND, find_text, mark_text, source_pattern

PROSE = "One day the fox ran over the hill and back, and the 狐狸跑过山坡 again; the fox was glad."


def shown(lines: list[Line], row: int, cell: int, stop: int) -> str:
    text = lines[row].text
    return cut_cells(text, stop)[len(cut_cells(text, cell)) :]


@given(st.integers(3, 60), st.integers(0, 70), st.integers(1, 30))
def test_every_piece_of_a_text_is_found_at_every_width(width: int, first: int, size: int) -> None:
    wanted = PROSE[first : first + size].strip()
    lines = plain_lines(PROSE, width, indent="| ")
    found = list(find_text(lines, wanted.casefold()))
    assert bool(found) is bool(wanted)
    for match in found:
        pieces = [
            shown(
                lines,
                row,
                match.cell if row == match.row else lines[row].content_at,
                match.stop_cell if row == match.stop_row else lines[row].cells,
            )
            for row in range(match.row, match.stop_row + 1)
        ]
        assert "".join(pieces).replace(" ", "").casefold() == wanted.replace(" ", "").casefold()


def test_a_match_over_three_rows_is_one_match() -> None:
    lines = plain_lines("abcdefghijklmno", 5)
    assert list(find_text(lines, "defghijkl")) == [(0, 3, 2, 2)]


@pytest.mark.parametrize("source", ["- {}", "> {}", "> - {}", "1. {}"])
def test_decoration_of_wrapped_lines_is_no_part_of_the_text(source: str) -> None:
    lines = page(source.format("the quick brown fox jumps over the lazy dog"), 16)
    (match,) = find_text(lines, "quick brown fox jumps over")
    assert match.row < match.stop_row


def test_lines_of_the_source_are_not_joined() -> None:
    assert not list(find_text(plain_lines("one\ntwo", 20), "onetwo"))
    assert not list(find_text(plain_lines("one\ntwo", 20), "one two"))


def test_words_are_marked_as_words_and_nothing_else_changes() -> None:
    lines = plain_lines(
        "Other themes: the Theme, and THE end of a the\N{BULLET}", 12, Style(Tone.MUTED), indent=" "
    )
    marked = mark_text(lines, ["the", "theme"])
    assert [line.text for line in marked] == [line.text for line in lines]
    assert [(line.cells, line.content_at, line.is_soft_wrapped) for line in marked] == [
        (line.cells, line.content_at, line.is_soft_wrapped) for line in lines
    ]
    found = [run.text for line in marked for run in line.runs if run.style == FOUND]
    assert found == ["the", "Theme", "THE", "the"]


def test_a_marked_word_that_was_cut_in_two_is_marked_on_both_lines() -> None:
    marked = mark_text(plain_lines("abcdefghij", 6), ["abcdefghij"])
    assert [[run.style for run in line.runs] for line in marked] == [[FOUND], [FOUND]]


def test_words_of_scripts_without_blanks_are_marked_anywhere() -> None:
    (line,) = mark_text(plain_lines("天地玄黄宇宙", 20), ["玄黄"])
    assert [run.text for run in line.runs if run.style == FOUND] == ["玄黄"]
    assert cell_width(line.text) == line.cells


SOURCE = st.text(alphabet='aB7\\n"](&;_ *é狐\n\t/', max_size=40)


@given(SOURCE, st.integers(0, 40), st.integers(1, 12))
def test_a_source_that_shows_a_text_as_it_stands_is_never_passed_over(
    source: str, at: int, size: int
) -> None:
    wanted = source[at : at + size].casefold().strip()
    if not wanted:
        return
    assert source_pattern(wanted).search(source.casefold())
    stored = json.dumps(source, ensure_ascii=False).casefold()
    assert source_pattern(wanted, is_stored=True).search(stored)


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("the **quick** brown\nfox", "quick brown fox"),
        ("the [quick](http://a.test/b_c) brown", "quick brown"),
        ("the [quick][ref] brown", "quick brown"),
        ("AT&amp;T and more", "at&t and"),
        ("`handlers[name](event)`", "[name](event)"),
        ("C:\\new\\table", "c:\\new\\table"),
        ('x => "y"', '=> "y'),
        ("a -> -> b", "-> ->"),
        ('say ""', '""'),
    ],
)
def test_what_markdown_does_not_show_may_stand_between_the_words(source: str, wanted: str) -> None:
    assert source_pattern(wanted).search(source.casefold())
    stored = json.dumps({"text": source}, ensure_ascii=False).casefold()
    assert source_pattern(wanted, is_stored=True).search(stored)


@pytest.mark.parametrize("unit", ["](", "](#)", "&a;", '\\"', "_", "a](b)", "a "])
def test_no_source_makes_the_question_slow(unit: str) -> None:
    source = "a" + unit * 20_000
    assert source_pattern("a b c a b c x").search(source) is None
