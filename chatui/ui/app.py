"""The app: it owns the workspace, the desk and the one chat screen.

Invariant: nothing heavy is imported before the first paint; everything that was begun is stopped when the
app ends.
"""

import asyncio
import dataclasses
import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.screen import ModalScreen

from chatui.core.errors import ChatuiError, StopCause
from chatui.ui.desk import Desk
from chatui.ui.screens.chat import ChatScreen
from chatui.ui.terminal.terminal_telling import TerminalTelling
from chatui.ui.themed_app import ThemedApp
from chatui.ui.writing.draft_keeping import DraftKeeping
from chatui.view.glyphs import glyphs
from chatui.view.lines import Line

if TYPE_CHECKING:
    from chatui.config.state import AppState
    from chatui.engine.ports import Clock
    from chatui.ui.config_watch import ConfigWatch
    from chatui.ui.hearing import Hearing
    from chatui.ui.knowledge import Knowledge
    from chatui.ui.live import Live
    from chatui.ui.opening import Opening
    from chatui.ui.pictures.gallery import Gallery, PictureMode
    from chatui.ui.shelf import Shelf
    from chatui.ui.terminal.clipboard import Clipboard
    from chatui.ui.theme import ThemeError
    from chatui.ui.titles import Titles
    from chatui.wiring import FoundKey, Workspace


