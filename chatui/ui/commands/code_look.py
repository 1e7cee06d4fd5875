"""Commands of how code is shown (wrapped, cut, moved sideways, numbered) and of what is unfolded."""

from functools import partial
from typing import TYPE_CHECKING

from chatui.ui.keymap import Command, Where
from chatui.ui.screen_settings import choose_look
from chatui.ui.widgets.turns_view import SHIFT_CELLS

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def wrap_code(screen: "ChatScreen") -> None:
    """Wrap long lines of code, or cut them at the edge."""
    layout = screen.layout_options
    choose_look(screen, wraps_code=not layout.wraps_code)
    screen.say(
        "Code is cut at the edge; Shift with an arrow moves it." if layout.wraps_code else "Code is wrapped."
    )


def line_numbers(screen: "ChatScreen") -> None:
    """Number the lines of code, or not."""
    choose_look(screen, has_line_numbers=not screen.layout_options.has_line_numbers)


def code_right(screen: "ChatScreen") -> None:
    """Show more of the right end of long lines of code."""
    _shift(screen, SHIFT_CELLS)


def code_left(screen: "ChatScreen") -> None:
    """Back to the beginning of the lines."""
    _shift(screen, -SHIFT_CELLS)


def _shift(screen: "ChatScreen", cells: int) -> None:
    if not screen.transcript.shift_code(cells) and screen.layout_options.wraps_code:
        screen.say("Code is wrapped here: w cuts its lines at the edge.")


def unfold(screen: "ChatScreen") -> None:
    """Unfold reasoning and tool blocks of the turn at hand where they stand, or fold them."""
    index = screen.index_at_hand()
    if index is not None:
        screen.transcript.toggle_details(index)


def unfold_all(screen: "ChatScreen") -> None:
    """Unfold reasoning and tool blocks of all turns where they stand, or fold them."""
    is_open = screen.transcript.toggle_all_details()
    screen.say(f"Reasoning and tool blocks are {'unfolded' if is_open else 'folded'}, in every turn.")


_look = partial(Command, where=Where.TRANSCRIPT, group="Look")

COMMANDS = (
    _look(
        name="wrap-code",
        title="Wrap code, or cut it at the edge",
        keys=("w",),
        run=wrap_code,
        words="long lines soft wrap",
    ),
    _look(
        name="line-numbers", title="Number the lines of code, or not", keys=("number_sign",), run=line_numbers
    ),
    _look(
        name="code-right",
        title="Move code to its right end",
        keys=("shift+right", "full_stop"),
        run=code_right,
        words="scroll horizontal sideways",
    ),
    _look(
        name="code-left",
        title="Move code back to its beginning",
        keys=("shift+left", "comma"),
        run=code_left,
        words="scroll horizontal sideways",
    ),
    _look(
        name="unfold",
        title="Unfold or fold reasoning and tool blocks",
        keys=("t",),
        run=unfold,
        words="thinking calls inline",
    ),
    _look(
        name="unfold-all",
        title="Unfold or fold all reasoning and tool blocks",
        keys=("T",),
        run=unfold_all,
        words="thinking calls inline every turn",
    ),
)
