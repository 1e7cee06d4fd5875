"""What protocols and models take of a file, told before it is sent.

Invariant: a limit is told, with its number, never enforced silently: the person may still send.
"""

from collections.abc import Sequence
from typing import Final

from chatui.core.attached_file import AttachedFile, AttachedKind
from chatui.core.wire import FileLimits

MEGABYTE: Final = 1024 * 1024
MOST_FILE_BYTES: Final = 50 * MEGABYTE
"""More than any provider takes."""
_LONG_TEXT_BYTES: Final = 400_000


def size_words(size_bytes: int) -> str:
    """A size as a person reads it."""
    if size_bytes < 1000:
        return f"{size_bytes} B"
    if size_bytes < 1_000_000:
        return f"{size_bytes / 1000:.0f} kB"
    return f"{size_bytes / 1_000_000:.1f} MB"


def what_is_sent(file: AttachedFile) -> str:
    """In a few words: kind, pixel size, size."""
    kind = file.media_type.removeprefix("image/").upper() if file.kind is AttachedKind.IMAGE else file.kind
    pixels = f" {file.width_pixels}×{file.height_pixels}" if file.width_pixels and file.height_pixels else ""
    return f"{kind}{pixels} {size_words(file.size_bytes)}"


def problems_of(
    files: Sequence[AttachedFile],
    limits: FileLimits,
    *,
    can_see_images: bool | None = None,
    can_read_pdf: bool | None = None,
) -> tuple[str, ...]:
    """Why these files may be refused, one sentence each.

    Args:
        files: All files of one prompt.
        limits: Those of the wire protocol.
        can_see_images: What is known of the model; None is unknown.
        can_read_pdf: The same for PDF files.
    """
    found: list[str] = []
    for file in files:
        match file.kind:
            case AttachedKind.IMAGE:
                found.extend(_image_problems(file, limits, can_see_images))
            case AttachedKind.PDF:
                if can_read_pdf is False:
                    found.append(f"{file.name}: this model is known not to read PDF files")
            case AttachedKind.TEXT:
                if file.size_bytes > _LONG_TEXT_BYTES:
                    found.append(
                        f"{file.name}: about {file.size_bytes // 4000}k tokens of text (an estimate), "
                        "more than many models hold"
                    )
    # Base64 makes four bytes of three.
    total_bytes = sum(file.size_bytes for file in files) * 4 // 3
    most_bytes = limits.request_bytes or MOST_FILE_BYTES
    if total_bytes > most_bytes:
        found.append(
            f"the files make a request of {size_words(total_bytes)}, more than {size_words(most_bytes)}"
        )
    return tuple(found)


def _image_problems(file: AttachedFile, limits: FileLimits, can_see_images: bool | None) -> list[str]:
    found: list[str] = []
    if can_see_images is False:
        found.append(f"{file.name}: this model is known not to see images")
    most_bytes = limits.image_bytes
    if most_bytes is not None and file.size_bytes > most_bytes:
        found.append(
            f"{file.name}: {size_words(file.size_bytes)}, more than the {size_words(most_bytes)} of an image"
        )
    most_pixels = limits.image_pixels
    longest = max(file.width_pixels or 0, file.height_pixels or 0)
    if most_pixels is not None and longest > most_pixels:
        found.append(f"{file.name}: {longest} pixels on one side, more than {most_pixels}")
    if file.is_animated and not limits.takes_moving_pictures:
        found.append(f"{file.name}: moving pictures are refused or cut to their first frame")
    return found
