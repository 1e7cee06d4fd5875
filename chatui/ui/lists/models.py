"""The model picker: every provider's models at once, live lists fetched behind.

The next turn goes to the one taken.
"""

from typing import TYPE_CHECKING

from chatui.core.errors import ChatuiError
from chatui.ui.screens.list import ListScreen
from chatui.ui.widgets.rows_view import ListRow
from chatui.view.plain_lines import one_line

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen
    from chatui.wiring import ProviderChoice

SEPARATOR = "\x1f"


def _rows(choice: "ProviderChoice", models: tuple[str, ...]) -> list[ListRow]:
    weak = choice.title if choice.is_ready else choice.what_is_missing
    return [
        ListRow(
            key=f"{choice.name}{SEPARATOR}{model}",
            strong=f"{choice.name} / {model}",
            weak=weak,
            words=choice.protocol,
            is_dimmed=not choice.is_ready,
        )
        for model in models
    ]


def pick_model(screen: "ChatScreen") -> None:
    """Show the models and use the one that is taken."""
    app = screen.app_
    endpoint = screen.endpoint
    try:
        choices = app.workspace.choices()
    except ChatuiError as error:
        screen.notice(error.message, error.hint)
        return
    rows: list[ListRow] = []
    if endpoint is not None:
        rows.append(
            ListRow(
                key=f"{endpoint.provider}{SEPARATOR}{endpoint.model}",
                strong=f"{endpoint.provider} / {endpoint.model}",
                weak="in use",
            )
        )
    known = {row.key for row in rows}
    for choice in choices:
        fresh = _rows(choice, choice.models)
        if not choice.models:
            fresh = [
                ListRow(
                    key=f"{choice.name}{SEPARATOR}",
                    strong=choice.name,
                    weak=choice.title if choice.is_ready else choice.what_is_missing,
                    is_dimmed=not choice.is_ready,
                )
            ]
        rows.extend(row for row in fresh if row.key not in known)

    picker = ListScreen(
        "Model",
        rows,
        app.styles_of_theme,
        screen.signs,
        at=rows[0].key if rows else "",
        foot="Enter: the next answer comes from this model. Esc leaves.",
        empty_words="No provider is set up.",
    )

    async def fetch() -> None:
        for choice in choices:
            if not choice.is_ready:
                continue
            try:
                models = await app.workspace.list_models(choice.name)
            except ChatuiError as error:
                picker.tell(f"{choice.name}: {one_line(error.message, 200)}")
                continue
            picker.add_rows(_rows(choice, models))

    def taken(key: str | None) -> None:
        worker.cancel()
        if key is None:
            return
        provider, _, model = key.partition(SEPARATOR)
        try:
            screen.desk.use(screen.live, app.workspace.resolve(provider, model or None))
        except ChatuiError as error:
            screen.notice(error.message, error.hint)
            return
        screen.notice("")
        screen.tell_all()
        screen.refresh_welcome()

    app.ask(picker, taken)
    worker = screen.run_worker(fetch(), exclusive=True, group="models", exit_on_error=False)
