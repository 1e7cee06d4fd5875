"""Titles of conversations: made from the first exchange on this machine, or by the model if the person asked.

Invariant: a title that the person chose is never replaced; nobody is paid for a title unless the settings ask
for one made by the model.
"""

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from chatui.core.errors import ChatuiError
from chatui.core.titles import title_of
from chatui.core.turn import Phase
from chatui.ui.live import Live

if TYPE_CHECKING:
    from chatui.ui.app import ChatApp


class Titles:
    """Gives a title after the first exchange."""

    def __init__(self, app: "ChatApp") -> None:
        self._app = app

    def follow(self, live: Live) -> None:
        """A turn of a conversation has ended."""
        now = live.now()
        update = live.update
        if now.is_temporary or now.title or len(now.turns) != 1 or live.is_busy or update is None:
            return
        turn = now.turns[0]
        if turn.phase is not Phase.COMPLETED or live.unsaved_why:
            return
        wanted = self._app.workspace.settings.history.auto_title
        if wanted == "off":
            return
        self._suggest(live, title_of(turn.prompt, turn.text))
        if wanted == "model":
            self._app.run_worker(self._ask_model(live), exit_on_error=False, group="titles")

    async def _ask_model(self, live: Live) -> None:
        from chatui.wiring.titling import title_by_model

        session = live.session
        if session is not None:
            title = await title_by_model(self._app.workspace, session.endpoint, live.now().turns[0])
            self._suggest(live, title)

    def _suggest(self, live: Live, title: str) -> None:
        if not title:
            return
        with suppress(ChatuiError):  # the first words of the prompt stay the title
            self._app.workspace.history.catalog.suggest_title(live.conversation.conversation_id, title)
            self.look_again(live)

    def look_again(self, live: Live) -> None:
        """The title in the history may be another one now."""
        summary = self._app.shelf.summary(live.conversation.conversation_id)
        if summary is None:
            return
        live.conversation = replace(live.conversation, title=summary.title)
        if live.session is not None and not live.session.is_busy:
            live.session.move_to(replace(live.session.conversation, title=summary.title))
        if self._app.chat.live is live:
            self._app.chat.tell_all()
