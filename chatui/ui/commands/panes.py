"""Commands of the two panes."""

from typing import TYPE_CHECKING

from chatui.ui.keymap import Command

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def reasoning(screen: "ChatScreen") -> None:
    """Show or hide the Reasoning pane."""
    screen.toggle_pane("reasoning")


def tools(screen: "ChatScreen") -> None:
    """Show or hide the Tools pane."""
    screen.toggle_pane("tools")


COMMANDS = (
    Command(
        name="reasoning",
        title="Show or hide the Reasoning pane",
        keys=("ctrl+1", "f2"),
        group="Panes",
        run=reasoning,
        words="thinking",
    ),
    Command(
        name="tools",
        title="Show or hide the Tools pane",
        keys=("ctrl+2", "f3"),
        group="Panes",
        run=tools,
        words="calls",
    ),
)
