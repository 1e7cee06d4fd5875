"""The app's look: it is painted in a theme of ours, and Textual's own widgets follow.

Invariant: there is always a theme: one that is missing or wrong is told, and another one is used.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from textual.driver import Driver
from textual.theme import Theme as TextualTheme

from chatui.config.theme_files import why_no_theme
from chatui.ui.terminal.page_colour import PageColour
from chatui.ui.terminal.terminal_app import TerminalApp
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


class ThemedApp(TerminalApp):
    """An app that is painted in one of our themes.

    Args:
        own_themes: Where the person's themes are.
        theme_name: The theme to begin with; empty: what suits the terminal.
        has_colour: Whether colours are used.
        has_mouse: Whether the app has the mouse at first.
        driver_class: What talks to the terminal; None is Textual's own choice.
    """

    def __init__(
        self,
        own_themes: Path,
        *,
        theme_name: str,
        has_colour: bool,
        has_mouse: bool,
        driver_class: type[Driver] | None,
    ) -> None:
        super().__init__(driver_class=driver_class, has_mouse=has_mouse)
        self._own_themes = own_themes
        self.has_colour = has_colour
        self.theme_problem = ""
        self._is_theme_automatic = not theme_name
        self._palette = self._read_theme(theme_name or default_theme(self.console.color_system, os.environ))
        self.styles_of_theme = ThemeStyles(self._palette, has_colour=self.has_colour)
        self._use_textual_theme(self._palette)

    def get_css_variables(self) -> dict[str, str]:
        """Textual's variables; before there is a theme of ours nothing is styled with them."""
        return super().get_css_variables() if "_palette" in vars(self) else {}

    def theme_paths(self) -> Iterable[Path]:
        """All theme files."""
        return find_themes(shipped_themes_directory(), self._own_themes)

    def _read_theme(self, name: str) -> Theme:
        paths = {path.stem: path for path in self.theme_paths()}
        self.theme_problem = ""
        for candidate in (name, DEFAULT_THEME):
            try:
                return read_theme(paths[candidate])
            except KeyError:
                self.theme_problem = (
                    f"There is no theme {candidate!r}; {why_no_theme(candidate, paths.values())}"
                )
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
            self.tell_theme_problem(error)
            return
        if palette != self._palette:
            self._paint_in(palette)

    def tell_theme_problem(self, error: ThemeError) -> None:
        """The file of the theme that is shown became wrong; a subclass says so."""

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
        self.set_reactive(ThemedApp.theme, name)
        self.stylesheet.set_variables(self.get_css_variables())
        self.set_class(self.current_theme.dark, "-dark-mode", update=False)
        self.set_class(not self.current_theme.dark, "-light-mode", update=False)

    def ask_page_colour(self) -> None:
        """Where nobody chose a theme, light or dark follows the terminal's own page."""
        ask = getattr(self._driver, "ask_page_colour", None)
        is_default = self.theme_name in (DEFAULT_THEME, DEFAULT_LIGHT_THEME)
        if ask is not None and self._is_theme_automatic and is_default and os.environ.get("TERM") != "linux":
            ask(self._take_page_colour)

    def _take_page_colour(self, colour: PageColour) -> None:
        if self.theme_name in (DEFAULT_THEME, DEFAULT_LIGHT_THEME) and self._is_theme_automatic:
            self.show_theme(DEFAULT_LIGHT_THEME if colour.is_light else DEFAULT_THEME)
