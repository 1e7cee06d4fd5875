"""Commands that show what is beneath: the request, the details of a turn."""

from typing import TYPE_CHECKING

from chatui.ui.keymap import Command, Where

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def request(screen: "ChatScreen") -> None:
    """Show exactly what will be sent, as JSON, keys redacted."""
    from chatui.ui.inspecting import show_request

    show_request(screen)


def details(screen: "ChatScreen") -> None:
    """Show everything that is known of this turn."""
    from chatui.ui.inspecting import show_details

    show_details(screen)


def known_tools(screen: "ChatScreen") -> None:
    """Show which tools models may call, and which are on."""
    from chatui.ui.tool_listing import show_tools

    show_tools(screen)


COMMANDS = (
    Command(
        name="request",
        title="Show the next request as JSON",
        keys=("f10", "ctrl+t"),
        group="Look",
        run=request,
        words="body headers what is sent preview",
    ),
    Command(
        name="details",
        title="Show the details of this turn",
        keys=("f12",),
        group="Look",
        run=details,
        words="ids timings tokens cost finish reason",
    ),
    Command(
        name="known-tools",
        title="Show which tools models may call",
        keys=(),
        group="Look",
        run=known_tools,
        words="commands mcp servers functions approve",
    ),
    Command(
        name="details-here",
        title="Show the details of this turn",
        keys=("i",),
        where=Where.TRANSCRIPT,
        group="Look",
        run=details,
        is_in_palette=False,
    ),
)
