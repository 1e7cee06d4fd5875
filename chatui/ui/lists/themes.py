"""The theme picker: the marked theme is shown at once; Esc brings the old one back."""

from typing import TYPE_CHECKING

from chatui.ui.screens.list import ListScreen
from chatui.ui.theme import ThemeError, read_theme
from chatui.ui.widgets.rows_view import ListRow

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def choose_theme(screen: "ChatScreen", name: str) -> None:
    """Paint in a theme and keep it; where the person's own file names another, that is told."""
    app = screen.app_
    app.choose_theme(name)
    own = app.workspace.settings.ui.theme
    if own not in ("", "auto", name) and (place := app.workspace.set_by("ui.theme")):
        screen.say(f"Until you leave: {place} says {own}.")


def pick_theme(screen: "ChatScreen") -> None:
    """Show the themes and keep the one that is taken."""
    app = screen.app_
    before = app.theme_name
    rows = []
    for path in app.theme_paths():
        try:
            theme = read_theme(path)
        except ThemeError as error:
            rows.append(ListRow(key="", strong=path.stem, weak=str(error), is_dimmed=True))
            continue
        kind = ("dark" if theme.is_dark else "light") + (", contrast" if theme.is_high_contrast else "")
        rows.append(ListRow(key=theme.name, strong=theme.title, weak=kind))

    def marked(name: str) -> None:
        app.show_theme(name)

    def taken(name: str | None) -> None:
        if name:
            choose_theme(screen, name)
        else:
            app.show_theme(before)

    app.ask(
        ListScreen(
            "Theme", rows, app.styles_of_theme, screen.signs, at=before, on_mark=marked, is_aside=True
        ),
        taken,
    )
