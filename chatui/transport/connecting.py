"""Finds the addresses of a host and connects to the first that answers.

Invariant: a name server that is silent can delay neither the end of a cancelled request nor the end of the
program, which is why names are looked up in threads that nobody waits for (the standard executor's are
waited for).

Source: RFC 8305 (addresses of both families are tried in turn, a little apart).
"""

import asyncio
import contextlib
import ipaddress
import socket
import threading
from typing import Final

import anyio
import anyio.abc

APART_S: Final = 0.25
"""So long one address may take alone before the next is tried beside it."""


async def connect(host: str, port: int, local_host: str | None = None) -> anyio.abc.SocketStream:
    """A TCP connection.

    Raises:
        OSError: no address was found, or none answers; the error of the first one that failed.
    """
    addresses = await resolve(host, port)
    if len(addresses) == 1:
        return await anyio.connect_tcp(addresses[0], port, local_host=local_host)
    return await _race(addresses, port, local_host)


async def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host, families interleaved, in the order in which they shall be tried.

    Raises:
        OSError: it cannot be found.
    """
    with contextlib.suppress(ValueError):
        return [str(ipaddress.ip_address(host))]
    loop = asyncio.get_running_loop()
    found: asyncio.Future[list[str]] = loop.create_future()

    def look_up() -> None:
        try:
            infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            _tell(loop, found, error)
        else:
            _tell(loop, found, [str(address[0]) for *_, address in infos])

    threading.Thread(target=look_up, name="chatui resolve", daemon=True).start()
    return _interleaved(await found)


def _tell(
    loop: asyncio.AbstractEventLoop,
    found: "asyncio.Future[list[str]]",
    result: "list[str] | OSError | UnicodeError",
) -> None:
    def settle() -> None:
        if found.done():
            return
        if isinstance(result, list):
            found.set_result(result)
        elif isinstance(result, OSError):
            found.set_exception(result)
        else:
            found.set_exception(socket.gaierror(socket.EAI_NONAME, "not a valid host name"))

    with contextlib.suppress(RuntimeError):  # The loop was closed meanwhile: nobody waits for this any more.
        loop.call_soon_threadsafe(settle)


def _interleaved(addresses: list[str]) -> list[str]:
    unique = list(dict.fromkeys(addresses))
    six = [address for address in unique if ":" in address]
    four = [address for address in unique if ":" not in address]
    first, second = (six, four) if unique and unique[0] in six else (four, six)
    ordered: list[str] = []
    for number in range(max(len(first), len(second))):
        ordered += first[number : number + 1] + second[number : number + 1]
    return ordered


async def _race(addresses: list[str], port: int, local_host: str | None) -> anyio.abc.SocketStream:
    waiting = list(addresses)
    running: set[asyncio.Task[anyio.abc.SocketStream]] = set()
    first_error: OSError | None = None
    won: anyio.abc.SocketStream | None = None
    try:
        while won is None and (waiting or running):
            if waiting:
                attempt = anyio.connect_tcp(waiting.pop(0), port, local_host=local_host)
                running.add(asyncio.create_task(attempt))
            done, running = await asyncio.wait(
                running, timeout=APART_S if waiting else None, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:
                try:
                    connected = task.result()
                except OSError as error:
                    first_error = first_error or error
                    continue
                if won is None:
                    won = connected
                else:
                    await connected.aclose()
    finally:
        for task in running:
            task.cancel()
    if won is None:
        raise first_error or OSError("no address was found")
    return won
