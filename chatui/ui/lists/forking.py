"""Choosing an earlier turn to go on from in a conversation of its own.

Invariant: the prompt that did not fit goes along into the composer, so that it is not typed again.
"""

from typing import TYPE_CHECKING

from chatui.core.context_size import turn_tokens
from chatui.core.conversation import Conversation
from chatui.core.errors import ChatuiError
from chatui.core.turn import Phase, Turn, TurnId
from chatui.ui.inspecting import read_and_show
from chatui.ui.screens.list import ListScreen
from chatui.ui.widgets.key_hints import LEAVES
from chatui.ui.widgets.rows_view import ListRow
from chatui.view.badge import count
from chatui.view.lines import EMPTY_LINE, Line, Style, Tone
from chatui.view.plain_lines import one_line, plain_lines

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def pick_fork(screen: "ChatScreen") -> None:
    """Show the turns of the path, newest first, and fork from the one that is taken."""
    now, pages = screen.live.now(), screen.app_.workspace.history.pages

    def read() -> list[ListRow]:
        found = [
            (known.turn_id, one_line(known.prompt, 200) or "no prompt", turn_tokens(known))
            for known in pages.back(now, now.head)
        ]
        left = sum(tokens for _, _, tokens in found)
        rows: list[ListRow] = []
        for index, (name, strong, tokens) in enumerate(found):
            weak = f"turn {len(found) - index} · ~{count(left)} tok up to here"
            rows.append(ListRow(key=name, strong=strong, weak=weak))
            left -= tokens
        return rows

    read_and_show(
        screen, read, lambda rows: _show_turns(screen, now, rows), has_to_read=bool(now.earlier_turns)
    )


def _show_turns(screen: "ChatScreen", now: Conversation, rows: list[ListRow]) -> None:
    turn = screen.turn_at_hand()
    is_failed = turn is not None and turn.phase is Phase.FAILED and not turn.is_accepted_cut
    draft = turn.prompt if turn is not None and is_failed else screen.composer.written

    def found(key: str) -> Turn | None:
        turn_id = TurnId(key)
        try:
            pages = screen.app_.workspace.history.pages
            return now.turn(turn_id) or pages.read(now.conversation_id, [turn_id]).turn(turn_id)
        except ChatuiError as error:
            screen.notice(error.message, error.hint)
            return None

    def preview(key: str, width: int) -> list[Line]:
        known = found(key)
        if known is None:
            return []
        return [
            EMPTY_LINE,
            *plain_lines(known.prompt, width, Style(Tone.ACCENT), indent=" ", most=8),
            EMPTY_LINE,
            *plain_lines(known.text, width, Style(Tone.MUTED), indent=" ", most=40),
        ]

    def go_on() -> None:
        screen.composer.put(draft)
        screen.composer.focus()

    def taken(key: str | None) -> None:
        known = None if key is None else found(key)
        if known is not None:
            screen.app_.opening.fork(known, go_on)

    screen.app_.ask(
        ListScreen(
            "Fork from",
            rows,
            screen.app_.styles_of_theme,
            screen.signs,
            preview=preview,
            keys=(("Enter", "goes on from there in a new conversation"), LEAVES),
            empty_words="There is no answer to fork from yet.",
        ),
        taken,
    )
