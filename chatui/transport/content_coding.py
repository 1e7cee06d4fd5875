"""Undoes the compression of a response body, piece by piece.

Invariant: everything that could be decompressed is delivered before an error is raised, a truncated body is
an error and never a clean end, and memory stays bounded whatever the compression ratio. A body that begins
with gzip's magic bytes is decompressed even if no header says so (caches and content networks lose it).

Source: RFC 9110 section 8.4, RFC 1950 to 1952.
"""

import zlib
from collections.abc import Iterator
from typing import Final

from chatui.core.errors import ConnectionLost, WireError

_GZIP_MAGIC: Final = b"\x1f\x8b\x08"
_ZLIB_HEADER_BYTES: Final = 2
_PIECE_BYTES: Final = 256 * 1024
_GZIP_BITS: Final = 16 + zlib.MAX_WBITS
_CODINGS: Final = {"gzip": "gzip", "x-gzip": "gzip", "deflate": "deflate"}

ACCEPTED: Final = "gzip, deflate"
"""The value of `accept-encoding`."""


class BodyDecoder:
    """Decodes one body. `content_encoding` is the header's value, empty if there is none.

    Codings that nobody asked for (`br`, `zstd`, invented ones) are handed through: the reader of the body
    judges it, because gateways also put such names on plain bodies.
    """

    def __init__(self, content_encoding: str) -> None:
        names = [name.strip().lower() for name in content_encoding.split(",")]
        self._layers = [_Inflater(_CODINGS[name]) for name in reversed(names) if name in _CODINGS]
        self._start: bytes | None = b"" if not self._layers else None
        """Bytes held until it is known whether they begin with the magic; None once that is decided."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Decoded pieces of the next bytes.

        Raises:
            WireError: the compressed data is broken.
        """
        if self._start is not None:
            self._start += data
            if len(self._start) < len(_GZIP_MAGIC) and _GZIP_MAGIC.startswith(self._start):
                return
            data, self._start = self._start, None
            if data.startswith(_GZIP_MAGIC):
                self._layers = [_Inflater("gzip")]
        yield from self._through(data, 0)

    def finish(self) -> Iterator[bytes]:
        """The body is over.

        Raises:
            ConnectionLost: the compressed data ended before its own end.
        """
        if self._start:
            held, self._start = self._start, None
            yield held
        if any(not layer.is_complete for layer in self._layers):
            raise ConnectionLost("The compressed answer was cut off before its end")

    def _through(self, data: bytes, depth: int) -> Iterator[bytes]:
        if depth == len(self._layers):
            if data:
                yield data
            return
        for piece in self._layers[depth].feed(data):
            yield from self._through(piece, depth + 1)


class _Inflater:
    """One layer of gzip (of any number of members) or deflate (with or without zlib's wrapping)."""

    def __init__(self, coding: str) -> None:
        self._is_gzip = coding == "gzip"
        self._inflate = zlib.decompressobj(_GZIP_BITS)
        self._start: bytes | None = None if self._is_gzip else b""
        """First bytes of deflate, held until they tell whether zlib wrapped it."""
        self._has_data = False

    @property
    def is_complete(self) -> bool:
        """The data ended where it says that it ends (or there was none at all)."""
        return self._inflate.eof or not self._has_data

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._has_data = self._has_data or bool(data)
        if self._start is not None:
            self._start += data
            if len(self._start) < _ZLIB_HEADER_BYTES:
                return
            data, self._start = self._start, None
            self._inflate = zlib.decompressobj(zlib.MAX_WBITS if _has_zlib_header(data) else -zlib.MAX_WBITS)
        while data:
            if self._inflate.eof:
                # Another gzip member may follow; anything else after the end is padding.
                if not self._is_gzip or data[0] != _GZIP_MAGIC[0]:
                    return
                self._inflate = zlib.decompressobj(_GZIP_BITS)
            yield from self._inflated(data)
            data = self._inflate.unused_data

    def _inflated(self, data: bytes) -> Iterator[bytes]:
        while not self._inflate.eof:
            before = self._inflate.copy()
            try:
                piece = self._inflate.decompress(data, _PIECE_BYTES)
            except zlib.error as error:
                yield from _until_broken(before, data)
                raise WireError("The compressed answer is broken and cannot be decompressed") from error
            if not piece:
                return
            yield piece
            # A full piece may leave input untaken, output unsaid, or both.
            data = self._inflate.unconsumed_tail


def _has_zlib_header(data: bytes) -> bool:
    return data[0] & 0x0F == zlib.DEFLATED and (data[0] << 8 | data[1]) % 31 == 0


def _until_broken(inflate: "zlib._Decompress", data: bytes) -> Iterator[bytes]:
    """What can be decompressed before the broken byte: zlib itself drops the output of a call that fails."""
    for at in range(len(data)):
        try:
            piece = inflate.decompress(data[at : at + 1])
        except zlib.error:
            return
        if piece:
            yield piece
