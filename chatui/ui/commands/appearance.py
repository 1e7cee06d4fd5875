"""Commands of the look."""

from typing import TYPE_CHECKING

from chatui.ui.keymap import Command

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def theme(screen: "ChatScreen") -> None:
    """Choose a theme; it is shown while it is being chosen."""
    from chatui.ui.lists.themes import pick_theme

    pick_theme(screen)


def redraw(screen: "ChatScreen") -> None:
    """Write the whole screen again, because something else wrote to the terminal."""
    screen.app_.redraw()


COMMANDS = (
    Command(
        name="theme",
        title="Choose the theme",
        keys=("f4",),
        group="Look",
        run=theme,
        words="colours dark light",
        opens_list=True,
    ),
    Command(
        name="redraw",
        title="Draw the screen again",
        keys=("ctrl+l",),
        group="Look",
        run=redraw,
        words="clear refresh terminal garbled",
    ),
)
