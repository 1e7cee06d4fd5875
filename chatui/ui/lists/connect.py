"""Who can answer, for somebody who begins: providers whose key was found, the embedded model, servers nearby.

Invariant: looking for keys reads names only, never a key; nothing is asked before the person takes a row.
"""

from typing import TYPE_CHECKING

from chatui.core.errors import ChatuiError, Unsettled
from chatui.ui.lists.model_offer import LOOK, SEPARATOR
from chatui.ui.lists.models import ask_for_key, ask_which_soon, pick_model, take_looking, use_model
from chatui.ui.screens.list import ListScreen
from chatui.ui.welcome import fetch_words
from chatui.ui.widgets.key_hints import LEAVES
from chatui.ui.widgets.rows_view import ListRow

if TYPE_CHECKING:
    from chatui.ui.app import ChatApp
    from chatui.ui.screens.chat import ChatScreen
    from chatui.wiring import FoundKey, ProviderChoice

ALL_MODELS = f"{SEPARATOR}all"
EMBEDDED = "local"


def look_for_keys(app: "ChatApp") -> None:
    """Look beside the keyboard which keys are there, and whether the embedded model can run.

    The empty state tells both.
    """

    def look() -> None:
        problem = app.workspace.embedded_problem()
        size_bytes = app.workspace.embedded_bytes_to_fetch()
        try:
            found = app.workspace.found_keys()
        except ChatuiError:  # a broken provider file is told by the model picker
            found = ()
        if found or problem or size_bytes:
            app.call_from_thread(told, found, problem, size_bytes)

    def told(found: "tuple[FoundKey, ...]", problem: str, size_bytes: int) -> None:
        app.found_keys = found
        app.embedded_bytes = size_bytes
        app.embedded_problem = problem
        app.chat.refresh_welcome()

    _ = app.run_worker(look, thread=True, group="keys", exit_on_error=False)


def settle(screen: "ChatScreen", problem: Unsettled) -> None:
    """The command line named somebody whose key or model is missing: ask for it at once.

    Who leaves the page is in the chat, where the notice still says what is missing.
    """
    if problem.lacks_key:
        pick_connection(screen)
    elif (choice := _unsettled_choice(screen, problem)) is not None:
        ask_which_soon(screen, choice)


def _unsettled_choice(screen: "ChatScreen", problem: ChatuiError | None) -> "ProviderChoice | None":
    """The provider that was to answer and lacks something that can be asked for."""
    if not isinstance(problem, Unsettled):
        return None
    try:
        choices = screen.app_.workspace.choices()
    except ChatuiError:  # told when the list of models is opened
        return None
    return next((choice for choice in choices if choice.name == problem.provider), None)


def pick_connection(screen: "ChatScreen") -> None:
    """Show who can answer and use the one that is taken.

    First the one that was to answer and lacks its key, then those with a key.
    """
    app = screen.app_
    found = app.workspace.found_keys()
    rows = [
        ListRow(key=key.provider, strong=key.title, weak=f"key found in {key.origin}", words=key.provider)
        for key in found
    ]
    wanted = _unsettled_choice(screen, screen.live.problem)
    if wanted is not None and not wanted.is_ready:
        asks = "asks for its key and keeps it in a file"
        rows.insert(0, ListRow(key=f"{SEPARATOR}{wanted.name}", strong=wanted.title, weak=asks))
    rows += [
        ListRow(
            key=EMBEDDED,
            strong="Embedded model",
            weak=app.embedded_problem
            or f"tiny, on this machine, needs no key{fetch_words(app.embedded_bytes)}",
            is_dimmed=bool(app.embedded_problem),
        ),
        ListRow(
            key=LOOK, strong="Look for servers on this machine", weak="Ollama, llama.cpp, LM Studio, vLLM"
        ),
        ListRow(key=ALL_MODELS, strong="Another provider", weak="asks for its key and keeps it in a file"),
    ]

    def taken(key: str | None) -> None:
        if key == LOOK:
            take_looking(screen)
        elif key == ALL_MODELS:
            pick_model(screen)
        elif wanted is not None and key == f"{SEPARATOR}{wanted.name}":
            ask_for_key(screen, wanted, app.workspace.options.model or "")
        elif key is not None:
            use_model(screen, key, "")

    app.ask(
        ListScreen(
            "Who answers?",
            rows,
            app.styles_of_theme,
            screen.signs,
            keys=(("Enter", "lets it answer next"), LEAVES),
        ),
        taken,
    )
