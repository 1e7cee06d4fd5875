"""Commands that tell what can be done."""

from typing import TYPE_CHECKING

from chatui.ui.keymap import Command, Where

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def palette(screen: "ChatScreen") -> None:
    """List every command with its key."""
    from chatui.ui.lists.palette import pick_command

    pick_command(screen)


def show_help(screen: "ChatScreen") -> None:
    """Show the keys, those of the focused part first."""
    from chatui.ui.lists.help import show_keys

    show_keys(screen)


def doctor(screen: "ChatScreen") -> None:
    """Look at each step between this terminal and the model."""
    from chatui.ui.examining import show_doctor

    show_doctor(screen)


COMMANDS = (
    Command(
        name="palette", title="All commands", keys=("ctrl+p",), group="Help", run=palette, opens_list=True
    ),
    Command(
        name="help", title="Help", keys=("f1",), group="Help", run=show_help, words="keys", opens_list=True
    ),
    Command(
        name="doctor",
        title="Doctor: look at each step when something does not work",
        group="Help",
        run=doctor,
        words="diagnose connection network proxy certificate terminal problem",
    ),
    Command(
        name="help-here",
        title="Help",
        keys=("question_mark",),
        where=Where.TRANSCRIPT,
        group="Help",
        run=show_help,
        is_in_palette=False,
    ),
)
