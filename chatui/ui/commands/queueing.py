"""Commands of what waits to be sent, and of files that go along."""

from typing import TYPE_CHECKING

from chatui.ui.keymap import Command

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def edit_queued(screen: "ChatScreen") -> None:
    """Bring the prompt that was queued last back into the composer; pressed again, the one before."""
    screen.prompting.waiting.edit()


def drop_queued(screen: "ChatScreen") -> None:
    """Do not send the prompt that was queued last."""
    screen.prompting.waiting.drop()


def send_sooner(screen: "ChatScreen") -> None:
    """Let the prompt that was queued last go before the one in front of it."""
    screen.prompting.waiting.send_sooner()


def attach(screen: "ChatScreen") -> None:
    """Begin a mention: files are suggested while it is typed."""
    screen.prompting.attach("")


COMMANDS = (
    Command(
        name="edit-queued",
        title="Edit the prompt that waits",
        keys=("alt+q",),
        group="Write",
        run=edit_queued,
        words="queue message",
    ),
    Command(
        name="drop-queued",
        title="Drop the prompt that waits",
        keys=("alt+x",),
        group="Write",
        run=drop_queued,
        words="queue cancel",
    ),
    Command(
        name="send-sooner",
        title="Send the prompt that waits sooner",
        keys=("alt+u",),
        group="Write",
        run=send_sooner,
        words="queue reorder move up first",
    ),
    Command(
        name="attach",
        title="Attach a file",
        keys=("alt+i",),
        group="Write",
        run=attach,
        words="image pdf file @",
    ),
)
