"""Whom to ask: providers, their models and keys, the profile in use.

Invariant: what was chosen since the start counts more than the options of the command line, and nothing here
opens a connection before it is asked to.
"""

from typing import TYPE_CHECKING, Final

from chatui.engine.clock import SystemClock
from chatui.wiring.configuration import Configuration
from chatui.wiring.connections import Connections
from chatui.wiring.embedded_model import EmbeddedModel
from chatui.wiring.options import FoundKey, LaunchOptions, ProviderChoice

if TYPE_CHECKING:
    from chatui.config.provider_spec import ModelFacts
    from chatui.config.resolve import Resolution
    from chatui.core.model_listing import ListedModel
    from chatui.engine.endpoint import Endpoint

ANY_MODEL: Final = "-"
"""Stands for a model where only the provider matters."""


class Providers(Configuration):
    """Everybody who can be asked, in one process."""

    def __init__(self, options: LaunchOptions) -> None:
        super().__init__()
        self.options = options
        self._clock = SystemClock()
        self._embedded = EmbeddedModel(self.paths.data_dir)
        self._connections = Connections()

    def resolve(self, provider: str | None = None, model: str | None = None) -> "Endpoint":
        """The endpoint of a provider and model; None takes what the options or settings say.

        May run the person's key command: call it in a thread if that would be felt.

        Raises:
            ConfigError: unknown provider, protocol or option; a missing model or key.
        """
        return self._endpoint(self.resolution(provider, model))

    def check(self) -> None:
        """Refuse options that cannot be right.

        Raises:
            ConfigError: unknown provider, protocol or option; a missing model or key.
        """
        self.resolution()

    def resolution(
        self,
        provider: str | None = None,
        model: str | None = None,
        known_models: tuple[str, ...] | None = None,
        *,
        needs_key: bool = True,
    ) -> "Resolution":
        """What `resolve` makes an endpoint of; `needs_key` False reads no key and runs no command.

        Raises:
            ConfigError: unknown provider, protocol or option; a missing model or key.
        """
        from chatui.wiring.resolving import resolution_of

        return resolution_of(
            self.options,
            self._config,
            self._state,
            provider=provider,
            model=model,
            known_models=known_models,
            local_model=self._embedded.name,
            needs_key=needs_key,
        )

    def is_addressed(self, provider: str) -> bool:
        """Whether a provider is only the server of `--base-url`, known by no file."""
        from chatui.wiring.resolving import name_of_address

        return bool(provider) and provider == name_of_address(self.options)

    def _endpoint(self, resolution: "Resolution") -> "Endpoint":
        endpoint = resolution.endpoint()
        return self._embedded.prepared(endpoint) if resolution.is_embedded else endpoint

    def choices(self) -> tuple[ProviderChoice, ...]:
        """All providers: the server of `--base-url`, the embedded model, then those that are ready."""
        from chatui.wiring.provider_choices import addressed_choice, choices

        return (*addressed_choice(self.options), *choices(self._config))

    def embedded_problem(self) -> str:
        """Why the embedded model cannot answer here, and what to do; empty if nothing is known to."""
        return self._embedded.problem()

    def embedded_bytes_to_fetch(self) -> int:
        """How much the first answer of the embedded model fetches; 0 if it is here."""
        return self._embedded.bytes_to_fetch()

    def found_keys(self) -> tuple[FoundKey, ...]:
        """Hosted providers whose key is there; no key is read."""
        from chatui.wiring.provider_choices import found_keys

        return found_keys(self._config)

    @property
    def profile_name(self) -> str:
        """The profile in use, or empty."""
        return self.options.profile or self.settings.profile

    def use_profile(self, name: str, endpoint: "Endpoint | None") -> "tuple[Endpoint, str]":
        """Apply a profile (empty: none): the endpoint from now on, and the system prompt.

        Raises:
            ConfigError: there is no such profile, or what it names cannot be used; nothing has changed.
        """
        from chatui.wiring.conversations import system_prompt
        from chatui.wiring.profile_choice import endpoint_with_profile

        chosen = endpoint_with_profile(self, name, endpoint)
        return chosen, system_prompt(self.options, self.settings)

    def again(self, endpoint: "Endpoint") -> "Endpoint":
        """The same provider and model under the settings as they are now.

        Raises:
            ConfigError: they cannot be used any more.
        """
        from chatui.wiring.profile_choice import endpoint_again

        return endpoint_again(self, endpoint)

    def model_facts(self, endpoint: "Endpoint") -> "ModelFacts":
        """What is known of an endpoint's model: window, abilities, prices; None is unknown."""
        from chatui.wiring.model_knowledge import facts_of_model

        return facts_of_model(self._config, endpoint)

    async def list_models(self, provider: str) -> tuple[str, ...]:
        """Ask the server of a provider which models it has, and remember them.

        Raises:
            ConfigError: there is no such provider, or its key is missing.
            ChatuiError: it could not be asked.
        """
        from chatui.wiring.provider_choices import fetch_and_remember

        resolution = self.resolution(provider, ANY_MODEL, known_models=(ANY_MODEL,))
        return await fetch_and_remember(resolution, self.paths, self._connections.plain(), self._clock)

    def cached_models(self, provider: str) -> "tuple[ListedModel, ...]":
        """The list that a provider gave last, without asking anybody."""
        from chatui.config.model_cache import load_models

        cached = load_models(self.paths, provider)
        return () if cached is None else cached.models

    def save_key(self, provider: str, key: str) -> None:
        """Keep a provider's key in a file that only the person may read.

        Raises:
            ConfigError: it is no key, or it cannot be kept.
        """
        from chatui.config.keys import save_key

        save_key(self.paths, provider, key)

    async def look_for_local_servers(self) -> dict[str, tuple[str, ...]]:
        """Names of providers that answer on this machine's usual ports, with their models.

        Only when the person agreed (`AppState.may_look_for_local_servers`); no key is sent; 1.5 s at most.
        """
        from chatui.wiring.provider_choices import servers_here

        return await servers_here(self._config, self._connections.plain())
