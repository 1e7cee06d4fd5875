"""Commands that copy: always the source, never what was drawn around it."""

from typing import TYPE_CHECKING

from chatui.core.continuation import joined_answer
from chatui.ui.keymap import Command, Where

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def copy_code(screen: "ChatScreen") -> None:
    """Copy a code block: the last one that is visible; pressed again, the one before."""
    found = screen.code_at_hand()
    if found is None:
        screen.say("There is no code block here.")
        return
    source, number, total = found
    screen.copy(source, f"code block {number} of {total}")


def copy_answer(screen: "ChatScreen") -> None:
    """Copy the answer as it was received, all of it where it goes on from one that was cut."""
    turn = screen.turn_at_hand()
    answer = joined_answer(turn) if turn is not None else ""
    if not answer:
        screen.say("There is no answer to copy.")
        return
    screen.copy(answer, "the answer")


COMMANDS = (
    Command(name="copy-code", title="Copy a code block", keys=("ctrl+y",), group="Copy", run=copy_code),
    Command(name="copy-answer", title="Copy the answer", keys=("f5",), group="Copy", run=copy_answer),
    Command(
        name="copy-answer-here",
        title="Copy the answer",
        keys=("y",),
        where=Where.TRANSCRIPT,
        group="Copy",
        run=copy_answer,
        is_in_palette=False,
    ),
)
