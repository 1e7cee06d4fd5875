"""A Chat Completions server that costs as little as it can: everything is encoded before the first byte is
sent.

    python fast_server.py     prints a JSON object a line: {"event": "listening", "port": ...}, then what
    happens

Events carry the time of the monotonic clock, which all processes of a machine share: `request`, `ready` (a
little before the first delta, so that a measurement can begin), `first`, `last` (deltas handed to the
kernel), `end`, `disconnect`. Invariant: one token is one server-sent event, and at a rate each event is
written on its own.
"""

import asyncio
import contextlib
import json
import sys
import time
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.corpus import tokens
from harness.load import Load, parse_load

READY_PAUSE_S: Final = 0.03
_WRITES_BETWEEN_DRAINS: Final = 16
_EXAMPLES: Final = tuple(f"md-{size}-{rate}" for size in ("1k", "10k", "50k") for rate in (200, 500, 0))


_HEAD: Final = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n"
)


def report(event: str, **values: object) -> None:
    """Tell whoever measures."""
    line = json.dumps({"event": event, "at_s": time.monotonic(), **values})
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


class Connection:
    """One client."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def serve(self) -> None:
        """Answer requests until the client leaves or a stream has been sent."""
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while (head := await self._head()) is not None:
                method, path, length = head
                body = await self._reader.readexactly(length)
                if method == "POST" and path.endswith("/chat/completions"):
                    await self._complete(json.loads(body))
                    break
                await self._plain(path)
        self._writer.close()

    async def _head(self) -> tuple[str, str, int] | None:
        first = await self._reader.readline()
        if not first:
            return None
        method, path, _ = first.decode("latin-1").split(" ", 2)
        length = 0
        while line := (await self._reader.readline()).strip():
            name, _, value = line.decode("latin-1").partition(":")
            if name.lower() == "content-length":
                length = int(value)
        return method, path.split("?", 1)[0], length

    async def _plain(self, path: str) -> None:
        is_list = path.endswith("/models")
        answer = {"object": "list", "data": [{"id": name, "object": "model"} for name in _EXAMPLES]}
        body = json.dumps(answer if is_list else {"error": {"message": "no such path"}}).encode()
        status = "200 OK" if is_list else "404 Not Found"
        head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        self._writer.write(head.encode() + body)
        await self._writer.drain()

    async def _complete(self, request: dict[str, object]) -> None:
        model = str(request.get("model"))
        load = parse_load(model) or Load("md", 1000, 0)
        report("request", model=model)
        events = [_delta(model, {"content": token}) for token in tokens(load.kind, load.token_count)]
        self._writer.write(_HEAD + _delta(model, {"role": "assistant", "content": ""}))
        await self._writer.drain()
        gone = asyncio.Event()
        watcher = asyncio.create_task(self._watch(gone))
        try:
            report("ready")
            await asyncio.sleep(READY_PAUSE_S)
            if await self._send(events, load.rate, gone):
                report("last")
                self._writer.write(_delta(model, {}, "stop") + _chunk("[DONE]") + b"0\r\n\r\n")
                await self._writer.drain()
                report("end")
            else:
                report("disconnect")
        except ConnectionError:
            report("disconnect")
        finally:
            watcher.cancel()

    async def _send(self, events: list[bytes], rate: int, gone: asyncio.Event) -> bool:
        """Send all events; returns whether the client stayed."""
        started_s = time.monotonic()
        for number, event in enumerate(events):
            if rate and (wait_s := started_s + number / rate - time.monotonic()) > 0:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(gone.wait(), wait_s)
            if gone.is_set() or self._writer.is_closing():
                return False
            self._writer.write(event)
            if rate or number % _WRITES_BETWEEN_DRAINS == 0:
                await self._writer.drain()
            if number == 0:
                report("first")
        await self._writer.drain()
        return True

    async def _watch(self, gone: asyncio.Event) -> None:
        with contextlib.suppress(ConnectionError):
            while await self._reader.read(4096):
                pass
        gone.set()


def _delta(model: str, delta: dict[str, str], finish_reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    event = {"id": "chatcmpl-7", "object": "chat.completion.chunk", "created": 1700000000, "model": model}
    return _chunk(json.dumps({**event, "choices": [choice]}, ensure_ascii=False, separators=(",", ":")))


def _chunk(event: str) -> bytes:
    body = f"data: {event}\n\n".encode()
    return b"%x\r\n%s\r\n" % (len(body), body)


async def serve() -> None:
    """Listen on a free port of the loopback until standard input closes."""

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await Connection(reader, writer).serve()

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    report("listening", port=server.sockets[0].getsockname()[1])
    async with server:
        await asyncio.to_thread(sys.stdin.buffer.read)
        server.close()


if __name__ == "__main__":
    asyncio.run(serve())
