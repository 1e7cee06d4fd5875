"""Names and addresses: the first that answers is taken, and a silent name server holds nobody."""

import asyncio
import socket
import threading

import pytest
from transport.raw_server import raw_server

from chatui.transport import connecting
from chatui.transport.connecting import connect, resolve

Infos = list[tuple[int, int, int, str, tuple[object, ...]]]


def infos(*addresses: str) -> Infos:
    return [(0, socket.SOCK_STREAM, 6, "", (address, 80)) for address in addresses]


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "2001:db8::7"])
async def test_an_address_needs_no_name_server(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", None)
    assert await resolve(address, 80) == [address]


async def test_addresses_of_both_families_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    found = infos("2001:db8::1", "2001:db8::2", "10.0.0.1", "10.0.0.1", "10.0.0.2", "10.0.0.3")
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    assert await resolve("x", 80) == ["2001:db8::1", "10.0.0.1", "2001:db8::2", "10.0.0.2", "10.0.0.3"]


@pytest.mark.parametrize("name", ["model.invalid", "a" * 70 + ".example", "\udcff"])
async def test_a_name_that_cannot_be_found_is_an_error_of_the_system(name: str) -> None:
    with pytest.raises(OSError):
        await resolve(name, 80)


async def test_an_address_that_refuses_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello")
        await writer.drain()

    async with raw_server(serve) as place:
        port = int(place.rpartition(":")[2])
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: infos("127.0.0.9", "127.0.0.1"))
        stream = await connect("two.test", port)
        assert await stream.receive() == b"hello"
        await stream.aclose()


async def test_an_address_that_is_silent_does_not_hold_up_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    cancelled: list[str] = []

    async def connect_tcp(host: str, _port: int, **_: object) -> str:
        if host == "silent":
            try:
                await asyncio.get_running_loop().create_future()
            finally:
                cancelled.append(host)
        return f"connected to {host}"

    monkeypatch.setattr(connecting.anyio, "connect_tcp", connect_tcp)
    monkeypatch.setattr(connecting, "APART_S", 0.001)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: infos("silent", "good"))
    assert await connect("x", 80) == "connected to good"
    await asyncio.sleep(0)
    assert cancelled == ["silent"]


async def test_the_first_error_is_told_if_no_address_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    async def connect_tcp(host: str, _port: int, **_: object) -> None:
        raise OSError(111, host)

    monkeypatch.setattr(connecting.anyio, "connect_tcp", connect_tcp)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: infos("one", "two"))
    with pytest.raises(OSError, match="one"):
        await connect("x", 80)


async def test_a_silent_name_server_can_be_walked_away_from(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, released = threading.Event(), threading.Event()

    def silent(*_: object, **__: object) -> Infos:
        asked.set()
        released.wait(20)
        return infos("127.0.0.1")

    monkeypatch.setattr(socket, "getaddrinfo", silent)
    waiting = asyncio.create_task(resolve("x", 80))
    while not asked.is_set():
        await asyncio.sleep(0.001)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert all(thread.daemon for thread in threading.enumerate() if thread.name == "chatui resolve")
    released.set()
