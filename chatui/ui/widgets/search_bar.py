"""Search in the conversation that is shown: a field above the composer, matches walked by Enter."""

from collections.abc import Sequence

from textual import events
from textual.message import Message

from chatui.ui.widgets.one_line import LinesWidget
from chatui.ui.writing.text_field import TextField
from chatui.view.lines import Line, Run, Style, Tone
from chatui.view.plain_lines import one_line, spread_line


class SearchBar(LinesWidget):
    """One line that is hidden until it is asked for."""

    can_focus = True
    surface = "raised"
    DEFAULT_CSS = "SearchBar { display: none; }"

    class Wanted(Message):
        """Look for this, from where the person is, forward or back."""

        def __init__(self, text: str, step: int) -> None:
            super().__init__()
            self.text = text
            self.step = step

    class Left(Message):
        """The search is over."""

    class TypedBehind(Message):
        """Typed behind Esc while the app was busy: it was on its way to the field already."""

        def __init__(self, event: events.Key | events.Paste) -> None:
            super().__init__()
            self.event = event

    field = TextField()
    found = ""
    is_offered = False
    """What was searched for last is offered: Enter takes it, a letter begins anew."""

    def enter(self) -> None:
        """Show the field and take the focus."""
        self.field = TextField(self.field.text)
        self.is_offered = bool(self.field.text)
        self.display = True
        self.focus()
        self.lines_changed()

    def leave(self) -> None:
        """Hide the field."""
        self.display = False
        self.found = ""
        self.post_message(self.Left())

    def again(self, step: int) -> None:
        """Go on to another match of what was searched for last, the field hidden or not."""
        if self.field.text:
            self.post_message(self.Wanted(self.field.text, step))
        else:
            self.enter()

    def tell(self, found: str) -> None:
        """Say what was found."""
        self.found = found
        self.lines_changed()

    def make_lines(self, width: int) -> Sequence[Line]:
        """The field and what was found."""
        room = max(4, width - len(self.found) - 10)
        if self.is_offered:
            offered = Run(one_line(self.field.text, room), Style(Tone.MUTED, is_underlined=True))
            runs: tuple[Run, ...] = (offered,)
        else:
            runs = self.field.runs(room, "words in this conversation")
        left = (Run(" find ", Style(Tone.ACCENT)), *runs)
        return [spread_line(left, (Run(f"{self.found} ", Style(Tone.MUTED)),), width)]

    async def _on_key(self, event: events.Key) -> None:
        if not self.display:
            event.stop()
            event.prevent_default()
            self.post_message(self.TypedBehind(events.Key(event.key, event.character)))
        elif event.key == "escape":
            event.stop()
            self.leave()
        elif event.key in ("enter", "down", "shift+enter", "up"):
            event.stop()
            self._take_offer(is_kept=True)
            if self.field.text:
                self.post_message(
                    self.Wanted(self.field.text, -1 if event.key in ("shift+enter", "up") else 1)
                )
        elif self._edit(event):
            event.stop()
            event.prevent_default()
            self.lines_changed()
            self.post_message(self.Wanted(self.field.text, 0))

    def _edit(self, event: events.Key) -> bool:
        character = event.character if event.is_printable else None
        if self.is_offered:
            self._take_offer(is_kept=character is None or "+" in event.key)
        return self.field.key(event.key, character)

    def _take_offer(self, *, is_kept: bool) -> None:
        if self.is_offered:
            self.is_offered = False
            if not is_kept:
                self.field = TextField()
            self.lines_changed()

    def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        if not self.display:
            self.post_message(self.TypedBehind(events.Paste(event.text)))
            return
        self._take_offer(is_kept=False)
        self.field.insert(event.text)
        self.lines_changed()
        self.post_message(self.Wanted(self.field.text, 0))
