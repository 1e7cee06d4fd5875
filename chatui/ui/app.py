"""The app: it owns the workspace, the desk, the theme and the one chat screen.

Invariant: nothing heavy is imported before the first paint; everything that was begun is stopped when the
app ends.
"""

import asyncio
import dataclasses
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual._compositor import CompositorUpdate
from textual.app import App
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.events import Event
from textual.screen import ModalScreen, Screen
from textual.theme import Theme as TextualTheme
from textual.worker import WorkerFailed

from chatui.core.errors import ChatuiError
from chatui.engine.ports import Clock
from chatui.ui.clipboard import Clipboard
from chatui.ui.config_watch import ConfigWatch
from chatui.ui.desk import Desk, Live
from chatui.ui.draft_keeping import DraftKeeping
from chatui.ui.earlier_turns import load_earlier
from chatui.ui.frame_difference import ShownFrame
from chatui.ui.gallery import Gallery, PictureMode, picture_mode
from chatui.ui.knowledge import Knowledge
from chatui.ui.marks import state_of
from chatui.ui.opening import Opening
from chatui.ui.page_colour import PageColour
from chatui.ui.presenter import LOCAL_PROVIDER
from chatui.ui.screens.chat import ChatScreen
from chatui.ui.shelf import Shelf
from chatui.ui.starting import EarlyInput
from chatui.ui.terminal_telling import TerminalTelling
from chatui.ui.theme import (
    DEFAULT_LIGHT_THEME,
    DEFAULT_THEME,
    Theme,
    ThemeError,
    ThemeStyles,
    default_theme,
    find_themes,
    read_theme,
    shipped_themes_directory,
)
from chatui.ui.titles import Titles
from chatui.ui.welcome import welcome_lines
from chatui.view.glyphs import glyphs
from chatui.view.lines import Line

if TYPE_CHECKING:
    from chatui.config.state import AppState
    from chatui.wiring import FoundKey, Workspace
MOUSE_MODES = (1000, 1003, 1015, 1006)
"""What Textual switches on: presses, all motion, and two ways of telling where."""


