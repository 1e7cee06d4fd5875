"""HTTP through httpx, with every error of every layer below turned into ours.

Invariants: credentials never reach another host than the one they were meant for (redirects are followed
only to the same origin, or from http to https of the same host), a redirect never changes the method, no
text of an exception that may hold a header reaches a message, and a kept connection that turns out to be
dead is nobody's concern: the request goes out again on another one.
"""

import asyncio
import importlib
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import suppress
from typing import Any, Final

import httpcore
import httpx

from chatui.core.endpoint_url import place_of
from chatui.core.errors import ChatuiError, WireError
from chatui.engine.ports import HttpRequest, OpenStage
from chatui.transport.certificates import trusting_context
from chatui.transport.content_coding import ACCEPTED, BodyDecoder
from chatui.transport.error_translation import HTTP_ERRORS, ProxyUsed, translate_error
from chatui.transport.paced_network import PACE_INFO, ReadPace
from chatui.transport.paced_transport import PacedTransport
from chatui.transport.proxies import proxy_for, proxy_origin

MAX_REDIRECTS: Final = 5
_DRAIN_S: Final = 0.05
_DRAIN_BYTES: Final = 64 * 1024
_CLOSE_S: Final = 1.0
_FOLLOWED: Final = (307, 308)
_STAGES: Final = {
    "connection.connect_tcp.started": OpenStage.CONNECTING,
    "connection.start_tls.started": OpenStage.SECURING,
    "proxy.start_tls.started": OpenStage.SECURING,
    "http11.send_request_headers.started": OpenStage.SENDING,
    "http11.send_request_body.complete": OpenStage.SENT,
}


