"""The list of conversations: the latest first, found by title or by any word that was said in them."""

from typing import TYPE_CHECKING

from chatui.ui.screens.list import ListScreen

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def pick_conversation(screen: "ChatScreen") -> None:
    """Show the conversations and open the one that is taken."""
    app = screen.app_
    shelf = app.shelf
    problem = shelf.problem
    if problem is not None:
        screen.notice(problem.message, problem.hint)
        return

    def taken(key: str | None) -> None:
        if key is not None:
            app.open_conversation(key)

    app.ask(
        ListScreen(
            "Conversations",
            shelf.rows(),
            app.styles_of_theme,
            screen.signs,
            at=screen.live.conversation.conversation_id,
            preview=shelf.preview,
            ask=shelf.search,
            foot="Type a title or any word that was said. Enter opens, Esc leaves.",
            empty_words="No conversation yet.",
        ),
        taken,
    )
