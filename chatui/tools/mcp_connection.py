"""One MCP server as a program: JSON-RPC over its standard input and output, a message a line.

Invariants: whatever the program writes ends in a result or in a `ToolError`, never in another exception; a
request that is given up is told to the server; nothing that the server asks of us is done but answering a
ping; memory holds at most one message of `MOST_MESSAGE_BYTES`.

Source: Model Context Protocol, revision 2025-11-25, base protocol (lifecycle, stdio transport, cancellation);
JSON-RPC 2.0. The official SDK would bring a web server, a validation framework and a task library along for
these messages.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from chatui.core.errors import ToolError
from chatui.core.json_access import BadJson, JsonObject, as_object, as_text, parse_json
from chatui.tools.kept_program import KeptProgram, start_kept
from chatui.tools.process import Captured

PROTOCOL_VERSION: Final = "2025-11-25"
MOST_MESSAGE_BYTES: Final = 16 * 1024 * 1024
_KEPT_ERROR_BYTES: Final = 2000
_NO_SUCH_METHOD: Final = -32601


class McpConnection(asyncio.SubprocessProtocol):
    """A running server. Make one with `connect`."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._transport: asyncio.SubprocessTransport | None = None
        self.exited = asyncio.Event()
        """The server has ended."""
        self.kept: KeptProgram | None = None
        """Its process."""
        self._errors = Captured(_KEPT_ERROR_BYTES)
        self._line = bytearray()
        self._waiting: dict[int, asyncio.Future[JsonObject]] = {}
        self._number = 0
        self._broken = ""

    @property
    def is_open(self) -> bool:
        """The server can be asked."""
        return not self._broken

    async def ask(self, method: str, params: Mapping[str, object]) -> JsonObject:
        """Send a request and wait for its result.

        Raises:
            ToolError: the server has ended, answered with an error, or broke the protocol.
        """
        if self._broken:
            raise ToolError(self._broken)
        self._number += 1
        number = self._number
        answer: asyncio.Future[JsonObject] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        self._send({"id": number, "method": method, "params": dict(params)})
        try:
            return await answer
        except asyncio.CancelledError:
            cancelled = {"requestId": number, "reason": "stopped by the person, or too late"}
            self._send({"method": "notifications/cancelled", "params": cancelled})
            raise
        finally:
            self._waiting.pop(number, None)

    def tell(self, method: str) -> None:
        """Send a notification."""
        self._send({"method": method})

    async def close(self) -> None:
        """End the server: its input is closed first, as the protocol wants it."""
        self._break(f"The MCP server {self._name} was ended")
        if self.kept is None:
            return
        pipe = self.kept.transport.get_pipe_transport(0)
        if pipe is not None:
            pipe.close()
        await self.kept.end()

    def _send(self, message: Mapping[str, object]) -> None:
        pipe = self._transport.get_pipe_transport(0) if self._transport is not None else None
        if isinstance(pipe, asyncio.WriteTransport) and not pipe.is_closing():
            pipe.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    # What the event loop tells of the program

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It was started."""
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """It wrote something."""
        if fd == 2:
            self._errors.take(data)
            return
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._line += line
            whole, self._line = bytes(self._line), bytearray()
            self._take(whole)
        self._line += rest
        if len(self._line) > MOST_MESSAGE_BYTES:
            self._line = bytearray()
            self._break(f"The MCP server {self._name} sent a message without end")

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """It closed a pipe."""
        del exc
        if fd == 1:
            self._break(self._ended_words())

    def process_exited(self) -> None:
        """It ended."""
        self.exited.set()
        self._break(self._ended_words())

    def _ended_words(self) -> str:
        said = " ".join(self._errors.text.split())[-200:]
        return f"The MCP server {self._name} has ended" + (f": {said}" if said else "")

    def _break(self, why: str) -> None:
        self._broken = self._broken or why
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(ToolError(self._broken))

    def _take(self, line: bytes) -> None:
        """One message. What is none (a program that prints something else too) is passed over."""
        try:
            message = as_object(parse_json(line.decode("utf-8", "replace")))
        except BadJson:
            return
        number = message.get("id")
        if "method" in message:
            if number is not None:
                self._answer(number, as_text(message["method"]))
            return
        answer = self._waiting.get(number) if isinstance(number, int) else None
        if answer is None or answer.done():
            return
        if "error" in message:
            error = as_object(message["error"])
            answer.set_exception(
                ToolError(as_text(error.get("message")) or "The MCP server reports an error")
            )
        else:
            answer.set_result(as_object(message.get("result")))

    def _answer(self, number: object, method: str) -> None:
        if method == "ping":
            self._send({"id": number, "result": {}})
        else:
            error = {"code": _NO_SUCH_METHOD, "message": "chatui only calls tools"}
            self._send({"id": number, "error": error})


async def connect(
    name: str, argv: Sequence[str], directory: Path, environment: Mapping[str, str], version: str
) -> McpConnection:
    """Start a server and agree on a protocol with it.

    Raises:
        ToolError: it cannot be started, or does not answer as a server does.
    """
    connection = McpConnection(name)
    connection.kept = await start_kept(
        connection, connection.exited, argv, directory, dict(environment), has_input=True
    )
    try:
        about = {"name": "chatui", "version": version}
        params = {"protocolVersion": PROTOCOL_VERSION, "capabilities": {}, "clientInfo": about}
        answer = await connection.ask("initialize", params)
        if not as_text(answer.get("protocolVersion")):
            raise ToolError(f"The MCP server {name} names no version of the protocol")
        connection.tell("notifications/initialized")
    except BaseException:  # also when it is stopped meanwhile: no program is left behind
        await connection.close()
        raise
    return connection
