"""Real sockets on loopback: errors named by stage, credentials that stay at home, connections kept."""

import asyncio
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import certifi
import httpx
import pytest
from transport.raw_server import (
    CERTIFICATE,
    CHUNKED_HEAD,
    LAST_CHUNK,
    chunk,
    raw_server,
    read_request,
    response,
)

from chatui.core.errors import ChatuiError, ConnectFailed, ConnectionLost, WireError
from chatui.engine.ports import HttpRequest, OpenStage
from chatui.transport.httpx_transport import HttpxTransport, redirect_target
from chatui.transport.paced_network import ReadPace

KEY = "Bearer secret-0123456789"
Reader, Writer = asyncio.StreamReader, asyncio.StreamWriter


@pytest.fixture
async def transport() -> AsyncIterator[HttpxTransport]:
    made = HttpxTransport("chatui-tests/1")
    yield made
    await made.aclose()


def post(url: str, **headers: str) -> HttpRequest:
    return HttpRequest("POST", url, {"authorization": KEY, **headers}, b'{"a":1}')


async def fetched(transport: HttpxTransport, url: str) -> bytes:
    opened = await transport.open(post(url))
    body = b"".join([piece async for piece in opened.chunks()])
    await opened.finish()
    return body


async def error_of(transport: HttpxTransport, url: str) -> ChatuiError:
    with pytest.raises(ChatuiError) as caught:
        await fetched(transport, url)
    assert "secret" not in f"{caught.value.message} {caught.value.hint}"
    return caught.value


async def test_a_request_arrives_as_it_was_made_and_its_stages_are_told(transport: HttpxTransport) -> None:
    seen: list[tuple[str, dict[str, str], bytes]] = []

    async def serve(reader: Reader, writer: Writer) -> None:
        seen.append(await read_request(reader))
        writer.write(response(b"ok", Content_Type="text/plain", X_Two="1"))

    stages: list[OpenStage] = []
    async with raw_server(serve) as place:
        opened = await transport.open(post(f"http://{place}/v1/x?y=1"), stages.append)
        assert [piece async for piece in opened.chunks()] == [b"ok"]
    ((first, headers, body),) = seen
    assert first == "POST /v1/x?y=1 HTTP/1.1"
    assert headers["authorization"] == KEY
    assert headers["user-agent"] == "chatui-tests/1"
    assert body == b'{"a":1}'
    assert stages == [OpenStage.CONNECTING, OpenStage.SENDING, OpenStage.SENT]
    assert (opened.status, opened.headers["x-two"]) == (200, "1")
    assert opened.url == f"http://{place}/v1/x?y=1"


async def test_a_connection_serves_the_next_turn_too(transport: HttpxTransport) -> None:
    connections = 0

    async def serve(reader: Reader, writer: Writer) -> None:
        nonlocal connections
        connections += 1
        while True:
            await read_request(reader)
            writer.write(CHUNKED_HEAD + chunk(b"data: [DONE]\n\n") + LAST_CHUNK)

    async with raw_server(serve) as place:
        for _ in range(3):
            opened = await transport.open(post(f"http://{place}/"))
            async for _piece in opened.chunks():
                break  # the protocol's end was seen; nobody reads on
            await opened.finish()
    assert connections == 1


async def test_a_kept_connection_that_the_server_closed_is_not_used_again(transport: HttpxTransport) -> None:
    async def serve(reader: Reader, writer: Writer) -> None:
        await read_request(reader)
        writer.write(response(b"ok"))

    async with raw_server(serve) as place:
        for _ in range(3):
            assert await fetched(transport, f"http://{place}/") == b"ok"
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("junk", [b"", b"left behind by the answer before\r\n"])
async def test_a_kept_connection_that_dies_at_the_next_request_is_replaced(
    transport: HttpxTransport, junk: bytes
) -> None:
    served: list[int] = []

    async def serve(reader: Reader, writer: Writer) -> None:
        number = len(served)
        served.append(0)
        await read_request(reader)
        writer.write(response(b"first") + (junk if number == 0 else b""))
        await read_request(reader)
        served[number] += 1
        if number:
            writer.write(response(b"second"))
            await reader.read()

    stages: list[OpenStage] = []
    async with raw_server(serve) as place:
        assert await fetched(transport, f"http://{place}/") == b"first"
        opened = await transport.open(post(f"http://{place}/"), stages.append)
        assert b"".join([piece async for piece in opened.chunks()]) == b"first"
        await opened.close()
    assert stages.count(OpenStage.SENDING) == 1
    assert len(served) == 2


