"""The parts of the chat screen: which there are, when they are made, where they stand.

Invariant: the first paint makes what it shows and nothing else; a part that shows nothing yet is made after
it, always at its own place.
"""

from functools import cached_property
from typing import TYPE_CHECKING, cast

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.geometry import Size
from textual.screen import Screen

from chatui.core.turn import Turn
from chatui.ui.pane_choices import PaneChoices
from chatui.ui.presenter import time_of_day
from chatui.ui.screen_settings import look_at_start, with_look
from chatui.ui.terminal.sparing_compositor import SparingCompositor
from chatui.ui.theme import ThemeStyles
from chatui.ui.widgets.composer import Composer
from chatui.ui.widgets.composer_bar import ComposerBar
from chatui.ui.widgets.header import Header
from chatui.ui.widgets.line_view import LineView
from chatui.ui.widgets.one_line import LinesWidget
from chatui.ui.widgets.rule import Rule
from chatui.ui.widgets.status import StatusLine
from chatui.ui.widgets.transcript import TranscriptView
from chatui.view.layout.options import LayoutOptions
from chatui.view.lines import Tone
from chatui.view.turn_options import TurnViewOptions

if TYPE_CHECKING:
    from chatui.ui.app import ChatApp
    from chatui.ui.panel import Panel
    from chatui.ui.widgets.attachment_lines import AttachmentLines
    from chatui.ui.widgets.completion_lines import CompletionLines
    from chatui.ui.widgets.notice import Notice
    from chatui.ui.widgets.queue_lines import QueueLines
    from chatui.ui.widgets.search_bar import SearchBar
    from chatui.ui.widgets.stacked_lines import StackedLines

SMALL_HEIGHT = 13
WIDE_CELLS = 100


