"""Shows what is beneath a conversation: the next request as JSON, and all that is known of a turn.

Invariant: what is read for it, older turns and files, is read in a thread: keys are answered meanwhile.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from chatui.core.errors import ChatuiError
from chatui.core.messages import user_message
from chatui.core.send_plan import Omission
from chatui.ui.screens.text_page import MakeLines, TextPage
from chatui.ui.turns.earlier_turns import whole
from chatui.view.lines import EMPTY_LINE, Line, Run, Style, Tone
from chatui.view.plain_lines import plain_lines, runs_line
from chatui.view.turn_details import fact_lines, fact_text, turn_facts

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen
    from chatui.wiring.request_preview import RequestPreview

MOST_BODY_LINES = 20_000
Found = TypeVar("Found")


def show_request(screen: "ChatScreen") -> None:
    """What Enter would send now: the whole request, without keys."""
    endpoint = screen.endpoint
    if endpoint is None:
        problem = screen.live.problem
        screen.notice(
            problem.message if problem else "There is no model to ask.", problem.hint if problem else ""
        )
        return
    written, shown, now = screen.composer.written, screen.composer.text, screen.live.now()
    tools = screen.live.session.tools if screen.live.session is not None else ()

    def read() -> "tuple[str, RequestPreview]":
        from chatui.wiring.attaching import files_in, message_with_files
        from chatui.wiring.request_preview import preview_request

        found, _ = files_in(shown, Path.cwd())
        message = message_with_files(written, [item.path for item in found]) if found else None
        messages = (message or user_message(written),) if written.strip() or found else ()
        title = "What Enter sends" if messages else "What is sent before your next prompt"
        # All is sent, also what is not on the screen yet.
        return title, preview_request(endpoint, whole(screen, now), messages, tools=tools)

    def show(found: "tuple[str, RequestPreview]") -> None:
        title, preview = found
        _show(screen, title, lambda width: request_lines(preview, width), request_text(preview))

    read_and_show(screen, read, show, has_to_read=bool(now.earlier_turns) or "@" in shown)


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
    update = screen.live.update
    known = update.omissions if update is not None and update.turn.turn_id == turn.turn_id else ()
    now = screen.live.now()

    def read() -> tuple[Omission, ...]:
        from chatui.core.send_plan import plan_messages

        if known:
            return known
        path = whole(screen, now).path_to(turn.parent_id)
        return plan_messages(path, turn.input, turn.provider).omissions

    def show(omissions: tuple[Omission, ...]) -> None:
        facts = turn_facts(turn, cost=cost, omissions=omissions, window_tokens=window)
        _show(screen, "This turn", lambda width: fact_lines(facts, width), fact_text(facts))

    read_and_show(screen, read, show, has_to_read=not known and bool(now.earlier_turns))


def read_and_show(
    screen: "ChatScreen", read: Callable[[], Found], show: Callable[[Found], None], *, has_to_read: bool
) -> None:
    """What has to be read from disk is read beside the keyboard, and shown if its conversation still is."""
    live = screen.live

    async def in_thread() -> None:
        try:
            found = await asyncio.to_thread(read)
        except ChatuiError as error:
            screen.notice(error.message, error.hint)
            return
        if screen.live is live and screen.is_current:
            show(found)

    if has_to_read:
        screen.run_worker(in_thread(), group="inspecting", exclusive=True)
    else:
        show(read())


def _show(screen: "ChatScreen", title: str, make: MakeLines, source: str) -> None:
    app = screen.app_
    app.ask(TextPage(title, make, source, app.copier.copy, app.styles_of_theme, screen.signs), lambda _: None)