async def test_a_server_that_hangs_up_on_every_kept_connection_is_asked_once_more_at_most(
    transport: HttpxTransport,
) -> None:
    asked = 0

    async def serve(reader: Reader, writer: Writer) -> None:
        nonlocal asked
        await read_request(reader)
        await gate.wait()
        if not is_over:
            writer.write(response(b"ok"))
            await read_request(reader)
        asked += 1

    gate = asyncio.Event()
    is_over = False
    async with raw_server(serve) as place:
        turns = [asyncio.create_task(fetched(transport, f"http://{place}/")) for _ in range(4)]
        await asyncio.sleep(0)
        gate.set()
        await asyncio.gather(*turns)
        is_over = True
        assert isinstance(await error_of(transport, f"http://{place}/"), ConnectionLost)
    assert asked <= 2


async def test_a_new_connection_that_dies_is_not_replaced(transport: HttpxTransport) -> None:
    served: list[str] = []

    async def serve(reader: Reader, writer: Writer) -> None:
        served.append((await read_request(reader))[0])

    async with raw_server(serve) as place:
        assert isinstance(await error_of(transport, f"http://{place}/"), ConnectionLost)
    assert len(served) == 1


@pytest.mark.parametrize("location", ["javascript:alert(1)", "file:///etc/passwd", "http://[::bad", ""])
async def test_a_redirect_to_no_address_is_judged_by_its_status(
    transport: HttpxTransport, location: str
) -> None:
    async def serve(reader: Reader, writer: Writer) -> None:
        await read_request(reader)
        writer.write(response(b"", 307, Location=location))

    async with raw_server(serve) as place:
        opened = await transport.open(post(f"http://{place}/"))
        assert opened.status == 307
        await opened.close()


async def test_a_refused_connection_says_so(transport: HttpxTransport) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        error = await error_of(transport, f"http://127.0.0.1:{port}/v1")
    assert isinstance(error, ConnectFailed)
    assert error.message == f"127.0.0.1:{port} refused the connection"
    assert "running" in error.hint


async def test_a_name_that_nobody_knows_says_so(transport: HttpxTransport) -> None:
    error = await error_of(transport, "http://model.invalid/v1")
    assert isinstance(error, ConnectFailed)
    assert "name of model.invalid cannot be resolved" in error.message


@pytest.mark.parametrize("url", ["ftp://x/y", "x", "http://", "http://[::1/"])
async def test_an_address_that_is_none_says_so(transport: HttpxTransport, url: str) -> None:
    assert isinstance(await error_of(transport, url), ConnectFailed)


@pytest.mark.parametrize("key", ["secret\nkey", "secret\u20ackey", "secret\r\nx: y"])
async def test_a_key_that_no_header_can_hold_is_told_without_showing_it(
    transport: HttpxTransport, key: str
) -> None:
    with pytest.raises(ConnectFailed) as caught:
        await transport.open(HttpRequest("POST", "http://127.0.0.1:9/", {"authorization": key}, b""))
    assert "secret" not in str(caught.value)


async def test_a_server_that_hangs_up_without_an_answer_is_a_lost_connection(
    transport: HttpxTransport,
) -> None:
    async def serve(reader: Reader, _writer: Writer) -> None:
        await read_request(reader)

    async with raw_server(serve) as place:
        assert isinstance(await error_of(transport, f"http://{place}/"), ConnectionLost)


async def test_a_server_that_speaks_something_else_is_named(transport: HttpxTransport) -> None:
    async def serve(reader: Reader, writer: Writer) -> None:
        await reader.read(10)
        writer.write(b"SSH-2.0-OpenSSH_9.2\r\n\r\n")
        await writer.drain()

    async with raw_server(serve) as place:
        error = await error_of(transport, f"http://{place}/")
    assert isinstance(error, WireError)
    assert place in error.message


