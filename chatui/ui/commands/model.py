"""Commands of models and providers."""

from typing import TYPE_CHECKING

from chatui.ui.keymap import Command

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def model(screen: "ChatScreen") -> None:
    """Choose who answers from the next turn on."""
    from chatui.ui.lists.models import pick_model

    pick_model(screen)


def connect(screen: "ChatScreen") -> None:
    """Choose among those that can answer at once."""
    from chatui.ui.lists.connect import pick_connection

    pick_connection(screen)


COMMANDS = (
    Command(
        name="connect",
        title="Connect a provider",
        keys=("alt+k",),
        group="Conversation",
        run=connect,
        words="key first run setup local server",
        opens_list=True,
    ),
    Command(
        name="model",
        title="Choose the model",
        keys=("ctrl+o",),
        group="Conversation",
        run=model,
        words="provider",
        opens_list=True,
    ),
)
