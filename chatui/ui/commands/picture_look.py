"""Commands that show a picture as large as the window."""

from collections.abc import Awaitable
from typing import TYPE_CHECKING

from chatui.ui.keymap import Command, Where

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def picture(screen: "ChatScreen") -> Awaitable[None]:
    """Look at the pictures that are attached, or in sight."""
    from chatui.ui.pictures.looking import look

    return look(screen)


COMMANDS = (
    Command(
        name="picture",
        title="Look at the picture",
        keys=("alt+v",),
        group="Look",
        run=picture,
        words="image photo attachment view large",
    ),
    Command(
        name="picture-here",
        title="Look at the picture",
        keys=("p",),
        where=Where.TRANSCRIPT,
        group="Look",
        run=picture,
        is_in_palette=False,
    ),
)
