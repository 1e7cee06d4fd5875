"""Plays the scripted responses of the wire cases over HTTP/1.1, to any number of clients at once.

Every request is chosen by the body's `model` (or by `/_case/NAME/...`), written byte for byte as the case
says, and noted in `Server.entries` when its response ends.
"""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import random
import socket
import struct
import sys
import time
import zlib

REASONS = {
    200: "OK",
    204: "No Content",
    301: "Moved Permanently",
    302: "Found",
    303: "See Other",
    307: "Temporary Redirect",
    308: "Permanent Redirect",
    400: "Bad Request",
    401: "Unauthorized",
    402: "Payment Required",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    408: "Request Timeout",
    413: "Content Too Large",
    415: "Unsupported Media Type",
    422: "Unprocessable Content",
    429: "Too Many Requests",
    500: "Internal Server Error",
    502: "Bad Gateway",
    503: "Service Unavailable",
    504: "Gateway Timeout",
    524: "A Timeout Occurred",
    529: "Site Overloaded",
}
SECRET_HEADERS = {"authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie", "proxy-authorization"}
MAX_BODY = 64 * 1024 * 1024
STALL_LIMIT_S = 60.0


class ClientGoneError(Exception):
    """The client closed or reset the connection before the script ended."""


# ---------------------------------------------------------------- script expansion


def split_bytes(data: bytes, split: dict | None) -> list[bytes]:
    mode = (split or {}).get("mode", "whole")
    if mode == "whole":
        return [data] if data else []
    if mode == "byte":
        return [data[i : i + 1] for i in range(len(data))]
    if mode == "n":
        n = int(split["n"])
        return [data[i : i + n] for i in range(0, len(data), n)]
    if mode == "random":
        rng = random.Random(split.get("seed", 0))
        low, high = int(split.get("min", 1)), int(split.get("max", 16))
        out, pos = [], 0
        while pos < len(data):
            step = rng.randint(low, high)
            out.append(data[pos : pos + step])
            pos += step
        return out
    if mode == "at":
        cuts = [0, *sorted(int(c) for c in split["at"]), len(data)]
        return [data[a:b] for a, b in itertools.pairwise(cuts) if b > a]
    raise ValueError(f"unknown split mode {mode!r}")


def payload_texts(step: dict) -> list[bytes]:
    """The writes a sending step asks for, before its split is applied."""
    if "b64" in step:
        return [base64.b64decode(step["b64"])]
    if "fill" in step:
        f = step["fill"]
        return [(f.get("before", "") + f["unit"] * int(f["times"]) + f.get("after", "")).encode()]
    if "send" in step:
        value = step["send"]
        items = value if isinstance(value, list) else [value]
        if "repeat" in step:
            many = []
            for i in range(int(step["repeat"])):
                many += [s.replace("{i}", str(i)) if step.get("subst") else s for s in items]
            group = int(step.get("group", 1))
            items = ["".join(many[i : i + group]) for i in range(0, len(many), group)]
        return [s.encode("utf-8") for s in items]
    return []


def pieces(step: dict) -> list[bytes]:
    texts = payload_texts(step)
    split = step.get("split")
    if split and split.get("mode", "whole") != "whole":
        return split_bytes(b"".join(texts), split)
    return [t for t in texts if t]


# ---------------------------------------------------------------- connection


