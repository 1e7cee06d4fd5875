"""Everything one process holds: settings, state, history, connections, the embedded engine.

Invariant: each of them is opened when it is first needed and closed once, and none that is broken keeps the
others from working.
"""

import os
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final

import chatui
from chatui.core.conversation import Conversation
from chatui.core.errors import ChatuiError, ConfigError, StoreError
from chatui.core.events import StreamEvent
from chatui.core.messages import Message
from chatui.engine.clock import SystemClock
from chatui.engine.endpoint import Endpoint
from chatui.engine.updates import TurnUpdate
from chatui.wiring.embedded_model import EmbeddedModel
from chatui.wiring.late_transport import LateTransport
from chatui.wiring.options import FoundKey, LaunchOptions, ProviderChoice

if TYPE_CHECKING:
    from chatui.config.loader import LoadedConfig
    from chatui.config.paths import Paths
    from chatui.config.provider_spec import ModelFacts
    from chatui.config.resolve import Resolution
    from chatui.config.settings import Settings
    from chatui.config.state import AppState
    from chatui.core.model_listing import ListedModel
    from chatui.engine.approval import Approver
    from chatui.engine.session import ChatSession
    from chatui.engine.tool_loop import ToolLoop
    from chatui.history.sqlite_history import SqliteHistory
    from chatui.tools.registry import ToolRegistry
    from chatui.transport.httpx_transport import HttpxTransport
    from chatui.transport.recording import RecordingTransport

USER_AGENT: Final = f"chatui/{chatui.__version__}"
ANY_MODEL: Final = "-"
"""Stands for a model where only the provider matters."""


