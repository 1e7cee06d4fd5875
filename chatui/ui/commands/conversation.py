"""Commands of conversations: a new one, an old one."""

from typing import TYPE_CHECKING

from chatui.ui.keymap import Command

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def new(screen: "ChatScreen") -> None:
    """Begin a new conversation; the old one goes on where it is."""
    screen.show(screen.desk.new(screen.endpoint))
    screen.composer.focus()


def conversations(screen: "ChatScreen") -> None:
    """List conversations and open one."""
    from chatui.ui.lists.conversations import pick_conversation

    pick_conversation(screen)


COMMANDS = (
    Command(name="new", title="New conversation", keys=("ctrl+n",), group="Conversation", run=new),
    Command(
        name="conversations",
        title="Resume a conversation",
        keys=("ctrl+r",),
        group="Conversation",
        run=conversations,
        words="open history list",
    ),
)
