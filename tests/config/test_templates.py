"""Templates: what is a variable, and what is only a brace."""

from hypothesis import given
from hypothesis import strategies as st

from chatui.config.templates import fill, variables_in


def test_names_in_braces_are_variables_in_their_order():
    assert variables_in("{b} and {a_1} and {b}") == ("b", "a_1")
    assert fill("{b} and {a} and {b}", {"a": "1", "b": "{a}"}) == "{a} and 1 and {a}"


def test_other_braces_are_only_braces():
    text = '{} {{x}} { y } {"json": 1} {A} {1} f({z'
    assert variables_in(text) == ()
    assert fill(text, {"x": "no", "y": "no", "A": "no"}) == text


@given(st.text(alphabet="{}ab _1\n"))
def test_without_values_nothing_changes(text):
    assert fill(text, {}) == text
