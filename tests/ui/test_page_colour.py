"""Light or dark follows the terminal's page, and its answer is never taken for typing."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.program import CHATUI, KEY_VARIABLE
from support.terminal import App

from chatui.ui.terminal.input_driver import InputGuard, Keys
from chatui.ui.terminal.page_colour import QUESTION, ColourReply, colour_of
from chatui.ui.terminal.terminal_replies import TerminalReplies

LIGHT = "\x1b]11;rgb:ffff/fafa/f0f0\x1b\\"
DARK = "\x1b]11;rgb:10/10/14\x07"


def typed(guard: InputGuard, *texts: str) -> str:
    pieces = [piece for text in texts for piece in guard.feed(text)]
    return "".join(piece.text for piece in pieces if isinstance(piece, Keys))


def awaiting() -> tuple[ColourReply, InputGuard]:
    replies, waiting = TerminalReplies(), ColourReply()
    assert replies.ask(waiting) == QUESTION
    return waiting, InputGuard(replies)


@pytest.mark.parametrize(
    ("reply", "is_light"), [(LIGHT, True), (DARK, False), ("\x1b]11;rgba:f/f/f/8\x07", True)]
)
def test_the_reply_is_taken_out_of_what_was_typed(reply: str, is_light: bool) -> None:
    waiting, guard = awaiting()
    assert typed(guard, f"ab{reply}cd") == "abcd"
    assert waiting.colour is not None
    assert waiting.colour.is_light is is_light
    assert typed(guard, "\x1b[1;2A]11;x") == "\x1b[1;2A]11;x", "only one reply is awaited"
    assert not list(guard.give_up())


@given(
    st.text("ab\r\x1b[A", max_size=8), st.lists(st.integers(1, len(LIGHT) - 1)), st.text("ab\r", max_size=8)
)
def test_a_reply_in_pieces_is_joined_wherever_it_is_split(before: str, cuts: list[int], after: str) -> None:
    waiting, guard = awaiting()
    edges = [0, *sorted(cuts), len(LIGHT)]
    pieces = [LIGHT[start:end] for start, end in pairwise(edges)]
    plain = InputGuard()
    expected = typed(plain, before) + "".join(piece.text for piece in plain.give_up()) + after
    assert typed(guard, before, *pieces, after) == expected
    assert waiting.colour is not None


def test_the_rest_of_a_reply_that_comes_after_a_long_silence_is_no_typing_either() -> None:
    waiting, guard = awaiting()
    assert typed(guard, "a" + LIGHT[:9]) == "a"
    assert not list(guard.give_up())
    assert typed(guard, LIGHT[9:] + "b") == "b"
    assert waiting.colour is not None


@given(st.lists(st.text("ab]1;\x1b[?\x07\\", max_size=10), max_size=6))
def test_without_a_reply_nothing_that_was_typed_is_lost_but_a_broken_reply(pieces: list[str]) -> None:
    _, guard = awaiting()
    left = typed(guard, *pieces) + "".join(piece.text for piece in guard.give_up())
    if "\x1b]" not in "".join(pieces):
        plain = InputGuard()
        assert left == typed(plain, "".join(pieces)) + "".join(piece.text for piece in plain.give_up())


@pytest.mark.parametrize("parts", ["", "1/2", "fffff/0/0", "//"])
def test_what_is_no_colour_is_none(parts: str) -> None:
    assert colour_of(parts) is None


class LightTerminal(App):
    """Its page is nearly white."""

    def _reply(self, data: bytes) -> None:
        data = data.replace(b"11;rgb:1010/1010/1010", b"11;rgb:ffff/fafa/f0f0")
        self.out.append(data)


@pytest.mark.pty
@pytest.mark.timeout(120)
def test_in_a_light_terminal_the_app_is_light_until_the_person_chooses() -> None:
    command = [*CHATUI, "--base-url", "http://127.0.0.1:9/v1", "-m", "m"]
    environ = {KEY_VARIABLE: "k"}
    with App(command, env=environ, size=(80, 24)) as app:
        assert app.wait("Ask anything", 30), app.text()
        app.settle()
        dark = app.cell(0, 10).style.bg
    with LightTerminal(command, env=environ, size=(80, 24)) as app:
        assert app.wait("Ask anything", 30), app.text()
        assert app.wait(lambda: app.cell(0, 10).style.bg != dark, 10), "the page became light"
        app.keys("x")
        assert app.wait(" x", 10), app.text()
        assert "11;" not in app.text()
        light = app.cell(0, 10).style.bg
        app.keys("<c-u>", "/theme midnight", "<enter>")
        assert app.wait(lambda: app.cell(0, 10).style.bg != light, 10)
        app.keys("<c-q>")
        assert app.wait_exit(10) == 0
        home = app.home
        with LightTerminal(command, env=environ, size=(80, 24), home=home) as again:
            assert again.wait("Ask anything", 30), again.text()
            again.settle(0.5)
            assert again.cell(0, 10).style.bg not in (light, dark), "what was chosen stays"
