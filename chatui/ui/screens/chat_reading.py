"""The reading half of the chat screen: which turn is at hand, its links, what is searched, marked and copied.

Beneath it, how its commands are run.

Invariants: nothing here changes a conversation; who only reads never loses what is being written. A key that
opens a list is looked at before the next key is given to anybody: what is typed behind it is meant for the
list, however slow the line is.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from textual import on

from chatui.core.turn import Turn, TurnId
from chatui.ui.screens.chat_parts import ChatParts
from chatui.ui.theme import ThemeStyles
from chatui.ui.widgets.line_view import LineView
from chatui.ui.widgets.one_line import LinesWidget
from chatui.ui.widgets.transcript import TranscriptView
from chatui.view.lines import Tone

if TYPE_CHECKING:
    from chatui.ui.keymap import Command
    from chatui.ui.widgets.search_bar import SearchBar
    from chatui.ui.writing.completing import Completing

END_KEY = "Ctrl+End"


class ChatReading(ChatParts):
    """The chat screen, as far as it is read."""

    is_search_read = False
    """The search was asked for while reading."""

    # What a subclass adds

    def tell_panel(self) -> None:
        """The panes follow the turn at hand."""

    def tell_status(self) -> None:
        """The status line says what can be pressed now."""

    def follow_link(self, link: str, turn_index: int) -> None:
        """A link was pressed, in a turn or (-1) elsewhere."""

    # What is at hand

    @property
    def scroll_view(self) -> LineView:
        """What the moving keys move: the focused pane, else the transcript."""
        focused = self.focused
        return focused if isinstance(focused, LineView) else self.transcript

    def turn_at_hand(self) -> Turn | None:
        """The turn that single keys mean: the last one while following, else the one that is read."""
        index = self.index_at_hand()
        return None if index is None else self.transcript.turn(index)

    def index_at_hand(self) -> int | None:
        """Where the turn at hand stands."""
        count = self.transcript.turn_count
        if not count or self.transcript.picked is not None:
            return self.transcript.picked
        return count - 1 if self.transcript.is_following else min(self.transcript.reading[0], count - 1)

    def code_at_hand(self) -> tuple[str, int, int] | None:
        """Source, number and total of a code block to copy."""
        return self.transcript.next_code_to_copy()

    def go_to_turn(self, turn_id: TurnId, words: str = "") -> None:
        """Bring a turn to the top of the window, and mark these words of it."""
        place = self.transcript.index_of(turn_id)
        if place is None:
            return
        self.transcript.to_place(place)
        if words:
            self.transcript.search(words, 0)

    def copy(self, text: str, what: str) -> None:
        """Copy text and say how it was done."""
        self.say(self.app_.copier.copy(text, what))

    def toggle_pane(self, name: str) -> None:
        """Show or hide a pane, and remember it."""
        self.pane_choices.toggle(name, self.turn_at_hand())
        self.app_.remember(**{f"{name}_pane_open": self.pane_choices.choice(name)})
        self.tell_panel()

    # Events

    @on(TranscriptView.FollowingChanged)
    def _following(self, event: TranscriptView.FollowingChanged) -> None:
        words = "new text below" if event.has_news else "the end"
        label = "" if event.is_following else f"{self.signs.down} {words} {self.signs.dot} {END_KEY}"
        self.rule_bottom.label = label
        self.tell_panel()

    def on_search_bar_wanted(self, event: "SearchBar.Wanted") -> None:
        """Look for words in the conversation."""
        self.transcript.look_for(event.text, event.step, self.search.tell)

    def on_search_bar_left(self) -> None:
        """The search is over: who came from reading goes on reading."""
        self.transcript.leave_search()
        # At once: what is typed behind Esc means what it means there.
        self.set_focus(self.transcript if self.is_search_read else self.composer)

    def on_search_bar_typed_behind(self, event: "SearchBar.TypedBehind") -> None:
        """What was typed behind the Esc that left the search goes where the focus went."""
        (self.transcript if self.is_search_read else self.composer).post_message(event.event)

    @on(LineView.LinkPressed)
    def _link(self, event: LineView.LinkPressed) -> None:
        event.stop()
        self.follow_link(event.link, event.turn_index)

    @on(LinesWidget.LinkPressed)
    def _bar_link(self, event: LinesWidget.LinkPressed) -> None:
        event.stop()
        self.follow_link(event.link, -1)

    @on(TranscriptView.Typed)
    def _write(self, event: TranscriptView.Typed) -> None:
        self.composer.focus()
        self.composer.insert(event.character)

    @on(TranscriptView.SelectionChanged)
    def _selection_changed(self) -> None:
        self.tell_status()

    @on(TranscriptView.CodePressed)
    def _copy_code(self, event: TranscriptView.CodePressed) -> None:
        self.copy(event.source, "the code block")

    @on(TranscriptView.CopyWanted)
    def _copy_selected(self, event: TranscriptView.CopyWanted) -> None:
        self.copy(event.text, "the selection")

    @on(LineView.LinkHovered)
    def _hover(self, event: LineView.LinkHovered) -> None:
        from chatui.ui import links

        self.say(links.told(event.link), Tone.MUTED)


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