@pytest.mark.parametrize(
    ("sent", "kind"),
    [
        (CHUNKED_HEAD + chunk(b"data"), ConnectionLost),
        (CHUNKED_HEAD + b"ff\r\ndata", ConnectionLost),
        (CHUNKED_HEAD + chunk(b"data") + b"zz\r\n", WireError),
        (CHUNKED_HEAD + b"4\r\ndataXX4\r\nmore\r\n", WireError),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\ndata", ConnectionLost),
    ],
    ids=["no last chunk", "a short chunk", "no size", "no line end", "a short length"],
)
async def test_what_came_before_a_broken_end_is_delivered(
    transport: HttpxTransport, sent: bytes, kind: type[ChatuiError]
) -> None:
    async def serve(reader: Reader, writer: Writer) -> None:
        await read_request(reader)
        writer.write(sent)
        await writer.drain()

    got: list[bytes] = []

    async def read(chunks: AsyncIterator[bytes]) -> None:
        async for piece in chunks:
            got.append(piece)

    async with raw_server(serve) as place:
        opened = await transport.open(post(f"http://{place}/"))
        with pytest.raises(kind):
            await read(opened.chunks())
        await opened.close()
    assert b"".join(got) == b"data"


async def test_a_redirect_on_the_same_server_is_followed_with_body_and_key(transport: HttpxTransport) -> None:
    seen: list[tuple[str, str, bytes]] = []

    async def serve(reader: Reader, writer: Writer) -> None:
        while True:
            first, headers, body = await read_request(reader)
            seen.append((first, headers["authorization"], body))
            writer.write(response(b"", 307, Location="/v2/x") if len(seen) == 1 else response(b"ok"))

    stages: list[OpenStage] = []
    async with raw_server(serve) as place:
        opened = await transport.open(post(f"http://{place}/v1/x"), stages.append)
    assert opened.status == 200
    assert seen[1] == ("POST /v2/x HTTP/1.1", KEY, b'{"a":1}')
    assert stages.count(OpenStage.SENDING) == 2


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_no_redirect_takes_the_key_elsewhere(transport: HttpxTransport, status: int) -> None:
    visitors = 0

    async def elsewhere(_reader: Reader, _writer: Writer) -> None:
        nonlocal visitors
        visitors += 1

    async def serve(reader: Reader, writer: Writer) -> None:
        await read_request(reader)
        writer.write(response(b"", status, Location=f"http://{other}/"))

    async with raw_server(elsewhere) as other, raw_server(serve) as place:
        opened = await transport.open(post(f"http://{place}/"))
        assert opened.status == status
        await opened.close()
    assert visitors == 0


@pytest.mark.parametrize("status", [301, 302, 303])
async def test_no_redirect_turns_a_question_into_a_get(transport: HttpxTransport, status: int) -> None:
    async def serve(reader: Reader, writer: Writer) -> None:
        await read_request(reader)
        writer.write(response(b"", status, Location="/login"))

    async with raw_server(serve) as place:
        opened = await transport.open(post(f"http://{place}/"))
        assert opened.status == status
        await opened.close()


@pytest.mark.parametrize(
    ("here", "location", "target"),
    [
        ("http://a/v1", "/v2", "http://a/v2"),
        ("http://a/v1", "https://a/v1", "https://a/v1"),
        ("https://a/v1", "https://a:443/v2", "https://a/v2"),
        ("https://a/v1", "http://a/v1", None),
        ("http://a:8080/v1", "https://a/v1", None),
        ("https://a/v1", "https://b/v1", None),
        ("https://a/v1", "https://a.b/v1", None),
        ("https://a/v1", "https://a:8443/v1", None),
        ("https://a/v1", "https://a@b/v1", None),
        ("https://a/v1", "//b/v1", None),
        ("https://a/v1", "javascript:alert(1)", None),
        ("https://a/v1", "", None),
    ],
)
def test_only_the_same_server_or_its_secure_self_is_followed_to(
    here: str, location: str, target: str | None
) -> None:
    assert redirect_target(here, httpx.Response(308, headers={"location": location})) == target


async def test_redirects_in_circles_end(transport: HttpxTransport) -> None:
    async def serve(reader: Reader, writer: Writer) -> None:
        while True:
            await read_request(reader)
            writer.write(response(b"", 308, Location="/again"))

    async with raw_server(serve) as place:
        error = await error_of(transport, f"http://{place}/")
    assert isinstance(error, WireError)
    assert "circles" in error.message


async def test_closing_in_the_middle_hangs_up_at_once(transport: HttpxTransport) -> None:
    left = asyncio.Event()

    async def serve(reader: Reader, writer: Writer) -> None:
        await read_request(reader)
        writer.write(CHUNKED_HEAD + chunk(b"data"))
        await reader.read()
        left.set()

    async with raw_server(serve) as place:
        opened = await transport.open(post(f"http://{place}/"))
        chunks = opened.chunks()
        assert await anext(chunks) == b"data"
        await opened.close()
        await asyncio.wait_for(left.wait(), 30)


