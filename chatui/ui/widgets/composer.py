"""The composer: where the person writes. It never loses a character and never sends by accident.

Invariants: what is typed or pasted is kept as it is and only shown safely; Enter is the only key that
sends; nothing blinks, so an idle app writes nothing.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from chatui.ui.widgets.whole_pastes import WholePastes

if TYPE_CHECKING:
    from chatui.ui.writing.prompt_recall import PromptRecall

NEWLINE_KEYS = ("shift+enter", "alt+enter", "ctrl+j", "ctrl+enter")


class Composer(WholePastes, inherit_bindings=False):
    """A text area that sends on Enter."""

    DEFAULT_CSS = """
    Composer {
        width: 1fr;
        height: auto;
        min-height: 1;
        max-height: 33vh;
        border: none;
        padding: 0;
        background: $background;
        color: $foreground;
        scrollbar-size-vertical: 1;
        pointer: text;
    }
    Composer .text-area--cursor { background: $accent; color: $background; }
    Composer .text-area--placeholder { color: $faint; }
    Composer .text-area--selection { background: $selection; color: $selection-text; }
    Composer .text-area--matching-bracket { background: $foreground 30%; }
    """
    """In place of Textual's own: a border, a gutter and four looks of a cursor that are not used here."""

    class Submitted(Message):
        """The person sends this text."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Refused(Message):
        """Enter was pressed on nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "cursor_up", show=False),
        Binding("down", "cursor_down", show=False),
        Binding("left", "cursor_left", show=False),
        Binding("right", "cursor_right", show=False),
        Binding("ctrl+left,alt+left,alt+b", "cursor_word_left", show=False),
        Binding("ctrl+right,alt+right,alt+f", "cursor_word_right", show=False),
        Binding("home,ctrl+a", "cursor_line_start", show=False),
        Binding("ctrl+e", "cursor_line_end", show=False),
        Binding("end", "to_end", show=False),
        Binding("shift+left", "cursor_left(True)", show=False),
        Binding("shift+right", "cursor_right(True)", show=False),
        Binding("shift+up", "cursor_up(True)", show=False),
        Binding("shift+down", "cursor_down(True)", show=False),
        Binding("ctrl+shift+left", "cursor_word_left(True)", show=False),
        Binding("ctrl+shift+right", "cursor_word_right(True)", show=False),
        Binding("shift+home", "cursor_line_start(True)", show=False),
        Binding("shift+end", "cursor_line_end(True)", show=False),
        Binding("backspace", "delete_left", show=False),
        Binding("delete,ctrl+d", "delete_right", show=False),
        Binding("ctrl+w,alt+backspace,ctrl+backspace", "delete_word_left", show=False),
        Binding("alt+d,ctrl+delete", "delete_word_right", show=False),
        Binding("ctrl+u", "delete_to_start_of_line", show=False),
        Binding("ctrl+k", "delete_to_end_of_line", show=False),
        Binding("ctrl+x", "cut", show=False),
        Binding("ctrl+v", "paste", show=False),
        Binding("ctrl+z", "take_back", show=False),
        Binding("ctrl+shift+z,alt+z", "redo", show=False),
        Binding("alt+a", "select_all", show=False),
    ]

    def __init__(self, placeholder: str, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(
            id=id,
            soft_wrap=True,
            tab_behavior="focus",
            compact=True,
            highlight_cursor_line=False,
            placeholder=Content(placeholder),
        )
        self.cursor_blink = False
        self._is_taking_back = False
        """The last key took something back."""
        self.first_look: list[Callable[[events.Key], bool]] = []
        """Who looks at a key before the composer does, and says whether it was used."""
        self.read_paste: Callable[[str], str] = lambda text: text
        """What is inserted for a pasted text."""
        self.send_at_once: Callable[[str], bool] = lambda text: False
        """Sends a text before the next key is written; False if more is needed than that."""

    def _get_default_css(self) -> list[tuple[tuple[str, str], str, int, str]]:
        return [sheet for sheet in super()._get_default_css() if sheet[0][1] != "TextArea.DEFAULT_CSS"]

    def update_node_styles(self, animate: bool = True) -> None:
        """Before it is part of a screen its styles need not be made for each class that it is given."""
        if self.is_attached:
            super().update_node_styles(animate)

    # What is written

    def take(self, sent: str = "") -> str:
        """The text that was sent, or all of it; what was typed behind it meanwhile stays."""
        text = self.written
        sent = sent if sent and text.startswith(sent) else text
        self.load(text[len(sent) :])
        self._recall.end()
        return sent

    def put(self, text: str) -> None:
        """Replace the text; undo brings the old one back."""
        self.replace(self._atoms.fold(text), (0, 0), self.document.end)
        self.move_cursor(self.document.end)

    def load(self, text: str) -> None:
        """Show another text; undo does not go back beyond it."""
        self.load_text(self._atoms.fold(text))
        self.move_cursor(self.document.end)

    def remember(self, prompt: str) -> None:
        """Keep a prompt (or a stashed draft) for recall by Up."""
        self._recall.remember(prompt)

    @property
    def prompts(self) -> Sequence[str]:
        """What Up recalls, oldest first."""
        return self._recall.prompts

    def use_prompts(self, prompts: Sequence[str]) -> None:
        """The prompts that Up recalls, oldest first."""
        self._recall.use(prompts)

    @cached_property
    def _recall(self) -> "PromptRecall":
        """Made when there is something to recall."""
        from chatui.ui.writing.prompt_recall import PromptRecall

        return PromptRecall()

    # Keys

    async def _on_key(self, event: events.Key) -> None:
        key = event.key
        self._is_taking_back = self._is_taking_back and key == "ctrl+z"
        if any(look(event) for look in self.first_look):
            event.stop()
            event.prevent_default()
        elif key == "enter":
            event.stop()
            event.prevent_default()
            self._enter()
        elif key in NEWLINE_KEYS:
            event.stop()
            event.prevent_default()
            self._replace_via_keyboard("\n", *self.selection)
        elif key.startswith(("alt+", "ctrl+")):
            # Without the kitty protocol Alt+K carries the character k: it is a command, not text.
            event.prevent_default()
        else:
            await super()._on_key(event)

    def _enter(self) -> None:
        row, column = self.cursor_location
        if self.selection.is_empty and self.document.get_line(row)[:column].endswith("\\"):
            self._replace_via_keyboard("\n", (row, column - 1), (row, column))
            return
        if not self.text.strip():
            self.post_message(self.Refused())
            return
        if not self.send_at_once(self.written):
            self.post_message(self.Submitted(self.written))

    def action_to_end(self) -> None:
        """To the end of the line; where nothing is written the key means the conversation."""
        if not self.text:
            raise SkipAction
        self.action_cursor_line_end()

    def action_cursor_up(self, select: bool = False) -> None:
        """Up; at the top of the text it recalls what was sent before."""
        if (not select and self.cursor_location == (0, 0)) or (not select and not self.text):
            self._show_recalled(-1)
        elif not select and self.wrapped_document.location_to_offset(self.cursor_location).y == 0:
            self.move_cursor((0, 0))
        else:
            super().action_cursor_up(select)

    def action_cursor_down(self, select: bool = False) -> None:
        """Down; at the end of a recalled text it goes on to the next one."""
        if not select and self._recall.is_shown and self.cursor_at_end_of_text:
            self._show_recalled(1)
        else:
            super().action_cursor_down(select)

    def _show_recalled(self, step: int) -> None:
        text = self._recall.step(step, self.written)
        if text is not None:
            self.put(text)
            if step < 0:
                self.move_cursor((0, 0))

    def action_take_back(self) -> None:
        """Undo; where nothing was ever written the key means what it means elsewhere."""
        if self.text or self.history.undo_stack or self._is_taking_back:
            self._is_taking_back = True
            self.undo()
        else:
            raise SkipAction

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        text = self._atoms.fold(self.read_paste(event.text.replace("\r\n", "\n").replace("\r", "\n")))
        if result := self._replace_via_keyboard(text, *self.selection):
            self.move_cursor(result.end_location)