class ChatApp(ThemedApp):
    """chatui in a terminal."""

    TITLE = "chatui"
    CSS_PATH = Path(__file__).parent / "screens" / "chat.tcss"
    """Textual loads the file of a default screen only from here."""
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+q", "leave", show=False, priority=True)]

    def __init__(
        self,
        workspace: "Workspace",
        clock: "Clock",
        *,
        is_unicode: bool = True,
        theme_name: str = "",
        has_colour: bool | None = None,
        has_reduced_motion: bool = False,
        time_of_day: Callable[[float], str] | None = None,
        driver_class: type[Driver] | None = None,
    ) -> None:
        settings = workspace.settings.ui
        super().__init__(
            workspace.paths.config_dir / "themes",
            theme_name=theme_name,
            has_colour=not os.environ.get("NO_COLOR") if has_colour is None else has_colour,
            has_mouse=settings.mouse,
            driver_class=driver_class,
        )
        self.workspace = workspace
        self.clock = clock
        self.is_unicode = is_unicode
        self.signs = glyphs(is_unicode)
        self.has_reduced_motion = has_reduced_motion
        self.time_of_day = time_of_day
        heard: Callable[[Live], None] = lambda live: self.hearing.of(live)  # noqa: E731, PLW0108 - it is made then
        self.desk = Desk(workspace, clock, heard, 1 / settings.frames_per_second)
        self.on_list_news: Callable[[], None] | None = None
        """Called when a conversation begins or ends to receive, while a list shows them."""
        self.key_problems: list[str] = []
        self.drafts = DraftKeeping(
            lambda: workspace.history.drafts,
            self.set_timer,
            lambda text: self.chat.say(text),  # noqa: PLW0108 - there is no screen yet
            lambda live: self.opening.claim(live),  # noqa: PLW0108 - it is made then
        )
        self.found_keys: tuple[FoundKey, ...] = ()
        self.embedded_problem = ""
        self.embedded_bytes = 0
        self.telling = TerminalTelling(self.write_to_terminal, self.signs, lambda: self.app_focus)
        self._take_terminal_settings()
        self.begun = asyncio.Event()
        """Set as soon as there is a conversation."""

    # Who does what; each is made when it first has to do something

    @cached_property
    def shelf(self) -> "Shelf":
        """The history as lists see it."""
        from chatui.ui.marks import state_of
        from chatui.ui.shelf import Shelf

        def state(conversation_id: str) -> str:
            return state_of(self.desk.find(conversation_id), self.chat.live)

        return Shelf(lambda: self.workspace.history, self.clock.epoch_s, state)

    @cached_property
    def hearing(self) -> "Hearing":
        """Tells whoever shows it that a conversation has news."""
        from chatui.ui.hearing import Hearing

        return Hearing(self)

    @cached_property
    def opening(self) -> "Opening":
        """Opens conversations."""
        from chatui.ui.opening import Opening

        return Opening(self)

    @cached_property
    def titles(self) -> "Titles":
        """Gives conversations their titles."""
        from chatui.ui.titles import Titles

        return Titles(self)

    @cached_property
    def gallery(self) -> "Gallery":
        """The pictures that are shown."""
        from chatui.ui.pictures.gallery import Gallery

        return Gallery(self._picture_mode, self.write_to_terminal, os.environ)

    @cached_property
    def copier(self) -> "Clipboard":
        """Copies text in the way that works here."""
        from chatui.ui.terminal.clipboard import Clipboard

        return Clipboard(self.copy_to_clipboard)

    @cached_property
    def knowledge(self) -> "Knowledge":
        """What is known of models."""
        from chatui.ui.knowledge import Knowledge

        return Knowledge(self.workspace)

    @cached_property
    def watch_of_config(self) -> "ConfigWatch":
        """Looks whether the configuration changed."""
        from chatui.ui.config_watch import ConfigWatch

        return ConfigWatch(self)

    # Start and end

    def get_default_screen(self) -> ChatScreen:
        """The chat."""
        return ChatScreen(self.styles_of_theme)

    @property
    def chat(self) -> ChatScreen:
        """The chat screen."""
        screen = self.screen_stack[0]
        assert isinstance(screen, ChatScreen)
        return screen

    def use_keys(self) -> None:
        """Take the commands, with the person's own keys."""
        from chatui.ui.commands import ALL
        from chatui.ui.keymap import rebind

        commands, self.key_problems = rebind(ALL, self.workspace.settings.keys, self.workspace.place_of)
        self.chat.use_commands({command.name: command for command in commands})

    async def begin(self) -> None:
        """After the first paint: open the conversation that the options ask for."""
        from chatui.ui.starting import begin

        await begin(self)

    async def leave(self, cause: StopCause = StopCause.PERSON) -> None:
        """Save the draft, stop what runs, end."""
        written = self.chat.composer.written
        for live in self.desk.lives:
            waiting = [prompt.text for prompt in live.queue]
            draft = written if live is self.chat.live else live.draft
            # What still waits to be sent comes back as a draft.
            self.drafts.written(live, "\n\n".join([*waiting, draft] if draft.strip() else waiting))
            live.queue.clear()
        self.drafts.save_now()
        await self.desk.aclose(cause)
        self.gallery.forget_sent()
        self.telling.leave()
        self.exit(0)

    def save_at_end(self) -> None:
        """Keep what is being written, if the screen still knows it."""
        try:
            self.drafts.written(self.chat.live, self.chat.composer.written)
            self.drafts.save_now()
        except Exception:  # noqa: BLE001, S110 - whatever else is broken: the app must come to its end
            pass

    async def action_leave(self) -> None:
        """Quit."""
        await self.leave()

    # The terminal

    def can_write_early(self) -> bool:
        """Plain text goes into the composer at once, unless its letters may be commands of vi."""
        if not self.screen_stack:
            return False
        return self.chat.focused is self.chat.composer and self.chat.vim_keys is None

    def forget_frame(self) -> None:
        """Something else may stand on the screen now: frame and pictures are written anew."""
        super().forget_frame()
        self.gallery.forget_sent()

    def _picture_mode(self) -> "PictureMode":
        from chatui.ui.pictures.gallery import picture_mode

        return picture_mode(
            self.workspace.settings.ui.pictures,
            os.environ,
            colour_system=self.console.color_system,
            has_colour=self.has_colour,
            is_unicode=self.is_unicode,
        )

    def _take_terminal_settings(self) -> None:
        settings = self.workspace.settings.ui
        self.telling.has_title = settings.terminal_title
        self.telling.kind = settings.notification
        self.telling.after_s = settings.notify_after_s

    def take_settings(self) -> None:
        """The settings are other ones now: follow them where that can be done while the app runs."""
        settings = self.workspace.settings.ui
        self.knowledge.forget()
        self._take_terminal_settings()
        self.has_reduced_motion = settings.reduced_motion or bool(os.environ.get("ACCESSIBLE"))
        self.chat.take_settings()
        if settings.theme not in ("", "auto"):
            self.show_theme(settings.theme)

    def ask(self, screen: ModalScreen[str | None], answered: Callable[[str | None], None]) -> None:
        """Show a screen over the chat and tell what it gave."""
        _ = self.push_screen(screen, answered)  # it is on the stack at once; mounting needs no waiting

    def newline_keys_changed(self) -> None:
        """The hint names a key for a new line that arrives here."""
        if self.begun.is_set() and self.is_running:
            self.chat.tell_status()

    # Conversations

    def open_conversation(self, conversation_id: str) -> None:
        """Open a saved conversation."""
        self.opening.open(conversation_id)

    def welcome_lines(self, width: int) -> list[Line]:
        """The empty state."""
        from chatui.ui.welcome import welcome_of

        return welcome_of(self, width)

    # What is remembered

    def choose_theme(self, name: str) -> None:
        """The person chose, for the next start too."""
        super().choose_theme(name)
        self.remember(theme=name)

    def tell_theme_problem(self, error: "ThemeError") -> None:
        """The file of the theme that is shown became wrong."""
        self.chat.notice(str(error), "The theme stays as it was until its file is right.")

    def remember(self, **facts: object) -> None:
        """Keep facts about the look for the next start."""

        def change(state: "AppState") -> "AppState":
            # The facts are fields of the state, named by the callers here.
            return dataclasses.replace(state, **facts)  # type: ignore[arg-type]

        self.change_state(change)

    def change_state(self, change: "Callable[[AppState], AppState]") -> None:
        """Keep a change of what the app remembers."""
        try:
            self.workspace.update_state(change)
        except ChatuiError as error:
            self.chat.say(error.message)
