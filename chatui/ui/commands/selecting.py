"""Commands that select text and follow links with keys."""

from functools import partial
from typing import TYPE_CHECKING

from chatui.ui import links
from chatui.ui.keymap import Command, Where
from chatui.view.lines import Tone

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def select(screen: "ChatScreen") -> None:
    """Show a caret that moves through the text and marks what is copied."""
    _begin(screen, takes_rows=None)


def select_rows(screen: "ChatScreen") -> None:
    """The same, marking whole rows at once."""
    _begin(screen, takes_rows=True)


def _begin(screen: "ChatScreen", *, takes_rows: bool | None) -> None:
    if not screen.transcript.turn_count:
        screen.say("There is nothing to select yet.")
        return
    screen.transcript.focus()
    screen.transcript.select_with_keys(takes_rows=takes_rows)


def next_link(screen: "ChatScreen") -> None:
    """To the next link."""
    _to_link(screen, 1)


def previous_link(screen: "ChatScreen") -> None:
    """To the link before."""
    _to_link(screen, -1)


def _to_link(screen: "ChatScreen", step: int) -> None:
    link = screen.transcript.to_link(step)
    if not link:
        screen.say("There is no other link." if screen.transcript.link_at_hand else "There is no link here.")
        return
    screen.transcript.focus()
    screen.say(f"Enter: {links.told(link) or links.own_words(link)}", Tone.MUTED)


def open_link(screen: "ChatScreen") -> None:
    """Follow the link at hand; an address is shown and asked for first."""
    found = screen.transcript.link_at_hand
    if found is None:
        screen.say("No link is at hand: l goes to the next one.")
        return
    links.follow(screen, *found)


def next_match(screen: "ChatScreen") -> None:
    """To the next place of what was searched for last."""
    screen.search.again(1)


def previous_match(screen: "ChatScreen") -> None:
    """To the place before."""
    screen.search.again(-1)


_reading = partial(Command, where=Where.TRANSCRIPT)

COMMANDS = (
    _reading(
        name="select",
        title="Select text with keys",
        keys=("v",),
        group="Copy",
        run=select,
        words="caret mark visual",
    ),
    _reading(
        name="select-rows",
        title="Select whole rows with keys",
        keys=("V",),
        group="Copy",
        run=select_rows,
        words="caret mark visual line",
    ),
    _reading(
        name="next-link",
        title="To the next link",
        keys=("l",),
        group="Links",
        run=next_link,
        words="url address",
    ),
    _reading(
        name="previous-link",
        title="To the previous link",
        keys=("L",),
        group="Links",
        run=previous_link,
        words="url address",
    ),
    _reading(
        name="open-link",
        title="Follow the link at hand",
        keys=("enter",),
        group="Links",
        run=open_link,
        words="url address browser",
    ),
    _reading(
        name="next-match",
        title="To the next match of the search",
        keys=("n",),
        group="Links",
        run=next_match,
        words="find again",
    ),
    _reading(
        name="previous-match",
        title="To the previous match of the search",
        keys=("N",),
        group="Links",
        run=previous_match,
        words="find again",
    ),
)
