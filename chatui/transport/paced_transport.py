"""httpx's transport with our network below it, which httpx takes only this way.

Invariant: what httpx asks of its own transport holds for this one (response, stream, extensions), but
errors stay httpcore's; `error_translation` knows both.
"""

import ssl
from collections.abc import AsyncIterator
from typing import Final

import httpcore
import httpx

from chatui.transport.paced_network import PacedBackend
from chatui.transport.proxies import proxy_credentials, refuse_unusable, without_credentials

_KEEP_ALIVE_S: Final = 55.0
"""Idle connections are kept that long; common servers and proxies close theirs after 60 s."""


class PacedTransport(httpx.AsyncBaseTransport):
    """One pool of connections.

    Args:
        proxy: Address of the proxy; empty for none.
        ssl_context: Certificates; None if the pool will never need any.
    """

    def __init__(self, proxy: str, ssl_context: ssl.SSLContext | None) -> None:
        backend = PacedBackend()
        refuse_unusable(proxy)
        self._pool: httpcore.AsyncConnectionPool = (
            httpcore.AsyncHTTPProxy(
                proxy_url=without_credentials(proxy),
                proxy_auth=proxy_credentials(proxy),
                ssl_context=ssl_context,
                proxy_ssl_context=ssl_context if proxy.startswith("https:") else None,
                network_backend=backend,
                keepalive_expiry=_KEEP_ALIVE_S,
            )
            if proxy
            else httpcore.AsyncConnectionPool(
                ssl_context=ssl_context, network_backend=backend, keepalive_expiry=_KEEP_ALIVE_S
            )
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request and wait for the head of its response."""
        outgoing = httpcore.Request(
            method=request.method,
            url=httpcore.URL(
                scheme=request.url.raw_scheme,
                host=request.url.raw_host,
                port=request.url.port,
                target=request.url.raw_path,
            ),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        response = await self._pool.handle_async_request(outgoing)
        return httpx.Response(
            status_code=response.status,
            headers=response.headers,
            stream=_BodyStream(response),
            extensions=response.extensions,
        )

    async def close_idle(self) -> None:
        """Close the connections that wait for a next request."""
        for connection in self._pool.connections:
            if connection.is_idle():
                await connection.aclose()

    async def aclose(self) -> None:
        """Close all connections."""
        await self._pool.aclose()


class _BodyStream(httpx.AsyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._response.aiter_stream():
            yield part

    async def aclose(self) -> None:
        await self._response.aclose()
