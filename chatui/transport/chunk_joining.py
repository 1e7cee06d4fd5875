"""Joins the small chunks of a chunked HTTP/1.1 response, so that the HTTP parser sees one chunk a read.

Model servers send every token as a chunk of its own, and a pure-Python HTTP parser pays for each.
Invariant: the HTTP parser concludes the same from the joined bytes as from the original ones (body, order,
trailers, truncation and errors); whatever is not plainly a well-formed chunk is handed through untouched
for the parser to judge.

Source: RFC 9112 section 7.1.
"""

import re
from enum import Enum, auto
from typing import Final

_HEAD_END: Final = re.compile(rb"\n\r?\n")
_SIZE_LINE: Final = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?\r\n")
_CHUNKED: Final = re.compile(rb"^transfer-encoding:[ \t]*chunked[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_STATUS: Final = re.compile(rb"HTTP/1\.1 (\d{3})")
_MAX_HEAD_BYTES: Final = 128 * 1024
_MAX_SIZE_LINE_BYTES: Final = 4096
_BODYLESS: Final = (b"204", b"304")


class _State(Enum):
    HEAD = auto()
    SIZE = auto()
    DATA = auto()
    DATA_END = auto()
    THROUGH = auto()
    """Not chunked, over, or not understood: bytes go through as they are."""


class ChunkJoiner:
    """Rewrites what one HTTP/1.1 connection receives. Call `request_sent` for everything that is written."""

    def __init__(self) -> None:
        self._state = _State.HEAD
        self._head = b""
        self._held = b""
        """A size line or a chunk's line end that has not arrived completely."""
        self._left = 0

    def request_sent(self, data: bytes) -> None:
        """A request goes out: the next bytes received begin a response."""
        self._state = _State.THROUGH if data.startswith(b"CONNECT ") else _State.HEAD
        self._head = b""
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """What the HTTP parser shall see instead of `data`; may be empty although `data` is not."""
        if self._state is _State.THROUGH:
            return data
        if self._state is _State.HEAD:
            return self._feed_head(data)
        return self._feed_body(data)

    def close(self) -> bytes:
        """The connection ended: what was held back."""
        held, self._held = self._held, b""
        self._state = _State.THROUGH
        return held

    def _feed_head(self, data: bytes) -> bytes:
        # The head is not held back, only looked at: the parser gets every byte of it at once.
        seen_bytes = len(self._head)
        self._head += data
        while (end := _HEAD_END.search(self._head)) is not None:
            head = self._head[: end.start() + 1]
            status = _STATUS.match(head)
            if status is None:
                break
            if status[1].startswith(b"1") and status[1] != b"101":
                self._head = self._head[end.end() :]
                seen_bytes -= end.end()
                continue
            if status[1] in _BODYLESS or status[1] == b"101" or len(_CHUNKED.findall(head)) != 1:
                break
            body_at = end.end() - seen_bytes
            self._head = b""
            self._state = _State.SIZE
            return data[:body_at] + self._feed_body(data[body_at:])
        else:
            if len(self._head) <= _MAX_HEAD_BYTES:
                return data
        self._head = b""
        self._state = _State.THROUGH
        return data

    def _feed_body(self, data: bytes) -> bytes:
        if self._held:
            data = self._held + data
            self._held = b""
        pieces: list[bytes] = []
        position, end = 0, len(data)
        tail = b""
        while position < end:
            if self._state is _State.DATA:
                piece = data[position : position + self._left]
                pieces.append(piece)
                position += len(piece)
                self._left -= len(piece)
                if self._left:
                    break
                self._state = _State.DATA_END
            elif self._state is _State.DATA_END:
                if data.startswith(b"\r\n", position):
                    position += 2
                    self._state = _State.SIZE
                elif data[position:] == b"\r":
                    self._held = b"\r"
                    break
                else:
                    # Said so that no parser can take what follows for the next chunk.
                    tail = b"broken chunk end\r\n" + data[position:]
                    self._state = _State.THROUGH
                    break
            else:
                line = _SIZE_LINE.match(data, position)
                if line is not None and (size := int(line[1], 16)) > 0:
                    self._left = size
                    position = line.end()
                    self._state = _State.DATA
                elif line is None and b"\n" not in data[position:] and end - position < _MAX_SIZE_LINE_BYTES:
                    self._held = data[position:]
                    break
                else:
                    tail = data[position:]
                    self._state = _State.THROUGH
                    break
        if not pieces:
            return tail
        body = b"".join(pieces)
        return b"%x\r\n%b\r\n%b" % (len(body), body, tail)
