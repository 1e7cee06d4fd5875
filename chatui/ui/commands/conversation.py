"""Commands of conversations: a new one, an old one, one that is not saved; rename, export, stop all."""

from typing import TYPE_CHECKING

from chatui.ui.keymap import Command

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def new(screen: "ChatScreen") -> None:
    """Begin a new conversation; the old one goes on where it is."""
    screen.app_.opening.new()


def temporary(screen: "ChatScreen") -> None:
    """Begin a conversation of which nothing is written to disk."""
    screen.app_.opening.new(is_temporary=True)
    screen.say("Nothing of this conversation is saved; it ends with chatui.")


def stop_all(screen: "ChatScreen") -> None:
    """Stop every answer that is being received, also in conversations that are not shown."""
    stopped = sum(screen.desk.cancel(live) for live in screen.desk.lives)
    screen.say(f"stopping {stopped} answer{'s' if stopped > 1 else ''}…" if stopped else "Nothing runs.")


def export(screen: "ChatScreen") -> None:
    """Write this conversation to a file: Markdown, JSON or HTML."""
    from chatui.ui.lists.exporting import pick_format

    pick_format(screen)


def rename(screen: "ChatScreen") -> None:
    """Give this conversation another title."""
    from chatui.ui.lists.conversations import rename_shown

    rename_shown(screen)


def conversations(screen: "ChatScreen") -> None:
    """List conversations and open one."""
    from chatui.ui.lists.conversations import pick_conversation

    pick_conversation(screen)


def to_news(screen: "ChatScreen") -> None:
    """To the next conversation that waits for you, has an answer you did not see, or receives one."""
    lives = screen.desk.lives
    at = next((at for at, live in enumerate(lives) if live is screen.live), 0)
    others = [live for live in (*lives[at + 1 :], *lives[:at]) if live is not screen.live]
    for has_news in (
        lambda live: live.question is not None,
        lambda live: live.has_unseen,
        lambda live: live.is_busy,
    ):
        found = next(filter(has_news, others), None)
        if found is not None:
            screen.show(found)
            return
    screen.say("No other conversation has news.")


COMMANDS = (
    Command(name="new", title="New conversation", keys=("ctrl+n",), group="Conversation", run=new),
    Command(
        name="conversations",
        title="Resume a conversation",
        keys=("ctrl+r",),
        group="Conversation",
        run=conversations,
        words="open history list",
        opens_list=True,
    ),
    Command(
        name="to-news",
        title="To the next conversation with news",
        keys=("alt+n",),
        group="Conversation",
        run=to_news,
        words="switch other receiving answered unseen",
    ),
    Command(
        name="temporary",
        title="New temporary conversation: nothing is saved",
        group="Conversation",
        run=temporary,
        words="private incognito no save",
    ),
    Command(
        name="rename",
        title="Rename this conversation",
        group="Conversation",
        run=rename,
        words="title",
    ),
    Command(
        name="export",
        title="Export this conversation to a file",
        group="Conversation",
        run=export,
        words="save markdown json html write",
    ),
    Command(
        name="stop-all",
        title="Stop all answers, in every conversation",
        group="Write",
        run=stop_all,
        words="cancel abort",
    ),
)
