"""Header, panes and status line of the chat screen say what is true now.

Invariant: what is said is made by the presenter from the conversation that is shown; nothing is kept here.
"""

from typing import TYPE_CHECKING

from chatui.core.messages import Role
from chatui.engine.updates import Stage
from chatui.ui.hints import Doing, hints_of
from chatui.ui.presenter import LOCAL_PROVIDER, facts_of

if TYPE_CHECKING:
    from chatui.core.turn import Turn
    from chatui.engine.updates import CallProgress
    from chatui.ui.screens.chat import ChatScreen

MOST_TITLE_CELLS = 60


def tell_header(screen: "ChatScreen") -> None:
    """The conversation, who answers, and what is special about it; the terminal's title too."""
    from chatui.ui.marks import marks_of
    from chatui.view.plain_lines import one_line

    live = screen.live
    endpoint = screen.endpoint
    title = live.now().title or one_line(_first_words(screen), MOST_TITLE_CELLS)
    is_local = endpoint is not None and endpoint.provider == LOCAL_PROVIDER
    screen.header.tell(
        title=title,
        provider=endpoint.provider if endpoint else "",
        model=endpoint.model if endpoint else "no model",
        note="tiny model" if is_local else "",
        warning=marks_of(live, screen.desk, screen.app_.workspace),
    )
    screen.app_.telling.about(title, is_busy=live.is_busy)


def _first_words(screen: "ChatScreen") -> str:
    """What the title will be, so that it does not change when the first answer is complete."""
    live = screen.live
    first = live.first_prompt()
    if live.now().is_temporary or screen.app_.workspace.settings.history.auto_title == "off":
        return first
    from chatui.core.titles import title_of

    return title_of(first, "") or first


def tell_panel(screen: "ChatScreen") -> None:
    """The panes follow the turn at hand."""
    turn = screen.turn_at_hand()
    calls = _calls(screen, turn) if turn is not None else ()
    if screen.is_complete and screen.panel.follow(turn, calls):
        screen.call_later(tell_panel, screen)
    screen.show_panes(turn)


def _calls(screen: "ChatScreen", turn: "Turn") -> "tuple[CallProgress, ...]":
    """The calls that are asked for or run now, or those whose results a turn brings."""
    update = screen.live.update
    if update is not None and update.turn.turn_id == turn.turn_id and update.calls:
        return update.calls
    if turn.parent_id is None or all(message.role is not Role.TOOL for message in turn.input):
        return ()
    from chatui.view.pane_views import answered_calls

    return answered_calls(screen.live.now().turn(turn.parent_id), turn)


def _newline_key(screen: "ChatScreen") -> str:
    """The key for a new line that arrives here, short."""
    signs = screen.signs
    if screen.app_.newline_key == "shift+enter":
        return f"Shift+{signs.enter_key}"
    return f"{signs.control}J"


def _doing(screen: "ChatScreen") -> Doing:
    """What the keys mean now."""
    focused = screen.focused
    if screen.is_complete and focused is screen.search:
        return Doing.SEARCHING
    if screen.transcript.is_selecting:
        return Doing.SELECTING
    if focused is screen.transcript and screen.transcript.turn_count:
        return Doing.READING
    is_suggesting = "completing" in screen.__dict__ and screen.completing.is_open
    return Doing.COMPLETING if is_suggesting else Doing.WRITING


def tell_status(screen: "ChatScreen") -> None:
    """The status line says what can be pressed now."""
    transcript = screen.transcript
    turns = transcript.turn_count
    last = transcript.turn(turns - 1) if turns else None
    has_conversation = bool(screen.live.conversation.conversation_id)
    screen.status.tell(
        hints=hints_of(
            _doing(screen),
            screen.signs,
            newline_key=_newline_key(screen),
            has_selection=transcript.selection is not None,
            is_busy=screen.live.is_busy,
            is_stopping=screen.desk.stage(screen.live) is Stage.STOPPING,
        ),
        facts=facts_of(
            last,
            cost=screen.app_.knowledge.cost(last, screen.endpoint) if last is not None else None,
            context=screen.context.facts() if has_conversation else (),
        ),
    )
    screen.composer_bar.tell(is_bright=screen.focused is screen.composer)
    transcript.set_foot_hint("" if screen.focused is transcript else "Tab, then")