class Conn:
    """Buffered reader and writer that also notices the client leaving."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.buffer = bytearray()
        self.gone = asyncio.Event()
        self.gone_at: float | None = None
        self.more = asyncio.Event()
        writer.transport.set_write_buffer_limits(high=0)
        sock = writer.get_extra_info("socket")
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.pump_task = asyncio.create_task(self._pump())

    async def _pump(self) -> None:
        try:
            while True:
                data = await self.reader.read(65536)
                if not data:
                    break
                self.buffer += data
                self.more.set()
        except (ConnectionError, OSError):
            pass
        self._mark_gone()

    def _mark_gone(self) -> None:
        if not self.gone.is_set():
            self.gone_at = time.monotonic()
            self.gone.set()
            self.more.set()

    async def _need(self) -> bool:
        """Wait for more request bytes; False once the client has closed."""
        self.more.clear()
        if self.gone.is_set():
            return False
        await self.more.wait()
        return not (self.gone.is_set() and not self.buffer)

    async def read_until(self, mark: bytes, limit: int = 1024 * 1024) -> bytes | None:
        while True:
            at = self.buffer.find(mark)
            if at >= 0:
                out = bytes(self.buffer[: at + len(mark)])
                del self.buffer[: at + len(mark)]
                return out
            if len(self.buffer) > limit:
                raise ValueError("request head too large")
            before = len(self.buffer)
            if not await self._need() or (self.gone.is_set() and len(self.buffer) == before):
                return None

    async def read_exact(self, n: int) -> bytes | None:
        while len(self.buffer) < n:
            before = len(self.buffer)
            if not await self._need() or (self.gone.is_set() and len(self.buffer) == before):
                return None
        out = bytes(self.buffer[:n])
        del self.buffer[:n]
        return out

    async def write(self, data: bytes) -> None:
        if self.gone.is_set():
            raise ClientGoneError
        try:
            self.writer.write(data)
            await self.writer.drain()
        except (ConnectionError, OSError):
            self._mark_gone()
            raise ClientGoneError from None
        await asyncio.sleep(0)

    async def pause(self, seconds: float) -> None:
        if seconds <= 0:
            return
        try:
            await asyncio.wait_for(self.gone.wait(), seconds)
        except TimeoutError:
            return
        raise ClientGoneError

    def reset(self) -> None:
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()

    async def close(self) -> None:
        self.pump_task.cancel()
        try:
            self.writer.close()
            await asyncio.wait_for(self.writer.wait_closed(), 2)
        except (OSError, TimeoutError, asyncio.CancelledError):
            pass


# ---------------------------------------------------------------- one response


class Player:
    def __init__(self, conn: Conn, response: dict, subst: dict[str, str], head_only: bool) -> None:
        self.conn, self.response, self.subst, self.head_only = conn, response, subst, head_only
        self.framing = response.get("framing", "chunked")
        self.packer = zlib.compressobj(wbits=31) if response.get("encode") == "gzip" else None
        self.bytes_sent = 0
        self.step_index = -1
        self.keep = self.framing in ("chunked", "length") and not response.get("close", False)

    def _fill(self, text: str) -> str:
        for key, value in self.subst.items():
            text = text.replace("{" + key + "}", value)
        return text

    def _packed(self, data: bytes, last: bool = False) -> bytes:
        if not self.packer:
            return data
        out = self.packer.compress(data) if data else b""
        return out + self.packer.flush(zlib.Z_FINISH if last else zlib.Z_SYNC_FLUSH)

    def _whole_body(self) -> bytes:
        return b"".join(b for step in self.response.get("steps", []) for b in pieces(step))

    async def head(self, length: int | None) -> None:
        status = int(self.response.get("status", 200))
        version = self.response.get("http", "1.1")
        lines = [f"HTTP/{version} {status} {self.response.get('reason', REASONS.get(status, 'Status'))}"]
        names = set()
        for name, value in self.response.get("headers", []):
            names.add(name.lower())
            lines.append(f"{name}: {self._fill(value)}")
        if "date" not in names:
            lines.append("date: Thu, 01 Jan 2026 00:00:00 GMT")
        if self.framing == "chunked":
            lines.append("transfer-encoding: chunked")
        elif self.framing == "length" and length is not None and "content-length" not in names:
            lines.append(f"content-length: {length}")
        if not self.keep and "connection" not in names:
            lines.append("connection: close")
        await self.conn.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))

    async def body(self, data: bytes) -> None:
        if not data or self.head_only:
            return
        if self.framing == "chunked":
            await self.conn.write(b"%x\r\n" % len(data) + data + b"\r\n")
        else:
            await self.conn.write(data)
        self.bytes_sent += len(data)

    async def play(self) -> str:
        """Run the script; returns how it ended: end, eof, reset."""
        steps = self.response.get("steps", [])
        if self.response.get("no_response"):
            if self.response["no_response"] == "reset":
                self.conn.reset()
                return "reset"
            if self.response["no_response"] == "stall":
                await self.conn.pause(STALL_LIMIT_S)
            return "eof"
        length = None
        if self.framing == "length":
            if self.packer:
                packer = zlib.compressobj(wbits=31)
                total = b""
                for step in steps:
                    for piece in pieces(step):
                        total += packer.compress(piece) + packer.flush(zlib.Z_SYNC_FLUSH)
                length = len(total + packer.flush(zlib.Z_FINISH))
            else:
                length = int(self.response.get("content_length", len(self._whole_body())))
        if self.response.get("head_delay_ms"):
            await self.conn.pause(self.response["head_delay_ms"] / 1000)
        await self.head(length)
        for self.step_index, step in enumerate(steps):
            if "sleep_ms" in step:
                await self.conn.pause(step["sleep_ms"] / 1000)
            if "raw" in step:
                await self.conn.write(step["raw"].encode())
            if "raw_b64" in step:
                await self.conn.write(base64.b64decode(step["raw_b64"]))
            if "short_chunk" in step:
                part = step["short_chunk"]
                data = part["send"].encode()
                await self.conn.write(b"%x\r\n" % int(part["declare"]) + data)
                self.bytes_sent += len(data)
                await asyncio.sleep(0.03)
                return "eof"
            gap = step.get("gap_ms", 0) / 1000
            for piece in pieces(step):
                await self.body(self._packed(piece))
                if gap:
                    await self.conn.pause(gap)
            if step.get("stall"):
                await self.conn.pause(float(step.get("limit_s", STALL_LIMIT_S)))
                return "eof"
            if step.get("reset"):
                await self.conn.pause(0.05)
                self.conn.reset()
                return "reset"
            if step.get("eof"):
                await asyncio.sleep(0.03)
                return "eof"
        self.step_index = len(steps)
        if self.packer:
            await self.body(self._packed(b"", last=True))
        if self.framing == "chunked":
            trailers = "".join(f"{k}: {v}\r\n" for k, v in self.response.get("trailers", []))
            await self.conn.write(b"0\r\n" + trailers.encode() + b"\r\n")
        if (
            self.framing == "length"
            and length is not None
            and self.bytes_sent < length
            and not self.head_only
        ):
            await asyncio.sleep(0.03)
            return "eof"  # a declared length that is never reached
        return "end" if self.keep else "eof"


# ---------------------------------------------------------------- server


class Server:
    def __init__(self, cases: dict[str, dict]) -> None:
        self.cases = cases
        self.counts: dict[str, int] = {}
        self.entries: list[dict] = []
        self.port = 0
        self.serial = 0
        self.open_entries: dict[int, dict] = {}

    def log(self, entry: dict) -> None:
        self.open_entries.pop(entry["n"], None)
        self.entries.append(entry)

    async def client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        conn = Conn(reader, writer)
        try:
            while await self.one(conn):
                pass
        except (ClientGoneError, ConnectionError, OSError, asyncio.CancelledError):
            pass
        except ValueError as err:
            print(f"bad request: {err}", file=sys.stderr)
        finally:
            await conn.close()

    async def request(self, conn: Conn) -> tuple[str, str, dict[str, str], list, bytes] | None:
        head = await conn.read_until(b"\r\n\r\n")
        if head is None:
            return None
        lines = head.decode("latin-1").split("\r\n")
        method, target, _ = lines[0].split(" ", 2)
        pairs = [tuple(p.strip() for p in line.split(":", 1)) for line in lines[1:] if ":" in line]
        headers = {k.lower(): v for k, v in pairs}
        body = b""
        if "chunked" in headers.get("transfer-encoding", "").lower():
            while True:
                line = await conn.read_until(b"\r\n")
                if line is None:
                    return None
                size = int(line.split(b";")[0], 16)
                block = await conn.read_exact(size + 2)
                if block is None:
                    return None
                body += block[:size]
                if size == 0:
                    break
        elif headers.get("content-length", "").isdigit():
            size = int(headers["content-length"])
            if size > MAX_BODY:
                raise ValueError("request body too large")
            body = await conn.read_exact(size) or b""
        return method, target, headers, pairs, body

    @staticmethod
    def plain(status: int, obj: object) -> dict:
        return {
            "status": status,
            "framing": "length",
            "headers": [["content-type", "application/json"]],
            "steps": [{"send": json.dumps(obj)}],
        }

    @staticmethod
    def error_shape(path: str, status: int, kind: str, message: str) -> dict:
        if path.endswith("/messages"):
            return {"type": "error", "error": {"type": kind, "message": message}}
        return {"error": {"message": message, "type": kind, "param": None, "code": kind}}

    def choose(self, method: str, path: str, body: bytes) -> tuple[str | None, dict, object]:
        """Which case, which response, and the parsed body."""
        parsed: object = None
        if body:
            try:
                parsed = json.loads(body)
            except ValueError:
                parsed = {"_unparsed": body[:2000].decode("utf-8", "replace")}
        bare = path.split("?", 1)[0].rstrip("/")
        if bare.startswith("/_case/"):
            name = bare.split("/")[2]
        elif bare.endswith("/models") and method == "GET":
            data = [
                {
                    "id": n,
                    "object": "model",
                    "type": "model",
                    "created": 0,
                    "owned_by": "corpus",
                    "display_name": n,
                    "created_at": "2026-01-01T00:00:00Z",
                }
                for n in sorted(self.cases)
            ]
            return (
                None,
                self.plain(
                    200,
                    {
                        "object": "list",
                        "data": data,
                        "has_more": False,
                        "first_id": data[0]["id"] if data else None,
                        "last_id": data[-1]["id"] if data else None,
                    },
                ),
                parsed,
            )
        elif bare == "/_reset":
            self.counts.clear()
            return None, self.plain(200, {"ok": True}), parsed
        elif bare == "/_counts":
            return None, self.plain(200, self.counts), parsed
        else:
            name = parsed.get("model") if isinstance(parsed, dict) else None
        if not isinstance(name, str) or name not in self.cases:
            return (
                None,
                self.plain(
                    404, self.error_shape(bare, 404, "not_found_error", f"no such case: {str(name)[:80]}")
                ),
                parsed,
            )
        seen = self.counts.get(name, 0) + 1
        self.counts[name] = seen
        script = self.cases[name]["script"]
        return name, script[min(seen, len(script)) - 1], parsed

    async def one(self, conn: Conn) -> bool:
        got = await self.request(conn)
        if got is None:
            return False
        method, target, headers, pairs, body = got
        started, wall = time.monotonic(), time.time()
        name, response, parsed = self.choose(method, target, body)
        self.serial += 1
        shown = [[k, f"<{len(v)} characters>"] if k.lower() in SECRET_HEADERS else [k, v] for k, v in pairs]
        entry = {
            "n": self.serial,
            "time": round(wall, 3),
            "method": method,
            "path": target,
            "case": name,
            "case_request": self.counts.get(name, 0) if name else None,
            "endpoint_mismatch": bool(name)
            and not target.split("?")[0].startswith("/_case/")
            and not target.split("?")[0]
            .rstrip("/")
            .endswith(
                {"chat": "/chat/completions", "responses": "/responses", "messages": "/messages"}[
                    self.cases[name]["protocol"]
                ]
            ),
            "headers": shown,
            "body": parsed,
            "client_disconnected": False,
            "disconnect_after_ms": None,
        }
        self.open_entries[self.serial] = entry
        player = Player(conn, response, {"port": str(self.port), "name": name or ""}, method == "HEAD")
        ending = "error"
        try:
            ending = await player.play()
        except ClientGoneError:
            ending = "client_gone"
            entry["client_disconnected"] = True
            if conn.gone_at is not None:
                entry["disconnect_after_ms"] = round((conn.gone_at - started) * 1000)
        finally:
            entry.update(
                status=response.get("status", 200),
                ended=ending,
                step=player.step_index,
                steps=len(response.get("steps", [])),
                body_bytes_sent=player.bytes_sent,
                took_ms=round((time.monotonic() - started) * 1000),
            )
            self.log(entry)
        return ending == "end" and headers.get("connection", "").lower() != "close"
