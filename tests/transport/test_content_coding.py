"""Compressed bodies: everything that can be had, then the truth about the rest."""

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatui.core.errors import ConnectionLost, WireError
from chatui.transport.content_coding import BodyDecoder

TEXT = b"".join(b"data: %d\n\n" % number for number in range(500))
RAW_DEFLATE = zlib.compressobj(wbits=-15)
ENCODED = {
    "": TEXT,
    "identity": TEXT,
    "gzip": gzip.compress(TEXT),
    "x-gzip": gzip.compress(TEXT),
    "GZIP": gzip.compress(TEXT),
    "deflate": zlib.compress(TEXT),
    "deflate ": RAW_DEFLATE.compress(TEXT) + RAW_DEFLATE.flush(),
    "gzip, gzip": gzip.compress(gzip.compress(TEXT)),
}


def decode(coding: str, data: bytes, size: int = 7) -> bytes:
    decoder = BodyDecoder(coding)
    pieces = [piece for at in range(0, len(data), size) for piece in decoder.feed(data[at : at + size])]
    return b"".join([*pieces, *decoder.finish()])


@pytest.mark.parametrize("coding", ENCODED)
@pytest.mark.parametrize("size", [1, 2, 3, 100, 1_000_000])
def test_every_known_coding_is_undone_at_any_split(coding: str, size: int) -> None:
    assert decode(coding, ENCODED[coding], size) == TEXT


def test_gzip_that_no_header_announces_is_undone() -> None:
    assert decode("", gzip.compress(TEXT), 1) == TEXT


def test_a_body_that_only_begins_like_gzip_is_left_alone() -> None:
    assert decode("", b"\x1f\x8b") == b"\x1f\x8b"
    assert decode("", b"\x1f\x8bx") == b"\x1f\x8bx"


def test_a_coding_nobody_asked_for_is_handed_through() -> None:
    assert decode("aws-chunked", TEXT) == TEXT


def test_several_gzip_members_are_one_body_and_padding_is_ignored() -> None:
    assert decode("gzip", gzip.compress(b"one ") + gzip.compress(b"two") + b"\0\0\0") == b"one two"


def test_what_was_flushed_is_there_at_once() -> None:
    packer = zlib.compressobj(wbits=31)
    decoder = BodyDecoder("gzip")
    for event in (b"data: 1\n\n", b"data: 2\n\n"):
        sent = packer.compress(event) + packer.flush(zlib.Z_SYNC_FLUSH)
        assert b"".join(decoder.feed(sent)) == event


@given(st.integers(11, len(ENCODED["gzip"]) - 1))
def test_a_cut_body_gives_what_it_has_and_is_no_clean_end(end: int) -> None:
    decoder = BodyDecoder("gzip")
    got = b"".join(decoder.feed(ENCODED["gzip"][:end]))
    assert TEXT.startswith(got)
    with pytest.raises(ConnectionLost):
        list(decoder.finish())


def test_a_broken_body_gives_everything_before_the_damage() -> None:
    text = TEXT * 200  # more than one piece
    packer = zlib.compressobj(wbits=31)
    good = packer.compress(text) + packer.flush(zlib.Z_SYNC_FLUSH)
    decoder = BodyDecoder("gzip")
    got: list[bytes] = []
    with pytest.raises(WireError):
        got.extend(decoder.feed(good + b"\xff" * 40))
    assert b"".join(got) == text


def test_an_empty_body_is_whole_whatever_its_coding() -> None:
    assert decode("gzip", b"") == b""


def test_a_bomb_is_unpacked_in_pieces() -> None:
    bomb = gzip.compress(bytes(50_000_000))
    pieces = [len(piece) for piece in BodyDecoder("gzip").feed(bomb)]
    assert sum(pieces) == 50_000_000
    assert max(pieces) <= 256 * 1024
