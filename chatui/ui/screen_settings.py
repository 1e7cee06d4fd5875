"""The person's settings on the chat screen, at the start and whenever the file changes.

Invariant: a setting that did not change undoes nothing that was chosen by a key meanwhile.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from chatui.config.settings import MathsDisplay, ReasoningDisplay
from chatui.ui.widgets.line_view import LineView

if TYPE_CHECKING:
    from chatui.config.settings import UiSettings
    from chatui.ui.screens.chat import ChatScreen
    from chatui.ui.vim_keys import VimKeys


class ScreenSettings:
    """Applies settings."""

    def __init__(self, screen: "ChatScreen", settings: "UiSettings") -> None:
        self._screen = screen
        self._look = _look(settings)
        self.vim_keys: VimKeys | None = None

    def take(self, settings: "UiSettings") -> None:
        """What the person set, and what the app remembers of the panes."""
        screen = self._screen
        state = screen.app_.workspace.state
        wanted = {ReasoningDisplay.HIDDEN: False, ReasoningDisplay.OPEN: True}.get(settings.reasoning)
        remembered = state.reasoning_pane_open
        screen.pane_choices.choose("reasoning", wanted if remembered is None else remembered)
        screen.pane_choices.choose("tools", state.tools_pane_open)
        self._use_vim_keys(settings.vim_keys)
        for view in screen.query(LineView):
            view.wheel_rows = settings.scroll_lines
        if screen.is_complete:  # before the first paint there is no picture
            screen.transcript.use_gallery(screen.app_.gallery)
        if (look := _look(settings)) != self._look:
            self._look = look
            wraps_code, has_line_numbers, converts_maths = look
            layout = replace(
                screen.layout_options,
                wraps_code=wraps_code,
                has_line_numbers=has_line_numbers,
                converts_maths=converts_maths,
            )
            screen.use_layout(layout)

    def _use_vim_keys(self, is_wanted: bool) -> None:
        """Modal editing, for those who switched it on."""
        screen = self._screen
        looks = screen.composer.first_look
        if self.vim_keys is not None and not is_wanted:
            looks.remove(self.vim_keys.key)
            self.vim_keys = None
            screen.composer_bar.tell_mode("")
        elif self.vim_keys is None and is_wanted:
            from chatui.ui.vim_keys import VimKeys

            def told(is_normal: bool) -> None:
                screen.composer_bar.tell_mode("N" if is_normal else "")

            self.vim_keys = VimKeys(screen.composer, lambda: screen.live.is_busy, told)
            looks.append(self.vim_keys.key)


def _look(settings: "UiSettings") -> tuple[bool, bool, bool]:
    """Code wrapped, code numbered, formulas in Unicode."""
    return settings.wrap_code, settings.line_numbers, settings.maths is MathsDisplay.UNICODE
