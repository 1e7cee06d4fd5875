"""Choosing an earlier turn to go on from in a conversation of its own.

Invariant: the prompt that did not fit goes along into the composer, so that it is not typed again.
"""

from typing import TYPE_CHECKING

from chatui.core.context_size import turn_tokens
from chatui.core.errors import ChatuiError
from chatui.core.turn import Phase
from chatui.ui.earlier_turns import whole_conversation
from chatui.ui.screens.list import ListScreen
from chatui.ui.widgets.rows_view import ListRow
from chatui.view.badge import count
from chatui.view.lines import EMPTY_LINE, Line, Style, Tone
from chatui.view.plain_lines import one_line, plain_lines

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def pick_fork(screen: "ChatScreen") -> None:
    """Show the turns of the path, newest first, and fork from the one that is taken."""
    turn = screen.turn_at_hand()
    is_failed = turn is not None and turn.phase is Phase.FAILED and not turn.is_accepted_cut
    draft = turn.prompt if turn is not None and is_failed else screen.composer.written
    try:
        path = whole_conversation(screen).path()
    except ChatuiError as error:
        screen.notice(error.message, error.hint)
        return
    by_id = {str(known.turn_id): known for known in path}
    rows: list[ListRow] = []
    tokens = 0
    for number, known in enumerate(path, 1):
        tokens += turn_tokens(known)
        weak = f"turn {number} · ~{count(tokens)} tok up to here"
        rows.append(ListRow(key=known.turn_id, strong=one_line(known.prompt, 200) or "no prompt", weak=weak))

    def preview(key: str, width: int) -> list[Line]:
        known = by_id[key]
        return [
            EMPTY_LINE,
            *plain_lines(known.prompt, width, Style(Tone.ACCENT), indent=" ", most=8),
            EMPTY_LINE,
            *plain_lines(known.text, width, Style(Tone.MUTED), indent=" ", most=40),
        ]

    def taken(key: str | None) -> None:
        if key is None:
            return
        known = by_id.get(key)
        if known is not None and screen.app_.opening.fork(known):
            screen.composer.put(draft)
            screen.composer.focus()

    screen.app_.ask(
        ListScreen(
            "Fork from",
            rows[::-1],
            screen.app_.styles_of_theme,
            screen.signs,
            preview=preview,
            foot="Enter goes on from there in a new conversation, Esc leaves.",
            empty_words="There is no answer to fork from yet.",
        ),
        taken,
    )
