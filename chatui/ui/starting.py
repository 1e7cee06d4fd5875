"""What happens between the first paint and the first answer.

Invariants: the screen takes keys from the first paint on: whatever takes longer than a few milliseconds
(loading modules, opening the history, reading the end of a conversation) is done in a thread; what is typed
meanwhile is not lost and comes in its order, behind a draft that was kept.
"""

import asyncio
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from chatui.core.conversation import Conversation
from chatui.core.errors import ChatuiError, Unsettled
from chatui.ui.presenter import LOCAL_PROVIDER, badge_of
from chatui.ui.turns.earlier_turns import FIRST_TURNS

if TYPE_CHECKING:
    from chatui.engine.endpoint import Endpoint
    from chatui.ui.app import ChatApp
    from chatui.ui.live import Live

MOST_NOTICES = 4
LATER_MODULES = (
    "chatui.ui.branching",
    "chatui.ui.turns.caret_keys",
    "chatui.ui.commands",
    "chatui.ui.writing.completing",
    "chatui.ui.context_meter",
    "chatui.ui.marks",
    "chatui.ui.panel",
    "chatui.ui.writing.prompting",
    "chatui.ui.turns.selection_gesture",
    "chatui.ui.turns.turn_following",
    "chatui.ui.widgets.attachment_lines",
    "chatui.ui.widgets.notice",
    "chatui.ui.widgets.queue_lines",
    "chatui.ui.widgets.search_bar",
)
"""What is used as soon as there is a conversation, and not before."""


class Opened(NamedTuple):
    """The conversation to begin with, and whom to ask."""

    conversation: Conversation
    refusal: ChatuiError | None = None
    """Why it is not the one that was asked for."""
    endpoint: "Endpoint | None" = None
    problem: ChatuiError | None = None
    """Why nobody can be asked."""


async def begin(app: "ChatApp") -> None:
    """After the first paint: open the conversation that the options ask for.

    In steps of a few milliseconds: what is typed meanwhile comes in between.
    """
    read = await _beside(app, _read, app)
    if read is None:
        return
    if read.conversation.turns or read.conversation.unfinished:
        _show_first(app, read.conversation)
        await app.chat.wait_for_refresh()  # the text is what a person waits for: all else comes after it
    opened = await _beside(app, _prepare, app, read)
    if opened is None:
        return
    await app.chat.complete()
    app.use_keys()
    await asyncio.sleep(0)
    live = app.desk.open(opened.conversation, opened.endpoint, problem=opened.problem)
    if opened.conversation.turns or opened.conversation.unfinished:
        app.opening.claim(live)
    await asyncio.sleep(0)
    _show(app, live)
    await asyncio.sleep(0)
    app.chat.tell_all()
    _tell(app, live, opened)
    app.call_later(app.take_early_input)
    if isinstance(opened.problem, Unsettled) and app.workspace.options.says_whom_to_ask:
        from chatui.ui.lists.connect import settle

        app.call_later(settle, app.chat, opened.problem)
    app.watch_of_config.begin()
    app.ask_page_colour()
    app.ask_keyboard()
    if live.session is None or live.session.endpoint.provider == LOCAL_PROVIDER:
        from chatui.ui.lists.connect import look_for_keys

        look_for_keys(app)
    app.run_worker(lambda: _warm_up(app, opened.endpoint), thread=True, exit_on_error=False)
    app.begun.set()


async def _beside(app: "ChatApp", work: Callable[..., Opened], *given: object) -> Opened | None:
    """What is done in a thread; None if the app has been left meanwhile."""
    opened = await asyncio.to_thread(work, *given)
    return opened if app.is_running else None


def _read(app: "ChatApp") -> Opened:
    """In a thread: the end of the conversation is read, and what lays it out is loaded."""
    workspace = app.workspace
    refusal = None
    try:
        conversation = workspace.starting_conversation(last=FIRST_TURNS)
    except ChatuiError as error:
        refusal = error
        conversation = workspace.new_conversation(is_temporary=True)
    if shown := conversation.shown():
        from chatui.ui.warm_up import load_layout

        load_layout(shown[-1].text)
    return Opened(conversation, refusal)


def _show_first(app: "ChatApp", conversation: Conversation) -> None:
    """The text alone: nothing can be done with it yet."""
    from chatui.ui.live import Live

    chat, live = app.chat, Live(conversation)
    chat.transcript.show(
        [(turn, badge_of(chat.desk, live, turn, chat.signs, frame=0)) for turn in live.turns()]
    )


def _prepare(app: "ChatApp", read: Opened) -> Opened:
    """In a thread: all that a conversation needs is loaded, the person's key asked for."""
    workspace = app.workspace
    problem = endpoint = None
    try:
        endpoint = workspace.resolve()
    except ChatuiError as error:
        problem = error
    workspace.prepare()
    for name in LATER_MODULES:
        import_module(name)
    return read._replace(endpoint=endpoint, problem=problem)


def _show(app: "ChatApp", live: "Live") -> None:
    """The conversation with its draft, and behind it what was typed meanwhile: nothing comes between."""
    chat = app.chat
    live.draft = app.drafts.find(live) + chat.composer.written
    if app.workspace.attachments:
        live.draft = _with_mentions(live.draft, app.workspace.attachments)
    chat.take(live)


def _tell(app: "ChatApp", live: "Live", opened: Opened) -> None:
    """What is not as it was asked for, and what is broken."""
    chat, workspace = app.chat, app.workspace
    app.opening.tell_where(live)
    if opened.refusal is not None:
        chat.notice(opened.refusal.message, opened.refusal.hint)
    if workspace.opening_prompt:
        app.desk.send_messages(live, workspace.opening_prompt)
    trouble = "" if opened.conversation.is_temporary else workspace.history.trouble
    others = [*workspace.problems, *app.key_problems, app.theme_problem]
    problems = [text for text in (trouble, *others) if text]
    if live.problem is None and problems:
        hint = "The app works without what is broken; Esc takes this away."
        if len(problems) > MOST_NOTICES:
            hint = f"{len(problems) - MOST_NOTICES} more: `chatui config check` tells all. {hint}"
        chat.notice("\n".join(problems[:MOST_NOTICES]), hint)


def _warm_up(app: "ChatApp", endpoint: "Endpoint | None") -> None:
    from chatui.ui.warm_up import settle_memory, warm_up

    try:
        app.workspace.warm_up(endpoint)
        warm_up()
        app.newline_keys.ask_tmux()
    finally:
        settle_memory()


def _with_mentions(draft: str, paths: Iterable[str]) -> str:
    """A draft that names the files of the command line: what is sent along is seen."""
    from chatui.wiring.attaching import mention_of

    mentions = " ".join(mention_of(path) for path in paths)
    return f"{mentions} {draft}"
