"""Commands of the app, one subject a file; each module has a constant `COMMANDS`."""

from chatui.ui.commands import (
    answer,
    appearance,
    composing,
    context,
    conversation,
    copying,
    helping,
    inspecting,
    model,
    mouse,
    moving,
    panes,
    queueing,
    recording,
    taking_out,
    using,
    writing,
)
from chatui.ui.keymap import Command

ALL: tuple[Command, ...] = (
    *writing.COMMANDS,
    *composing.COMMANDS,
    *answer.COMMANDS,
    *queueing.COMMANDS,
    *conversation.COMMANDS,
    *context.COMMANDS,
    *model.COMMANDS,
    *copying.COMMANDS,
    *taking_out.COMMANDS,
    *using.COMMANDS,
    *moving.COMMANDS,
    *panes.COMMANDS,
    *inspecting.COMMANDS,
    *appearance.COMMANDS,
    *mouse.COMMANDS,
    *recording.COMMANDS,
    *helping.COMMANDS,
)
