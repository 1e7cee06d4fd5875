"""Commands of how formulas are shown: in Unicode, or as they are written."""

from typing import TYPE_CHECKING

from chatui.ui.keymap import Command, Where
from chatui.ui.screen_settings import choose_look

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def show_maths(screen: "ChatScreen") -> None:
    """Show formulas as they are written, or in Unicode."""
    layout = screen.layout_options
    choose_look(screen, converts_maths=not layout.converts_maths)
    if not layout.is_unicode:
        screen.say("Formulas stay as they are written: this terminal shows no Unicode.")
    elif layout.converts_maths:
        screen.say("Formulas are shown as they are written.")
    else:
        screen.say("Formulas are shown in Unicode; copying gives what is written.")


COMMANDS = (
    Command(
        name="maths",
        title="Show formulas as they are written, or in Unicode",
        keys=("s",),
        where=Where.TRANSCRIPT,
        group="Look",
        run=show_maths,
        words="latex tex math source equation",
    ),
)
