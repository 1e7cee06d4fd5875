"""A file is told from its bytes, and what is told of it before sending is true."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatui.core.attached_file import AttachedKind, look_at
from chatui.core.attachment_limits import problems_of, size_words, what_is_sent
from chatui.core.errors import ConfigError
from chatui.core.messages import FilePart, ImagePart
from chatui.protocols import load


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height) + b"\x08\x06" + b"\0" * 40


def jpeg(width: int, height: int) -> bytes:
    exif = b"\xff\xe1" + struct.pack(">H", 1000) + b"E" * 998
    return b"\xff\xd8" + exif + b"\xff\xc0" + struct.pack(">HBHH", 17, 8, height, width) + b"\0" * 20


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\0" * 10


def webp_extended(width: int, height: int) -> bytes:
    canvas = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + canvas + b"\0" * 10


def webp_lossless(width: int, height: int) -> bytes:
    return (
        b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14) + b"\0" * 4
    )


@pytest.mark.parametrize(
    ("make", "media_type"),
    [
        (png, "image/png"),
        (jpeg, "image/jpeg"),
        (gif, "image/gif"),
        (webp_extended, "image/webp"),
        (webp_lossless, "image/webp"),
    ],
)
def test_an_image_is_told_by_its_bytes_with_its_size_in_pixels(make, media_type: str) -> None:
    data = make(640, 480)
    file = look_at("wrong-name.txt", data, len(data))
    assert (file.kind, file.media_type) == (AttachedKind.IMAGE, media_type)
    assert (file.width_pixels, file.height_pixels) == (640, 480)
    part = file.part(data)
    assert isinstance(part, ImagePart)
    assert part.name == "wrong-name.txt"
    assert "640×480" in what_is_sent(file)


def tiff(order: str, orientation: int) -> bytes:
    """Exif data with a maker before the orientation."""
    mark, letter = (b"II*\0", "<") if order == "little" else (b"MM\0*", ">")
    maker = struct.pack(f"{letter}HHI4s", 0x010F, 2, 4, b"abc\0")
    turned = struct.pack(f"{letter}HHIHH", 0x0112, 3, 1, orientation, 0)
    return mark + struct.pack(f"{letter}IH", 8, 2) + maker + turned + b"\0" * 4


@pytest.mark.parametrize("order", ["little", "big"])
def test_a_photo_that_lies_on_its_side_in_the_file_has_the_size_in_which_it_is_seen(order: str) -> None:
    def sizes(orientation: int) -> list[tuple[int | None, int | None]]:
        exif = tiff(order, orientation)
        noted = b"Exif\0\0" + exif
        in_jpeg = b"\xff\xd8\xff\xe1" + struct.pack(">H", len(noted) + 2) + noted + jpeg(640, 480)[2:]
        chunk = struct.pack(">I4s", len(exif), b"eXIf") + exif + b"crc."
        in_png = png(640, 480)[:26] + b"\0\0\0crc." + chunk
        files = [look_at("photo", data, len(data)) for data in (in_jpeg, in_png)]
        return [(file.width_pixels, file.height_pixels) for file in files]

    for orientation in (0, 1, 2, 3, 4, 9):
        assert sizes(orientation) == [(640, 480)] * 2
    for orientation in (5, 6, 7, 8):
        assert sizes(orientation) == [(480, 640)] * 2


@given(st.binary(max_size=60), st.sampled_from([b"II*\0\x08\0\0\0", b"MM\0*\0\0\0\x08", b""]))
def test_whatever_a_camera_noted_is_read_without_stumbling(noted: bytes, begin: bytes) -> None:
    segment = b"Exif\0\0" + begin + noted
    data = b"\xff\xd8\xff\xe1" + struct.pack(">H", len(segment) + 2) + segment + jpeg(640, 480)[2:]
    file = look_at("photo", data, len(data))
    assert {file.width_pixels, file.height_pixels} == {640, 480}


def test_a_pdf_and_a_text_become_file_parts() -> None:
    pdf = look_at("a.pdf", b"%PDF-1.7 ...", 12)
    assert (pdf.kind, pdf.media_type) == (AttachedKind.PDF, "application/pdf")
    text = look_at("a.py", "print('ü')".encode(), 11)
    assert (text.kind, text.media_type) == (AttachedKind.TEXT, "text/plain")
    assert isinstance(text.part(b"x"), FilePart)


def test_a_character_that_is_cut_by_the_look_is_still_text() -> None:
    assert look_at("a", "ü".encode()[:1], 2).kind is AttachedKind.TEXT
    with pytest.raises(ConfigError):
        look_at("a", "ü".encode()[:1], 1)


@pytest.mark.parametrize("data", [b"", b"\x00\x01\x02", b"\x7fELF\x02\x01\x00", b"PK\x03\x04\xff\xfe"])
def test_what_no_model_takes_is_refused_with_words(data: bytes) -> None:
    with pytest.raises(ConfigError, match=r"a\.bin"):
        look_at("a.bin", data, len(data))


@given(
    st.binary(max_size=80),
    st.sampled_from([b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a", b"RIFF0000WEBPVP8 "]),
)
def test_no_bytes_break_the_look(tail: bytes, head: bytes) -> None:
    data = head + tail
    try:
        file = look_at("x", data, len(data))
    except ConfigError:
        return
    assert what_is_sent(file)
    problems_of([file], load("anthropic_messages").file_limits)


def test_limits_and_abilities_are_told_before_sending() -> None:
    big = look_at("big.png", png(9000, 10), 6 * 1024 * 1024)
    told = " ".join(problems_of([big], load("anthropic_messages").file_limits))
    assert "more than the 5.2 MB of an image" in told
    assert "9000 pixels" in told
    assert problems_of([look_at("a.png", png(10, 10), 100)], load("responses").file_limits) == ()
    assert "not to see images" in problems_of([big], load("responses").file_limits, can_see_images=False)[0]
    pdf = look_at("a.pdf", b"%PDF-1.7", 8)
    assert "PDF" in problems_of([pdf], load("chat_completions").file_limits, can_read_pdf=False)[0]
    many = [look_at(f"{n}.pdf", b"%PDF-1.7", 20_000_000) for n in range(2)]
    assert "request" in problems_of(many, load("anthropic_messages").file_limits)[0]


def test_sizes_are_said_in_words() -> None:
    assert [size_words(n) for n in (12, 3400, 2_500_000)] == ["12 B", "3 kB", "2.5 MB"]