class HttpxResponse:
    """A response whose head has arrived."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        _forget_body(response.request)
        self._raw = response.aiter_raw()
        self._chunks: AsyncGenerator[bytes, None] | None = None
        stream = response.extensions.get("network_stream")
        pace = stream.get_extra_info(PACE_INFO) if stream is not None else None
        self._pace: ReadPace | None = pace
        self.pace(0.0)

    @property
    def status(self) -> int:
        """HTTP status code."""
        return self._response.status_code

    @property
    def headers(self) -> Mapping[str, str]:
        """Header names in lower case; repeated ones joined."""
        return {name.lower(): value for name, value in self._response.headers.items()}

    @property
    def url(self) -> str:
        """The address that answered."""
        return str(self._response.url)

    def chunks(self) -> AsyncIterator[bytes]:
        """Decompressed body bytes as they arrive.

        Raises:
            ConnectionLost: the connection broke, or the body ended short of what its framing promised.
            WireError: the framing or compression cannot be decoded.
        """
        if self._chunks is None:
            self._chunks = self._decoded()
        return self._chunks

    async def _decoded(self) -> AsyncGenerator[bytes, None]:
        decoder = BodyDecoder(self._response.headers.get("content-encoding", ""))
        try:
            async for raw in self._raw:
                for piece in decoder.feed(raw):
                    yield piece
        except HTTP_ERRORS as error:
            raise translate_error(error, None) from error
        for piece in decoder.finish():
            yield piece

    def pace(self, interval_s: float) -> None:
        """Read a trickle at most once an interval."""
        if self._pace is not None:
            self._pace.interval_s = interval_s

    async def finish(self) -> None:
        """Take the little that remains, so that the connection can serve the next turn."""
        self.pace(0.0)
        left_bytes = _DRAIN_BYTES
        # Whatever goes wrong here, the answer is whole and only the connection is lost.
        with suppress(*HTTP_ERRORS, RuntimeError, TimeoutError):
            async with asyncio.timeout(_DRAIN_S):
                async for raw in self._raw:
                    left_bytes -= len(raw)
                    if left_bytes < 0:
                        break
        await self.close()

    async def close(self) -> None:
        """Release the connection at once."""
        self.pace(0.0)
        # The connection is of no more use, so neither is the reason why it closes badly.
        with suppress(*HTTP_ERRORS, RuntimeError, TimeoutError):
            async with asyncio.timeout(_CLOSE_S):
                await self._response.aclose()
                if self._chunks is not None:
                    await self._chunks.aclose()


def _forget_body(request: httpx.Request) -> None:
    """The body is sent. The library keeps it with the response, in a cycle that the collector finds late."""
    # ruff: noqa: SLF001 - there is no other way to let go of it
    request._content = b""
    if isinstance(request.stream, httpx.ByteStream):
        request.stream._stream = b""


class HttpxTransport:
    """Sends requests; connections are kept between turns, one pool for each proxy.

    Args:
        user_agent: The value of the `user-agent` header.
    """

    def __init__(self, user_agent: str) -> None:
        self._user_agent = user_agent
        self._pools: dict[tuple[bool, str], PacedTransport] = {}
        """By whether TLS is needed, and proxy."""
        self._ssl_context: ssl.SSLContext | None = None

    def prepare_tls(self) -> None:
        """Load the certificates now instead of at the first request (tens of milliseconds, any thread).

        Raises:
            ConnectFailed: those that the environment names cannot be used.
        """
        if self._ssl_context is None:
            self._ssl_context = trusting_context()

    def prepare_network(self) -> None:
        """Load now what the first connection would load; any thread may call it."""
        importlib.import_module("anyio._backends._asyncio")

    async def open(
        self, request: HttpRequest, on_stage: Callable[[OpenStage], None] | None = None
    ) -> HttpxResponse:
        """Send and wait for the head of the response.

        Raises:
            ConnectFailed: no connection, with the stage in the message.
            ConnectionLost: the connection broke before the head arrived.
            WireError: what came back is no HTTP, or redirects in circles.
        """
        progress = _Progress(on_stage)
        url = request.url
        try:
            for _ in range(MAX_REDIRECTS + 1):
                response = await self._send(request, url, progress)
                target = redirect_target(url, response)
                if target is None:
                    return HttpxResponse(response)
                await response.aclose()
                url = target
        except ChatuiError:
            raise
        except (*HTTP_ERRORS, httpx.InvalidURL, ValueError) as error:
            stage = progress.stage or OpenStage.CONNECTING
            raise translate_error(error, stage, url, proxy_used(url)) from error
        last = url.partition("?")[0]
        raise WireError(
            f"The server redirects in circles: {MAX_REDIRECTS} redirects, the last to {last}",
            "Check the base URL; it probably needs the address that the redirects lead to.",
        )

    async def _send(self, request: HttpRequest, url: str, progress: "_Progress") -> httpx.Response:
        """Send; once more, on a new connection, if a kept one was dead."""
        progress.is_replacement = False
        progress.is_kept = True
        try:
            return await self._send_once(request, url, progress)
        except (httpcore.RemoteProtocolError, httpcore.ReadError, httpcore.WriteError):
            # It may have ended while nobody looked, or held bytes that an earlier answer left behind. Others
            # that are kept are no better.
            if not progress.is_kept:
                raise
            await (await self._pool(url)).close_idle()
        progress.is_replacement = True
        return await self._send_once(request, url, progress)

    async def _send_once(self, request: HttpRequest, url: str, progress: "_Progress") -> httpx.Response:
        pool = await self._pool(url)
        headers = {"user-agent": self._user_agent, "accept-encoding": ACCEPTED, **request.headers}
        outgoing = httpx.Request(
            request.method,
            url,
            headers=[(name.encode("ascii"), value.encode("latin-1")) for name, value in headers.items()],
            content=request.body,
            extensions={"trace": progress.trace, "timeout": {}},
        )
        # Not through a client of httpx, which would make something of cookies and of every redirect.
        response = await pool.handle_async_request(outgoing)
        response.request = outgoing
        return response

    async def _pool(self, url: str) -> PacedTransport:
        proxy = proxy_for(url)
        is_secure = url.lower().startswith("https:") or proxy.startswith("https:")
        pool = self._pools.get((is_secure, proxy))
        if pool is None:
            if is_secure:
                await asyncio.to_thread(self.prepare_tls)
            pool = self._pools[is_secure, proxy] = PacedTransport(proxy, self._ssl_context)
        return pool

    async def aclose(self) -> None:
        """Close all connections."""
        pools = list(self._pools.values())
        self._pools = {}
        for pool in pools:
            with suppress(*HTTP_ERRORS, RuntimeError):
                await pool.aclose()


class _Progress:
    """How far a request got, and on what connection."""

    def __init__(self, on_stage: Callable[[OpenStage], None] | None) -> None:
        self._on_stage = on_stage
        self.stage: OpenStage | None = None
        self.is_kept = True
        """The connection had served before: none was opened."""
        self.is_replacement = False
        """The same request was begun on a connection that was dead: it counts once."""

    async def trace(self, name: str, info: Mapping[str, Any]) -> None:
        """Hears of every step of the library below."""
        reached = _STAGES.get(name)
        is_tunnel = getattr(info.get("request"), "method", b"") == b"CONNECT"
        if reached is None or is_tunnel:
            return
        self.stage = reached
        self.is_kept = self.is_kept and reached is not OpenStage.CONNECTING
        is_told = self.is_replacement and reached is OpenStage.SENDING
        if self._on_stage is not None and not is_told:
            self._on_stage(reached)


def proxy_used(url: str) -> ProxyUsed | None:
    """The proxy that an address is reached through."""
    try:
        proxy = proxy_for(url)
    except ValueError:  # the address is none
        return None
    return ProxyUsed(place_of(proxy) or "with an address that is none", proxy_origin(url)) if proxy else None


def redirect_target(url: str, response: httpx.Response) -> str | None:
    """Where to send the same request again; None if the response is to be judged as it is."""
    location = response.headers.get("location", "")
    if response.status_code not in _FOLLOWED or not location:
        return None
    try:
        target = httpx.URL(url).join(location)
        here = httpx.URL(url)
    except httpx.InvalidURL:
        return None
    is_same_origin = (target.scheme, target.host, target.port) == (here.scheme, here.host, here.port)
    is_upgrade = (
        (here.scheme, target.scheme) == ("http", "https")
        and here.host == target.host
        and here.port is None
        and target.port is None
    )
    return str(target) if is_same_origin or is_upgrade else None
