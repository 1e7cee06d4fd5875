"""The models that can be picked, as rows: who answers now, favourites, recent ones, everything by provider.

Invariant: what a server said replaces what was only suggested; a provider that cannot be asked says why.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from chatui.ui.presenter import LOCAL_PROVIDER
from chatui.ui.widgets.rows_view import ListRow
from chatui.view.badge import count

if TYPE_CHECKING:
    from chatui.config.provider_spec import ModelFacts
    from chatui.ui.app import ChatApp
    from chatui.wiring import ProviderChoice

SEPARATOR: Final = "\x1f"
"""Between provider and model in the key of a row."""
LOOK: Final = f"{SEPARATOR}look"


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
    is_looked_for: bool = False
    """This machine was looked at: a server that did not answer does not run."""
    problems: dict[str, str] = field(default_factory=dict)
    """Why a provider's list could not be had."""

    def learn(self, provider: str, models: "tuple[str, ...]") -> None:
        """More models of a provider."""
        known = self.models.setdefault(provider, [])
        known.extend(model for model in dict.fromkeys(models) if model not in known)

    def hear(self, provider: str, models: "tuple[str, ...]") -> None:
        """The provider said which models it has: those and no others, the known ones first."""
        listed = dict.fromkeys(models)
        known = [model for model in self.models.get(provider, ()) if model in listed]
        self.models[provider] = list(dict.fromkeys((*known, *listed)))
        self.problems.pop(provider, None)

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
        ready = [choice.name for choice in self.choices if self._is_ready(choice)]
        for name in dict.fromkeys((*self.found, *ready, *by_name, *self.models)):
            for model in self.models.get(name) or ("",):
                keys.setdefault(f"{name}{SEPARATOR}{model}", "")
        rows = [self._row(key, word, by_name) for key, word in keys.items()]
        if not self.found:
            asked = "looks on the usual ports of this machine, now and when this list opens"
            rows.append(ListRow(key=LOOK, strong="Look for servers on this machine", weak=asked))
        return rows

    def unlisted(self, wanted: str) -> list[ListRow]:
        """A name that no list holds is asked for as it is written: lists are not always whole."""
        wanted = wanted.strip()
        provider, _, model = wanted.partition("/")
        by_name = {choice.name: choice for choice in self.choices}
        if provider not in by_name:
            provider, model = self.in_use.partition(SEPARATOR)[0], wanted
        choice = by_name.get(provider)
        if choice is None or not model or " " in model or choice.name == LOCAL_PROVIDER:
            return []
        return [
            ListRow(
                key=f"{provider}{SEPARATOR}{model}",
                strong=f"{provider} / {model}",
                weak="in no list: asked for by this name",
            )
        ]

    def _is_ready(self, choice: "ProviderChoice") -> bool:
        return (choice.is_ready and not (choice.is_local and self.is_looked_for)) or choice.name in self.found

    def _row(self, key: str, word: str, by_name: "dict[str, ProviderChoice]") -> ListRow:
        provider, _, model = key.partition(SEPARATOR)
        choice = by_name.get(provider)
        is_favourite = f"{provider}/{model}" in self.app.workspace.state.favourite_models
        star = f"{self.app.signs.bullet} favourite" if is_favourite else ""
        is_ready = choice is None or self._is_ready(choice)
        facts = [star, word, self._facts(provider, model), self._about(provider, choice)]
        return ListRow(
            key=key,
            strong=f"{provider} / {model}" if model else provider,
            weak=f" {self.app.signs.dot} ".join(filter(None, facts)),
            words=f"{provider}/{model} {choice.protocol if choice else ''}",
            is_dimmed=not is_ready,
        )

    def _about(self, provider: str, choice: "ProviderChoice | None") -> str:
        if provider in self.found:
            return "answers on this machine"
        if choice is None:
            return ""
        if not choice.is_ready:
            return what_is_missing(choice)
        if choice.is_local and choice.name != LOCAL_PROVIDER:
            return "does not run here" if self.is_looked_for else "not looked for yet"
        if provider in self.problems:
            return "list not refreshed"
        return "" if _letters(choice.title) == _letters(choice.name) else choice.title

    def _facts(self, provider: str, model: str) -> str:
        settings = self.app.workspace.settings
        own = settings.models.get(f"{provider}/{model}") or settings.models.get(model)
        window = (own.context_window_tokens if own else None) or self.windows.get(f"{provider}/{model}")
        words = [f"{count(window)} ctx"] if window else []
        if own is not None and (price := price_words(own)):
            words.append(price)
        return ", ".join(words)


def _letters(text: str) -> str:
    """OpenAI and openai are one name, told once."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def what_is_missing(choice: "ProviderChoice") -> str:
    """Without the provider's name, which the row tells already: at 80 cells the variable would be cut."""
    return choice.what_is_missing.removeprefix(f"{choice.title} ")


def price_words(facts: "ModelFacts") -> str:
    """Prices that the person gave, in words."""
    if facts.input_price_per_million is None or facts.output_price_per_million is None:
        return ""
    return f"{facts.input_price_per_million:g} in, {facts.output_price_per_million:g} out a million"
