"""The model picker: every provider's models at once, live lists fetched behind.

The next turn goes to the one taken. Invariant: nothing on this machine is looked for before the person
agreed, and a key that is typed here goes into a file of its own and nowhere else.
"""

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Final

from chatui.core.errors import ChatuiError
from chatui.ui.lists.model_offer import LOOK, SEPARATOR, Offer
from chatui.ui.screens.entry import Entry
from chatui.ui.screens.list import ListScreen
from chatui.ui.screens.list_parts import matching
from chatui.ui.widgets.key_hints import LEAVES, Keys
from chatui.ui.widgets.rows_view import ListRow
from chatui.view.plain_lines import one_line

if TYPE_CHECKING:
    from textual.worker import Worker

    from chatui.config.state import AppState
    from chatui.ui.screens.chat import ChatScreen
    from chatui.wiring import ProviderChoice

KEYS: Final[Keys] = (("Enter", "lets it answer next"), ("Ctrl+F", "favourite"), LEAVES)
ADDRESS_HINT = "Any other server: chatui --base-url http://HOST:PORT/v1"


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
            keys=KEYS,
            on_mark=self._tell_problem,
            ask=self._ask,
            empty_words="No provider is set up.",
            row_keys={"ctrl+f": self._favourite},
        )

    def _tell_problem(self, key: str) -> None:
        """Why the list of the marked provider is not a fresh one."""
        if problem := self._offer.problems.get(key.partition(SEPARATOR)[0]):
            self.list.tell(problem)

    async def _ask(self, wanted: str) -> list[ListRow]:
        return [] if matching(self._offer.rows(), wanted) else self._offer.unlisted(wanted)

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
        self.list.look_again(self._offer.rows())

    async def fetch(self) -> None:
        """Ask every provider that can be asked, all at once; this machine only when the person agreed."""
        names = [choice.name for choice in self._offer.choices if choice.is_ready and not choice.is_local]
        asked = [self._fetch(name) for name in names]
        if self._screen.app_.workspace.state.may_look_for_local_servers:
            asked.append(self._look())
        await asyncio.gather(*asked)

    async def _fetch(self, name: str) -> None:
        try:
            self._offer.hear(name, await self._screen.app_.workspace.list_models(name))
        except ChatuiError as error:
            self._offer.problems[name] = f"{name}: {one_line(error.message, 200)}"
            self.list.tell(self._offer.problems[name])
        self.list.look_again(self._offer.rows())

    async def _look(self) -> None:
        found = await self._screen.app_.workspace.look_for_local_servers()
        self._offer.is_looked_for = True
        for provider, models in found.items():
            self._offer.hear(provider, models)
        self._offer.found.update(found)
        names = ", ".join(found)
        self.list.tell(f"Found on this machine: {names}." if found else f"No server answers. {ADDRESS_HINT}")
        self.list.look_again(self._offer.rows())

    def take(self, key: str) -> None:
        """The row that was taken."""
        screen = self._screen
        if key == LOOK:
            take_looking(screen)
            return
        provider, _, model = key.partition(SEPARATOR)
        choice = next((choice for choice in self._offer.choices if choice.name == provider), None)
        if choice is not None and choice.needs_configuration:
            screen.notice(choice.what_is_missing, "`chatui config edit` opens your configuration.")
        elif choice is not None and not choice.is_ready:
            ask_for_key(screen, choice, model)
        elif choice is not None and not model and not choice.models and not self._offer.models.get(provider):
            ask_which_soon(screen, choice)
        else:
            use_model(screen, provider, model)


def ask_which_soon(screen: "ChatScreen", choice: "ProviderChoice") -> None:
    """Ask a provider's server for its models, beside the keyboard."""
    asking = partial(ask_which, screen, choice)
    _ = screen.run_worker(asking, exclusive=True, group="models", exit_on_error=False)


async def ask_which(screen: "ChatScreen", choice: "ProviderChoice") -> None:
    """A provider was taken of which no model is known: ask its server, use the only one or show them."""
    screen.say(f"asking {choice.title} for its models{screen.signs.ellipsis}")
    try:
        models = await screen.app_.workspace.list_models(choice.name)
    except ChatuiError as error:
        hint = f"Start {choice.title}, then choose it again." if choice.is_local else error.hint
        screen.notice(error.message, hint)
        return
    finally:
        screen.say("")
    if len(models) == 1:
        use_model(screen, choice.name, models[0])
    elif models:
        pick_model(screen, f"{choice.name} /")
    else:
        screen.notice(
            f"{choice.title} lists no model.", f"/model {choice.name}/MODEL asks for one by its name."
        )


def pick_model(screen: "ChatScreen", wanted: str = "") -> None:
    """Show the models, those that hold the wanted words, and use the one that is taken."""
    try:
        choices = screen.app_.workspace.choices()
    except ChatuiError as error:
        screen.notice(error.message, error.hint)
        return
    picker = ModelPicker(screen, choices)
    picker.list.filter_line.field.insert(wanted)

    def taken(key: str | None) -> None:
        worker.cancel()
        if key is not None:
            picker.take(key)

    screen.app_.ask(picker.list, taken)
    worker: Worker[None] = screen.run_worker(
        picker.fetch, exclusive=True, group="models", exit_on_error=False
    )


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
    if not app.workspace.is_addressed(endpoint.provider):
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
        screen.say(f"The key is kept in {screen.app_.workspace.paths.keys_dir / choice.name}.")

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