class ChatApp(App[int]):
    """chatui in a terminal."""

    TITLE = "chatui"
    CSS_PATH = Path(__file__).parent / "screens" / "chat.tcss"
    """Textual loads the file of a default screen only from here."""
    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+q", "leave", show=False, priority=True)]

    def __init__(
        self,
        workspace: "Workspace",
        clock: Clock,
        *,
        is_unicode: bool = True,
        theme_name: str = "",
        has_colour: bool | None = None,
        has_reduced_motion: bool = False,
        time_of_day: Callable[[float], str] | None = None,
        driver_class: type[Driver] | None = None,
    ) -> None:
        super().__init__(driver_class=driver_class)
        self.workspace = workspace
        self.clock = clock
        self.is_unicode = is_unicode
        self.signs = glyphs(is_unicode)
        self.has_colour = not os.environ.get("NO_COLOR") if has_colour is None else has_colour
        self.has_reduced_motion = has_reduced_motion
        self.time_of_day = time_of_day
        self.theme_problem = ""
        self._is_theme_automatic = not theme_name
        self._palette = self._read_theme(theme_name or default_theme(self.console.color_system, os.environ))
        self.styles_of_theme = ThemeStyles(self._palette, has_colour=self.has_colour)
        frames = workspace.settings.ui.frames_per_second
        self.desk = Desk(workspace, clock, self._on_live_change, 1 / frames)
        self.shelf = Shelf(lambda: workspace.history, clock.epoch_s, self._state_of)
        self.opening = Opening(self)
        self.titles = Titles(self)
        self.gallery = Gallery(self._picture_mode, self._write_to_terminal, os.environ)
        self.on_list_news: Callable[[], None] | None = None
        """Called when a conversation begins or ends to receive, while a list shows them."""
        self._told_states: dict[str, tuple[bool, bool]] = {}
        self.copier = Clipboard(self.copy_to_clipboard)
        self.key_problems: list[str] = []
        self.drafts = DraftKeeping(
            lambda: workspace.history.drafts,
            self.set_timer,
            self._say,
            self.opening.claim,
        )
        self._has_mouse = workspace.settings.ui.mouse
        self.knowledge = Knowledge(workspace)
        self.found_keys: tuple[FoundKey, ...] = ()
        self.embedded_problem = ""
        self.telling = TerminalTelling(self._write_to_terminal, self.signs, lambda: self.app_focus)
        self._take_terminal_settings()
        self.watch_of_config = ConfigWatch(self)
        self._shown = ShownFrame()
        self._early_input = EarlyInput()
        self.begun = asyncio.Event()
        """Set as soon as there is a conversation."""
        self._use_textual_theme(self._palette)

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

        commands, self.key_problems = rebind(ALL, self.workspace.settings.keys)
        self.chat.use_commands({command.name: command for command in commands})

    async def begin(self) -> None:
        """After the first paint: open the conversation that the options ask for."""
        from chatui.ui.starting import begin

        await begin(self)

    async def leave(self) -> None:
        """Save the draft, stop what runs, end."""
        written = self.chat.composer.written
        for live in self.desk.lives:
            waiting = [prompt.text for prompt in live.queue]
            draft = written if live is self.chat.live else live.draft
            # What still waits to be sent comes back as a draft.
            self.drafts.written(live, "\n\n".join([*waiting, draft] if draft.strip() else waiting))
            live.queue.clear()
        self.drafts.save_now()
        await self.desk.aclose()
        self.gallery.forget_sent()
        self.telling.leave()
        self.exit(0)

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
            self._save_last_draft()
            self._exception_event.set()
        self._close_messages_no_wait()

    def _save_last_draft(self) -> None:
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

    async def on_event(self, event: Event) -> None:
        """What is typed while the app still starts waits until there is something to type into."""
        if not self._early_input.takes(self, event):
            await super().on_event(event)

    async def take_early_input(self) -> None:
        """There is a conversation now: what was typed before is done."""
        for event in self._early_input.end():
            await super().on_event(event)

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        """Write a frame, as little of it as can be."""
        if isinstance(renderable, CompositorUpdate):
            renderable = self._shown.difference(renderable)
        super()._display(screen, renderable)

    def _write_to_terminal(self, sequence: str) -> None:
        """A sequence that moves nothing on the screen."""
        if self._driver is not None and not self._driver.is_headless:
            self._driver.write(sequence)
            self._driver.flush()

    def ask_page_colour(self) -> None:
        """Where nobody chose a theme, light or dark follows the terminal's own page."""
        ask = getattr(self._driver, "ask_page_colour", None)
        is_default = self.theme_name in (DEFAULT_THEME, DEFAULT_LIGHT_THEME)
        if ask is not None and self._is_theme_automatic and is_default and os.environ.get("TERM") != "linux":
            ask(self._take_page_colour)

    def _take_page_colour(self, colour: PageColour) -> None:
        if self.theme_name in (DEFAULT_THEME, DEFAULT_LIGHT_THEME) and self._is_theme_automatic:
            self.show_theme(DEFAULT_LIGHT_THEME if colour.is_light else DEFAULT_THEME)

    def _picture_mode(self) -> PictureMode:
        return picture_mode(
            self.workspace.settings.ui.pictures,
            os.environ,
            colour_system=self.console.color_system,
            has_colour=self.has_colour,
            is_unicode=self.is_unicode,
        )

    def toggle_mouse(self) -> bool:
        """Give the mouse to the terminal or take it back; returns whether the app has it now."""
        self._has_mouse = not self._has_mouse
        self._tell_mouse()
        return self._has_mouse

    def _tell_mouse(self) -> None:
        end = "h" if self._has_mouse else "l"
        self._write_to_terminal("".join(f"\x1b[?{mode}{end}" for mode in MOUSE_MODES))

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

    def redraw(self) -> None:
        """Write the whole screen again."""
        self._shown.forget()
        self.gallery.forget_sent()
        self.screen.refresh()

    def _resume_signal(self) -> None:
        """Back from another program, which wrote to the terminal."""
        self._shown.forget()
        self.gallery.forget_sent()
        if not self._has_mouse:
            self._tell_mouse()
        super()._resume_signal()

    def ask(self, screen: ModalScreen[str | None], answered: Callable[[str | None], None]) -> None:
        """Show a screen over the chat and tell what it gave."""
        _ = self.push_screen(screen, answered)  # it is on the stack at once; mounting needs no waiting

    def _say(self, text: str) -> None:
        self.chat.say(text)

    # Conversations

    def _on_live_change(self, live: Live) -> None:
        if self.is_running and self.screen_stack:
            self.telling.heard(live, self.desk.elapsed_s(live))
            if live is not self.chat.live:
                self._follow_hidden(live)
            self.chat.news_of(live)
            self._tell_lists(live)

    def _follow_hidden(self, live: Live) -> None:
        """A conversation that is not shown has news: what waits there is sent, its end is told."""
        was_sent = self.desk.send_next(live)
        if live.update is not None and not live.is_busy and not was_sent:
            live.has_unseen = True

    def _tell_lists(self, live: Live) -> None:
        state = (live.is_busy, live.has_unseen)
        if self._told_states.get(live.conversation.conversation_id) != state:
            self._told_states[live.conversation.conversation_id] = state
            self.titles.follow(live)
            if live is not self.chat.live:
                self.chat.tell_all()
            if self.on_list_news is not None:
                self.on_list_news()

    def open_conversation(self, conversation_id: str) -> None:
        """Open a saved conversation."""
        self.opening.open(conversation_id)

    def _state_of(self, conversation_id: str) -> str:
        return state_of(self.desk.find(conversation_id), self.chat.live)

    async def load_earlier(self, *, is_all: bool) -> None:
        """Read earlier turns of the conversation that is shown."""
        await load_earlier(self.chat, self.workspace.history, is_all=is_all)

    def welcome_lines(self, width: int) -> list[Line]:
        """The empty state."""
        live = self.chat.live
        endpoint = self.chat.endpoint
        problem = live.problem.message if live.problem else ""
        if not problem and endpoint is not None and endpoint.provider == LOCAL_PROVIDER:
            problem = self.embedded_problem
        return welcome_lines(width, self.signs, endpoint, self.shelf.rows(5), problem, self.found_keys)

    # Look

    def theme_paths(self) -> Iterable[Path]:
        """All theme files."""
        return find_themes(shipped_themes_directory(), self.workspace.paths.config_dir / "themes")

    def _read_theme(self, name: str) -> Theme:
        paths = {path.stem: path for path in self.theme_paths()}
        for candidate in (name, DEFAULT_THEME):
            try:
                return read_theme(paths[candidate])
            except KeyError:
                self.theme_problem = f"There is no theme {candidate!r}."
            except ThemeError as error:
                self.theme_problem = str(error)
        raise ThemeError(self.theme_problem)

    @property
    def theme_name(self) -> str:
        """The theme that is shown."""
        return self._palette.name

    @property
    def theme_path(self) -> Path | None:
        """The file of the theme that is shown."""
        name = self._palette.name
        return next((path for path in self.theme_paths() if path.stem == name), None)

    def choose_theme(self, name: str) -> None:
        """The person chose: the terminal's page no longer decides."""
        self._is_theme_automatic = False
        self.show_theme(name)
        self.remember(theme=name)

    def show_theme(self, name: str) -> None:
        """Paint in another theme."""
        if name != self._palette.name:
            self._paint_in(self._read_theme(name))

    def reload_theme(self) -> None:
        """The file of the theme was saved: paint in it anew, or say what is wrong with it."""
        path = self.theme_path
        if path is None:
            return
        try:
            palette = read_theme(path)
        except ThemeError as error:
            self.chat.notice(str(error), "The theme stays as it was until its file is right.")
            return
        if palette != self._palette:
            self._paint_in(palette)

    def _paint_in(self, palette: Theme) -> None:
        self._palette = palette
        self.styles_of_theme = ThemeStyles(self._palette, has_colour=self.has_colour)
        self._use_textual_theme(self._palette)
        for screen in self.screen_stack:
            if use_theme := getattr(screen, "use_theme", None):
                use_theme(self.styles_of_theme)

    def _use_textual_theme(self, palette: Theme) -> None:
        name = f"chatui-{palette.name}"
        self.register_theme(
            TextualTheme(
                name=name,
                primary=palette["accent"],
                accent=palette["accent"],
                foreground=palette["text"],
                background=palette["page"],
                surface=palette["page"],
                panel=palette["overlay"],
                warning=palette["warning"],
                error=palette["error"],
                success=palette["success"],
                dark=palette.is_dark,
                variables={
                    "rule": palette["rule"],
                    "muted": palette["muted"],
                    "faint": palette["faint"],
                    "selection": palette["selection"],
                    "selection-text": palette["selection_text"],
                },
            )
        )
        if not self.is_running:
            self._begin_with_theme(name)
        elif self.theme == name:
            self.refresh_css(animate=False)  # the same name with other colours
        else:
            self.theme = name

    def _begin_with_theme(self, name: str) -> None:
        """Set the theme before anything was styled, without having all style sheets read a second time."""
        self.set_reactive(ChatApp.theme, name)
        self.stylesheet.set_variables(self.get_css_variables())
        self.set_class(self.current_theme.dark, "-dark-mode", update=False)
        self.set_class(not self.current_theme.dark, "-light-mode", update=False)

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
