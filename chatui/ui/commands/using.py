"""Commands of profiles and templates."""

from typing import TYPE_CHECKING

from chatui.ui.keymap import Command

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def profile(screen: "ChatScreen") -> None:
    """Choose a profile: system prompt, model and parameters."""
    from chatui.ui.lists.profiles import pick_profile

    pick_profile(screen)


def template(screen: "ChatScreen") -> None:
    """Choose a template and fill it in."""
    from chatui.ui.lists.templates import pick_template

    pick_template(screen)


COMMANDS = (
    Command(
        name="profile",
        title="Apply a profile",
        keys=("alt+o",),
        group="Conversation",
        run=profile,
        words="system prompt parameters persona",
        opens_list=True,
    ),
    Command(
        name="template",
        title="Insert a template",
        keys=("alt+t",),
        group="Write",
        run=template,
        words="prompt variables snippet",
        opens_list=True,
    ),
)
