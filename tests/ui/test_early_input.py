"""What is typed before the first conversation: text is written at once, commands wait for it."""

import pytest
from textual.events import Key, Paste

from chatui.ui.terminal.early_input import EarlyInput, is_plain


@pytest.mark.parametrize(
    ("event", "is_text"),
    [
        (Key("m", "m"), True),
        (Key("upper_m", "M"), True),
        (Key("space", " "), True),
        (Key("alt+m", "m"), False),
        (Key("ctrl+p", "\x10"), False),
        (Key("slash", "/"), False),
        (Key("at", "@"), False),
        (Key("f1", None), False),
        (Paste("words"), False),
    ],
)
def test_only_text_that_means_itself_is_written_before_there_is_a_conversation(
    event: Key | Paste, is_text: bool
) -> None:
    assert is_plain(event) is is_text
    assert EarlyInput(lambda: True).takes(event) is not is_text


def test_what_comes_behind_a_command_waits_too_and_keeps_its_order() -> None:
    waiting = EarlyInput(lambda: True)
    events = [Key("alt+m", "m"), Key("a", "a"), Key("b", "b")]
    assert all(waiting.takes(event) for event in events)
    assert waiting.end() == events
    assert not waiting.takes(Key("c", "c"))
