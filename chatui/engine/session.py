"""The live session of one conversation: the only place where a turn is made.

Stub of the interface; the body is being written.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from chatui.core.conversation import Conversation, Omission
from chatui.core.messages import Message
from chatui.core.request import Sampling, ToolSpec
from chatui.core.turn import Turn
from chatui.core.wire import Dialect, WireProtocol
from chatui.engine.ports import Clock, Transport, TurnStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadlines:
    """Limits in seconds; None is no limit."""

    connect_s: float | None = 10.0
    first_event_s: float | None = 120.0
    """From sending the request to the first event; comments do not count."""
    gap_s: float | None = 60.0
    """Between two arrivals of bytes (a keep-alive comment counts as life)."""
    total_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where and how to ask: a provider, resolved."""

    provider: str
    protocol: WireProtocol
    base_url: str
    model: str
    api_key: str | None = field(default=None, repr=False)
    dialect: Dialect = field(default_factory=Dialect)
    sampling: Sampling = field(default_factory=Sampling)
    deadlines: Deadlines = field(default_factory=Deadlines)
    is_streaming: bool = True
    extra_headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    max_retries: int = 2
    context_window_tokens: int | None = None
    prepare: "Callable[[], object] | None" = None
    """Awaitable factory run before the first request (starts the embedded engine); may return a new Endpoint."""


class Stage(StrEnum):
    """What the session is doing, finer than the turn's phase; for the badge."""

    IDLE = "idle"
    PREPARING = "preparing"
    """The embedded engine is starting."""
    CONNECTING = "connecting"
    WAITING = "waiting"
    """The request is sent; no event yet."""
    RECEIVING = "receiving"
    RETRYING = "retrying"
    """Counting down to another attempt."""
    STOPPING = "stopping"
    ENDED = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnUpdate:
    """The latest truth about the running turn; a newer one makes older ones worthless."""

    turn: Turn
    stage: Stage
    retry_in_s: float | None = None
    retry_why: str = ""
    omissions: tuple[Omission, ...] = ()
    is_saved: bool | None = None
    """After the end: whether the turn is in the history; None while it runs or for a temporary conversation."""
    save_error: str = ""


class ChatSession:
    """Sends, cancels, regenerates; publishes `TurnUpdate`s; owns the conversation value.

    All methods are called on the event loop. `on_update` is called on the event loop, at most once a frame while text
    streams, at once for the first content, a change of stage or phase, and always at the end.
    """

    def __init__(
        self,
        *,
        endpoint: Endpoint,
        transport: Transport,
        store: TurnStore | None,
        clock: Clock,
        conversation: Conversation,
        on_update: Callable[[TurnUpdate], None],
        frame_s: float = 1 / 15,
    ) -> None:
        raise NotImplementedError

    @property
    def conversation(self) -> Conversation:
        """The conversation as it stands."""
        raise NotImplementedError

    @property
    def endpoint(self) -> Endpoint:
        """Where the next turn goes."""
        raise NotImplementedError

    @property
    def is_busy(self) -> bool:
        """A turn is running."""
        raise NotImplementedError

    def use(self, endpoint: Endpoint) -> None:
        """Ask another model from the next turn on."""
        raise NotImplementedError

    async def send(self, messages: tuple[Message, ...], tools: tuple[ToolSpec, ...] = ()) -> Turn:
        """Run one turn to its end and return it. Never raises for what network, server or store do."""
        raise NotImplementedError

    async def regenerate(self, turn: Turn) -> Turn:
        """Ask again for the same input: a sibling of `turn` (completed or unfinished)."""
        raise NotImplementedError

    def cancel(self) -> None:
        """Stop the running turn now, also in silence or during a countdown. Does nothing when idle."""
        raise NotImplementedError

    def dismiss(self, turn: Turn) -> None:
        """Forget an unfinished turn."""
        raise NotImplementedError
