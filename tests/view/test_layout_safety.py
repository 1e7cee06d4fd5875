"""Whatever a model writes, no run of any page drives the terminal; every line is as wide as it says and as it may be."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown.texts import markdown_texts
from view.pages import page
from wcwidth import wcswidth

from chatui.view.ansi import ansi_text
from chatui.view.lines import Tone

FORBIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb\ud800-\udfff]"
)

widths = st.sampled_from([1, 2, 3, 5, 8, 13, 20, 40, 80, 120])
hostile = st.text(
    alphabet=st.sampled_from(
        "ab`*_[]()<>|#-~\\&;:/\n \t\x00\x07\x08\x0b\x0c\x1b\x7f\x85\x9b\u202e\u2066\u2028\u2029日😀"
    ),
    max_size=60,
)


@given(markdown_texts | hostile, widths, st.booleans())
def test_no_run_holds_a_control_character(text: str, width: int, is_open: bool) -> None:
    for line in page(text, width, is_open=is_open):
        for run in line.runs:
            assert not FORBIDDEN.search(run.text), run


@given(markdown_texts | hostile, widths, st.booleans(), st.booleans())
def test_no_line_is_wider_than_the_page_nor_than_it_says(
    text: str, width: int, is_unicode: bool, numbers: bool
) -> None:
    for line in page(text, width, is_unicode=is_unicode, has_line_numbers=numbers):
        assert line.cells <= width, line.text
        assert line.cells == max(wcswidth(line.text), 0), line.text


@pytest.mark.parametrize(
    "source",
    [
        "<https://a.example/%1B]0;owned%07>",
        "&#x1b;[31mred &#x202e;txt",
        "```\x1b[2J\nx\n```",
        "[te\x1bxt](https://a.example/\x1b]52;c;eA==\x07)",
        "![al\x9bt](x)",
        "| h\x1b |\n|---|\n| c\u2066 |",
        "[^\x1b]\n\n[^\x1b]: note",
        "# he\x07ad",
        "- [x] ta\x08sk",
        "1. nu\x7fm",
        "> quo\x85te",
        "```py\nx = '\x1b[1m'\n```",
    ],
)
def test_what_is_neutralised_is_marked_and_the_words_around_it_stay(source: str) -> None:
    runs = [run for line in page(source, 60) for run in line.runs]
    assert not any(FORBIDDEN.search(run.text) for run in runs)
    text = ansi_text(page(source, 60))
    assert "\x07" not in text
    assert not re.search("\x1b(?!\\[[0-9;]*m)", text)


def test_a_mark_that_stands_for_something_has_its_own_tone() -> None:
    marked = [
        run
        for line in page("a\x1b[31mb `c\x07d`", 60)
        for run in line.runs
        if run.style.tone is Tone.NEUTRALISED
    ]
    assert [run.text for run in marked] == ["␛", "␇"]


def test_the_raw_target_rides_on_the_run_but_is_never_drawn() -> None:
    runs = [run for line in page("[press](https://r.example/a%20b)", 60) for run in line.runs]
    assert [(run.text, run.link) for run in runs] == [("press", "https://r.example/a%20b")]
