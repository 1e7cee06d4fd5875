"""Whether a photo lies on its side in its file: the orientation that the camera noted.

Invariant: only the first directory is read, from bytes that are at hand; whatever does not fit is not turned.
Sources: TIFF 6.0 section 2, Exif 2.32 tag 0x0112, PNG third edition (eXIf), RFC 9649 (EXIF chunk).
"""

from typing import Final, Literal

_ORIENTATION: Final = 0x0112
_SHORT: Final = 3
_ON_ITS_SIDE: Final = (5, 6, 7, 8)
_MOST_ENTRIES: Final = 512
_JPEG_MARK: Final = b"Exif\x00\x00"


def is_on_its_side(exif: bytes) -> bool:
    """Whether width and height change places when a picture with this Exif data is shown."""
    tiff = exif.removeprefix(_JPEG_MARK)
    order: Literal["little", "big"]
    match tiff[:4]:
        case b"II*\x00":
            order = "little"
        case b"MM\x00*":
            order = "big"
        case _:
            return False
    first = int.from_bytes(tiff[4:8], order)
    count = int.from_bytes(tiff[first : first + 2], order)
    for at in range(first + 2, first + 2 + 12 * min(count, _MOST_ENTRIES), 12):
        entry = tiff[at : at + 12]
        if len(entry) < 12:
            break
        if int.from_bytes(entry[:2], order) == _ORIENTATION:
            kind = int.from_bytes(entry[2:4], order)
            return kind == _SHORT and int.from_bytes(entry[8:10], order) in _ON_ITS_SIDE
    return False


def exif_of_jpeg_segment(marker: int, segment: bytes) -> bytes:
    """The Exif data of a JPEG segment; empty if it is another one."""
    return segment if marker == 0xE1 and segment.startswith(_JPEG_MARK) else b""


def exif_of_png(head: bytes) -> bytes:
    """The Exif data of a PNG as far as it stands before the picture itself."""
    at = 8
    while at + 8 <= len(head):
        size, kind = int.from_bytes(head[at : at + 4], "big"), head[at + 4 : at + 8]
        if kind == b"eXIf":
            return head[at + 8 : at + 8 + size]
        if kind == b"IDAT":
            break
        at += 12 + size
    return b""


def exif_of_webp(head: bytes) -> bytes:
    """The Exif data of a WebP as far as it is at hand: it stands behind the picture."""
    at = 12
    while at + 8 <= len(head):
        size, kind = int.from_bytes(head[at + 4 : at + 8], "little"), head[at : at + 4]
        if kind == b"EXIF":
            return head[at + 8 : at + 8 + size]
        at += 8 + size + size % 2
    return b""
