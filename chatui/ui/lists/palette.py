"""The palette: every command with its key, and the name by which it can be written or bound to another."""

from typing import TYPE_CHECKING

from chatui.ui.keymap import key_name
from chatui.ui.screens.list import ListScreen
from chatui.ui.widgets.rows_view import ListRow
from chatui.ui.writing.slash import slash_commands

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def pick_command(screen: "ChatScreen") -> None:
    """Show all commands and run the one that is taken."""
    rows = []
    written = slash_commands(screen)
    for command in screen.commands.values():
        if not command.is_in_palette:
            continue
        single = screen.commands.get(f"{command.name}-here")
        keys = [*command.keys, *(single.keys[:1] if single else ())]
        rows.append(
            ListRow(
                key=command.name,
                strong=command.title,
                weak="  ".join(key_name(key) for key in keys[:3]),
                middle=f"/{command.name}" if command.name in written else "",
                words=f"{command.group} {command.words} {command.name}",
            )
        )

    def taken(name: str | None) -> None:
        if name is not None:
            screen.call_later(screen.action_command, name)

    screen.app_.ask(ListScreen("Commands", rows, screen.app_.styles_of_theme, screen.signs), taken)
