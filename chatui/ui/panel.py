"""The Reasoning and Tools panes together.

Beside the transcript when the window is wide, a drawer below when not.

Invariant: what the person chose for a pane is kept; without a choice a pane shows itself only when there is
something in it, beside the text of a wide window, or below a narrow one while the model thinks.
"""

from textual.app import ComposeResult
from textual.containers import Vertical

from chatui.core.turn import Turn
from chatui.ui.theme import ThemeStyles
from chatui.ui.widgets.pane import Pane
from chatui.view.glyphs import Glyphs
from chatui.view.layout.options import LayoutOptions
from chatui.view.pane_views import ReasoningContent, ToolsContent, has_reasoning, has_tools, is_thinking

NAMES = ("reasoning", "tools")


class Panel(Vertical):
    """Both panes."""

    def __init__(self, styles: ThemeStyles, signs: Glyphs, layout: LayoutOptions, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._choices: dict[str, bool | None] = dict.fromkeys(NAMES)
        control = signs.control
        self._layout = layout
        self.panes = {
            "reasoning": Pane(
                "Reasoning",
                f"{control}1 F2",
                "No reasoning in this answer.",
                lambda width: ReasoningContent(width, self._layout),
                styles,
                signs,
                id="reasoning",
            ),
            "tools": Pane(
                "Tools",
                f"{control}2 F3",
                "No tool calls in this answer.",
                lambda width: ToolsContent(width, signs),
                styles,
                signs,
                id="tools",
            ),
        }
        self._is_wide = False

    def compose(self) -> ComposeResult:
        """Reasoning above (or at the left of) Tools."""
        yield self.panes["reasoning"]
        yield self.panes["tools"]

    def choice(self, name: str) -> bool | None:
        """Whether the person wants a pane open; None is no choice."""
        return self._choices[name]

    def choose(self, name: str, is_open: bool | None) -> None:
        """Take a remembered choice."""
        self._choices[name] = is_open

    def toggle(self, name: str, turn: Turn | None) -> None:
        """Show a hidden pane, hide a shown one."""
        self._choices[name] = name not in self.shown(turn, is_wide=self._is_wide)

    def shown(self, turn: Turn | None, *, is_wide: bool) -> tuple[str, ...]:
        """The panes to show."""
        self._is_wide = is_wide
        has = {
            "reasoning": turn is not None and has_reasoning(turn),
            "tools": turn is not None and has_tools(turn),
        }
        unasked = {
            "reasoning": has["reasoning"] and (is_wide or (turn is not None and is_thinking(turn))),
            "tools": has["tools"] and is_wide,
        }
        return tuple(
            name for name in NAMES if (unasked[name] if self._choices[name] is None else self._choices[name])
        )

    def use_layout(self, layout: LayoutOptions) -> None:
        """Lay out reasoning in another way."""
        self._layout = layout
        self.panes["reasoning"].lines.make_anew()

    def settle_text(self) -> None:
        """The stream pauses: show exactly now what was put off."""
        for pane in self.panes.values():
            pane.lines.settle_text()

    def follow(self, turn: Turn | None) -> bool:
        """Both panes follow a turn; returns whether text is left for another call."""
        has_more = False
        for pane in self.panes.values():
            has_more |= pane.lines.show(turn, most=6000)
        return has_more
