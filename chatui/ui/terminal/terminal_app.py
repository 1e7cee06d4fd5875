"""The app's side of the terminal: frames, the mouse, early keys, a bug at the end.

Invariants: of a frame only what changed is written, and all of it after another program wrote; what is typed
before there is something to type into waits; a mistake of our own never shows what the person wrote.
"""

import os
import signal
import sys
from functools import cached_property
from typing import TYPE_CHECKING, Any

from textual import on
from textual._compositor import CompositorUpdate
from textual.app import App
from textual.driver import Driver
from textual.events import Event, Key
from textual.screen import Screen
from textual.worker import WorkerFailed

from chatui.ui.terminal.early_input import EarlyInput
from chatui.ui.terminal.frame_difference import ShownFrame

if TYPE_CHECKING:
    from chatui.ui.terminal.newline_keys import NewlineKeys

NEWLINE_KEYS = ("shift+enter", "alt+enter")
"""Keys for a new line that do not arrive from every terminal."""
MOUSE_MODES = (1000, 1003, 1015, 1006)
"""What Textual switches on: presses, all motion, and two ways of telling where."""


class TerminalApp(App[int]):
    """An app that has the terminal to itself."""

    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False

    def __init__(self, *, driver_class: type[Driver] | None, has_mouse: bool) -> None:
        super().__init__(driver_class=driver_class)
        # This app has neither: their widgets, with their style sheets, would be made for each screen.
        self._disable_tooltips = True
        self._disable_notifications = True
        self._has_mouse = has_mouse
        self._shown = ShownFrame()
        self._early_input = EarlyInput(self.can_write_early)

    @property
    def bug(self) -> Exception | None:
        """Our own mistake that ended the app."""
        error = self._exception
        inner = error.error if isinstance(error, WorkerFailed) else None
        return inner if isinstance(inner, Exception) else error

    def _handle_exception(self, error: Exception) -> None:
        """End after a mistake of our own. Textual would print local variables: prompts, answers, keys."""
        self._return_code = 1
        if self._exception is None:
            self._exception = error
            self.save_at_end()
            self._exception_event.set()
        self._close_messages_no_wait()

    def save_at_end(self) -> None:
        """The last chance to save something; whatever else is broken, it must not raise."""

    # Keys

    async def on_event(self, event: Event) -> None:
        """What is typed while the app still starts waits until there is something to type into."""
        if isinstance(event, Key) and event.key in NEWLINE_KEYS and self.newline_keys.pressed(event.key):
            self.newline_keys_changed()
        if not self._early_input.takes(event):
            await super().on_event(event)

    async def take_early_input(self) -> None:
        """There is a conversation now: what was typed before is done."""
        for event in self._early_input.end():
            await super().on_event(event)

    def can_write_early(self) -> bool:
        """Whether there is something to type plain text into already."""
        return False

    @cached_property
    def newline_keys(self) -> "NewlineKeys":
        """Which keys for a new line arrive here."""
        from chatui.ui.terminal.newline_keys import NewlineKeys

        return NewlineKeys()

    @property
    def newline_key(self) -> str:
        """The key for a new line that a hint should name."""
        return self.newline_keys.best if "newline_keys" in self.__dict__ else "ctrl+j"

    def ask_keyboard(self) -> None:
        """Ask the terminal which keys it tells apart; it says so later, or never."""
        ask = getattr(self._driver, "ask_keyboard", None)
        if ask is not None:
            ask(self._take_keyboard)

    def _take_keyboard(self) -> None:
        self.newline_keys.has_kitty_keys = True
        self.newline_keys_changed()

    @property
    def has_synchronised_output(self) -> bool:
        """The terminal said that it shows a frame at once."""
        return self._sync_available

    def newline_keys_changed(self) -> None:
        """More is known of the keys for a new line."""

    # The screen

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        """Write a frame, as little of it as can be."""
        if isinstance(renderable, CompositorUpdate):
            renderable = self._shown.difference(renderable)
        super()._display(screen, renderable)

    def write_to_terminal(self, sequence: str) -> None:
        """A sequence that moves nothing on the screen."""
        if self._driver is not None and not self._driver.is_headless:
            self._driver.write(sequence)
            self._driver.flush()

    def forget_frame(self) -> None:
        """Something else may stand on the screen now: the next frame is written whole."""
        self._shown.forget()

    def redraw(self) -> None:
        """Write the whole screen again."""
        self.forget_frame()
        self.screen.refresh()

    def _resume_signal(self) -> None:
        """Back from another program, which wrote to the terminal."""
        self.forget_frame()
        if not self._has_mouse:
            self._tell_mouse()
        super()._resume_signal()

    @on(Driver.SignalResume)
    def _in_the_foreground_again(self) -> None:
        """Back from the shell: Textual does not ask an overridden `_resume_signal`, and writes nothing."""
        if not self._has_mouse:
            self._tell_mouse()
        self.redraw()

    def to_shell(self) -> bool:
        """Give the terminal to the shell until it brings the app back; returns whether that can be done."""
        if sys.platform == "win32" or self._driver is None or self._driver.is_headless:
            return False
        # The whole group: what started the app and waits for it (a script, `uv run`) must stop too.
        os.killpg(0, signal.SIGTSTP)
        return True

    # The mouse

    def toggle_mouse(self) -> bool:
        """Give the mouse to the terminal or take it back; returns whether the app has it now."""
        self._has_mouse = not self._has_mouse
        self._tell_mouse()
        return self._has_mouse

    def _tell_mouse(self) -> None:
        end = "h" if self._has_mouse else "l"
        self.write_to_terminal("".join(f"\x1b[?{mode}{end}" for mode in MOUSE_MODES))
