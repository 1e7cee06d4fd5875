"""Follows the person's files while the app runs: settings, keys and the theme that is shown.

Invariant: a broken file is told and changes nothing; looking costs a few file times every two seconds, made
beside the keyboard; a running answer is left alone.
"""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from chatui.core.errors import ChatuiError

if TYPE_CHECKING:
    from chatui.ui.app import ChatApp

LOOK_EVERY_S = 2.0


class ConfigWatch:
    """Looks and applies."""

    def __init__(self, app: "ChatApp") -> None:
        self._app = app
        self._theme_stamp = 0
        self._is_looking = False
        self._told = ""

    def begin(self) -> None:
        """Look from now on."""
        self._theme_stamp = self._stamp()
        self._told = "\n".join([*self._app.workspace.problems, *self._app.key_problems][:4])
        self._app.set_interval(LOOK_EVERY_S, self.look)

    async def look(self) -> None:
        """Look once, and apply what changed."""
        if self._is_looking:
            return
        self._is_looking = True
        try:
            has_changed = await asyncio.to_thread(self._app.workspace.reload_if_changed)
            stamp = await asyncio.to_thread(self._stamp)
        finally:
            self._is_looking = False
        if has_changed:
            self.apply()
        if stamp != self._theme_stamp:
            self._theme_stamp = stamp
            self._app.reload_theme()

    def apply(self) -> None:
        """The settings are other ones now."""
        app = self._app
        chat = app.chat
        app.use_keys()
        app.take_settings()
        problems = [*app.workspace.problems, *app.key_problems, *filter(None, [app.theme_problem])]
        endpoint = chat.endpoint
        if endpoint is not None:
            try:
                chat.desk.use(chat.live, app.workspace.again(endpoint))
            except ChatuiError as error:
                problems.append(error.message)
        if problems:
            self._told = "\n".join(problems[:4])
            chat.notice(self._told, "Until it is mended, what was right before counts. Esc hides this.")
        else:
            if self._told and chat.notice_line.text == self._told:
                chat.notice("")
            self._told = ""
            chat.say("The configuration was read again.")
        chat.tell_all()
        chat.refresh_welcome()

    def _stamp(self) -> int:
        path = self._app.theme_path
        return _modified(path) if path is not None else 0


def _modified(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
