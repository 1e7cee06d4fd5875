"""The JSON of a request, encoded in pieces.

Invariant: the bytes are those of one `json.dumps`. The encoder of the standard library holds the interpreter
until it has finished: encoding ten thousand messages at once stops keys and frames for a fifth of a second
even when it is done in a thread.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

MANY_MESSAGES: Final = 200
"""A request of more is built in a thread."""


def encoded_body(body: Mapping[str, Any]) -> bytes:
    """A request as ASCII: lone surrogates (from a paste or an older turn) can be escaped, not encoded."""
    written = bytearray()  # pieces that were held until the end would leave holes in the memory of a long one
    for piece in _pieces(body):
        written += piece
    return bytes(written)


def _pieces(body: Mapping[str, Any]) -> Iterator[bytes]:
    mark = b"{"
    for name, given in body.items():
        yield mark + _encoded(name) + b":"
        mark = b","
        if isinstance(given, list) and len(given) > MANY_MESSAGES:
            yield b"[" + _encoded(given[0])
            for one in given[1:]:
                yield b"," + _encoded(one)
            yield b"]"
        else:
            yield _encoded(given)
    yield b"}" if body else b"{}"


def _encoded(given: Any) -> bytes:
    return json.dumps(given, ensure_ascii=True, separators=(",", ":")).encode("ascii")
