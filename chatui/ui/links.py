"""What happens when a link is pressed.

Our own ones run a command, others show their true target and ask first.

Invariant: nothing outside the app is opened without a question that shows the whole address; only http,
https and mailto can be opened.
"""

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from chatui.core.safe_text import safe_line
from chatui.view.lines import OWN_LINK
from chatui.view.plain_lines import one_line

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen

LOOK_LINK = "chatui:attached/"
"""Before the name of an attached file: that picture is shown."""
PICTURE_LINK = "chatui:picture/"
"""Before the place of a picture among those in sight: it is shown as large as the window."""
OPENABLE = ("http", "https", "mailto")

_COMMANDS = {
    "chatui:model": "model",
    "chatui:conversations": "conversations",
    "chatui:end": "to-end",
    "chatui:reasoning": "reasoning",
    "chatui:tools": "tools",
}


def told(link: str) -> str:
    """What a pointer over a link is told."""
    if not link or link.startswith(OWN_LINK):
        return ""
    return one_line(link, 400)


def own_words(link: str) -> str:
    """What a link of the app itself does, in words."""
    words = {
        "chatui:fold": "fold or unfold the prompt",
        "chatui:reasoning": "show or hide the reasoning",
        "chatui:tools": "show or hide the tools",
        "chatui:answers": "the next answer to this prompt",
    }
    return words.get(link, link.rpartition("/")[2] or link)


def is_openable(link: str) -> bool:
    """Whether a link may be opened after a question."""
    try:
        parts = urlsplit(link)
    except ValueError:
        return False
    return parts.scheme.lower() in OPENABLE and safe_line(link) == link and " " not in link


def follow(screen: "ChatScreen", link: str, turn_index: int) -> None:
    """Do what a link says."""
    if not link.startswith(OWN_LINK):
        ask_to_open(screen, link)
        return
    name = _COMMANDS.get(link)
    if name is None and link.startswith("chatui:command/"):
        name = link.removeprefix("chatui:command/")
    if name is None and link.startswith("chatui:turn/"):
        name = {"copy": "copy-answer"}.get(
            link.removeprefix("chatui:turn/"), link.removeprefix("chatui:turn/")
        )
    if link == "chatui:fold":
        screen.transcript.toggle_fold(turn_index)
    elif link.startswith("chatui:try/"):
        screen.composer.put(link.removeprefix("chatui:try/"))
        screen.composer.focus()
    elif link.startswith("chatui:open/"):
        screen.app_.open_conversation(link.removeprefix("chatui:open/"))
    elif link.startswith(LOOK_LINK):
        from chatui.ui.pictures.looking import look_at_attached

        _ = screen.run_worker(look_at_attached(screen, link.removeprefix(LOOK_LINK)))
    elif link.startswith(PICTURE_LINK):
        from chatui.ui.pictures.looking import look_at_sight

        look_at_sight(screen, int(link.removeprefix(PICTURE_LINK)))
    elif link == "chatui:answers":
        screen.branching.switch(1, screen.transcript.turn(turn_index))
    elif link.startswith("chatui:use/"):
        from chatui.ui.lists.models import use_model

        use_model(screen, link.removeprefix("chatui:use/"), "")
    elif link.startswith("chatui:queue/"):
        what, _, index = link.removeprefix("chatui:queue/").partition("/")
        waiting = screen.prompting.waiting
        {"edit": waiting.edit, "drop": waiting.drop}.get(what, waiting.send_sooner)(int(index))
    elif name in screen.commands:
        screen.call_later(screen.action_command, name)


def ask_to_open(screen: "ChatScreen", link: str) -> None:
    """Show the true target and ask before it is opened."""
    from chatui.ui.screens.question import Question

    if not is_openable(link):
        screen.say(f"This address is not opened: {one_line(link, 200)}")
        return
    if not screen.app_.workspace.settings.ui.confirm_links:
        screen.app_.open_url(link)
        return

    def answered(choice: str | None) -> None:
        if choice == "open":
            screen.app_.open_url(link)
        elif choice == "copy":
            screen.copy(link, "the address")

    host = urlsplit(link).hostname or ""
    screen.app_.ask(
        Question(
            "Open this address?",
            (link, f"The host is {host}." if host else ""),
            (("open", "open in the browser"), ("copy", "copy it")),
            screen.app_.styles_of_theme,
            screen.signs,
        ),
        answered,
    )
