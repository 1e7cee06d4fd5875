import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatui.core.titles import LONGEST, title_of


@pytest.mark.parametrize(
    ("prompt", "answer", "title"),
    [
        ("How do apples grow?", "On trees.", "How do apples grow?"),
        ("Hi!", "# Welcome\nHow can I help?", "Welcome"),
        ("hello, why is the sky blue?", "", "Why is the sky blue?"),
        ("hello world in Rust", "", "Hello world in Rust"),
        ("```python\nprint(1)\n```\nWhat does this do?", "", "What does this do?"),
        ("```python\nprint(1)\n```", "It prints.", "Print(1)"),
        ("First sentence of it. Then a second one.", "", "First sentence of it"),
        ("", "", ""),
    ],
)
def test_a_title_is_made_of_the_first_words_that_say_something(prompt: str, answer: str, title: str) -> None:
    assert title_of(prompt, answer) == title


@given(st.text(), st.text())
def test_a_title_is_one_short_line_whatever_was_said(prompt: str, answer: str) -> None:
    title = title_of(prompt, answer)
    assert len(title) <= LONGEST
    assert "\n" not in title


def test_marks_of_markdown_are_no_part_of_a_title() -> None:
    assert title_of("hi", "Hello there, **friend**, see `x = 1` and [this](http://a.b).") == (
        "Hello there, friend, see x = 1 and this"
    )
    assert title_of("What is 2**3 and a__b?", "") == "What is 2**3 and a__b?"
