"""The one sanitiser: safe at any split, visible, idempotent, and blind to what a sequence means."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatui.core.safe_text import safe_block, safe_line

FORBIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb\ud800-\udfff]"
)
wire = st.text(
    alphabet=st.characters() | st.sampled_from("\x00\x07\x1b\x7f\x9b\u202e\u2066\u2028\ud800\U000e0041")
)


@given(wire)
def test_nothing_forbidden_is_left(text: str) -> None:
    assert not FORBIDDEN.search(safe_line(text))
    assert not FORBIDDEN.search(safe_block(text).replace("\t", "").replace("\n", ""))


@given(wire, wire)
def test_it_holds_at_any_split_and_when_done_twice(one: str, other: str) -> None:
    assert safe_line(one + other) == safe_line(one) + safe_line(other)
    assert safe_line(safe_line(one)) == safe_line(one)
    assert safe_block(one + other) == safe_block(one) + safe_block(other)


@given(wire)
def test_every_character_becomes_exactly_one(text: str) -> None:
    assert len(safe_line(text)) == len(text)


@given(st.text(alphabet="abc äöü 日本語 👩‍🚀 {}[]()<>"))
def test_ordinary_text_is_not_touched(text: str) -> None:
    assert safe_line(text) == text


@pytest.mark.parametrize(
    ("wire_text", "shown"),
    [
        ("\x1b[2J", "␛[2J"),
        ("\x1b]52;c;eA==\x07", "␛]52;c;eA==␇"),
        ("a\x9bb", "a\ufffdb"),
        ("a\u202eb", "a\ufffdb"),
        ("a\tb\nc", "a␉b␊c"),
        ("a\u2028b", "a␤b"),
        ("\x7f", "␡"),
    ],
)
def test_what_was_there_stays_visible(wire_text: str, shown: str) -> None:
    assert safe_line(wire_text) == shown


def test_a_block_keeps_tabs_and_line_ends() -> None:
    assert safe_block("a\tb\nc\x1b") == "a\tb\nc␛"
