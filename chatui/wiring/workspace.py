"""Everything one process holds: settings, history, connections, tools, the embedded engine.

Invariant: each of them is opened when it is first needed and closed once, and none that is broken keeps the
others from working.
"""

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final

from chatui.core.conversation import Conversation
from chatui.core.messages import Message
from chatui.engine.clock import SystemClock
from chatui.wiring.configuration import Configuration
from chatui.wiring.connections import Connections
from chatui.wiring.embedded_model import EmbeddedModel
from chatui.wiring.options import FoundKey, LaunchOptions, ProviderChoice

if TYPE_CHECKING:
    from chatui.config.loader import LoadedConfig
    from chatui.config.provider_spec import ModelFacts
    from chatui.config.resolve import Resolution
    from chatui.core.events import StreamEvent
    from chatui.core.model_listing import ListedModel
    from chatui.engine.approval import Approver
    from chatui.engine.endpoint import Endpoint
    from chatui.engine.session import ChatSession
    from chatui.engine.tool_loop import ToolLoop
    from chatui.engine.updates import TurnUpdate
    from chatui.history.sqlite_history import SqliteHistory
    from chatui.tools.registry import ToolRegistry

ANY_MODEL: Final = "-"
"""Stands for a model where only the provider matters."""


class Workspace(Configuration):
    """Settings, history, connections and the local engine of one process."""

    def __init__(self, options: LaunchOptions) -> None:
        super().__init__()
        self.options = options
        self.opening_prompt: tuple[Message, ...] = ()
        """Sent as soon as the app has opened; only a replay has one."""
        self._clock = SystemClock()
        self._history: SqliteHistory | None = None
        self._history_lock = Lock()
        self._embedded = EmbeddedModel(self.paths.data_dir)
        self._connections = Connections()
        self._tools: list[ToolRegistry] = []
        """The last one holds; those before it may still be used by a turn that runs."""
        self._tools_made_for: tuple[LoadedConfig, str | None] | None = None
        if options.record_directory is not None:
            self.record_to(options.record_directory)

    @property
    def is_saving(self) -> bool:
        """Whether new conversations go to the history."""
        return self.options.is_saved and self.settings.history.save

    @property
    def history(self) -> "SqliteHistory":
        """The store, opened on first use: as well as possible, see its `trouble`."""
        with self._history_lock:
            if self._history is None:
                from chatui.wiring.conversations import open_history

                self._history = open_history(self.paths.history_file)
            return self._history

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
        """All providers, the embedded model first, then those that are ready."""
        from chatui.wiring.provider_choices import choices

        return choices(self._config)

    def embedded_problem(self) -> str:
        """Why the embedded model cannot answer here, and what to do; empty if nothing is known to."""
        return self._embedded.problem()

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

    @property
    def attachments(self) -> tuple[str, ...]:
        """Files that the command line gave for the first prompt."""
        return self.options.attachments

    def attachment_problems(self, endpoint: "Endpoint") -> tuple[str, ...]:
        """Why the model may refuse the files of the command line.

        Raises:
            ConfigError: one of them is not there or cannot be sent.
        """
        if not self.options.attachments:
            return ()
        from chatui.wiring.attaching import problems_of_files

        return problems_of_files(self.options.attachments, endpoint.protocol.name, self.model_facts(endpoint))

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

    def new_conversation(self, *, is_temporary: bool = False) -> Conversation:
        """A fresh, empty conversation (not in the history until its first turn)."""
        from chatui.wiring.conversations import new_conversation

        return new_conversation(self, is_temporary=is_temporary)

    def starting_conversation(self, *, last: int | None = None) -> Conversation:
        """The conversation that the options ask for; with `last`, only so many turns of its end are loaded.

        Raises:
            ConfigError: there is none with that id, or none at all to continue.
            StoreError: the history cannot be read.
        """
        from chatui.wiring.conversations import starting_conversation

        return starting_conversation(self, last)

    def build_session(
        self,
        on_update: "Callable[[TurnUpdate], None]",
        conversation: Conversation | None = None,
        *,
        endpoint: "Endpoint | None" = None,
        frame_s: float = 1 / 15,
        on_event: "Callable[[StreamEvent], None] | None" = None,
        approver: "Approver | None" = None,
        has_tools: bool = True,
    ) -> "ChatSession":
        """A live session of one conversation; `approver` is asked before a tool runs, None denies it.

        Without `has_tools` none is offered, whatever is switched on.

        Raises:
            ConfigError: the endpoint of the options cannot be resolved.
        """
        chosen = conversation if conversation is not None else self.new_conversation()
        from chatui.engine.session import ChatSession

        return ChatSession(
            endpoint=endpoint if endpoint is not None else self.resolve(),
            transport=self._connections.transport(),
            store=None if chosen.is_temporary else self.history,
            clock=self._clock,
            conversation=chosen,
            on_update=on_update,
            frame_s=frame_s,
            on_event=on_event,
            tool_loop=self.tool_loop(approver) if has_tools else None,
        )

    def tool_loop(self, approver: "Approver | None") -> "ToolLoop | None":
        """The tools of one session; None, and nothing is loaded, where none is switched on.

        Raises:
            ConfigError: `--tool` or `--allow-tool` names one that cannot be used.
        """
        from chatui.wiring.enabled_tools import enabled_tools

        if not enabled_tools(self.settings, self.options) and not self.options.allowed_tools:
            return None
        from chatui.wiring.tooling import tool_loop

        return tool_loop(self.tools(), self._config, self.options, approver)

    def tools(self) -> "ToolRegistry":
        """All tools that there are, and which are on, by the settings and the profile as they are now.

        Raises:
            ConfigError: `--tool` or `--allow-tool` names one that cannot be used.
        """
        made_for = (self._config, self.options.profile)
        if not self._tools or self._tools_made_for != made_for:
            from chatui.wiring.tooling import tool_registry

            self._tools.append(tool_registry(self._config, self.options, Path.cwd()))
            self._tools_made_for = made_for
        return self._tools[-1]

    @property
    def record_directory(self) -> str | None:
        """Where the wire is being recorded; None is off. Show a notice while it is on."""
        directory = self._connections.record_directory
        return None if directory is None else str(directory)

    def record_to(self, directory: str | None) -> None:
        """Begin to record the wire of later requests, or stop (None).

        Raises:
            ConfigError: the directory cannot be made or written.
        """
        self._connections.record_to(None if directory is None else Path(directory).expanduser())

    def prepare(self) -> None:
        """Open the history and load what a session is made of; call it in a thread before the first."""
        import chatui.engine.session  # noqa: F401 - loading it takes longer than making a session

        _ = self.history
        self._connections.transport()

    def warm_up(self, endpoint: "Endpoint | None") -> None:
        """Import and prepare what the first request needs; call it in a thread after the first paint.

        Args:
            endpoint: Who will be asked, as far as that is known: the person's key command is not run for it.
        """
        self._connections.warm_up()
        if endpoint is not None:
            endpoint.protocol.stream_decoder(endpoint.dialect)

    def close(self) -> None:
        """Close the history; enough where no session was built. Never raises."""
        with self._history_lock:
            if self._history is not None:
                self._history.close()
                self._history = None

    async def aclose(self) -> None:
        """Stop the local engine, close connections and the history. Never raises."""
        await self._embedded.stop()
        for tools in self._tools:
            await tools.aclose()
        await self._connections.aclose()
        self.close()