@pytest.mark.parametrize("answer", [b"", b"\x16\x03\x03"])
async def test_a_cancelled_handshake_hangs_up(transport: HttpxTransport, answer: bytes) -> None:
    came, left = asyncio.Event(), asyncio.Event()

    async def serve(reader: Reader, writer: Writer) -> None:
        await reader.readexactly(1)
        writer.write(answer)
        came.set()
        await reader.read()
        left.set()

    async with raw_server(serve) as place:
        opening = asyncio.create_task(transport.open(post(f"https://{place}/")))
        await asyncio.wait_for(came.wait(), 30)
        opening.cancel()
        await asyncio.wait_for(left.wait(), 30)


async def test_a_cancelled_read_hangs_up(transport: HttpxTransport) -> None:
    left = asyncio.Event()

    async def serve(reader: Reader, writer: Writer) -> None:
        await read_request(reader)
        writer.write(CHUNKED_HEAD + chunk(b"data"))
        await reader.read()
        left.set()

    async def read() -> None:
        opened = await transport.open(post(f"http://{place}/"))
        try:
            async for _piece in opened.chunks():
                arrived.set()
        finally:
            await opened.close()

    arrived = asyncio.Event()
    async with raw_server(serve) as place:
        reading = asyncio.create_task(read())
        await asyncio.wait_for(arrived.wait(), 30)
        reading.cancel()
        await asyncio.wait_for(left.wait(), 30)


async def test_a_proxy_of_the_environment_is_used_but_never_for_loopback(
    transport: HttpxTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, dict[str, str]]] = []

    async def proxy(reader: Reader, writer: Writer) -> None:
        first, headers, _ = await read_request(reader)
        seen.append((first, headers))
        writer.write(response(b"through the proxy"))

    async def direct(reader: Reader, writer: Writer) -> None:
        await read_request(reader)
        writer.write(response(b"direct"))

    async with raw_server(proxy) as proxy_place, raw_server(direct) as place:
        monkeypatch.setenv("HTTP_PROXY", f"http://user:pass@{proxy_place}")
        monkeypatch.setenv("http_proxy", f"http://user:pass@{proxy_place}")
        assert await fetched(transport, "http://model.invalid/v1") == b"through the proxy"
        assert await fetched(transport, f"http://{place}/") == b"direct"
    ((first, headers),) = seen
    assert first == "POST http://model.invalid/v1 HTTP/1.1"
    assert headers["proxy-authorization"].startswith("Basic ")


