"""Every key is heard once and in its order, whatever the terminal says in between and however it is split."""

from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from textual import _parser, events
from textual._xterm_parser import XTermParser

from chatui.ui.terminal.guarded_driver import Hearing
from chatui.ui.terminal.newline_keys import keyboard_reply
from chatui.ui.terminal.page_colour import ColourReply
from chatui.ui.terminal.terminal_replies import AwaitedReply, TerminalReplies

ESCAPE = "\x1b"
COLOUR, COLOUR_TOO, KEYBOARD = "\x1b]11;rgb:ffff/fafa/f0f0\x1b\\", "\x1b]11;rgb:10/10/14\x07", "\x1b[?25u"
REPLIES = (COLOUR, COLOUR_TOO, KEYBOARD)
OPEN = (ESCAPE, "\x1b[", "\x1bO", "\x1b]")
"""Keys (Esc; Alt with a bracket or O) that would begin something else if a character came right behind."""
KEYS = (
    "a",
    "é",
    "漢",
    "[",
    "]",
    "O",
    "1",
    "~",
    " ",
    "\r",
    "\t",
    "\x7f",
    "\x0b",
    "\x1b[A",
    "\x1bOP",
    "\x1b[3~",
)
KEYS += (
    "\x1b[13;2u",
    "\x1b[97;5u",
    "\x1b[27u",
    "\x1bt",
    "\x1bT",
    "\x1bf",
    "\x1b\r",
    "\x1b[1;5C",
    "\x1b[27;5;106~",
)
OTHERS = (
    "\x1b[I",
    "\x1b[O",
    "\x1b[?2026;2$y",
    "\x1b[200~hi\rthere\x1b[201~",
    "\x1b[<0;12;7M",
    "\x1b[<35;4;9M",
)
SILENCE = ""


class Listener:
    """Hears what arrives, in a time of its own."""

    now_s = 0.0

    def __init__(self) -> None:
        self.replies = TerminalReplies()
        self.heard: list[object] = []
        self._hearing = Hearing(self.replies, XTermParser())

    def arrive(self, text: str) -> None:
        self._note(self._hearing.hear(text))

    def silence(self, seconds: float = 2.0) -> None:
        end_s = Listener.now_s + seconds
        while (patience_s := self._hearing.patience_s) is not None and Listener.now_s + patience_s <= end_s:
            Listener.now_s += patience_s
            self._note(self._hearing.silence())
        Listener.now_s = end_s

    def _note(self, heard: Iterator[object]) -> None:
        for one in heard:
            match one:
                case events.Key():
                    self.heard.append(("key", one.key, one.character))
                case events.MouseEvent():
                    self.heard.append(("mouse", one.x, one.y))
                case events.Paste():
                    self.heard.append(("paste", one.text))
                case AwaitedReply():
                    self.heard.append("reply")
                case _:
                    self.heard.append(type(one))


@pytest.fixture(autouse=True, scope="module")
def _own_time() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_parser, "get_time", lambda: Listener.now_s)
        yield


def alone(unit: str) -> list[object]:
    """What one thing is if nothing comes before or behind it."""
    if unit in REPLIES:
        return ["reply"]
    listener = Listener()
    if unit:
        listener.arrive(unit)
    listener.silence()
    assert unit == SILENCE or listener.heard
    return listener.heard


@st.composite
def arrivals(draw: st.DrawFn) -> list[str]:
    """Keys, and what the terminal says; each reply comes at most once."""
    units: list[str] = []
    awaited = draw(st.permutations([draw(st.sampled_from([COLOUR, COLOUR_TOO])), KEYBOARD]))
    for _ in range(draw(st.integers(1, 7))):
        unit = draw(st.sampled_from([*KEYS, *OTHERS, *OPEN, SILENCE, "reply"]))
        if unit == "reply":
            if not awaited:
                continue
            unit = awaited.pop()
        before = units[-1] if units else SILENCE
        if before in OPEN and (not unit.startswith(ESCAPE) or (before == ESCAPE and unit in OPEN[1:])):
            units.append(SILENCE)
        units.append(unit)
    return units


@given(arrivals(), st.lists(st.booleans(), max_size=40), st.sampled_from([0.0, 0.005, 0.015]))
@example([COLOUR, "a"], [True, True], 0.0)
@example([ESCAPE, KEYBOARD, "\r"], [], 0.0)
@example(["a", ESCAPE, ESCAPE, KEYBOARD], [], 0.0)
@example(["\x1b[", SILENCE, "A"], [], 0.0)
@example(["\x1bO", "\x1b[<35;4;9M"], [False, True], 0.015)
def test_every_key_is_heard_once_and_in_its_order(units: list[str], cuts: list[bool], pause_s: float) -> None:
    listener = Listener()
    listener.replies.ask(ColourReply())
    listener.replies.ask(keyboard_reply())
    cutting = iter(cuts)
    waiting = ""
    for unit in units:
        for character in unit:
            waiting += character
            if next(cutting, False):
                listener.arrive(waiting)
                listener.silence(pause_s)
                waiting = ""
        if unit == SILENCE:
            if waiting:
                listener.arrive(waiting)
            waiting = ""
            listener.silence()
    if waiting:
        listener.arrive(waiting)
    listener.silence()
    assert listener.heard == [one for unit in units for one in alone(unit)]


@pytest.mark.parametrize("half", ["\x1b[?2", "\x1b]11;rgb:ff"])
def test_a_reply_that_never_ends_holds_up_no_key(half: str) -> None:
    listener = Listener()
    listener.replies.ask(ColourReply())
    listener.replies.ask(keyboard_reply())
    listener.arrive("a" + half)
    listener.silence(0.3)
    listener.arrive("b")
    assert listener.heard == [("key", "a", "a"), ("key", "b", "b")]


@pytest.mark.parametrize("ending", ["\x1b[201~", SILENCE])
@pytest.mark.parametrize("reply", REPLIES)
def test_a_reply_in_the_middle_of_a_paste_is_found_wherever_it_is_split(reply: str, ending: str) -> None:
    whole = f"\x1b[200~one{reply}two{ending}"
    for cut in range(len(whole)):
        listener = Listener()
        listener.replies.ask(ColourReply())
        listener.replies.ask(keyboard_reply())
        listener.arrive(whole[:cut])
        listener.arrive(whole[cut:])
        listener.silence()
        assert listener.heard == ["reply", ("paste", "onetwo")]