class Workspace:
    """Settings, history, connections and the local engine of one process.

    Attributes:
        problems: One line each: what is broken in configuration or state, with file and reason. The app shows
            them as notices and goes on without the broken part; `chatui ask` prints them to stderr.
    """

    def __init__(self, options: LaunchOptions) -> None:
        from chatui.config.loader import load_config
        from chatui.config.paths import find_paths
        from chatui.config.state import StateFile

        self.options = options
        self.paths: Paths = find_paths()
        self._state_file = StateFile(self.paths.state_file)
        self._state, state_problems = self._state_file.load()
        self._config: LoadedConfig = load_config(self.paths, state=self._state)
        self.problems: tuple[str, ...] = tuple(
            str(problem) for problem in (*self._config.problems, *state_problems)
        )
        self.opening_prompt: tuple[Message, ...] = ()
        """Sent as soon as the app has opened; only a replay has one."""
        self._clock = SystemClock()
        self._history: SqliteHistory | None = None
        self._history_lock = Lock()
        self._embedded = EmbeddedModel(self.paths.data_dir)
        self._http: HttpxTransport | None = None
        self._http_lock = Lock()
        self._recording: RecordingTransport | None = None
        self._tools: ToolRegistry | None = None
        if options.record_directory is not None:
            self.record_to(options.record_directory)

    @property
    def settings(self) -> "Settings":
        """The person's settings; defaults where the file is broken."""
        return self._config.settings

    @property
    def config(self) -> "LoadedConfig":
        """The settings with where each came from."""
        return self._config

    @property
    def state(self) -> "AppState":
        """What the app remembers; change it through `update_state`."""
        return self._state

    def update_state(self, change: "Callable[[AppState], AppState]") -> None:
        """Change what the app remembers, here and on disk.

        Raises:
            ConfigError: the file cannot be written; the change holds for this process.
        """
        self._state = change(self._state)
        self._state_file.update(change)

    def reload_if_changed(self) -> bool:
        """Read the configuration again if a file of it changed; True if so, with `problems` as they now are.

        Costs two looks at file times when nothing changed. The next turn's endpoint has to be resolved anew.
        """
        if not self._config.has_changed():
            return False
        from chatui.config.loader import load_config

        self._config = load_config(self.paths, state=self._state)
        self.problems = tuple(str(problem) for problem in self._config.problems)
        return True

    @property
    def is_saving(self) -> bool:
        """Whether new conversations go to the history."""
        return self.options.is_saved and self.settings.history.save

    @property
    def history(self) -> "SqliteHistory":
        """The store, opened on first use: as well as possible, see its `trouble`."""
        with self._history_lock:
            if self._history is None:
                self._history = self._open_history()
            return self._history

    def _open_history(self) -> "SqliteHistory":
        from chatui.history.sqlite_history import SqliteHistory

        path = self.paths.history_file
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            trouble = f"{path.parent} cannot be made: {error.strerror}. Nothing will be saved."
            return SqliteHistory.in_memory(trouble=trouble)
        return SqliteHistory.open_or_memory(path)

    def resolve(self, provider: str | None = None, model: str | None = None) -> Endpoint:
        """The endpoint of a provider and model; None takes what the options or settings say.

        May run the person's key command: call it in a thread if that would be felt.

        Raises:
            ConfigError: unknown provider, protocol or option; a missing model or key.
        """
        return self._endpoint(self.resolution(provider, model))

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
        from chatui.config.resolve import Wish, resolve

        options = self.options
        if provider is not None and provider == self._name_of_address():
            provider = None
        is_other = provider is not None and provider != options.provider
        wish = Wish(
            provider=provider if provider is not None else options.provider,
            model=model if model is not None else None if is_other else options.model,
            protocol=None if is_other else options.protocol,
            base_url=None if is_other else options.base_url,
            api_key_env=None if is_other else options.api_key_env,
            profile=options.profile,
            system=options.system,
            is_streaming=options.is_streaming,
            connect_s=options.connect_timeout_s,
            first_event_s=options.first_event_timeout_s,
            gap_s=options.gap_timeout_s,
            total_s=options.total_timeout_s,
            options=options.generation,
        )
        return resolve(
            wish,
            self._config,
            os.environ,
            state=self._state,
            known_models=known_models,
            local_model=self._embedded.name,
            needs_key=needs_key,
        )

    def is_addressed(self, provider: str) -> bool:
        """Whether a provider is only the server of `--base-url`, known by no file."""
        return bool(provider) and provider == self._name_of_address()

    def _name_of_address(self) -> str:
        """What the server of `--base-url` alone is called, or empty: its name is in no file."""
        options = self.options
        if options.base_url is None or options.provider is not None:
            return ""
        from chatui.config.addressing import ad_hoc_provider
        from chatui.core.endpoint_url import normalise_base_url

        return ad_hoc_provider(normalise_base_url(options.base_url), None).name

    def _endpoint(self, resolution: "Resolution") -> Endpoint:
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

    def use_profile(self, name: str, endpoint: Endpoint | None) -> tuple[Endpoint, str]:
        """Apply a profile (empty: none): the endpoint from now on, and the system prompt.

        Raises:
            ConfigError: there is no such profile, or what it names cannot be used; nothing has changed.
        """
        from chatui.wiring.profile_choice import endpoint_with_profile

        return endpoint_with_profile(self, name, endpoint), self._system()

    def again(self, endpoint: Endpoint) -> Endpoint:
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

    def attachment_problems(self, endpoint: Endpoint) -> tuple[str, ...]:
        """Why the model may refuse the files of the command line.

        Raises:
            ConfigError: one of them is not there or cannot be sent.
        """
        if not self.options.attachments:
            return ()
        from chatui.core.attachment_limits import problems_of
        from chatui.wiring.attaching import look_at_file

        facts = self.model_facts(endpoint)
        return problems_of(
            [look_at_file(Path(path).expanduser()) for path in self.options.attachments],
            endpoint.protocol.name,
            can_see_images=facts.can_see_images,
            can_read_pdf=facts.can_read_pdf,
        )

    def model_facts(self, endpoint: Endpoint) -> "ModelFacts":
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
        return await fetch_and_remember(resolution, self.paths, self._plain_transport(), self._clock)

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

        return await servers_here(self._config, self._plain_transport())

    def new_conversation(self, *, is_temporary: bool = False) -> Conversation:
        """A fresh, empty conversation (not in the history until its first turn)."""
        system = self._system()
        if is_temporary or not self.is_saving:
            return Conversation(
                conversation_id=f"temporary-{uuid.uuid4().hex}", system=system, is_temporary=True
            )
        return self.history.new_conversation(system=system)

    def _system(self) -> str:
        if self.options.system is not None:
            return self.options.system
        name = self.options.profile or self.settings.profile
        profile = self.settings.profiles.get(name)
        return profile.system if profile is not None and profile.system else self.settings.system

    def starting_conversation(self, *, last: int | None = None) -> Conversation:
        """The conversation that the options ask for; with `last`, only so many turns of its end are loaded.

        Raises:
            ConfigError: there is none with that id, or none at all to continue.
            StoreError: the history cannot be read.
        """
        options = self.options
        if options.resume_id is None and not options.is_continued:
            return self.new_conversation()
        history = self.history
        if options.resume_id is not None:
            try:
                conversation_id = history.catalog.resolve(options.resume_id)
            except StoreError as error:
                raise ConfigError(error.message, error.hint) from error
        else:
            latest = history.latest()
            if latest is None:
                raise ConfigError(
                    "There is no conversation to continue",
                    history.trouble or "Leave out -c to begin one.",
                )
            conversation_id = latest
        # Without a store the session cannot load the rest, and everything has to be sent.
        conversation = history.load(conversation_id, last=last if self.is_saving else None)
        if options.system is not None:
            conversation = replace(conversation, system=options.system)
        return conversation if self.is_saving else replace(conversation, is_temporary=True)

    def build_session(
        self,
        on_update: Callable[[TurnUpdate], None],
        conversation: Conversation | None = None,
        *,
        endpoint: Endpoint | None = None,
        frame_s: float = 1 / 15,
        on_event: Callable[[StreamEvent], None] | None = None,
        approver: "Approver | None" = None,
    ) -> "ChatSession":
        """A live session of one conversation; `approver` is asked before a tool runs, None denies it.

        Raises:
            ConfigError: the endpoint of the options cannot be resolved.
        """
        chosen = conversation if conversation is not None else self.new_conversation()
        from chatui.engine.session import ChatSession

        return ChatSession(
            endpoint=endpoint if endpoint is not None else self.resolve(),
            transport=self._transport(),
            store=None if chosen.is_temporary else self.history,
            clock=self._clock,
            conversation=chosen,
            on_update=on_update,
            frame_s=frame_s,
            on_event=on_event,
            tool_loop=self._tool_loop(approver),
        )

    def _tool_loop(self, approver: "Approver | None") -> "ToolLoop | None":
        """The tools of one session; None, and nothing is loaded, where none is switched on."""
        from chatui.wiring.enabled_tools import enabled_tools

        if not enabled_tools(self.settings, self.options):
            return None
        from chatui.wiring.tooling import tool_loop

        return tool_loop(self.tools(), self._config, self.options, approver)

    def tools(self) -> "ToolRegistry":
        """All tools that there are, and which are on.

        Raises:
            ConfigError: `--tool` or `--allow-tool` names one that cannot be used.
        """
        if self._tools is None:
            from chatui.wiring.tooling import tool_registry

            self._tools = tool_registry(self._config, self.options, Path.cwd())
        return self._tools

    @property
    def record_directory(self) -> str | None:
        """Where the wire is being recorded; None is off. Show a notice while it is on."""
        directory = self._recording.directory if self._recording is not None else None
        return None if directory is None else str(directory)

    def record_to(self, directory: str | None) -> None:
        """Begin to record the wire of later requests, or stop (None).

        Raises:
            ConfigError: the directory cannot be made or written.
        """
        self._transport().record_to(None if directory is None else Path(directory).expanduser())

    def _plain_transport(self) -> "HttpxTransport":
        # The thread that warms up and the one that opens the first connection may both come here.
        with self._http_lock:
            if self._http is None:
                from chatui.transport.httpx_transport import HttpxTransport

                self._http = HttpxTransport(USER_AGENT)
            return self._http

    def _transport(self) -> "RecordingTransport":
        if self._recording is None:
            from chatui.transport.recording import RecordingTransport

            self._recording = RecordingTransport(LateTransport(self._plain_transport))
        return self._recording

    def prepare(self) -> None:
        """Open the history and load what a session is made of; call it in a thread before the first."""
        import chatui.engine.session  # noqa: F401 - loading it takes longer than making a session

        _ = self.history
        self._transport()

    def warm_up(self) -> None:
        """Import and prepare what the first request needs; call it in a thread after the first paint."""
        self._transport()
        with suppress(ChatuiError):  # the first request tells which certificates cannot be used
            self._plain_transport().prepare_tls()
        self._plain_transport().prepare_network()
        with suppress(ConfigError):  # there may be nobody to ask yet
            endpoint = self.resolve()
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
        if self._tools is not None:
            await self._tools.aclose()
        if self._http is not None:
            await self._http.aclose()
        self.close()
