"""The model picker: every provider's models at once, live lists fetched behind.

The next turn goes to the one taken. Invariant: nothing on this machine is looked for before the person
agreed, and a key that is typed here goes into a file of its own and nowhere else.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chatui.core.errors import ChatuiError
from chatui.ui.screens.entry import Entry
from chatui.ui.screens.list import ListScreen
from chatui.ui.widgets.rows_view import ListRow
from chatui.view.badge import count
from chatui.view.plain_lines import one_line

if TYPE_CHECKING:
    from chatui.config.provider_spec import ModelFacts
    from chatui.config.state import AppState
    from chatui.ui.app import ChatApp
    from chatui.ui.screens.chat import ChatScreen
    from chatui.wiring import ProviderChoice

SEPARATOR = "\x1f"
LOOK = f"{SEPARATOR}look"
FOOT = "Enter: the next answer comes from it. Ctrl+F favourite. Esc leaves."
ADDRESS_HINT = "Any other server: chatui --base-url http://HOST:PORT/v1"


@dataclass(slots=True)
class Offer:
    """The models that can be picked, in the order in which they are shown."""

    app: "ChatApp"
    in_use: str = ""
    choices: "tuple[ProviderChoice, ...]" = ()
    models: dict[str, list[str]] = field(default_factory=dict)
    """Models of each provider, as far as they are known."""
    windows: dict[str, int] = field(default_factory=dict)
    found: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Servers that answered on this machine."""

    def learn(self, provider: str, models: "tuple[str, ...]") -> None:
        """More models of a provider."""
        known = self.models.setdefault(provider, [])
        known.extend(model for model in dict.fromkeys(models) if model not in known)

    def rows(self) -> list[ListRow]:
        """Who answers now, favourites, recent ones, then everything by provider."""
        state = self.app.workspace.state
        by_name = {choice.name: choice for choice in self.choices}
        keys: dict[str, str] = {}
        if self.in_use:
            keys[self.in_use] = "in use"
        for name in (*state.favourite_models, *state.recent_models[:5]):
            provider, _, model = name.partition("/")
            if provider in by_name and model:
                keys.setdefault(f"{provider}{SEPARATOR}{model}", "recent")
        for name in dict.fromkeys((*self.found, *by_name, *self.models)):
            for model in self.models.get(name) or ("",):
                keys.setdefault(f"{name}{SEPARATOR}{model}", "")
        rows = [self._row(key, word, by_name) for key, word in keys.items()]
        if not self.found:
            asked = "looks on the usual ports of this machine, now and when this list opens"
            rows.append(ListRow(key=LOOK, strong="Look for servers on this machine", weak=asked))
        return rows

    def _row(self, key: str, word: str, by_name: "dict[str, ProviderChoice]") -> ListRow:
        provider, _, model = key.partition(SEPARATOR)
        choice = by_name.get(provider)
        is_favourite = f"{provider}/{model}" in self.app.workspace.state.favourite_models
        star = f"{self.app.signs.bullet} favourite" if is_favourite else ""
        is_ready = choice is None or choice.is_ready or provider in self.found
        title = "answers on this machine" if provider in self.found else choice.title if choice else ""
        facts = [star, word, self._facts(provider, model)]
        facts.append(title if is_ready or choice is None else what_is_missing(choice))
        return ListRow(
            key=key,
            strong=f"{provider} / {model}" if model else provider,
            weak=f" {self.app.signs.dot} ".join(filter(None, facts)),
            words=f"{provider}/{model} {choice.protocol if choice else ''}",
            is_dimmed=not is_ready,
        )

    def _facts(self, provider: str, model: str) -> str:
        settings = self.app.workspace.settings
        own = settings.models.get(f"{provider}/{model}") or settings.models.get(model)
        window = (own.context_window_tokens if own else None) or self.windows.get(f"{provider}/{model}")
        words = [f"{count(window)} ctx"] if window else []
        if own is not None and (price := price_words(own)):
            words.append(price)
        return ", ".join(words)


def what_is_missing(choice: "ProviderChoice") -> str:
    """Without the provider's name, which the row tells already: at 80 cells the variable would be cut."""
    return choice.what_is_missing.removeprefix(f"{choice.title} ")


def price_words(facts: "ModelFacts") -> str:
    """Prices that the person gave, in words."""
    if facts.input_price_per_million is None or facts.output_price_per_million is None:
        return ""
    return f"{facts.input_price_per_million:g} in, {facts.output_price_per_million:g} out a million"


