"""The one place that composes the edges with the engine; everything heavy is imported when it is needed.

The app uses exactly this, `chatui.engine` (types, `ChatSession`) and `chatui.view`:

```
workspace = open_workspace(options)         # never raises for a broken config or history: see workspace.problems
conversation = workspace.starting_conversation()      # -c / -r of the options, else a fresh one; ConfigError if unknown
session = workspace.build_session(on_update, conversation)     # one live session of one conversation
turn = await session.send((user_message("hi"),))      # in a worker; updates arrive through on_update
session.cancel(); session.use(workspace.resolve("openai", "gpt-5"))
workspace.history ...                                 # SqliteHistory | None (None: broken, or switched off)
workspace.settings ...                                # chatui.config Settings
await workspace.aclose()                              # stops the local engine, closes connections and history
```

`ChatSession.send` never raises for what network, server, store or a missing key do: a failed turn says it.
"""

import importlib
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from chatui.core.conversation import Conversation
from chatui.core.errors import ChatuiError, ConfigError
from chatui.core.wire import WireProtocol
from chatui.engine.ports import Transport
from chatui.engine.session import ChatSession, Endpoint, TurnUpdate

if TYPE_CHECKING:
    from chatui.config.settings import Settings
    from chatui.history.sqlite_history import SqliteHistory

DEFAULT_KEY_VARIABLE = "CHATUI_API_KEY"
"""Where the key of an ad-hoc provider (`--base-url`) comes from unless `--api-key-env` names another."""

PROTOCOL_NAMES = ("chat_completions", "responses", "anthropic_messages")


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchOptions:
    """What the command line said; None was not said. The app and `chatui ask` share them."""

    provider: str | None = None
    model: str | None = None
    protocol: str | None = None
    base_url: str | None = None
    api_key_env: str | None = None
    system: str | None = None
    connect_timeout_s: float | None = None
    first_event_timeout_s: float | None = None
    gap_timeout_s: float | None = None
    total_timeout_s: float | None = None
    generation: tuple[tuple[str, object], ...] = ()
    """`-o KEY VALUE`: known names go to `Sampling`, others into the body as they are."""
    is_streaming: bool | None = None
    is_saved: bool = True
    """False: nothing is written to the history (`--no-save`)."""
    is_continued: bool = False
    """`-c`: continue the last conversation."""
    resume_id: str | None = None
    """`-r ID`: continue that one."""
    record_directory: str | None = None
    """`--record DIR`: write the wire of every request there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderChoice:
    """A provider that can be switched to, for the model picker."""

    name: str
    title: str
    protocol: str
    models: tuple[str, ...] = ()
    is_ready: bool = True
    """A key was found, or none is needed."""
    what_is_missing: str = ""
    """One line when it is not ready, e.g. "set OPENAI_API_KEY"."""


class Workspace:
    """Settings, history, connections and the local engine of one process.

    Attributes:
        problems: One line each: what is broken in configuration or history, with file and reason. The app shows
            them as notices and goes on without the broken part; `chatui ask` prints them to stderr.
        settings: The person's settings (defaults if the file is broken).
        history: The store, or None if it is broken or switched off.
    """

    problems: tuple[str, ...]
    settings: "Settings"
    history: "SqliteHistory | None"

    def __init__(self, options: LaunchOptions) -> None:
        raise NotImplementedError

    def resolve(self, provider: str | None = None, model: str | None = None) -> Endpoint:
        """The endpoint of a provider and model; None takes what the options or settings say.

        Raises:
            ConfigError: unknown provider, protocol or option; a missing model.
        """
        raise NotImplementedError

    def choices(self) -> tuple[ProviderChoice, ...]:
        """All providers, the local model first."""
        raise NotImplementedError

    async def list_models(self, provider: str) -> tuple[str, ...]:
        """Ask the server of a provider which models it has.

        Raises:
            ChatuiError: it could not be asked.
        """
        raise NotImplementedError

    def new_conversation(self, *, is_temporary: bool = False) -> Conversation:
        """A fresh, empty conversation (not in the history until its first turn is complete)."""
        raise NotImplementedError

    def starting_conversation(self) -> Conversation:
        """The conversation that the options ask for.

        Raises:
            ConfigError: there is none with that id, or none at all to continue.
            StoreError: the history cannot be read.
        """
        raise NotImplementedError

    def build_session(
        self,
        on_update: Callable[[TurnUpdate], None],
        conversation: Conversation | None = None,
        *,
        endpoint: Endpoint | None = None,
        frame_s: float = 1 / 15,
    ) -> ChatSession:
        """A live session of one conversation.

        Raises:
            ConfigError: the endpoint of the options cannot be resolved.
        """
        raise NotImplementedError

    @property
    def record_directory(self) -> str | None:
        """Where the wire is being recorded; None is off. Show a notice while it is on."""
        raise NotImplementedError

    def record_to(self, directory: str | None) -> None:
        """Begin to record the wire of later requests, or stop (None)."""
        raise NotImplementedError

    def warm_up(self) -> None:
        """Import and prepare what the first request needs; call it in a thread after the first paint."""
        raise NotImplementedError

    async def aclose(self) -> None:
        """Stop the local engine, close connections and the history. Never raises."""
        raise NotImplementedError


def open_workspace(options: LaunchOptions) -> Workspace:
    """Read settings and open the history; nothing of the network yet."""
    return Workspace(options)


def load_protocol(name: str) -> WireProtocol:
    """The protocol of a module of `chatui.protocols`.

    Raises:
        ConfigError: there is no such protocol.
    """
    if name not in PROTOCOL_NAMES:
        raise ConfigError(f"Unknown protocol {name!r}", f"Use one of: {', '.join(PROTOCOL_NAMES)}")
    protocol: WireProtocol = importlib.import_module(f"chatui.protocols.{name}").PROTOCOL
    return protocol
