"""The mouse: with the app, or left to the terminal, so that it selects and pastes as elsewhere."""

from typing import TYPE_CHECKING

from chatui.ui.keymap import Command

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def mouse(screen: "ChatScreen") -> None:
    """Give the mouse to the terminal, or take it back."""
    is_ours = screen.app_.toggle_mouse()
    screen.say(
        "The mouse is with the app." if is_ours else "The mouse is with the terminal; Alt+M takes it back."
    )


COMMANDS = (
    Command(
        name="mouse",
        title="Give the mouse to the terminal, or take it back",
        keys=("alt+m",),
        group="Look",
        run=mouse,
        words="selection capture release",
    ),
)
