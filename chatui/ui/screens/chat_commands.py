"""The commands of the chat screen: which there are, by which keys, and how one is run.

Invariant: a key that opens a list is looked at before the next key is given to anybody, so that what is typed
behind it is meant for the list, however slow the line is.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from chatui.ui.screens.chat_reading import ChatReading
from chatui.ui.theme import ThemeStyles

if TYPE_CHECKING:
    from chatui.ui.keymap import Command
    from chatui.ui.writing.completing import Completing


class ChatCommands(ChatReading):
    """The chat screen, as far as commands are run in it."""

    def __init__(self, styles: ThemeStyles) -> None:
        super().__init__(styles)
        self.commands: Mapping[str, Command] = {}
        """All that can be asked for, by name; there are none before the first paint."""
        self.is_quit_armed = False

    def use_commands(self, commands: "Mapping[str, Command]") -> None:
        """Take these commands with their keys in place of others."""
        from chatui.ui.keymap import Where, bind, unbind

        self.commands = commands
        moves = [command for command in commands.values() if command.group == "Move"]
        for node in (self, self.transcript, *(pane.lines for pane in self.panel.panes.values())):
            unbind(node)
        bind(self, commands.values(), Where.ANYWHERE)
        bind(self.transcript, commands.values(), Where.TRANSCRIPT)
        for pane in self.panel.panes.values():
            bind(pane.lines, moves, Where.TRANSCRIPT)

    async def action_command(self, name: str) -> None:
        """Run a command by its name."""
        command = self.commands[name]
        if name != "interrupt":
            self.is_quit_armed = False
        result = command.run(self.app_.chat)
        if result is not None:
            await result

    async def action_list_command(self, name: str) -> None:
        """Open a list, before the next key is given to anybody."""
        self.say("")
        await self.action_command(name)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While words are suggested the composer looks at each key first."""
        if action == "list_command":
            return not self.completing.is_open
        return super().check_action(action, parameters)

    @cached_property
    def completing(self) -> "Completing":
        """Suggests what could be meant in the composer."""
        from chatui.ui.writing.completing import Completing

        return Completing(self.app_.chat)