class ChatParts(Screen[None]):
    """Header, transcript, panes, composer, status."""

    AUTO_FOCUS = "#composer"
    ALLOW_SELECT = False

    def __init__(self, styles: ThemeStyles) -> None:
        super().__init__()
        self._compositor = SparingCompositor()
        self.app_: ChatApp = cast("ChatApp", self.app)
        self._fit(self.app.size, has_styles=False)
        self.signs = signs = self.app_.signs
        settings = self.app_.workspace.settings.ui
        look = look_at_start(settings, self.app_.workspace.state)
        layout = with_look(LayoutOptions(is_unicode=self.app_.is_unicode), look)
        options = TurnViewOptions(layout=layout, signs=signs, clock_text=self.app_.time_of_day or time_of_day)
        self.header = Header(styles, signs, id="header")
        self.rule_top = Rule(styles, signs, id="rule-top")
        self.transcript = TranscriptView(options, styles, signs, id="transcript")
        self._body = Vertical(self.transcript, id="body")
        self.rule_bottom = Rule(styles, signs, id="rule-bottom")
        self.composer_bar = ComposerBar(styles, signs, id="composer-bar")
        self.composer = Composer("Ask anything.", id="composer")
        self.composer_row = Horizontal(self.composer_bar, self.composer, id="composer-row")
        self.status = StatusLine(styles, signs, id="status")
        self.pane_choices = PaneChoices()
        self.is_complete = False
        """The parts that are hidden at first are there too."""
        self._stacked: list[StackedLines] = []

    def compose(self) -> ComposeResult:
        """What is seen at first, from top to bottom."""
        yield self.header
        yield self.rule_top
        yield self._body
        yield self.rule_bottom
        yield self.composer_row
        yield self.status

    def _on_screen_resume(self, event: events.ScreenResume) -> None:
        if not self.is_complete:
            # Each part has just got its styles; made again, they would be a fifth of the first paint.
            event.refresh_styles = False

    async def complete(self) -> None:
        """After the first paint: add what is hidden at first, one by one, so that keys come in between."""
        await self._body.mount(self.panel)
        await self.mount(self.search, before=self.rule_bottom)
        await self.mount(self.notice_line, before=self.composer_row)
        self.is_complete = True

    # What is made late

    @cached_property
    def panel(self) -> "Panel":
        """Reasoning and tools."""
        from chatui.ui.panel import Panel

        return Panel(self.app_.styles_of_theme, self.signs, self.layout_options, id="panel")

    @cached_property
    def search(self) -> "SearchBar":
        """The field to search the conversation."""
        from chatui.ui.widgets.search_bar import SearchBar

        return SearchBar(self.app_.styles_of_theme, self.signs, id="search")

    @cached_property
    def notice_line(self) -> "Notice":
        """What is broken, above the composer."""
        from chatui.ui.widgets.notice import Notice

        return Notice(self.app_.styles_of_theme, self.signs, id="notice")

    @cached_property
    def queue_lines(self) -> "QueueLines":
        """What waits to be sent."""
        from chatui.ui.widgets.queue_lines import QueueLines

        lines = QueueLines(self.app_.styles_of_theme, self.signs, id="queue")
        lines.followers = (self.attachment_lines, self.completions, self.composer_row)
        self._stacked.append(lines)
        return lines

    @cached_property
    def attachment_lines(self) -> "AttachmentLines":
        """The files that are sent along."""
        from chatui.ui.widgets.attachment_lines import AttachmentLines

        lines = AttachmentLines(self.app_.styles_of_theme, self.signs, id="attachments")
        lines.followers = (self.completions, self.composer_row)
        self._stacked.append(lines)
        return lines

    @cached_property
    def completions(self) -> "CompletionLines":
        """What could be meant by the word that is being written."""
        from chatui.ui.widgets.completion_lines import CompletionLines

        lines = CompletionLines(self.app_.styles_of_theme, self.signs, id="completions")
        lines.followers = (self.composer_row,)
        self._stacked.append(lines)
        return lines

    # What they say

    @property
    def has_notice(self) -> bool:
        """A notice is shown."""
        return bool(self.notice_line.text)

    def notice(self, text: str, hint: str = "") -> None:
        """Show a notice above the composer; empty text takes it away."""
        self.set_class(bool(text), "-notice")
        self.notice_line.tell(text, hint)

    def say(self, text: str, tone: Tone = Tone.ACCENT) -> None:
        """Say something once, in the status line."""
        self.status.say(text, tone)

    # How they look, and where they stand

    @property
    def layout_options(self) -> LayoutOptions:
        """How answers are laid out."""
        return self.transcript.layout_options

    def use_layout(self, layout: LayoutOptions) -> None:
        """Lay out answers in another way."""
        self.transcript.use_layout(layout)
        self.panel.use_layout(layout)

    def use_theme(self, styles: ThemeStyles) -> None:
        """Paint in another theme."""
        for part in self.query("LinesWidget, LineView").results():
            if isinstance(part, LinesWidget | LineView):
                part.use_theme(styles)
        for waiting in self._stacked:
            waiting.use_theme(styles)
        self.refresh()

    def fit(self, size: Size) -> None:
        """Wide windows have a side panel, small ones only what matters."""
        self._fit(size)
        if self.is_complete:
            self.notice_line.tell(self.notice_line.text, self.notice_line.hint)
        for stacked in self._stacked:
            stacked.window_changed()

    def _fit(self, size: Size, *, has_styles: bool = True) -> None:
        """Without styles yet, there are none to be made again for a change."""
        self.set_class(size.width >= WIDE_CELLS, "-wide", update=has_styles)
        self.set_class(size.height < SMALL_HEIGHT or size.width < 30, "-small", update=has_styles)

    def show_panes(self, turn: Turn | None) -> None:
        """Panes for a turn, and the joints of the rules."""
        has_calls = self.is_complete and bool(self.panel.calls)
        is_wide = self.size.width >= WIDE_CELLS
        shown = self.pane_choices.shown(turn, is_wide=is_wide, has_calls=has_calls)
        self.set_class("reasoning" in shown, "-reasoning")
        self.set_class("tools" in shown, "-tools")
        self.set_class(bool(shown), "-panel")
        has_joint = shown and self.is_complete and self.has_class("-wide") and self.panel.region.width
        joint_at = self.panel.region.x if has_joint else None
        self.rule_top.tell(joint_at=joint_at, joint=self.signs.tee_down)
        self.rule_bottom.tell(joint_at=joint_at, joint=self.signs.tee_up)
