"""Pixels of a picture, as small as they are shown, made with Pillow in a thread.

Guards: bytes from outside are read by four decoders only, never more than `MOST_FILE_BYTES` of them nor more
than `MOST_PIXELS` pixels; whatever a decoder stumbles over becomes a sentence. Source: Pillow's documentation
of `Image.open` (formats, decompression bombs), `Image.draft` and `ImageOps.exif_transpose`.
"""

import base64
import io
import warnings
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, NamedTuple

from chatui.core.attached_file import AttachedFile

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_FILE_BYTES: Final = 20 * 1024 * 1024
MOST_PIXELS: Final = 25_000_000
"""Decoded they take up to 200 MB for a moment."""
MOST_JPEG_PIXELS: Final = 110_000_000
"""As many as the largest cameras make; JPEG is decoded at an eighth of its size or so, but not a progressive
one: that is held as a whole, six bytes a pixel, so it may have as few as other kinds."""
FORMATS: Final = ("PNG", "JPEG", "WEBP", "GIF")
FINE_CELL_PIXELS: Final = (10, 20)
"""Pixels of a cell where the terminal shows pictures itself: no more than it can show is sent to it."""
_KEPT_MODES: Final = ("RGB", "RGBA")
DAMAGED: Final = "cannot be shown: the file is damaged"
TOO_LARGE: Final = "too large to be shown here"


class PictureRefused(Exception):
    """A picture cannot be shown; the message says why, in words that fit on the line of its name."""


class Pixels(NamedTuple):
    """A decoded picture, in the size in which it is shown."""

    columns: int
    half_rows: int
    """Two for each row of cells."""
    rgba: bytes
    """Row by row, four bytes a pixel."""
    png: bytes
    """The same in more detail, where that was asked for."""


def has_decoder() -> bool:
    """Whether Pillow is installed; it is not loaded."""
    return find_spec("PIL") is not None


def why_too_large(file: AttachedFile) -> str:
    """Why a picture is not even begun to be decoded; empty if it may be."""
    pixels = (file.width_pixels or 0) * (file.height_pixels or 0)
    most = MOST_JPEG_PIXELS if file.media_type == "image/jpeg" else MOST_PIXELS
    return TOO_LARGE if file.size_bytes > MOST_FILE_BYTES or pixels > most else ""


def decode(encoded: str, columns: int, rows: int, *, is_fine: bool = False) -> Pixels:
    """The pixels of a picture. Slow: call it in a thread.

    Args:
        encoded: The file, as base64.
        columns: Cells that it may take.
        rows: Rows that it may take.
        is_fine: Make a PNG too, for a terminal that shows pictures itself.

    Raises:
        PictureRefused: it is damaged, too large or of a kind that is not shown.
    """
    try:
        _hush()
        return _decode(base64.b64decode(encoded), columns, rows, is_fine)
    except PictureRefused:
        raise
    except MemoryError as error:
        raise PictureRefused(TOO_LARGE) from error
    except Exception as error:  # decoders of hostile bytes raise whatever they stumble over
        raise PictureRefused(DAMAGED) from error


@cache
def _hush() -> None:
    """What Pillow warns of (size, broken metadata) is judged here; once for all, because threads share it."""
    warnings.filterwarnings("ignore", module=r"PIL\.")


def _decode(data: bytes, columns: int, rows: int, is_fine: bool) -> Pixels:
    from PIL import Image, ImageOps

    wide, high = FINE_CELL_PIXELS if is_fine else (1, 2)
    opened = Image.open(io.BytesIO(data), formats=FORMATS)
    if opened.info.get("progressive") and opened.width * opened.height > MOST_PIXELS:
        raise PictureRefused(TOO_LARGE)
    most = max(columns * wide, rows * high)
    opened.draft(None, (most, most))  # never below what is shown, however the picture is turned
    if opened.width * opened.height > MOST_PIXELS:
        raise PictureRefused(TOO_LARGE)
    opened.load()
    picture: Image.Image = opened if opened.mode in _KEPT_MODES else opened.convert("RGBA")
    factor = min(picture.width, picture.height) // (2 * most)
    if factor > 1:
        picture = picture.reduce(factor)
    picture.info["exif"] = opened.info.get("exif", b"")
    picture = ImageOps.exif_transpose(picture).convert("RGBA")
    png = b""
    if is_fine:
        out = io.BytesIO()
        _fitted(picture, columns * wide, rows * high).save(out, "PNG")
        png = out.getvalue()
    return Pixels(columns, rows * 2, _fitted(picture, columns, rows * 2).tobytes(), png)


def _fitted(picture: "Image", width: int, height: int) -> "Image":
    """The whole picture at the top left of a canvas of this size."""
    from PIL import Image

    scale = min(width / picture.width, height / picture.height)
    size = (
        max(1, min(width, round(picture.width * scale))),
        max(1, min(height, round(picture.height * scale))),
    )
    canvas = Image.new("RGBA", (width, height))
    if size != picture.size:
        how = Image.Resampling.BOX if scale < 1 else Image.Resampling.NEAREST
        # Premultiplied: colours of transparent pixels do not bleed into their neighbours.
        picture = picture.convert("RGBa").resize(size, how).convert("RGBA")
    canvas.paste(picture)
    return canvas
