"""Commands of the composer: an editor of one's own, prompts of before."""

from typing import TYPE_CHECKING

from chatui.ui.keymap import Command

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def editor(screen: "ChatScreen") -> None:
    """Write in `$VISUAL` or `$EDITOR`."""
    from chatui.ui.writing.external_editor import edit_outside

    edit_outside(screen)


def prompts(screen: "ChatScreen") -> None:
    """Search what was sent or stashed before."""
    from chatui.ui.lists.prompts import pick_prompt

    pick_prompt(screen)


COMMANDS = (
    Command(
        name="editor",
        title="Write in your own editor",
        keys=("ctrl+g",),
        group="Write",
        run=editor,
        words="external vim VISUAL EDITOR",
    ),
    Command(
        name="prompts",
        title="Search earlier prompts",
        keys=("alt+r",),
        group="Write",
        run=prompts,
        words="history recall stash",
        opens_list=True,
    ),
)
