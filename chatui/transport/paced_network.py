"""The network below the HTTP library: reads a trickle once a frame and joins its small chunks.

Waking up for every token costs ten times the work of decoding it. Invariant: pacing sits under TLS, on raw
bytes, so that however small the records are a paced reader takes all that has arrived and never falls
behind; nothing is read while the consumer is busy, so a fast server is held back by TCP.
"""

import asyncio
import ssl
from collections.abc import Iterable, Mapping
from typing import Any, Final

import anyio
import anyio.abc
import anyio.streams.tls
import httpcore

from chatui.transport.chunk_joining import ChunkJoiner
from chatui.transport.connecting import connect

TRICKLE_BYTES: Final = 16 * 1024
"""A read that gave at least this much is followed by the next one at once: the stream is not a trickle."""

PACE_INFO: Final = "chatui.pace"
"""Name under which a network stream gives its `ReadPace` as extra info."""


class ReadPace:
    """How often one connection may be read; 0 is as often as bytes come."""

    def __init__(self) -> None:
        self.interval_s = 0.0
        self._last_read_s = 0.0
        self._last_size_bytes = 0

    async def wait(self) -> None:
        """Sleep until the next read is due."""
        if self.interval_s <= 0.0 or self._last_size_bytes >= TRICKLE_BYTES:
            return
        left_s = self._last_read_s + self.interval_s - asyncio.get_running_loop().time()
        if left_s > 0.0:
            await asyncio.sleep(left_s)

    def note(self, size_bytes: int) -> None:
        """A read gave that many bytes."""
        self._last_read_s = asyncio.get_running_loop().time()
        self._last_size_bytes = size_bytes


class _PacedBytes(anyio.abc.ByteStream):
    """A TCP stream that is read at a pace."""

    def __init__(self, inner: anyio.abc.ByteStream, pace: ReadPace) -> None:
        self._inner = inner
        self._pace = pace

    async def receive(self, max_bytes: int = 65536) -> bytes:
        await self._pace.wait()
        data = await self._inner.receive(max_bytes)
        self._pace.note(len(data))
        return data

    async def send(self, item: bytes) -> None:
        await self._inner.send(item)

    async def send_eof(self) -> None:
        await self._inner.send_eof()

    async def aclose(self) -> None:
        await self._inner.aclose()

    @property
    def extra_attributes(self) -> Mapping[Any, Any]:
        return self._inner.extra_attributes


class PacedStream(httpcore.AsyncNetworkStream):
    """What the HTTP library reads from and writes to."""

    def __init__(self, stream: anyio.abc.ByteStream, pace: ReadPace) -> None:
        self._stream = stream
        self._pace = pace
        self._joiner = ChunkJoiner()

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """The next bytes, with small chunks joined; empty at the end of the connection."""
        while True:
            try:
                with anyio.fail_after(timeout):
                    data = await self._stream.receive(max_bytes)
            except anyio.EndOfStream:
                return self._joiner.close()
            except TimeoutError as error:
                raise httpcore.ReadTimeout(str(error)) from error
            except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError) as error:
                raise httpcore.ReadError(str(error)) from error
            joined = self._joiner.feed(data)
            if joined:
                return joined

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send bytes of a request."""
        if not buffer:
            return
        self._joiner.request_sent(buffer)
        try:
            with anyio.fail_after(timeout):
                await self._stream.send(buffer)
        except TimeoutError as error:
            raise httpcore.WriteTimeout(str(error)) from error
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError) as error:
            raise httpcore.WriteError(str(error)) from error

    async def aclose(self) -> None:
        """Close the connection."""
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """The same connection, encrypted from here on."""
        try:
            with anyio.fail_after(timeout):
                secured = await anyio.streams.tls.TLSStream.wrap(
                    self._stream,
                    ssl_context=ssl_context,
                    hostname=server_hostname,
                    standard_compatible=False,
                    server_side=False,
                )
        except TimeoutError as error:
            await self.aclose()
            raise httpcore.ConnectTimeout(str(error)) from error
        except (anyio.BrokenResourceError, anyio.EndOfStream, ssl.SSLError, OSError) as error:
            await self.aclose()
            raise httpcore.ConnectError(str(error)) from error
        except asyncio.CancelledError:
            # The library closes only what it was given, and this connection it has not got yet.
            await self.aclose()
            raise
        return PacedStream(secured, self._pace)

    def get_extra_info(self, info: str) -> object:
        """What the HTTP library and the transport ask of a connection."""
        match info:
            case "chatui.pace":
                return self._pace
            case "is_readable":
                return _is_readable(self._attribute(anyio.abc.SocketAttribute.raw_socket))
            case "ssl_object":
                return self._attribute(anyio.streams.tls.TLSAttribute.ssl_object)
            case "socket":
                return self._attribute(anyio.abc.SocketAttribute.raw_socket)
            case "server_addr":
                return self._attribute(anyio.abc.SocketAttribute.remote_address)
            case _:
                return None

    def _attribute(self, name: Any) -> Any:
        return self._stream.extra(name, None)  # noqa: S610 - anyio's, not Django's


def _is_readable(raw_socket: Any) -> bool:
    """Whether an idle connection has something to say, which can only be its end."""
    if raw_socket is None or raw_socket.fileno() < 0:
        return True
    import select

    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(raw_socket, select.POLLIN)
        return bool(poll.poll(0))
    return bool(select.select([raw_socket], [], [], 0)[0])


class PacedBackend(httpcore.AsyncNetworkBackend):
    """Opens paced connections."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect; several addresses of a host are tried in parallel, a little apart."""
        pace = ReadPace()
        try:
            with anyio.fail_after(timeout):
                stream = await connect(host, port, local_address)
        except TimeoutError as error:
            raise httpcore.ConnectTimeout(str(error)) from error
        except (OSError, anyio.BrokenResourceError) as error:
            raise httpcore.ConnectError(str(error)) from error
        raw_socket = stream.extra(anyio.abc.SocketAttribute.raw_socket)  # noqa: S610 - anyio's, not Django's
        for option in socket_options or ():
            raw_socket.setsockopt(*option)
        return PacedStream(_PacedBytes(stream, pace), pace)

    async def sleep(self, seconds: float) -> None:
        """Wait, on behalf of the HTTP library's own connection retries."""
        await asyncio.sleep(seconds)
