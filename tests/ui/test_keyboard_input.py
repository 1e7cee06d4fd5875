"""Every character that arrives reaches the app, as a key or as pasted text."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual._xterm_parser import XTermParser
from textual.events import Key

from chatui.ui.terminal.input_driver import ALT_ENTER, PASTE_END, PASTE_START, InputGuard, Keys, Pasted, Piece

TYPED = st.lists(st.sampled_from(["a", "b", "é", "漢", " ", "\x1b[A", "\x7f"]), max_size=6).map("".join)
PASTED = st.text(
    st.sampled_from(["x", "\n", "\r", "\x1b", "[", "2", "0", "1", "~", "漢"]), min_size=1, max_size=12
).filter(lambda text: PASTE_END not in text and not any(text.endswith(PASTE_END[:n]) for n in range(1, 6)))


def fed(guard: InputGuard, *texts: str) -> list[Piece]:
    return [piece for text in texts for piece in guard.feed(text)]


def keys(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, Keys))


def pastes(pieces: list[Piece]) -> list[str]:
    return [piece.text for piece in pieces if isinstance(piece, Pasted)]


@given(TYPED, PASTED, TYPED, st.lists(st.integers(0, 60), max_size=6))
def test_a_paste_is_whole_however_the_bytes_are_split(
    before: str, paste: str, after: str, cuts: list[int]
) -> None:
    whole = before + PASTE_START + paste + PASTE_END + after
    edges = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]
    guard = InputGuard()
    pieces = fed(guard, *(whole[a:b] for a, b in pairwise(edges)))
    pieces += guard.give_up()
    assert pastes(pieces) == [paste]
    assert keys(pieces) == before + after
    assert not guard.is_pasting


def test_a_paste_without_an_end_is_given_up_and_loses_nothing() -> None:
    guard = InputGuard()
    assert fed(guard, PASTE_START + "precious\nwords", "\x1b[20") == []
    assert guard.is_pasting
    assert pastes(list(guard.give_up())) == ["precious\nwords\x1b[20"]
    assert keys(fed(guard, "typed")) == "typed"


def test_alt_enter_of_an_old_terminal_is_one_key() -> None:
    assert keys(fed(InputGuard(), "\x1b\r")) == ALT_ENTER
    assert keys(fed(InputGuard(), "\r")) == "\r"


def test_lines_that_arrive_at_once_are_a_paste_even_without_marks() -> None:
    text = "first line\rsecond line\rthird line"
    assert pastes(fed(InputGuard(), text)) == [text]
    assert keys(fed(InputGuard(), "typed quickly\r")) == "typed quickly\r"


def test_nul_is_dropped_from_a_paste() -> None:
    assert pastes(fed(InputGuard(), PASTE_START + "a\x00b" + PASTE_END)) == ["ab"]


ALT_T = "\x1b[116;3u"
"""Alt+T as the kitty protocol writes it."""


def test_alt_and_a_letter_is_one_key_whatever_comes_right_behind_it() -> None:
    for behind in ("", "\x1b[?2026;2$y", "\x1b[<35;4;9M", "x"):
        assert keys(fed(InputGuard(), "\x1bt" + behind)) == ALT_T + behind
    assert keys(fed(InputGuard(), "\x1bt\x1bt\x1b", "t")) == ALT_T * 3
    assert keys(fed(InputGuard(), "\x1bT\x1bO\x1b[A")) == "\x1b[116;4u\x1b[111;4u\x1b[A"


def test_escape_before_alt_and_a_letter_stays_escape() -> None:
    assert keys(fed(InputGuard(), "\x1b\x1bt")) == "\x1b" + ALT_T


def test_keys_with_sequences_of_their_own_are_left_alone() -> None:
    for sequence in ("\x1bOP", "\x1b[1;3A", "\x1b[13;3u", "\x1b[<0;1;1M", "\x1bf", "\x1b\x7f"):
        assert keys(fed(InputGuard(), sequence)) == sequence


@pytest.mark.parametrize(
    ("pressed", "key"),
    [("t", "alt+t"), ("T", "alt+shift+t"), ("0", "alt+0"), ("é", "alt+é"), (".", "alt+full_stop")],
)
def test_textual_hears_alt_and_the_character(pressed: str, key: str) -> None:
    (piece,) = fed(InputGuard(), "\x1b" + pressed)
    assert [event.key for event in XTermParser().feed(piece.text) if isinstance(event, Key)] == [key]