async def test_a_proxy_that_refuses_is_named(
    transport: HttpxTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def proxy(reader: Reader, writer: Writer) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(response(b"", 403))

    async with raw_server(proxy) as place:
        for name in ("HTTPS_PROXY", "https_proxy"):
            monkeypatch.setenv(name, f"http://{place}")
        error = await error_of(transport, "https://model.invalid/v1")
    assert isinstance(error, ConnectFailed)
    assert f"proxy {place} (from https_proxy)" in error.message
    assert "403" in error.message
    assert "https_proxy" in error.hint


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_proxy_that_is_not_there_is_named_in_place_of_the_server(
    transport: HttpxTransport, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    monkeypatch.setenv(f"{scheme.upper()}_PROXY", f"http://user:secret@127.0.0.1:{port}")
    error = await error_of(transport, f"{scheme}://model.invalid/v1")
    assert isinstance(error, ConnectFailed)
    variable = f"{scheme.upper()}_PROXY"
    assert error.message == f"The proxy 127.0.0.1:{port} (from {variable}) refused the connection"
    assert variable in error.hint
    assert "secret" not in error.message


@pytest.mark.parametrize("content", [None, "no certificate"])
async def test_a_certificate_file_that_cannot_be_used_is_told_by_its_variable(
    transport: HttpxTransport, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: str | None
) -> None:
    named = tmp_path / "authority.pem"
    if content is not None:
        named.write_text(content)
    monkeypatch.setenv("SSL_CERT_FILE", str(named))
    error = await error_of(transport, "https://127.0.0.1:9/v1")
    assert isinstance(error, ConnectFailed)
    assert error.message.startswith(f"SSL_CERT_FILE names {named}")
    assert "unset it" in error.hint


async def test_a_kind_of_proxy_that_cannot_be_used_is_told(
    transport: HttpxTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "socks5://127.0.0.1:9")
    error = await error_of(transport, "http://model.invalid/v1")
    assert "SOCKS" in error.message


@pytest.mark.parametrize(
    "proxy",
    ["http://", "foo://x", ":::", "http://[::1", "http://u:secret@127.0.0.1:99999", "http://a\x1b[31mb:1"],
)
async def test_a_proxy_whose_address_is_none_is_blamed_and_not_the_key(
    transport: HttpxTransport, monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, proxy)
    error = await error_of(transport, "http://model.invalid/v1")
    assert error.message == "A proxy is configured whose address is none"
    assert "HTTP_PROXY" in error.hint


async def test_a_certificate_of_ones_own_is_trusted_through_the_environment(
    transport: HttpxTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def serve(reader: Reader, writer: Writer) -> None:
        await read_request(reader)
        writer.write(CHUNKED_HEAD + chunk(b"one ") + chunk(b"two") + LAST_CHUNK)
        await writer.drain()

    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    stages: list[OpenStage] = []
    async with raw_server(serve, has_tls=True) as place:
        opened = await transport.open(post(f"https://{place}/"), stages.append)
        assert b"".join([piece async for piece in opened.chunks()]) == b"one two"
    assert OpenStage.SECURING in stages


async def test_a_certificate_that_nobody_vouches_for_is_refused(transport: HttpxTransport) -> None:
    async def serve(reader: Reader, _writer: Writer) -> None:
        await reader.read(1)

    async with raw_server(serve, has_tls=True) as place:
        error = await error_of(transport, f"https://{place}/")
    assert isinstance(error, ConnectFailed)
    assert "certificate" in error.message
    assert "SSL_CERT_FILE" in error.hint


async def test_a_certificate_that_the_named_file_does_not_vouch_for_is_told_with_the_file(
    transport: HttpxTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", certifi.where())

    async def serve(reader: Reader, _writer: Writer) -> None:
        await reader.read(1)

    async with raw_server(serve, has_tls=True) as place:
        error = await error_of(transport, f"https://{place}/")
    assert error.hint.startswith(f"SSL_CERT_FILE is in force ({certifi.where()})")


async def test_https_to_a_server_that_speaks_http_says_what_is_wrong(transport: HttpxTransport) -> None:
    async def serve(reader: Reader, writer: Writer) -> None:
        await reader.read(100)
        writer.write(response(b"", 400))
        await writer.drain()

    async with raw_server(serve) as place:
        error = await error_of(transport, f"https://{place}/")
    assert isinstance(error, ConnectFailed)
    assert "http://" in error.hint


@pytest.mark.parametrize("has_tls", [False, True], ids=["plain", "TLS"])
async def test_a_paced_reader_never_falls_behind(
    transport: HttpxTransport, monkeypatch: pytest.MonkeyPatch, has_tls: bool
) -> None:
    """A read takes all that has come, not one piece: otherwise these would take half a minute."""
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    pieces, reads = 60, 0
    note = ReadPace.note

    def counted(self: ReadPace, size_bytes: int) -> None:
        nonlocal reads
        reads += self.interval_s > 0.0
        note(self, size_bytes)

    monkeypatch.setattr(ReadPace, "note", counted)

    async def serve(reader: Reader, writer: Writer) -> None:
        await read_request(reader)
        writer.write(CHUNKED_HEAD)
        for _ in range(pieces):
            writer.write(chunk(b"data: token\n\n"))
            await writer.drain()
            await asyncio.sleep(0)
        writer.write(LAST_CHUNK)
        await writer.drain()

    async with raw_server(serve, has_tls=has_tls) as place:
        opened = await transport.open(post(f"{'https' if has_tls else 'http'}://{place}/"))
        opened.pace(0.5)
        got = [piece async for piece in opened.chunks()]
    assert b"".join(got) == b"data: token\n\n" * pieces
    assert reads <= pieces // 2


async def test_a_stream_that_fills_whole_reads_is_not_slowed_down(transport: HttpxTransport) -> None:
    async def serve(reader: Reader, writer: Writer) -> None:
        await read_request(reader)
        writer.write(CHUNKED_HEAD)
        for _ in range(100):
            writer.write(chunk(b"x" * 65536))
            await writer.drain()
        writer.write(LAST_CHUNK)
        await writer.drain()

    async with raw_server(serve) as place:
        opened = await transport.open(post(f"http://{place}/"))
        opened.pace(10.0)
        got = 0
        chunks = opened.chunks()
        async with asyncio.timeout(15):
            while got < 90 * 65536:
                got += len(await anext(chunks))
        await opened.close()
