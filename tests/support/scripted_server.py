"""A loopback HTTP server that plays a script byte for byte, for tests here and for programs in a pty.

    with ScriptedServer() as server:
        server.play(head(200, "text/event-stream"), b"data: {...}\\n\\n", Wait(0.2), RESET)
        ... server.base_url, server.requests

Scripts are played in order, one for each request; the last one is repeated. It runs in a thread of its own.
"""

import asyncio
import contextlib
import json
import socket
import struct
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Self


@dataclass(frozen=True, slots=True)
class Wait:
    """Say nothing for so long."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Hold:
    """Say nothing until the test sets the event (or the client leaves)."""

    released: threading.Event


class Ending(Enum):
    """How the connection ends."""

    CLOSE = auto()
    """A polite end of the stream of bytes."""
    RESET = auto()
    """RST: the kernel tells the client that the connection broke."""


CLOSE = Ending.CLOSE
RESET = Ending.RESET
Step = bytes | Wait | Hold | Ending


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """What a client sent."""

    method: str
    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes

    @property
    def json(self) -> dict[str, object]:
        """The body as an object."""
        value = json.loads(self.body)
        assert isinstance(value, dict)
        return value


def head(status: int = 200, content_type: str = "text/event-stream", **headers: str) -> bytes:
    """A response head without a length: the body ends with the connection."""
    lines = [f"HTTP/1.1 {status} X", f"Content-Type: {content_type}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def whole(
    body: bytes, status: int = 200, content_type: str = "application/json", **headers: str
) -> tuple[Step, ...]:
    """A response with a length."""
    return (head(status, content_type, Content_Length=str(len(body)), **headers), body)


def chat_chunk(delta: Mapping[str, object] | str, finish_reason: str | None = None, **extra: object) -> bytes:
    """One event of a Chat Completions stream; a string is content."""
    fields = {"content": delta} if isinstance(delta, str) else delta
    choice = {"index": 0, "delta": fields, "finish_reason": finish_reason}
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "model": "scripted",
        "choices": [choice],
        **extra,
    }
    return b"data: " + json.dumps(body).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"


def chat_answer(*deltas: str, finish_reason: str = "stop") -> tuple[Step, ...]:
    """A whole, proper Chat Completions stream."""
    return (head(), *(chat_chunk(delta) for delta in deltas), chat_chunk({}, finish_reason), DONE)


@dataclass
class ScriptedServer:
    """See the module."""

    requests: list[ReceivedRequest] = field(default_factory=list)
    gone: threading.Event = field(default_factory=threading.Event)
    """A client closed its connection before its script ended."""

    def __post_init__(self) -> None:
        self._scripts: list[tuple[Step, ...]] = []
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def base_url(self) -> str:
        """What a provider's base URL would be."""
        return f"{self.origin}/v1"

    def play(self, *steps: Step | Iterable[Step]) -> Self:
        """Queue the script of one more request."""
        flat: list[Step] = []
        for step in steps:
            if isinstance(step, bytes | Wait | Hold | Ending):
                flat.append(step)
            else:
                flat.extend(step)
        self._scripts.append(tuple(flat))
        return self

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(30), "the server does not listen"
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        server.close()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            request = await _read_request(reader)
            self.requests.append(request)
            script = self._scripts[min(len(self.requests), len(self._scripts)) - 1]
            leaving = asyncio.ensure_future(reader.read(1))
            playing = asyncio.ensure_future(self._play(script, writer))
            await asyncio.wait({leaving, playing}, return_when=asyncio.FIRST_COMPLETED)
            if not playing.done():
                self.gone.set()
                playing.cancel()
            leaving.cancel()
        writer.close()

    async def _play(self, script: tuple[Step, ...], writer: asyncio.StreamWriter) -> None:
        for step in script:
            match step:
                case bytes():
                    writer.write(step)
                    await writer.drain()
                    await asyncio.sleep(0)
                case Wait():
                    await asyncio.sleep(step.seconds)
                case Hold():
                    while not step.released.is_set():
                        await asyncio.sleep(0.01)
                case Ending.RESET:
                    raw = writer.get_extra_info("socket")
                    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    writer.transport.abort()
                case Ending.CLOSE:
                    return


async def _read_request(reader: asyncio.StreamReader) -> ReceivedRequest:
    raw = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = raw.rstrip("\r\n").split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return ReceivedRequest(method, path, headers, body)
