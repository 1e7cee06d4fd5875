"""Joining chunks is invisible: an HTTP parser concludes the same from the joined bytes as from the
original."""

from dataclasses import dataclass

import h11
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chatui.transport.chunk_joining import ChunkJoiner

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


@dataclass(frozen=True)
class Concluded:
    """What a parser made of a connection's bytes."""

    body: bytes
    trailers: tuple[tuple[bytes, bytes], ...] | None
    """None: the body never ended properly."""
    is_broken: bool


def concluded(reads: list[bytes]) -> Concluded:
    parser = h11.Connection(our_role=h11.CLIENT)
    parser.send(h11.Request(method="GET", target="/", headers=[("Host", "x")]))
    parser.send(h11.EndOfMessage())
    body = b""
    try:
        for data in [*reads, b""]:
            parser.receive_data(data)
            while (event := parser.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
                if isinstance(event, h11.Data):
                    body += event.data
                elif isinstance(event, h11.EndOfMessage):
                    return Concluded(body, tuple(event.headers), False)
    except h11.RemoteProtocolError:
        return Concluded(body, None, True)
    return Concluded(body, None, False)


def joined(reads: list[bytes]) -> list[bytes]:
    joiner = ChunkJoiner()
    joiner.request_sent(b"GET / HTTP/1.1\r\n\r\n")
    return [*filter(None, map(joiner.feed, reads)), *filter(None, [joiner.close()])]


def split(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({cut % (len(data) + 1) for cut in cuts})
    pieces = [data[a:b] for a, b in zip([0, *places], [*places, len(data)], strict=True)]
    return [piece for piece in pieces if piece]


def framed(chunks: list[bytes], extension: bytes = b"", trailers: bytes = b"") -> bytes:
    framed_chunks = b"".join(b"%x%b\r\n%b\r\n" % (len(chunk), extension, chunk) for chunk in chunks if chunk)
    return HEAD + framed_chunks + b"0\r\n" + trailers + b"\r\n"


CHUNKS = st.lists(st.binary(max_size=40), max_size=12)
CUTS = st.lists(st.integers(0, 2000), max_size=12)


@given(CHUNKS, CUTS, st.sampled_from([b"", b";a=b", b" ; q"]), st.sampled_from([b"", b"X-Sum: 1\r\n"]))
def test_a_body_comes_through_whole_however_it_is_split(
    chunks: list[bytes], cuts: list[int], extension: bytes, trailers: bytes
) -> None:
    reads = split(framed(chunks, extension, trailers), cuts)
    seen = concluded(joined(reads))
    assert seen.body == b"".join(chunks)
    assert seen.trailers == (((b"x-sum", b"1"),) if trailers else ())


@given(CHUNKS, CUTS, st.integers(0, 600))
def test_a_connection_that_ends_early_is_seen_to_end_early(
    chunks: list[bytes], cuts: list[int], end: int
) -> None:
    reads = split(framed(chunks)[:end], cuts)
    assert concluded(joined(reads)) == concluded(reads)


@given(CHUNKS, CUTS, st.integers(len(HEAD), 600), st.binary(min_size=1, max_size=3))
@example([b"hello"], [], len(HEAD) + 8, b"5")
@example([b"hello"], [], len(HEAD) + 1, b"\n")
def test_broken_framing_is_never_taken_for_an_answer(
    chunks: list[bytes], cuts: list[int], place: int, junk: bytes
) -> None:
    whole = framed(chunks)
    broken = whole[:place] + junk + whole[place:]
    original, seen = concluded(split(broken, cuts)), concluded(joined(split(broken, cuts)))
    assert seen.body == original.body
    assert seen.trailers == original.trailers


def test_a_read_of_many_chunks_becomes_one_chunk() -> None:
    tokens = [b"data: %d\n\n" % number for number in range(200)]
    body = b"".join(joined([framed(tokens)[: -len(b"0\r\n\r\n")]]))[len(HEAD) :]
    whole = b"".join(tokens)
    assert body == b"%x\r\n%b\r\n" % (len(whole), whole)


@pytest.mark.parametrize(
    "response",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n4\r\nabcd\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
        b"HTTP/1.0 200 OK\r\n\r\n2\r\nab\r\n2\r\ncd\r\n",
        b"HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n\r\n2\r\nab\r\n",
    ],
    ids=["a length", "another coding", "until the end", "no body", "no HTTP"],
)
def test_what_is_not_plainly_chunked_is_not_touched(response: bytes) -> None:
    assert b"".join(joined([response])) == response


def test_an_informational_response_before_the_real_one_is_skipped() -> None:
    early = b"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n"
    response = framed([b"ab", b"cd"])
    seen = b"".join(joined([early[:10], early[10:] + response[:20], response[20:]]))
    assert b"4\r\nabcd\r\n" in seen


def test_the_next_response_on_the_connection_is_joined_too() -> None:
    joiner = ChunkJoiner()
    for _ in range(2):
        joiner.request_sent(b"POST / HTTP/1.1\r\n\r\n")
        assert b"4\r\nabcd\r\n0\r\n\r\n" in joiner.feed(framed([b"ab", b"cd"]))


def test_the_bytes_of_a_tunnel_are_not_touched() -> None:
    joiner = ChunkJoiner()
    joiner.request_sent(b"CONNECT x:443 HTTP/1.1\r\n\r\n")
    assert joiner.feed(framed([b"ab", b"cd"])) == framed([b"ab", b"cd"])
