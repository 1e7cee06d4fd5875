"""The chat screen: header, transcript, panes, composer, status.

It routes; what is said is made by the presenter.

Invariant: the screen holds at most one unhandled update of the conversation; nothing is written while
nothing changes.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.geometry import Size
from textual.message import Message
from textual.screen import Screen
from textual.widgets import TextArea
from textual.worker import Worker

from chatui.core.conversation import Conversation
from chatui.core.turn import Turn, TurnId
from chatui.engine.endpoint import Endpoint
from chatui.ui import links
from chatui.ui.branching import Branching
from chatui.ui.completing import Completing
from chatui.ui.context_meter import ContextMeter
from chatui.ui.desk import Live
from chatui.ui.keymap import Command, Where, bind, unbind
from chatui.ui.marks import marks_of
from chatui.ui.panel import Panel
from chatui.ui.presenter import LOCAL_PROVIDER, badge_of, facts_of, hints_of, time_of_day
from chatui.ui.prompting import Prompting
from chatui.ui.screen_settings import ScreenSettings
from chatui.ui.sparing_compositor import SparingCompositor
from chatui.ui.theme import ThemeStyles
from chatui.ui.turn_following import TurnFollowing
from chatui.ui.widgets.attachment_lines import AttachmentLines
from chatui.ui.widgets.completion_lines import CompletionLines
from chatui.ui.widgets.composer import Composer
from chatui.ui.widgets.composer_bar import ComposerBar
from chatui.ui.widgets.header import Header
from chatui.ui.widgets.line_view import LineView
from chatui.ui.widgets.notice import Notice
from chatui.ui.widgets.one_line import LinesWidget
from chatui.ui.widgets.queue_lines import QueueLines
from chatui.ui.widgets.rule import Rule
from chatui.ui.widgets.search_bar import SearchBar
from chatui.ui.widgets.status import StatusLine
from chatui.ui.widgets.transcript import TranscriptView
from chatui.view.badge import Badge
from chatui.view.layout.options import LayoutOptions
from chatui.view.lines import Tone
from chatui.view.plain_lines import one_line
from chatui.view.turn_options import TurnViewOptions

if TYPE_CHECKING:
    from chatui.ui.app import ChatApp
    from chatui.ui.vim_keys import VimKeys

SMALL_HEIGHT = 13
WIDE_CELLS = 100


class ChatScreen(Screen[None]):
    """The one screen that is always there."""

    AUTO_FOCUS = "#composer"
    ALLOW_SELECT = False

    class LiveChanged(Message):
        """A conversation has news."""

    def __init__(self, styles: ThemeStyles) -> None:
        super().__init__()
        self._compositor = SparingCompositor()
        self._fit(
            self.app.size
        )  # before the first styles are made, not after: a change makes all of them again
        self.app_: ChatApp = cast("ChatApp", self.app)
        self.commands: Mapping[str, Command] = {}
        """All that can be asked for, by name; there are none before the first paint."""
        self.desk = self.app_.desk
        self.signs = self.app_.signs
        self.is_quit_armed = False
        self._has_news = False
        self._earlier: Worker[None] | None = None
        self.following = TurnFollowing(self)
        signs = self.signs
        settings = self.app_.workspace.settings.ui
        layout = LayoutOptions(
            is_unicode=self.app_.is_unicode,
            wraps_code=settings.wrap_code,
            has_line_numbers=settings.line_numbers,
        )
        options = TurnViewOptions(layout=layout, signs=signs, clock_text=self.app_.time_of_day or time_of_day)
        self.header = Header(styles, signs, id="header")
        self.rule_top = Rule(styles, signs, id="rule-top")
        self.transcript = TranscriptView(options, styles, signs, id="transcript")
        self.panel = Panel(styles, signs, layout, id="panel")
        self.rule_bottom = Rule(styles, signs, id="rule-bottom")
        self.notice_line = Notice(styles, signs, id="notice")
        self.search = SearchBar(styles, signs, id="search")
        self.queue_lines = QueueLines(styles, signs, id="queue")
        self.attachment_lines = AttachmentLines(styles, signs, id="attachments")
        self.completions = CompletionLines(styles, signs, id="completions")
        self.composer_bar = ComposerBar(styles, signs, id="composer-bar")
        self.composer = Composer("Ask anything.", id="composer")
        self.composer_row = Horizontal(self.composer_bar, self.composer, id="composer-row")
        self.queue_lines.followers = (self.attachment_lines, self.completions, self.composer_row)
        self.attachment_lines.followers = (self.completions, self.composer_row)
        self.completions.followers = (self.composer_row,)
        self.status = StatusLine(styles, signs, id="status")
        self.prompting = Prompting(self)
        self._settings = ScreenSettings(self, settings)
        self.branching = Branching(self)
        self.context = ContextMeter(self)
        self.completing = Completing(self)
        self.composer.first_look.append(lambda event: self.completing.key(event.key))
        self.composer.read_paste = self.prompting.pasted
        self.live = Live(Conversation(conversation_id="", is_temporary=True))

    def use_commands(self, commands: Mapping[str, Command]) -> None:
        """Take these commands with their keys in place of others."""
        self.commands = commands
        moves = [command for command in commands.values() if command.group == "Move"]
        for node in (self, self.transcript, *(pane.lines for pane in self.panel.panes.values())):
            unbind(node)
        bind(self, commands.values(), Where.ANYWHERE)
        bind(self.transcript, commands.values(), Where.TRANSCRIPT)
        for pane in self.panel.panes.values():
            bind(pane.lines, moves, Where.TRANSCRIPT)

    def compose(self) -> ComposeResult:
        """The parts, from top to bottom."""
        yield self.header
        yield self.rule_top
        with Vertical(id="body"):
            yield self.transcript
            yield self.panel
        yield self.search
        yield self.rule_bottom
        yield self.notice_line
        yield self.composer_row
        yield self.status

    def on_mount(self) -> None:
        """Begin with the conversation that the options ask for."""
        self.set_class(not self.app_.is_unicode, "-ascii")
        self.take_settings()
        self.composer.focus()
        self.call_after_refresh(self.app_.begin)

    def take_settings(self) -> None:
        """What the person set and what the app remembers of the panes."""
        self._settings.take(self.app_.workspace.settings.ui)

    @property
    def vim_keys(self) -> "VimKeys | None":
        """Modal editing, if it is switched on."""
        return self._settings.vim_keys

    # What is shown

    def show(self, live: Live) -> None:
        """Show a conversation; the other one keeps its draft and its stream."""
        self.app_.drafts.written(self.live, self.composer.written)
        self.app_.drafts.save_now()
        left, self.live = self.live, live
        live.has_unseen = False
        self.branching.leave_edit()
        self.composer.use_prompts(self.app_.drafts.prompts(live))
        self.composer.load(live.draft)
        self.show_turns(live.turns())
        if left is not live:
            self.app_.opening.leave(left)
            self.notice("")
        if live.problem is not None:
            self.notice(live.problem.message, live.problem.hint)
        self.prompting.tell_queue()
        self.tell_all()

    def show_turns(self, turns: Sequence[Turn]) -> None:
        """Show these turns of the conversation, at their end."""
        self.transcript.show(self._with_badges(turns))
        self.transcript.earlier_turns = self.live.now().earlier_turns
        self.refresh_welcome()

    def go_to_turn(self, turn_id: TurnId, words: str = "") -> None:
        """Bring a turn to the top of the window, and mark these words of it."""
        count = self.transcript.turn_count
        place = next((at for at in range(count) if self.transcript.turn(at).turn_id == turn_id), None)
        if place is None:
            return
        self.transcript.to_place(place)
        if words:
            self.transcript.search(words, 0)

    @on(LiveChanged)
    def _follow_live(self) -> None:
        self._has_news = False
        self.branching.follow()
        self.following.follow()
        if self.live.queue:
            _ = self.desk.send_next(self.live)
            self.prompting.tell_queue()

    def news_of(self, live: Live) -> None:
        """Something changed in a conversation."""
        if live is self.live and not self._has_news:
            self._has_news = True
            self.post_message(self.LiveChanged())

    def tell_all(self) -> None:
        """Header, panes and status say what is true now."""
        live = self.live
        conversation = live.now()
        endpoint = self.endpoint
        title = conversation.title or one_line(self._first_prompt(live), 60)
        is_local = endpoint is not None and endpoint.provider == LOCAL_PROVIDER
        self.header.tell(
            title=title,
            provider=endpoint.provider if endpoint else "",
            model=endpoint.model if endpoint else "no model",
            note="tiny model" if is_local else "",
            warning=marks_of(live, self.desk, self.app_.workspace),
        )
        self.following.clock_runs(live.is_busy)
        self.app_.telling.about(title, is_busy=live.is_busy)
        self.tell_panel()
        self.tell_status()

    def _first_prompt(self, live: Live) -> str:
        turns = live.turns()
        return turns[0].prompt if turns else ""

    def tell_panel(self) -> None:
        """The panes follow the turn at hand."""
        turn = self.turn_at_hand()
        if self.panel.follow(turn):
            self.call_later(self.tell_panel)
        self._arrange()

    def tell_status(self) -> None:
        """The status line says what can be pressed now."""
        is_reading = self.focused is self.transcript
        turns = self.transcript.turn_count
        last = self.transcript.turn(turns - 1) if turns else None
        self.status.tell(
            hints=hints_of(
                self.live,
                self.signs,
                stage=self.desk.stage(self.live),
                is_in_transcript=is_reading,
                newline_key=f"{self.signs.control}J",
                has_selection=self.transcript.selection is not None,
                is_selecting=self.transcript.is_selecting,
            ),
            facts=facts_of(
                last,
                cost=self.app_.knowledge.cost(last, self.endpoint),
                context=self.context.facts(),
            ),
        )
        self.composer_bar.tell(is_bright=self.focused is self.composer)
        self.transcript.set_foot_hint("" if is_reading else "Tab, then")

    # What commands need

    @property
    def endpoint(self) -> Endpoint | None:
        """Who answers next."""
        return self.live.session.endpoint if self.live.session is not None else None

    @property
    def scroll_view(self) -> LineView:
        """What the moving keys move: the focused pane, else the transcript."""
        focused = self.focused
        return focused if isinstance(focused, LineView) else self.transcript

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

    @property
    def layout_options(self) -> LayoutOptions:
        """How answers are laid out."""
        return self.transcript.layout_options

    def use_layout(self, layout: LayoutOptions) -> None:
        """Lay out answers in another way."""
        self.transcript.use_layout(layout)
        self.panel.use_layout(layout)

    def code_at_hand(self) -> tuple[str, int, int] | None:
        """Source, number and total of a code block to copy."""
        return self.transcript.next_code_to_copy()

    def refresh_welcome(self) -> None:
        """The empty state says what is true now."""
        if not self.transcript.turn_count and self.live.conversation.conversation_id:
            self.transcript.show_welcome(self.app_.welcome_lines(self.transcript.text_width))

    def copy(self, text: str, what: str) -> None:
        """Copy text and say how it was done."""
        self.say(self.app_.copier.copy(text, what))

    def toggle_pane(self, name: str) -> None:
        """Show or hide a pane, and remember it."""
        self.panel.toggle(name, self.turn_at_hand())
        self.app_.remember(**{f"{name}_pane_open": self.panel.choice(name)})
        self.tell_panel()

    def go_on_from(self, turn: Turn) -> None:
        """Ask the model to go on from what was received."""
        if not self.desk.go_on(self.live, turn):
            self.say("An answer is still coming: Esc stops it.")

    async def quit(self) -> None:
        """End the app."""
        self.live.draft = self.composer.written
        await self.app_.leave()

    # Events

    async def action_command(self, name: str) -> None:
        """Run a command by its name."""
        command = self.commands[name]
        if name != "interrupt":
            self.is_quit_armed = False
        result = command.run(self)
        if result is not None:
            await result

    def on_key(self, event: events.Key) -> None:
        """A key ends what was said once; single keys work in the transcript."""
        if event.key != "ctrl+c":
            self.is_quit_armed = False
            self.say("")

    @on(Composer.Submitted)
    async def _send(self, event: Composer.Submitted) -> None:
        await self.prompting.submit(event.text)

    def forget_draft(self) -> None:
        """What was written is sent: nothing is left to keep."""
        self.app_.drafts.written(self.live, "")
        self.app_.drafts.save_now()

    @on(Composer.Refused)
    def _refuse(self) -> None:
        self.prompting.nothing_written()

    @on(TextArea.Changed, "#composer")
    def _written(self) -> None:
        self.app_.drafts.written(self.live, self.composer.written)
        self.prompting.written()
        self.context.written()

    @on(TextArea.SelectionChanged, "#composer")
    def _caret_moved(self) -> None:
        self.completing.follow()

    @on(TranscriptView.FollowingChanged)
    def _following(self, event: TranscriptView.FollowingChanged) -> None:
        label = (
            ""
            if event.is_following
            else f"{self.signs.down} {'new text below' if event.has_news else 'the end'}"
        )
        self.rule_bottom.label = label
        self.tell_panel()

    @on(SearchBar.Wanted)
    def _search(self, event: SearchBar.Wanted) -> None:
        self.search.tell(self.transcript.search(event.text, event.step))

    @on(SearchBar.Left)
    def _end_search(self) -> None:
        self.transcript.select(None)
        self.composer.focus()

    @on(LineView.LinkPressed)
    def _link(self, event: LineView.LinkPressed) -> None:
        event.stop()
        links.follow(self, event.link, event.turn_index)

    @on(LinesWidget.LinkPressed)
    def _bar_link(self, event: LinesWidget.LinkPressed) -> None:
        event.stop()
        links.follow(self, event.link, -1)

    @on(TranscriptView.EarlierWanted)
    def _load_earlier(self, event: TranscriptView.EarlierWanted) -> None:
        self.load_earlier(is_all=event.is_all)

    def load_earlier(self, *, is_all: bool) -> None:
        """Read turns that come before the first one that is shown; one piece at a time."""
        if is_all or self._earlier is None or self._earlier.is_finished:
            self._earlier = self.run_worker(
                self.app_.load_earlier(is_all=is_all), group="earlier", exclusive=True
            )

    def show_earlier(self) -> None:
        """Turns were read that come before the first one that is shown."""
        first = self.transcript.turn(0).turn_id if self.transcript.turn_count else None
        turns = self.live.turns()
        count = next((index for index, turn in enumerate(turns) if turn.turn_id == first), 0)
        self.transcript.earlier_turns = self.live.now().earlier_turns
        self.transcript.prepend(self._with_badges(turns[:count]))

    def _with_badges(self, turns: Sequence[Turn]) -> list[tuple[Turn, Badge]]:
        return [(turn, badge_of(self.desk, self.live, turn, self.signs, frame=0)) for turn in turns]

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
        self.say(links.told(event.link), Tone.MUTED)

    def on_descendant_focus(self) -> None:
        """Focus is told by the bar and the hints."""
        self.tell_status()

    def on_resize(self, event: events.Resize) -> None:
        """Wide windows have a side panel, small ones only what matters."""
        self._fit(event.size)
        self.notice_line.tell(self.notice_line.text, self.notice_line.hint)
        for stacked in (self.queue_lines, self.attachment_lines, self.completions):
            stacked.window_changed()
        self.call_after_refresh(self.refresh_welcome)
        self.call_after_refresh(self._arrange)

    def _fit(self, size: Size) -> None:
        self.set_class(size.width >= WIDE_CELLS, "-wide")
        self.set_class(size.height < SMALL_HEIGHT or size.width < 30, "-small")

    def _arrange(self) -> None:
        """Panes and the joints of the rules."""
        shown = self.panel.shown(self.turn_at_hand(), is_wide=self.size.width >= WIDE_CELLS)
        self.set_class("reasoning" in shown, "-reasoning")
        self.set_class("tools" in shown, "-tools")
        self.set_class(bool(shown), "-panel")
        joint_at = (
            self.panel.region.x if shown and self.has_class("-wide") and self.panel.region.width else None
        )
        self.rule_top.tell(joint_at=joint_at, joint=self.signs.tee_down)
        self.rule_bottom.tell(joint_at=joint_at, joint=self.signs.tee_up)

    def use_theme(self, styles: ThemeStyles) -> None:
        """Paint in another theme."""
        for part in self.query("LinesWidget, LineView").results():
            if isinstance(part, LinesWidget | LineView):
                part.use_theme(styles)
        for waiting in (self.queue_lines, self.attachment_lines, self.completions):
            waiting.use_theme(styles)
        self.refresh()
