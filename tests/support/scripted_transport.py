"""A transport that answers from scripts, in virtual time.

transport = ScriptedTransport(clock)
transport.answer(Head(), chat_chunk("Hel"), Pause(5), chat_chunk("lo"), chat_chunk({}, "stop"), DONE)
transport.answer(ConnectFailed("..."))
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field

from support.virtual_time import VirtualClock

from chatui.engine.ports import HttpRequest, OpenStage


@dataclass(frozen=True, slots=True)
class Head:
    """The head of the response arrives."""

    status: int = 200
    content_type: str = "text/event-stream"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pause:
    """Nothing arrives for so long."""

    seconds: float


STALL = Pause(10_000_000.0)
"""Nothing arrives ever again."""

Step = Head | Pause | bytes | Exception


class ScriptedTransport:
    """Plays one script for each request."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self._scripts: list[tuple[Step, ...]] = []
        self.requests: list[HttpRequest] = []
        self.times_s: list[float] = []
        self.responses: list[ScriptedResponse] = []

    def answer(self, *steps: Step) -> "ScriptedTransport":
        """Add the script of one more request."""
        self._scripts.append(steps)
        return self

    async def open(
        self, request: HttpRequest, on_stage: Callable[[OpenStage], None] | None = None
    ) -> "ScriptedResponse":
        assert self._scripts, "one request more than the test expected"
        steps = list(self._scripts.pop(0))
        tell = on_stage or (lambda _stage: None)
        tell(OpenStage.CONNECTING)
        self.requests.append(request)
        self.times_s.append(self._clock.now_s)
        is_connected = False
        while True:
            match steps.pop(0):
                case Head() as head:
                    if not is_connected:
                        tell(OpenStage.SENDING)
                        tell(OpenStage.SENT)
                    response = ScriptedResponse(head, steps, request.url, self._clock)
                    self.responses.append(response)
                    return response
                case Pause(seconds):
                    if any(isinstance(step, Head) for step in steps) and not is_connected:
                        is_connected = True
                        tell(OpenStage.SENDING)
                        tell(OpenStage.SENT)
                    await self._clock.sleep(seconds)
                case Exception() as error:
                    raise error
                case other:
                    raise AssertionError(f"{other!r} before the head")

    async def aclose(self) -> None:
        pass


class ScriptedResponse:
    """Remembers what was done to it."""

    def __init__(self, head: Head, steps: list[Step], url: str, clock: VirtualClock) -> None:
        self._head = head
        self._steps = steps
        self._clock = clock
        self.url = url
        self.paces_s: list[float] = []
        self.is_finished = False
        self.is_closed = False

    @property
    def status(self) -> int:
        return self._head.status

    @property
    def headers(self) -> Mapping[str, str]:
        return {"content-type": self._head.content_type, **self._head.headers}

    async def chunks(self) -> AsyncIterator[bytes]:
        for step in self._steps:
            match step:
                case bytes():
                    await asyncio.sleep(0)
                    yield step
                case Pause(seconds):
                    await self._clock.sleep(seconds)
                case Exception():
                    raise step
                case Head():
                    raise AssertionError("two heads")

    def pace(self, interval_s: float) -> None:
        self.paces_s.append(interval_s)

    async def finish(self) -> None:
        self.is_finished = True

    async def close(self) -> None:
        self.is_closed = True
