"""The profiles of the configuration: the one taken holds from the next prompt on."""

from typing import TYPE_CHECKING

from chatui.core.errors import ChatuiError
from chatui.ui.profile_use import use_profile
from chatui.ui.screens.list import ListScreen
from chatui.ui.widgets.rows_view import ListRow
from chatui.view.plain_lines import one_line

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen

NONE = "\x1fnone"


def pick_profile(screen: "ChatScreen") -> None:
    """Show the profiles and apply the one that is taken."""
    workspace = screen.app_.workspace
    profiles = workspace.settings.profiles
    if not profiles:
        screen.notice(
            "There is no profile yet.",
            f"Write one into {workspace.paths.config_file}: [profiles.NAME] with system, model, parameters.",
        )
        return
    rows = [
        ListRow(
            key=name,
            strong=name,
            weak=profile.description or one_line(profile.system, 80) or profile.model,
            words=f"{profile.system[:400]} {profile.provider} {profile.model}",
        )
        for name, profile in profiles.items()
    ]
    rows.append(ListRow(key=NONE, strong="no profile", weak="the settings alone"))

    def taken(name: str | None) -> None:
        if name is None:
            return
        try:
            use_profile(screen, "" if name == NONE else name)
        except ChatuiError as error:
            screen.notice(error.message, error.hint)

    screen.app_.ask(
        ListScreen(
            "Profile", rows, screen.app_.styles_of_theme, screen.signs, at=workspace.profile_name or NONE
        ),
        taken,
    )
