"""The chat screen: shows a conversation and routes what happens to whom it concerns.

Invariant: the screen holds at most one unhandled update of the conversation; nothing is written while
nothing changes.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from textual import events, on
from textual.message import Message
from textual.widgets import TextArea
from textual.worker import Worker

from chatui.core.conversation import Conversation
from chatui.core.turn import Turn
from chatui.ui.live import Live
from chatui.ui.presenter import badge_of
from chatui.ui.screen_settings import ScreenSettings
from chatui.ui.screen_telling import tell_header, tell_panel, tell_status
from chatui.ui.screens.chat_reading import ChatCommands
from chatui.ui.theme import ThemeStyles
from chatui.ui.widgets.composer import Composer
from chatui.ui.widgets.transcript import TranscriptView
from chatui.view.badge import Badge

if TYPE_CHECKING:
    from chatui.engine.endpoint import Endpoint
    from chatui.ui.approving import Approving
    from chatui.ui.branching import Branching
    from chatui.ui.context_meter import ContextMeter
    from chatui.ui.turns.earlier_turns import EarlierTurns
    from chatui.ui.turns.turn_following import TurnFollowing
    from chatui.ui.writing.prompting import Prompting
    from chatui.ui.writing.vim_keys import VimKeys


class ChatScreen(ChatCommands):
    """The one screen that is always there."""

    class LiveChanged(Message):
        """A conversation has news."""

    def __init__(self, styles: ThemeStyles) -> None:
        super().__init__(styles)
        self.desk = self.app_.desk
        self.live = Live(Conversation(conversation_id="", is_temporary=True))
        self._has_news = False
        self._loading: Worker[None] | None = None
        self._settings = ScreenSettings(self, self.app_.workspace.settings.ui)
        self.composer.first_look.append(lambda event: self.completing.key(event.key))
        self.composer.send_at_once = lambda text: self.prompting.send_at_once(text)  # noqa: PLW0108 - likewise
        self.composer.read_paste = lambda text: self.prompting.pasted(text)  # noqa: PLW0108 - it is made then

    # Who does what; each is made when it first has to do something

    @cached_property
    def following(self) -> "TurnFollowing":
        """Brings the running turn to the screen."""
        from chatui.ui.turns.turn_following import TurnFollowing

        return TurnFollowing(self)

    @cached_property
    def prompting(self) -> "Prompting":
        """Takes what was written to where it belongs."""
        from chatui.ui.writing.prompting import Prompting

        return Prompting(self)

    @cached_property
    def earlier(self) -> "EarlierTurns":
        """Turns that are not in memory."""
        from chatui.ui.turns.earlier_turns import EarlierTurns

        earlier = EarlierTurns(self)
        self.transcript.read_from(earlier)
        return earlier

    @cached_property
    def branching(self) -> "Branching":
        """Keeps the transcript on the path that is shown."""
        from chatui.ui.branching import Branching

        return Branching(self)

    @cached_property
    def context(self) -> "ContextMeter":
        """How full the model's window is."""
        from chatui.ui.context_meter import ContextMeter

        return ContextMeter(self)

    @cached_property
    def approving(self) -> "Approving":
        """Asks whether calls may be run."""
        from chatui.ui.approving import Approving

        return Approving(self)

    def on_mount(self) -> None:
        """Begin with the conversation that the options ask for."""
        self.set_class(not self.app_.is_unicode, "-ascii")
        self.take_settings()
        self.composer.focus()
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        """Beside the screen, not in its own turn: else no key would be shown before all is opened."""
        self.run_worker(self.app_.begin(), group="begin")

    async def complete(self) -> None:
        """Add what is hidden at first; the settings hold for it too."""
        await super().complete()
        self.take_settings()

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
        self.take(live)
        self.tell_all()

    def take(self, live: Live) -> None:
        """Show a conversation, its turns and its draft; what is said of it is for `tell_all`."""
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
        self.call_after_refresh(self._follow_question)

    def show_turns(self, turns: Sequence[Turn]) -> None:
        """Show these turns of the conversation, at their end."""
        self.transcript.show(self._with_badges(turns))
        self.earlier.begin(turns)
        self.refresh_welcome()

    @on(LiveChanged)
    def _follow_live(self) -> None:
        self._has_news = False
        self.branching.follow()
        self.following.follow()
        self._follow_question()
        if self.live.queue:
            _ = self.desk.send_next(self.live)
            self.prompting.tell_queue()

    @on(events.ScreenResume)
    def _follow_question(self) -> None:
        """A call waits for a yes or no, or does not any more."""
        if self.live.question is not None or "approving" in self.__dict__:
            self.approving.follow()

    def news_of(self, live: Live) -> None:
        """Something changed in a conversation."""
        if live is self.live and not self._has_news:
            self._has_news = True
            self.post_message(self.LiveChanged())

    def tell_all(self) -> None:
        """Header, panes and status say what is true now."""
        tell_header(self)
        self.following.clock_runs(self.live.is_busy)
        tell_panel(self)
        tell_status(self)

    def tell_panel(self) -> None:
        """The panes follow the turn at hand."""
        tell_panel(self)

    def tell_status(self) -> None:
        """The status line says what can be pressed now."""
        tell_status(self)

    def follow_link(self, link: str, turn_index: int) -> None:
        """A link was pressed, in a turn or (-1) elsewhere."""
        from chatui.ui import links

        links.follow(self, link, turn_index)

    # What commands need

    @property
    def endpoint(self) -> "Endpoint | None":
        """Who answers next."""
        return self.live.session.endpoint if self.live.session is not None else None

    def refresh_welcome(self) -> None:
        """The empty state says what is true now."""
        if not self.transcript.turn_count and self.live.conversation.conversation_id:
            self.transcript.show_welcome(self.app_.welcome_lines(self.transcript.text_width))

    def go_on_from(self, turn: Turn) -> None:
        """Ask the model to go on from what was received."""
        if self.branching.reach(turn) and not self.desk.go_on(self.live, turn):
            self.say("An answer is still coming: Esc stops it.")

    async def quit(self) -> None:
        """End the app."""
        self.live.draft = self.composer.written
        await self.app_.leave()

    # Events

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

    @on(TextArea.Changed)
    def _written(self) -> None:
        self.app_.drafts.written(self.live, self.composer.written)
        self.prompting.written()
        self.context.written()

    @on(TextArea.SelectionChanged)
    def _caret_moved(self) -> None:
        self.completing.follow()

    @on(TranscriptView.EarlierWanted)
    def _load_earlier(self, event: TranscriptView.EarlierWanted) -> None:
        self.load_earlier(is_all=event.is_all)

    def load_earlier(self, *, is_all: bool) -> None:
        """Get to know turns that come before the first one that is shown; one piece at a time."""
        if is_all or self._loading is None or self._loading.is_finished:
            self._loading = self.run_worker(self.earlier.load(is_all=is_all), group="earlier", exclusive=True)

    def _with_badges(self, turns: Sequence[Turn]) -> list[tuple[Turn, Badge]]:
        return [(turn, badge_of(self.desk, self.live, turn, self.signs, frame=0)) for turn in turns]

    def on_descendant_focus(self) -> None:
        """Focus is told by the bar and the hints."""
        self.tell_status()

    def on_resize(self, event: events.Resize) -> None:
        """Everything finds its place in a window of another size."""
        self.fit(event.size)
        self.call_after_refresh(self.refresh_welcome)
        self.call_after_refresh(lambda: self.show_panes(self.turn_at_hand()))
