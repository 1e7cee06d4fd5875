"""A response that hands everything through: what a recorder or a watch builds on.

Invariant: to who reads it, it is the response below.
"""

from collections.abc import AsyncIterator, Mapping

from chatui.engine.ports import HttpResponse


class PassedResponse:
    """Hands everything through.

    Args:
        inner: The response itself.
    """

    def __init__(self, inner: HttpResponse) -> None:
        self._inner = inner

    @property
    def status(self) -> int:
        """HTTP status code."""
        return self._inner.status

    @property
    def headers(self) -> Mapping[str, str]:
        """Header names in lower case."""
        return self._inner.headers

    @property
    def url(self) -> str:
        """The address that answered, after redirects."""
        return self._inner.url

    def chunks(self) -> AsyncIterator[bytes]:
        """Decoded body bytes as they arrive; raises what the response below raises."""
        return self._inner.chunks()

    def pace(self, interval_s: float) -> None:
        """Read a trickle at most once an interval."""
        self._inner.pace(interval_s)

    async def finish(self) -> None:
        """Take what little remains, so that the connection can be kept."""
        await self._inner.finish()

    async def close(self) -> None:
        """Release the connection at once."""
        await self._inner.close()
