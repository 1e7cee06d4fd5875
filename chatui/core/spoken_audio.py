"""The sound of a spoken answer as the bytes of a file.

Invariants: what a server sent as a sound file is written byte for byte; only bare samples, which no player
opens, get a header, and that it was added can be told. Source: the vendor's audio guide: streamed audio is
16 bit PCM, mono, 24 kHz, little-endian, in base64 pieces that may each be padded.
"""

import base64
import binascii
import re
import struct
from typing import Final

from chatui.core.messages import AudioPart
from chatui.core.turn import Turn
from chatui.core.values import frozen

_SAMPLES_PER_S: Final = 24_000
_SAMPLE_BYTES: Final = 2
_PIECE: Final = re.compile(r"[A-Za-z0-9+/]+")
_FILE_STARTS: Final = (
    (b"RIFF", ".wav"),
    (b"fLaC", ".flac"),
    (b"OggS", ".ogg"),
    (b"ID3", ".mp3"),
    (b"\xff\xfb", ".mp3"),
    (b"\xff\xf3", ".mp3"),
    (b"\xff\xf2", ".mp3"),
    (b"\xff\xf1", ".aac"),
    (b"\xff\xf9", ".aac"),
)


@frozen
class SoundFile:
    """What can be written to a file."""

    content: bytes
    suffix: str
    is_header_added: bool = False
    """The server sent bare samples; the header of a WAV file stands before them."""


def sound_of(turn: Turn) -> SoundFile | None:
    """The sound of an answer, all its parts after one another; None if no sound came."""
    parts = [part for part in turn.parts if isinstance(part, AudioPart)]
    content = b"".join(_decoded(part.data_base64) for part in parts)
    if not content:
        return None
    for start, suffix in _FILE_STARTS:
        if content.startswith(start):
            return SoundFile(content, suffix)
    return SoundFile(_wave_header(len(content)) + content, ".wav", is_header_added=True)


def _decoded(data_base64: str) -> bytes:
    """The bytes of pieces of base64 that were joined, each with its padding or without."""
    decoded: list[bytes] = []
    for piece in _PIECE.findall(data_base64.translate({ord("-"): "+", ord("_"): "/"})):
        whole = piece[: len(piece) - 1] if len(piece) % 4 == 1 else piece
        try:
            decoded.append(base64.b64decode(whole + "=" * (-len(whole) % 4)))
        except binascii.Error:  # pragma: no cover - the pattern leaves nothing that is no base64
            continue
    return b"".join(decoded)


def _wave_header(size: int) -> bytes:
    """RIFF with one channel of PCM."""
    size = min(size, 0xFFFFFFFF - 36)
    return struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        b"RIFF",
        36 + size,
        b"WAVE",
        b"fmt ",
        16,
        1,
        1,
        _SAMPLES_PER_S,
        _SAMPLES_PER_S * _SAMPLE_BYTES,
        _SAMPLE_BYTES,
        8 * _SAMPLE_BYTES,
        b"data",
        size,
    )
