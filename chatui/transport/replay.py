"""Plays a recorded exchange again, as if a server answered.

Invariant: status, headers, bytes, order and ending are those of the recording; only the time between the
chunks is scaled, and a speed of 0 leaves no time at all.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import fields
from typing import Any

from chatui.core.errors import ConnectFailed, ConnectionLost, WireError
from chatui.core.wire import Dialect
from chatui.engine.ports import Clock, HttpRequest, OpenStage
from chatui.transport.wire_file import Ending, WireRecord


class ReplayTransport:
    """Answers every request with the same recording.

    Args:
        record: What to play.
        clock: Time.
        speed: 1 is the original timing, 2 twice as fast, 0 at once.
    """

    def __init__(self, record: WireRecord, clock: Clock, speed: float = 0.0) -> None:
        self._record = record
        self._clock = clock
        self._speed = speed

    async def open(
        self, request: HttpRequest, on_stage: Callable[[OpenStage], None] | None = None
    ) -> "ReplayResponse":
        """The head of the recorded response.

        Raises:
            ConnectFailed: the recorded request had no connection.
            ConnectionLost: it lost its connection before the head arrived.
            WireError: what came back was no HTTP.
        """
        record = self._record
        pace = _Pace(self._clock, self._speed)
        for stage in (OpenStage.CONNECTING, OpenStage.SENDING, OpenStage.SENT):
            if on_stage is not None and (
                stage is OpenStage.CONNECTING or record.ending is not Ending.CONNECT_FAILED
            ):
                on_stage(stage)
        if record.status is None:
            await pace.until(record.end_at_ms)
            _raise_ending(record)
            raise ConnectionLost("The recording ends before any answer")
        await pace.until(record.head_at_ms)
        return ReplayResponse(record, record.status, pace)

    async def aclose(self) -> None:
        """Nothing to close."""


class ReplayResponse:
    """The recorded response."""

    def __init__(self, record: WireRecord, status: int, pace: "_Pace") -> None:
        self._record = record
        self._status = status
        self._pace = pace

    @property
    def status(self) -> int:
        """HTTP status code."""
        return self._status

    @property
    def headers(self) -> Mapping[str, str]:
        """Header names in lower case; values that may hold a secret were not recorded."""
        return self._record.headers

    @property
    def url(self) -> str:
        """The address that answered."""
        return self._record.url

    async def chunks(self) -> AsyncIterator[bytes]:
        """The recorded chunks, and the recorded ending.

        Raises:
            ConnectionLost: the recorded connection broke.
            WireError: the recorded bytes could not be decoded.
        """
        for chunk in self._record.chunks:
            await self._pace.until(chunk.at_ms)
            yield chunk.content
        await self._pace.until(self._record.end_at_ms)
        if self._record.ending is Ending.CLOSED:
            # We stopped reading there: what the server had more to say is unknown.
            raise ConnectionLost("The recording was stopped here")
        _raise_ending(self._record)

    def pace(self, interval_s: float) -> None:
        """Nothing to read from."""

    async def finish(self) -> None:
        """Nothing remains."""

    async def close(self) -> None:
        """Nothing to close."""


class _Pace:
    def __init__(self, clock: Clock, speed: float) -> None:
        self._clock = clock
        self._speed = speed
        self._began_s = clock.monotonic_s()

    async def until(self, at_ms: float) -> None:
        if self._speed <= 0.0:
            return
        left_s = self._began_s + at_ms / 1000 / self._speed - self._clock.monotonic_s()
        if left_s > 0.0:
            await self._clock.sleep(left_s)


def _raise_ending(record: WireRecord) -> None:
    match record.ending:
        case Ending.CONNECT_FAILED:
            raise ConnectFailed(record.message or "No connection")
        case Ending.CONNECTION_LOST:
            raise ConnectionLost(record.message or "The connection broke")
        case Ending.WIRE_ERROR:
            raise WireError(record.message or "The answer could not be read")
        case Ending.COMPLETE | Ending.CLOSED:
            pass


def recorded_dialect(record: WireRecord) -> Dialect:
    """The quirks under which the recording was made; unknown members (of another version) are left out."""
    recorded = record.about.get("dialect")
    if not isinstance(recorded, Mapping):
        return Dialect()
    names = {item.name for item in fields(Dialect)}
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in recorded.items()
        if name in names
    }
    return Dialect(**values)


def recorded_prompt(record: WireRecord) -> str:
    """The last thing that the person said in the recorded request, in any of the three shapes."""
    body = record.request.get("body")
    if not isinstance(body, Mapping):
        return "(recorded)"
    said = body.get("messages", body.get("input"))
    if isinstance(said, str):
        return said
    for message in reversed(said if isinstance(said, list) else []):
        if isinstance(message, Mapping) and message.get("role") == "user":
            content = message.get("content")
            if isinstance(content, str):
                return content
            parts = content if isinstance(content, list) else []
            texts = [str(part["text"]) for part in parts if isinstance(part, Mapping) and "text" in part]
            return "\n".join(texts) or "(recorded)"
    return "(recorded)"
