"""What is done when a conversation has news, shown or not.

Invariant: what is told outside its own screen (lists, marks of the header, the welcome) is told once for each
change of its state, not for each frame of an answer.
"""

from typing import TYPE_CHECKING

from chatui.ui.live import Live

if TYPE_CHECKING:
    from chatui.ui.app import ChatApp


class Hearing:
    """Passes news on."""

    def __init__(self, app: "ChatApp") -> None:
        self._app = app
        self._told_states: dict[str, tuple[bool, bool]] = {}

    def of(self, live: Live) -> None:
        """Something changed in a conversation."""
        app = self._app
        if not app.is_running or not app.screen_stack:
            return
        app.telling.heard(live, app.desk.elapsed_s(live))
        app.opening.rest(live)
        if live is not app.chat.live:
            self._follow_hidden(live)
        app.chat.news_of(live)
        self._tell_others(live)

    def _follow_hidden(self, live: Live) -> None:
        """A conversation that is not shown has news: what waits there is sent, its end is told."""
        was_sent = self._app.desk.send_next(live)
        if live.update is not None and not live.is_busy and not was_sent:
            live.has_unseen = True

    def _tell_others(self, live: Live) -> None:
        state = (live.is_busy, live.has_unseen or live.question is not None)
        if self._told_states.get(live.conversation.conversation_id) == state:
            return
        self._told_states[live.conversation.conversation_id] = state
        app = self._app
        app.titles.follow(live)
        if live is not app.chat.live:
            app.chat.tell_all()
            app.chat.refresh_welcome()
        if app.on_list_news is not None:
            app.on_list_news()
