"""What a 2xx body really is, from its content type and its first bytes.

Invariant: the first bytes win over the content type, because proxies relabel bodies and servers ignore
`stream`; what is neither an event stream nor JSON is never handed to a decoder.
"""

from enum import Enum, auto
from typing import Final

PEEK_BYTES: Final = 1024
"""So much leading white space is looked through before the content type decides."""

_BOM: Final = b"\xef\xbb\xbf"
_SPACE: Final = b" \t\r\n"
_FIELDS: Final = (b"data", b"event", b"id", b"retry", b":")
_JSON_WORDS: Final = (b"null", b"true", b"false")


class BodyKind(Enum):
    """What a body is."""

    EVENT_STREAM = auto()
    JSON = auto()
    HTML = auto()
    EMPTY = auto()
    OTHER = auto()


def sniff(content_type: str, start: bytes, *, is_whole: bool) -> BodyKind | None:
    """The kind of a body; None if more bytes must be seen.

    Args:
        content_type: The header's value.
        start: All bytes so far.
        is_whole: There are no more.
    """
    media_type = content_type.split(";", 1)[0].strip().lower()
    is_stream_type = media_type == "text/event-stream"
    text = start.removeprefix(_BOM).lstrip(_SPACE)
    if not text or (_BOM.startswith(text) and not is_whole):
        if is_whole:
            return BodyKind.EVENT_STREAM if is_stream_type and start else BodyKind.EMPTY
        return None if len(start) < PEEK_BYTES else _by_type(media_type)
    if text[0] in b"{[":
        return BodyKind.JSON
    if text[0] in b"<":
        return BodyKind.HTML
    if is_stream_type:
        return BodyKind.EVENT_STREAM
    if any(text.startswith(field) for field in _FIELDS):
        return BodyKind.EVENT_STREAM
    if not is_whole and any(field.startswith(text) for field in _FIELDS):
        return None
    if text[0] in b'"-0123456789' or any(text.startswith(word) for word in _JSON_WORDS):
        return _by_type(media_type)
    return BodyKind.OTHER


def _by_type(media_type: str) -> BodyKind:
    if media_type == "text/event-stream":
        return BodyKind.EVENT_STREAM
    if media_type == "application/json" or media_type.endswith("+json"):
        return BodyKind.JSON
    return BodyKind.OTHER
