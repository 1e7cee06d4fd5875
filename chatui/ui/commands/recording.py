"""The command that records the wire: what servers really sent, for a report or a test."""

from typing import TYPE_CHECKING

from chatui.core.errors import ChatuiError
from chatui.ui.keymap import Command

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def record(screen: "ChatScreen") -> None:
    """Begin to record the wire of every request, or stop. The header says it while it goes on."""
    workspace = screen.app_.workspace
    if workspace.record_directory is not None:
        told = f"Recorded to {workspace.record_directory}. `chatui replay FILE` shows it again."
        workspace.record_to(None)
    else:
        directory = str(workspace.paths.state_dir / "wires")
        try:
            workspace.record_to(directory)
        except ChatuiError as error:
            screen.notice(error.message, error.hint)
            return
        told = f"From the next answer on the wire is recorded to {directory}, with prompts but without keys."
    screen.notice(told)
    screen.tell_all()


COMMANDS = (
    Command(
        name="record",
        title="Record the wire, or stop recording",
        group="Help",
        run=record,
        words="recording replay debug bug report",
    ),
)
