"""What the engine needs from outside, as protocols that the edges implement and `wiring` brings together."""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import field
from enum import StrEnum
from typing import Protocol

from chatui.core.conversation import Conversation
from chatui.core.turn import Turn, TurnId
from chatui.core.values import frozen


class Clock(Protocol):
    """Time, so that tests can own it."""

    def monotonic_s(self) -> float:
        """Seconds on a clock that never goes back."""
        ...

    def epoch_s(self) -> float:
        """Seconds since 1970-01-01 UTC."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


@frozen
class HttpRequest:
    """One request as it goes out. `headers` may hold a key: never log or record them as they are."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes
    about: Mapping[str, object] = field(default_factory=dict)
    """What a recording must know to be replayed: provider, protocol, model, dialect. Never sent."""


class OpenStage(StrEnum):
    """How far the opening of a response got; the values read well after "while"."""

    CONNECTING = "connecting"
    SECURING = "setting up TLS"
    SENDING = "sending the request"
    """There is a connection. Reported once for each HTTP request that is really sent, redirects included."""
    SENT = "waiting for the answer"


class HttpResponse(Protocol):
    """A response whose head has arrived; the body is read as it comes."""

    @property
    def status(self) -> int:
        """HTTP status code."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """Header names in lower case."""
        ...

    @property
    def url(self) -> str:
        """The address that answered, after redirects."""
        ...

    def chunks(self) -> AsyncIterator[bytes]:
        """Decoded body bytes as they arrive.

        Raises:
            ConnectionLost: the connection broke, or the body ended short of what its framing promised.
            WireError: the framing or compression cannot be decoded.
        """
        ...

    def pace(self, interval_s: float) -> None:
        """From now on read a trickle at most once an interval, so that its pieces arrive joined.

        0 reads at once.

        A stream that fills whole reads is never slowed down.
        """
        ...

    async def finish(self) -> None:
        """The content is whole: take what little framing remains, so that the connection can be kept.

        If it does not come at once, close.

        Never raises, takes at most a few hundredths of a second.
        """
        ...

    async def close(self) -> None:
        """Release the connection at once, also in the middle of the body. Never raises, is quick."""
        ...


class Transport(Protocol):
    """Sends requests. Opening may raise `ConnectFailed`; deadlines and retries are the engine's."""

    async def open(
        self, request: HttpRequest, on_stage: Callable[[OpenStage], None] | None = None
    ) -> HttpResponse:
        """Send and wait for the head of the response; `on_stage` hears how far it got.

        Raises:
            ConnectFailed: no connection, with the stage in the message.
            ConnectionLost: the connection broke before the head arrived.
            WireError: what came back is no HTTP.
        """
        ...

    async def aclose(self) -> None:
        """Close all connections."""
        ...


class TurnStore(Protocol):
    """Where turns go. Calls are quick (milliseconds) and made on the event loop's thread."""

    def commit(self, conversation_id: str, turn: Turn) -> None:
        """Save a completed turn durably, in one transaction.

        Raises:
            StoreError: it could not be saved; the session goes on and the turn is marked "not saved".
        """
        ...

    def save_unfinished(self, conversation_id: str, turn: Turn) -> None:
        """Keep a failed, cancelled or still running turn outside the history.

        Raises:
            StoreError: it could not be saved.
        """
        ...

    def discard_unfinished(self, conversation_id: str, turn_id: TurnId) -> None:
        """Forget an unfinished turn.

        Raises:
            StoreError: it could not be forgotten.
        """
        ...

    def load_before(self, conversation: Conversation, count: int | None = None) -> Conversation:
        """The conversation with the turns that were not loaded yet.

        Raises:
            StoreError: they cannot be read.
        """
        ...
