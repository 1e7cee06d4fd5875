"""A transport that notes when things arrive, and hands everything on as it is."""

from collections.abc import AsyncIterator, Callable, Mapping

from chatui.engine.ports import Clock, HttpRequest, HttpResponse, OpenStage, Transport
from chatui.transport.passed_response import PassedResponse


class WatchedTransport:
    """Notes the times of the last response.

    Args:
        inner: Does the work.
        clock: Tells the time.
    """

    def __init__(self, inner: Transport, clock: Clock) -> None:
        self._inner = inner
        self._clock = clock
        self._sent_s = 0.0
        self.status: int | None = None
        self.headers: Mapping[str, str] = {}
        self.head_ms: float | None = None
        self.chunks_ms: list[float] = []

    async def open(
        self, request: HttpRequest, on_stage: Callable[[OpenStage], None] | None = None
    ) -> HttpResponse:
        """Open, and note when the head came; raises what the inner transport raises."""
        self._sent_s = self._clock.monotonic_s()
        self.chunks_ms.clear()
        response = await self._inner.open(request, on_stage)
        self.status = response.status
        self.headers = response.headers
        self.head_ms = self.elapsed_ms()
        return _WatchedResponse(response, self)

    async def aclose(self) -> None:
        """Nothing: the inner transport belongs to somebody else."""

    def elapsed_ms(self) -> float:
        """Since the request was begun."""
        return (self._clock.monotonic_s() - self._sent_s) * 1000


class _WatchedResponse(PassedResponse):
    def __init__(self, inner: HttpResponse, watch: WatchedTransport) -> None:
        super().__init__(inner)
        self._watch = watch

    async def chunks(self) -> AsyncIterator[bytes]:
        async for chunk in super().chunks():
            self._watch.chunks_ms.append(self._watch.elapsed_ms())
            yield chunk

    def pace(self, interval_s: float) -> None:
        """Every piece is read as it comes: joined ones would hide how they arrived."""