class ModelPicker:
    """The open list and what is fetched behind it."""

    def __init__(self, screen: "ChatScreen", choices: "tuple[ProviderChoice, ...]") -> None:
        app = screen.app_
        endpoint = screen.endpoint
        in_use = f"{endpoint.provider}{SEPARATOR}{endpoint.model}" if endpoint else ""
        self._screen = screen
        self._offer = Offer(app, in_use, choices)
        for choice in choices:
            self._learn_kept(choice)
        rows = self._offer.rows()
        self.list = ListScreen(
            "Model",
            rows,
            app.styles_of_theme,
            screen.signs,
            at=rows[0].key if rows else "",
            foot=FOOT,
            empty_words="No provider is set up.",
            row_keys={"ctrl+f": self._favourite},
        )

    def _learn_kept(self, choice: "ProviderChoice") -> None:
        """What was known the last time is there at once."""
        self._offer.learn(choice.name, choice.models)
        if not choice.is_ready:
            return
        listed = self._screen.app_.workspace.cached_models(choice.name)
        self._offer.learn(choice.name, tuple(model.model_id for model in listed))
        for model in listed:
            if model.context_window_tokens:
                self._offer.windows[f"{choice.name}/{model.model_id}"] = model.context_window_tokens

    def _favourite(self, key: str) -> None:
        name = key.replace(SEPARATOR, "/", 1)
        if key == LOOK or name.endswith("/"):
            return
        app = self._screen.app_
        is_one = name in app.workspace.state.favourite_models
        app.change_state(lambda state: state.with_favourite(name, not is_one))
        self.list.use_rows(self._offer.rows())

    async def fetch(self) -> None:
        """Ask every provider that can be asked; this machine only when the person agreed."""
        workspace = self._screen.app_.workspace
        if workspace.state.may_look_for_local_servers:
            await self._look()
        names = [choice.name for choice in self._offer.choices if choice.is_ready and not choice.is_local]
        answering = self._offer.in_use.partition(SEPARATOR)[0]
        known = {choice.name for choice in self._offer.choices}
        # The server of `--base-url` is no provider with a file, but it is asked: it answers anyway.
        for name in ([answering] if answering and answering not in known else []) + names:
            try:
                self._offer.learn(name, await workspace.list_models(name))
            except ChatuiError as error:
                self.list.tell(f"{name}: {one_line(error.message, 200)}")
                continue
            self.list.use_rows(self._offer.rows())

    async def _look(self) -> None:
        found = await self._screen.app_.workspace.look_for_local_servers()
        for provider, models in found.items():
            self._offer.learn(provider, models)
        self._offer.found.update(found)
        names = ", ".join(found)
        words = f"Found on this machine: {names}. {FOOT}" if found else f"No server answers. {ADDRESS_HINT}"
        self.list.tell(words)
        self.list.use_rows(self._offer.rows())

    def take(self, key: str) -> None:
        """The row that was taken."""
        screen = self._screen
        if key == LOOK:
            take_looking(screen)
            return
        provider, _, model = key.partition(SEPARATOR)
        choice = next((choice for choice in self._offer.choices if choice.name == provider), None)
        if choice is not None and not choice.is_ready:
            ask_for_key(screen, choice, model)
        else:
            use_model(screen, provider, model)


def pick_model(screen: "ChatScreen") -> None:
    """Show the models and use the one that is taken."""
    try:
        choices = screen.app_.workspace.choices()
    except ChatuiError as error:
        screen.notice(error.message, error.hint)
        return
    picker = ModelPicker(screen, choices)

    def taken(key: str | None) -> None:
        worker.cancel()
        if key is not None:
            picker.take(key)

    screen.app_.ask(picker.list, taken)
    worker = screen.run_worker(picker.fetch(), exclusive=True, group="models", exit_on_error=False)


def take_looking(screen: "ChatScreen") -> None:
    """The person agreed: look on the usual ports, now and when the list opens again."""
    screen.app_.change_state(_with_looking)
    pick_model(screen)


def _with_looking(state: "AppState") -> "AppState":
    from dataclasses import replace

    return replace(state, may_look_for_local_servers=True)


def use_model(screen: "ChatScreen", provider: str, model: str) -> None:
    """The next answer comes from this model; empty takes the provider's own choice."""
    app = screen.app_
    try:
        endpoint = app.workspace.resolve(provider, model or None)
    except ChatuiError as error:
        screen.notice(error.message, error.hint)
        return
    screen.desk.use(screen.live, endpoint)
    if any(choice.name == endpoint.provider for choice in app.workspace.choices()):
        # An address from the command line is nothing that the next start could find again.
        app.change_state(lambda state: state.with_model_used(endpoint.provider, endpoint.model))
    screen.notice("")
    screen.prompting.look_at_files()
    screen.tell_all()
    screen.refresh_welcome()


def ask_for_key(screen: "ChatScreen", choice: "ProviderChoice", model: str) -> None:
    """Ask for the key of a provider, keep it, and use the provider."""

    def answered(key: str | None) -> None:
        if not key:
            return
        try:
            screen.app_.workspace.save_key(choice.name, key)
        except ChatuiError as error:
            screen.notice(error.message, error.hint)
            return
        use_model(screen, choice.name, model)

    screen.app_.ask(
        Entry(
            f"Key for {choice.title}",
            f"{choice.what_is_missing}. Or paste it here: it is kept in a file that only you may read.",
            screen.app_.styles_of_theme,
            screen.signs,
            is_secret=True,
        ),
        answered,
    )
