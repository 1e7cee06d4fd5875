"""Commands for a conversation that grows beyond the model's window."""

from functools import partial
from typing import TYPE_CHECKING

from chatui.ui.keymap import Command, Where

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def drop_oldest(screen: "ChatScreen") -> None:
    """Send without the oldest turns from now on; they stay on the screen."""
    screen.context.drop_oldest(screen.turn_at_hand())


def send_all(screen: "ChatScreen") -> None:
    """Send everything again."""
    screen.context.send_all()


def fork_earlier(screen: "ChatScreen") -> None:
    """Choose an earlier turn, and go on from there in a new conversation."""
    from chatui.ui.lists.forking import pick_fork

    pick_fork(screen)


def other_model(screen: "ChatScreen") -> None:
    """Choose who answers from the next turn on."""
    from chatui.ui.lists.models import pick_model

    pick_model(screen)


_reading = partial(Command, where=Where.TRANSCRIPT, group="Conversation")

COMMANDS = (
    _reading(
        name="drop-oldest",
        title="Drop the oldest turns from what is sent",
        keys=("o",),
        run=drop_oldest,
        words="context window too long tokens",
    ),
    Command(
        name="send-all",
        title="Send every turn again",
        group="Conversation",
        run=send_all,
        words="context window dropped",
    ),
    _reading(
        name="fork-earlier",
        title="Fork from an earlier turn",
        keys=("F",),
        run=fork_earlier,
        words="branch context window too long",
    ),
    _reading(name="model-here", title="Choose the model", keys=("m",), run=other_model, is_in_palette=False),
)
"""Keys: the foot of a turn that was too long for its model names them."""
