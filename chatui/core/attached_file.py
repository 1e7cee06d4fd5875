"""What a file is, told from its first bytes: kind, media type, pixel size; and the part it becomes.

Invariant: the name of a file is never believed where its bytes say otherwise; nothing is guessed: a size that
cannot be read is unknown. Sources: PNG (RFC 2083), GIF89a, JPEG (ITU T.81 markers), WebP (RFC 9649), PDF 1.7.
"""

import base64
from enum import StrEnum
from typing import Final

from chatui.core.errors import ConfigError
from chatui.core.messages import FilePart, ImagePart
from chatui.core.turned_photo import exif_of_jpeg_segment, exif_of_png, exif_of_webp, is_on_its_side
from chatui.core.values import frozen

HEAD_BYTES: Final = 256 * 1024
"""So much of the beginning is enough to tell what a file is."""

_JPEG_FRAMES: Final = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_TEXT_TYPES: Final = {
    "json": "application/json",
    "xml": "application/xml",
    "toml": "application/toml",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "md": "text/markdown",
    "csv": "text/csv",
    "html": "text/html",
}


class AttachedKind(StrEnum):
    """How a file is sent."""

    IMAGE = "image"
    PDF = "PDF"
    TEXT = "text"


@frozen(kw_only=True)
class AttachedFile:
    """A file that will be sent with a prompt."""

    name: str
    kind: AttachedKind
    media_type: str
    size_bytes: int
    width_pixels: int | None = None
    height_pixels: int | None = None
    is_animated: bool = False

    def part(self, data: bytes) -> ImagePart | FilePart:
        """The part of a message that carries its bytes."""
        encoded = base64.b64encode(data).decode("ascii")
        if self.kind is AttachedKind.IMAGE:
            return ImagePart(self.media_type, data_base64=encoded, name=self.name)
        return FilePart(self.name, self.media_type, encoded)


def look_at(name: str, head: bytes, size_bytes: int) -> AttachedFile:
    """What a file is, from its name, its first bytes and its size.

    Raises:
        ConfigError: it is empty, or neither an image that models take, nor a PDF, nor text.
    """
    if not head:
        raise ConfigError(f"{name} is empty: there is nothing to send")
    image = _image(head)
    if image is not None:
        media_type, width, height, is_animated = image
        return AttachedFile(
            name=name,
            kind=AttachedKind.IMAGE,
            media_type=media_type,
            size_bytes=size_bytes,
            width_pixels=width,
            height_pixels=height,
            is_animated=is_animated,
        )
    if head.lstrip()[:5] == b"%PDF-":
        return AttachedFile(
            name=name, kind=AttachedKind.PDF, media_type="application/pdf", size_bytes=size_bytes
        )
    if is_text(head, is_whole=len(head) >= size_bytes):
        ending = name.rpartition(".")[2].lower()
        return AttachedFile(
            name=name,
            kind=AttachedKind.TEXT,
            media_type=_TEXT_TYPES.get(ending, "text/plain"),
            size_bytes=size_bytes,
        )
    raise ConfigError(
        f"{name} is no image (PNG, JPEG, WebP, GIF), no PDF and no text in UTF-8: it cannot be sent",
        "Convert it, or paste its text.",
    )


def attached_file(part: ImagePart | FilePart) -> AttachedFile | None:
    """What a file of a message is; None where nothing is known of it."""
    encoded = part.data_base64
    if not encoded:
        return None
    try:
        head = base64.b64decode(encoded[: HEAD_BYTES * 4 // 3 // 4 * 4])
        return look_at(part.name or "file", head, len(encoded) * 3 // 4 - encoded[-2:].count("="))
    except (ValueError, ConfigError):
        return None


def is_text(head: bytes, *, is_whole: bool) -> bool:
    """Whether bytes are UTF-8 text; a character cut at the end counts unless the bytes are the whole file."""
    if b"\x00" in head:
        return False
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        return not is_whole and error.start >= len(head) - 3
    return True


Picture = tuple[str, int | None, int | None, bool]
"""Media type, width, height, whether it moves."""


def _image(head: bytes) -> Picture | None:
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        width, height = (_big(head, 16, 4), _big(head, 20, 4)) if head[12:16] == b"IHDR" else (None, None)
        return _upright(("image/png", width, height, b"acTL" in head[:4096]), exif_of_png(head))
    if head[:6] in (b"GIF87a", b"GIF89a"):
        return "image/gif", _little(head, 6, 2), _little(head, 8, 2), b"NETSCAPE2.0" in head[:2048]
    if head.startswith(b"\xff\xd8\xff"):
        width, height, exif = _jpeg(head)
        return _upright(("image/jpeg", width, height, False), exif)
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return _upright(_webp(head), exif_of_webp(head))
    return None


def _upright(picture: Picture, exif: bytes) -> Picture:
    """The size in which a picture is seen: a photo of a camera held upright lies on its side in the file."""
    media_type, width, height, is_animated = picture
    return (media_type, height, width, is_animated) if exif and is_on_its_side(exif) else picture


def _jpeg(head: bytes) -> tuple[int | None, int | None, bytes]:
    """Width, height, and what the camera noted."""
    exif = b""
    at = 2
    while at + 9 <= len(head):
        if head[at] != 0xFF:
            break
        marker = head[at + 1]
        if marker == 0xFF:
            at += 1
        elif marker in _JPEG_FRAMES:
            return _big(head, at + 7, 2), _big(head, at + 5, 2), exif
        elif marker == 0x01 or 0xD0 <= marker <= 0xD8:
            at += 2
        else:
            size = max(2, _big(head, at + 2, 2) or 2)
            exif = exif or exif_of_jpeg_segment(marker, head[at + 4 : at + 2 + size])
            at += 2 + size
    return None, None, b""


def _webp(head: bytes) -> Picture:
    kind = head[12:16]
    if kind == b"VP8X" and len(head) >= 30:
        width, height = _little(head, 24, 3), _little(head, 27, 3)
        return "image/webp", _plus_one(width), _plus_one(height), bool(head[20] & 2)
    if kind == b"VP8L" and len(head) >= 25 and head[20] == 0x2F:
        bits = int.from_bytes(head[21:25], "little")
        return "image/webp", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1, False
    if kind == b"VP8 " and head[23:26] == b"\x9d\x01\x2a":
        width, height = _little(head, 26, 2), _little(head, 28, 2)
        return (
            "image/webp",
            None if width is None else width & 0x3FFF,
            None if height is None else height & 0x3FFF,
            False,
        )
    return "image/webp", None, None, False


def _big(data: bytes, at: int, count: int) -> int | None:
    return int.from_bytes(data[at : at + count], "big") if len(data) >= at + count else None


def _little(data: bytes, at: int, count: int) -> int | None:
    return int.from_bytes(data[at : at + count], "little") if len(data) >= at + count else None


def _plus_one(value: int | None) -> int | None:
    return None if value is None else value + 1
