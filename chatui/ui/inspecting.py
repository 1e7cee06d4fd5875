"""Shows what is beneath a conversation: the next request as JSON, and all that is known of a turn."""

from pathlib import Path
from typing import TYPE_CHECKING

from chatui.core.errors import ChatuiError
from chatui.core.messages import user_message
from chatui.core.send_plan import Omission
from chatui.core.turn import Turn
from chatui.ui.earlier_turns import whole_conversation
from chatui.ui.screens.text_page import MakeLines, TextPage
from chatui.view.lines import EMPTY_LINE, Line, Run, Style, Tone
from chatui.view.plain_lines import plain_lines, runs_line
from chatui.view.turn_details import fact_lines, fact_text, turn_facts

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen
    from chatui.wiring.request_preview import RequestPreview

MOST_BODY_LINES = 20_000


def show_request(screen: "ChatScreen") -> None:
    """What Enter would send now: the whole request, without keys."""
    from chatui.wiring.attaching import files_in, message_with_files
    from chatui.wiring.request_preview import preview_request

    endpoint = screen.endpoint
    if endpoint is None:
        problem = screen.live.problem
        screen.notice(
            problem.message if problem else "There is no model to ask.", problem.hint if problem else ""
        )
        return
    text = screen.composer.written
    try:
        found, _ = files_in(screen.composer.text, Path.cwd())
        message = message_with_files(text, [item.path for item in found]) if found else user_message(text)
    except ChatuiError as error:
        screen.notice(error.message, error.hint)
        return
    messages = (message,) if text.strip() or found else ()
    try:
        conversation = whole_conversation(screen)  # all is sent, also what is not on the screen yet
    except ChatuiError as error:
        screen.notice(error.message, error.hint)
        return
    tools = screen.live.session.tools if screen.live.session is not None else ()
    preview = preview_request(endpoint, conversation, messages, tools=tools)
    title = "What Enter sends" if messages else "What is sent before your next prompt"
    _show(screen, title, lambda width: request_lines(preview, width), request_text(preview))


def request_lines(preview: "RequestPreview", width: int) -> list[Line]:
    """A request as lines."""
    strong, muted = Style(Tone.TEXT, is_bold=True), Style(Tone.MUTED)
    lines = plain_lines(f"{preview.method} {preview.url}", width, strong)
    for name, value in preview.headers.items():
        lines.extend(plain_lines(f"{name}: {value}", width, muted))
    lines.append(EMPTY_LINE)
    words = f"tokens of text: about {preview.estimated_tokens} (an estimate from its length)"
    lines.extend(plain_lines(words, width, Style(Tone.FAINT)))
    if preview.omissions:
        lines.append(runs_line((Run("Left out", Style(Tone.WARNING, is_bold=True)),)))
        for omission in preview.omissions:
            lines.extend(
                plain_lines(f"{omission.what}: {omission.why}", width, Style(Tone.WARNING), indent="  ")
            )
    else:
        lines.extend(plain_lines("nothing of this conversation is left out", width, Style(Tone.FAINT)))
    lines.append(EMPTY_LINE)
    lines.extend(plain_lines(preview.body, width, Style(Tone.TEXT), most=MOST_BODY_LINES))
    return lines


def request_text(preview: "RequestPreview") -> str:
    """A request as text to be copied."""
    headers = "".join(f"{name}: {value}\n" for name, value in preview.headers.items())
    return f"{preview.method} {preview.url}\n{headers}\n{preview.body}\n"


def show_details(screen: "ChatScreen") -> None:
    """All that is known of the turn at hand."""
    turn = screen.turn_at_hand()
    if turn is None:
        screen.say("There is no answer yet.")
        return
    from chatui.wiring.model_knowledge import cost_of

    endpoint = screen.endpoint
    facts_of_model = screen.app_.knowledge.of(endpoint) if endpoint is not None else None
    is_same = endpoint is not None and (endpoint.provider, endpoint.model) == (
        turn.provider,
        turn.requested_model,
    )
    cost = cost_of(turn.usage, facts_of_model) if facts_of_model is not None and is_same else None
    window = endpoint.context_window_tokens if endpoint is not None and is_same else None
    try:
        omissions = _omissions(screen, turn)
    except ChatuiError as error:
        screen.notice(error.message, error.hint)
        return
    facts = turn_facts(turn, cost=cost, omissions=omissions, window_tokens=window)
    _show(screen, "This turn", lambda width: fact_lines(facts, width), fact_text(facts))


def _omissions(screen: "ChatScreen", turn: Turn) -> tuple[Omission, ...]:
    update = screen.live.update
    if update is not None and update.turn.turn_id == turn.turn_id and update.omissions:
        return update.omissions
    from chatui.core.conversation import plan_messages

    path = whole_conversation(screen).path_to(turn.parent_id)
    return plan_messages(path, turn.input, turn.provider).omissions


def _show(screen: "ChatScreen", title: str, make: MakeLines, source: str) -> None:
    app = screen.app_
    app.ask(TextPage(title, make, source, app.copier.copy, app.styles_of_theme, screen.signs), lambda _: None)
