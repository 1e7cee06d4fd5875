"""Commands of the app, one subject a file; each module has a constant `COMMANDS`."""

from chatui.ui.commands import (
    answer,
    appearance,
    conversation,
    copying,
    helping,
    model,
    moving,
    panes,
    writing,
)
from chatui.ui.keymap import Command

ALL: tuple[Command, ...] = (
    *writing.COMMANDS,
    *answer.COMMANDS,
    *conversation.COMMANDS,
    *model.COMMANDS,
    *copying.COMMANDS,
    *moving.COMMANDS,
    *panes.COMMANDS,
    *appearance.COMMANDS,
    *helping.COMMANDS,
)
