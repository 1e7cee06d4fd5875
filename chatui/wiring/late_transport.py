"""The network, loaded with the first request: its modules take as long to load as the rest of the app.

Invariant: to its session it is the transport that it loads; loading happens once, in a thread, so that keys
are answered meanwhile.
"""

import asyncio
from collections.abc import Callable

from chatui.engine.ports import HttpRequest, HttpResponse, OpenStage, Transport


class LateTransport:
    """A transport that is made when it is first used.

    Args:
        load: Gives the transport, always the same one; any thread may call it.
    """

    def __init__(self, load: Callable[[], Transport]) -> None:
        self._load = load
        self._inner: Transport | None = None

    async def open(
        self, request: HttpRequest, on_stage: Callable[[OpenStage], None] | None = None
    ) -> HttpResponse:
        """Send and wait for the head of the response; raises what the transport raises."""
        if self._inner is None:
            self._inner = await asyncio.to_thread(self._load)
        return await self._inner.open(request, on_stage)

    async def aclose(self) -> None:
        """Close all connections, if there were any."""
        if self._inner is not None:
            await self._inner.aclose()
