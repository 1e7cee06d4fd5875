"""The person's settings on the chat screen, at the start and whenever the file changes.

Invariant: a setting that did not change undoes nothing that was chosen by a key, meanwhile or before this
start; one that changed is what counts from then on.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from chatui.config.settings import MathsDisplay, ReasoningDisplay
from chatui.ui.widgets.line_view import LineView

if TYPE_CHECKING:
    from chatui.config.settings import UiSettings
    from chatui.config.state import AppState
    from chatui.ui.screens.chat import ChatScreen
    from chatui.ui.writing.vim_keys import VimKeys
    from chatui.view.layout.options import LayoutOptions


class ScreenSettings:
    """Applies settings."""

    def __init__(self, screen: "ChatScreen", settings: "UiSettings") -> None:
        self._screen = screen
        self._look = _set_look(settings)
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
        was, self._look = self._look, _set_look(settings)
        if changed := {name: value for name, value in self._look.items() if value != was[name]}:
            screen.use_layout(with_look(screen.layout_options, changed))
            if any(getattr(state, name) is not None for name in changed):
                screen.app_.remember(**dict.fromkeys(changed))

    def _use_vim_keys(self, is_wanted: bool) -> None:
        """Modal editing, for those who switched it on."""
        screen = self._screen
        looks = screen.composer.first_look
        if self.vim_keys is not None and not is_wanted:
            looks.remove(self.vim_keys.key)
            self.vim_keys = None
            screen.composer_bar.tell_mode("")
        elif self.vim_keys is None and is_wanted:
            from chatui.ui.writing.vim_keys import VimKeys

            def told(is_normal: bool) -> None:
                screen.composer_bar.tell_mode("N" if is_normal else "")

            self.vim_keys = VimKeys(screen.composer, lambda: screen.live.is_busy, told)
            looks.append(self.vim_keys.key)


def _set_look(settings: "UiSettings") -> dict[str, bool]:
    """How answers are laid out as the person's file says, by the names of the layout's options."""
    return {
        "wraps_code": settings.wrap_code,
        "has_line_numbers": settings.line_numbers,
        "converts_maths": settings.maths is MathsDisplay.UNICODE,
    }


def look_at_start(settings: "UiSettings", state: "AppState") -> dict[str, bool]:
    """How answers are laid out at first: as it was chosen by a key last, else as the person's file says."""
    chosen = {name: getattr(state, name) for name in _set_look(settings)}
    return _set_look(settings) | {name: value for name, value in chosen.items() if value is not None}


def with_look(layout: "LayoutOptions", look: Mapping[str, bool]) -> "LayoutOptions":
    """Another look with everything else as it is."""
    # The names are those of options that are true or false.
    return replace(layout, **look)  # type: ignore[arg-type]


def choose_look(screen: "ChatScreen", **chosen: bool) -> None:
    """Lay out answers as was chosen by a key, also after the next start."""
    screen.use_layout(with_look(screen.layout_options, chosen))
    screen.app_.remember(**chosen)
