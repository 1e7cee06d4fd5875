"""Commands that move through the conversation, from the composer and from the transcript."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from chatui.ui.keymap import Command, Where

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def _scroll(rows: Callable[["ChatScreen"], int]) -> Callable[["ChatScreen"], None]:
    def run(screen: "ChatScreen") -> None:
        screen.scroll_view.scroll_rows(rows(screen))

    return run


page_up = _scroll(lambda screen: -screen.scroll_view.page_rows())
page_down = _scroll(lambda screen: screen.scroll_view.page_rows())
half_up = _scroll(lambda screen: -max(1, screen.scroll_view.page_rows() // 2))
half_down = _scroll(lambda screen: max(1, screen.scroll_view.page_rows() // 2))
line_up = _scroll(lambda _screen: -1)
line_down = _scroll(lambda _screen: 1)


def to_start(screen: "ChatScreen") -> None:
    """To the beginning of the conversation."""
    screen.scroll_view.to_start()


def to_end(screen: "ChatScreen") -> None:
    """To the end, and follow it."""
    screen.scroll_view.to_end()


def previous_turn(screen: "ChatScreen") -> None:
    """To the beginning of this turn, or of the one before."""
    _to_turn(screen, -1)


def next_turn(screen: "ChatScreen") -> None:
    """To the next turn."""
    _to_turn(screen, 1)


def _to_turn(screen: "ChatScreen", step: int) -> None:
    transcript = screen.transcript
    transcript.to_turn(step)
    if transcript.picked is not None:
        screen.say(f"Turn {transcript.picked + 1} of {transcript.turn_count} is at hand.")
    screen.tell_panel()


def previous_code(screen: "ChatScreen") -> None:
    """To the code block before."""
    if not screen.transcript.to_code(-1):
        screen.say("There is no code block above.")


def next_code(screen: "ChatScreen") -> None:
    """To the next code block."""
    if not screen.transcript.to_code(1):
        screen.say("There is no code block below.")


def search(screen: "ChatScreen") -> None:
    """Search in this conversation, also in turns that are not loaded yet."""
    if screen.focused is not screen.search:
        screen.is_search_read = screen.focused is screen.transcript
    screen.search.enter()
    if screen.transcript.earlier_turns:
        screen.load_earlier(is_all=True)


def fold(screen: "ChatScreen") -> None:
    """Fold or unfold the long prompt of the turn at hand."""
    if screen.transcript.turn_count:
        screen.transcript.toggle_fold(screen.transcript.reading[0])


def fold_all(screen: "ChatScreen") -> None:
    """Fold the long prompts of all turns, or unfold them."""
    is_open = screen.transcript.toggle_folds()
    screen.say(f"Long prompts are {'unfolded' if is_open else 'folded'}, in every turn.")


def _both(
    name: str, title: str, keys: tuple[str, ...], single: tuple[str, ...], run: "Callable[[ChatScreen], None]"
) -> tuple[Command, ...]:
    return (
        Command(name=name, title=title, keys=keys, group="Move", run=run),
        Command(
            name=f"{name}-here",
            title=title,
            keys=single,
            where=Where.TRANSCRIPT,
            group="Move",
            run=run,
            is_in_palette=False,
        ),
    )


COMMANDS = (
    *_both("page-up", "A page up", ("pageup",), ("b",), page_up),
    *_both("page-down", "A page down", ("pagedown",), ("space",), page_down),
    *_both("half-up", "Half a page up", ("alt+pageup", "alt+up"), ("u", "ctrl+u"), half_up),
    *_both("half-down", "Half a page down", ("alt+pagedown", "alt+down"), ("d", "ctrl+d"), half_down),
    *_both("line-up", "A line up", ("ctrl+up",), ("up", "k"), line_up),
    *_both("line-down", "A line down", ("ctrl+down",), ("down", "j"), line_down),
    *_both("to-start", "To the beginning", ("ctrl+home",), ("home", "g"), to_start),
    *_both("to-end", "To the end", ("ctrl+end", "end"), ("end", "G"), to_end),
    *_both(
        "previous-turn",
        "To the previous turn",
        ("ctrl+pageup", "shift+f7"),
        ("left_square_bracket",),
        previous_turn,
    ),
    *_both("next-turn", "To the next turn", ("ctrl+pagedown", "f7"), ("right_square_bracket",), next_turn),
    *_both(
        "previous-code", "To the previous code block", ("shift+f8",), ("left_curly_bracket",), previous_code
    ),
    *_both("next-code", "To the next code block", ("f8",), ("right_curly_bracket",), next_code),
    *_both("search", "Search in this conversation", ("ctrl+f",), ("slash",), search),
    *_both("fold", "Fold or unfold the long prompt", (), ("z",), fold),
    *_both("fold-all", "Fold or unfold all long prompts", (), ("Z",), fold_all),
)
