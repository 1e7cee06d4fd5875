"""The Reasoning and Tools panes together.

Beside the transcript when the window is wide, a drawer below when not; `PaneChoices` knows which are open.
"""

from textual.app import ComposeResult
from textual.containers import Vertical

from chatui.core.turn import Turn
from chatui.engine.updates import CallProgress
from chatui.ui.theme import ThemeStyles
from chatui.ui.widgets.pane import Pane
from chatui.view.glyphs import Glyphs
from chatui.view.layout.options import LayoutOptions
from chatui.view.pane_views import ReasoningContent, ToolsContent


class Panel(Vertical):
    """Both panes."""

    SCOPED_CSS = False
    """What is shown follows classes of the screen."""
    DEFAULT_CSS = """
    ChatScreen #panel {
        display: none;
        height: 33%;
        layout: horizontal;
        border-top: solid $rule;
        background: $background;
    }
    ChatScreen.-wide #panel {
        width: 28%;
        min-width: 26;
        max-width: 44;
        height: 1fr;
        layout: vertical;
        border-top: none;
        border-left: solid $rule;
    }
    ChatScreen.-panel #panel { display: block; }
    ChatScreen #reasoning, ChatScreen #tools { display: none; }
    ChatScreen.-reasoning #reasoning, ChatScreen.-tools #tools { display: block; }
    ChatScreen.-wide.-reasoning.-tools #tools { border-top: solid $rule; }
    ChatScreen.-reasoning.-tools #tools { border-left: solid $rule; }
    ChatScreen.-wide.-reasoning.-tools #tools { border-left: none; }
    ChatScreen.-ascii #panel { border-top: ascii $rule; }
    ChatScreen.-ascii.-wide #panel { border-top: none; border-left: ascii $rule; }
    ChatScreen.-ascii.-reasoning.-tools #tools { border-left: ascii $rule; }
    ChatScreen.-ascii.-wide.-reasoning.-tools #tools { border-top: ascii $rule; border-left: none; }
    ChatScreen.-small #panel { display: none; }
    """

    def __init__(self, styles: ThemeStyles, signs: Glyphs, layout: LayoutOptions, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        control = signs.control
        self._layout = layout
        self.calls: tuple[CallProgress, ...] = ()
        """Calls that are asked for or run now, for the turn at hand."""
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
                lambda width: ToolsContent(width, signs, lambda: self.calls),
                styles,
                signs,
                id="tools",
            ),
        }

    def compose(self) -> ComposeResult:
        """Reasoning above (or at the left of) Tools."""
        yield self.panes["reasoning"]
        yield self.panes["tools"]

    def use_layout(self, layout: LayoutOptions) -> None:
        """Lay out reasoning in another way."""
        self._layout = layout
        self.panes["reasoning"].lines.make_anew()

    def settle_text(self) -> None:
        """The stream pauses: show exactly now what was put off."""
        for pane in self.panes.values():
            pane.lines.settle_text()

    def follow(self, turn: Turn | None, calls: tuple[CallProgress, ...] = ()) -> bool:
        """Both panes follow a turn; returns whether text is left for another call."""
        self.calls = calls
        has_more = False
        for pane in self.panes.values():
            has_more |= pane.lines.show(turn, most=6000)
        return has_more
