"""Which of the panes are open.

Invariant: what the person chose for a pane is kept; without a choice a pane shows itself only when there is
something in it, beside the text of a wide window, or below a narrow one while the model thinks.
"""

from chatui.core.turn import Turn

NAMES = ("reasoning", "tools")


class PaneChoices:
    """What the person chose, and what follows for a turn."""

    def __init__(self) -> None:
        self._choices: dict[str, bool | None] = dict.fromkeys(NAMES)
        self._is_wide = False

    def choice(self, name: str) -> bool | None:
        """Whether the person wants a pane open; None is no choice."""
        return self._choices[name]

    def choose(self, name: str, is_open: bool | None) -> None:
        """Take a remembered choice."""
        self._choices[name] = is_open

    def toggle(self, name: str, turn: Turn | None) -> None:
        """Show a hidden pane, hide a shown one."""
        self._choices[name] = name not in self.shown(turn, is_wide=self._is_wide)

    def shown(self, turn: Turn | None, *, is_wide: bool, has_calls: bool = False) -> tuple[str, ...]:
        """The panes to show; `has_calls` says that tools are asked for or run now."""
        self._is_wide = is_wide
        unasked = _unasked(turn, is_wide=is_wide)
        if has_calls and is_wide and "tools" not in unasked:
            unasked = (*unasked, "tools")
        choices = self._choices
        return tuple(name for name in NAMES if (name in unasked if choices[name] is None else choices[name]))


def _unasked(turn: Turn | None, *, is_wide: bool) -> tuple[str, ...]:
    """What shows itself for a turn."""
    if turn is None:
        return ()
    from chatui.view.pane_views import has_reasoning, has_tools, is_thinking

    found = ("reasoning",) if has_reasoning(turn) and (is_wide or is_thinking(turn)) else ()
    return (*found, "tools") if is_wide and has_tools(turn) else found
