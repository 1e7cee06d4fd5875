"""From the bytes of a picture to coloured cells, without a terminal."""

import base64
import io
import re
import subprocess
import sys
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageOps
from rich.segment import Segment
from ui.picture_files import BLUE, GREEN, RED, SIGNALS, WHITE, encoded, image_part, picture, plain_picture

from chatui.config.settings import PictureDisplay
from chatui.core.attached_file import look_at
from chatui.ui.pictures import picture_decoding
from chatui.ui.pictures.gallery import PictureMode, picture_mode
from chatui.ui.pictures.kitty_pictures import (
    CHUNK,
    MOST_CELLS,
    PLACEHOLDER,
    deletion,
    placeholders,
    transmission,
)
from chatui.ui.pictures.picture_decoding import (
    DAMAGED,
    TOO_LARGE,
    PictureRefused,
    Pixels,
    decode,
    why_too_large,
)
from chatui.ui.pictures.picture_painting import picture_segments
from chatui.view.lines import PictureBox, PictureRow
from chatui.view.pictures import MOST_ROWS, cells_of_picture

PAGE = (10, 20, 30)


class Source:
    """Pixels that are there already, or not yet."""

    def __init__(self, pixels: Pixels | None, number: int = 0) -> None:
        self.answer = pixels
        self.number = number

    def pixels(self, box: PictureBox) -> Pixels | None:
        return self.answer

    def sent_as(self, box: PictureBox) -> int:
        return self.number


def row_of(data: bytes, columns: int, rows: int, row: int, **more) -> list[Segment] | None:
    source = Source(decode(encoded(data), columns, rows))
    box = PictureBox("x", columns, rows, (0, 0), image_part(data))
    return picture_segments(source, PictureRow(box, row), PAGE, **more)


def cells(segments: list[Segment] | None) -> list[tuple[str, tuple[int, ...], tuple[int, ...]]]:
    assert segments is not None
    return [
        (mark, tuple(style.color.triplet), tuple(style.bgcolor.triplet))
        for text, style, _ in segments
        for mark in text
    ]


def test_a_picture_of_four_by_four_pixels_is_two_rows_of_half_blocks() -> None:
    data = picture([RED, GREEN, BLUE, WHITE] + [WHITE, BLUE, GREEN, RED] + [RED] * 8, (4, 4))
    assert cells(row_of(data, 4, 2, 0)) == [
        ("▀", RED, WHITE),
        ("▀", GREEN, BLUE),
        ("▀", BLUE, GREEN),
        ("▀", WHITE, RED),
    ]
    assert cells(row_of(data, 4, 2, 1)) == [(" ", RED, RED)] * 4


def test_neighbouring_cells_of_one_look_are_one_segment() -> None:
    assert len(row_of(plain_picture(RED, (8, 8)), 8, 4, 0) or ()) == 1


def test_the_page_is_seen_through_transparent_pixels() -> None:
    data = picture([(255, 0, 0, 0), (255, 0, 0, 255), (0, 0, 0, 0), (255, 255, 255, 128)], (2, 2))
    first, second = cells(row_of(data, 2, 1, 0))
    assert first == (" ", PAGE, PAGE)
    assert second[1] == RED
    assert all(abs(colour - (255 + page) / 2) < 2 for colour, page in zip(second[2], PAGE, strict=True))


def test_a_selected_picture_is_tinted_not_hidden() -> None:
    tinted = cells(row_of(picture(SIGNALS, (4, 4)), 4, 2, 0, selection=(0, 0, 0)))
    assert tinted[0][1] == (102, 0, 0)
    assert len({cell[1] for cell in tinted}) == 4


def test_an_odd_number_of_pixel_rows_leaves_the_page_below_the_last() -> None:
    assert cells(row_of(plain_picture(RED, (2, 3)), 2, 2, 1)) == [("▀", RED, PAGE)] * 2


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_every_kind_that_can_be_attached_is_shown(kind: str) -> None:
    data = plain_picture((200, 30, 40), (40, 40), kind)
    (mark, upper, lower), *_ = cells(row_of(data, 10, 5, 2))
    assert mark == " "
    assert upper == lower
    assert all(abs(one - other) < 8 for one, other in zip(upper, (200, 30, 40), strict=True))


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("orientation", range(10))
def test_the_size_of_a_photo_is_that_in_which_it_is_seen(orientation: int, kind: str) -> None:
    exif = Image.Exif()
    exif[0x010F] = "a maker"
    exif[0x0112] = orientation
    out = io.BytesIO()
    Image.new("RGB", (40, 20), RED).save(out, kind, exif=exif)
    data = out.getvalue()
    seen = ImageOps.exif_transpose(Image.open(io.BytesIO(data)))
    file = look_at("photo", data, len(data))
    assert (file.width_pixels, file.height_pixels) == seen.size


def test_of_a_moving_picture_the_first_image_is_shown() -> None:
    frames = [Image.new("RGB", (8, 8), colour) for colour in (RED, GREEN)]
    out = io.BytesIO()
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:])
    assert cells(row_of(out.getvalue(), 4, 2, 0))[0][1] == RED


def test_a_photo_taken_sideways_is_turned_and_stays_in_its_room() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was turned by 90 degrees
    image = Image.new("RGB", (40, 20), RED)
    image.paste(BLUE, (20, 0, 40, 20))
    out = io.BytesIO()
    image.save(out, "JPEG", exif=exif, quality=95)
    pixels = decode(encoded(out.getvalue()), 20, 5)
    assert (pixels.columns, pixels.half_rows) == (20, 10)
    top, bottom = pixels.rgba[:3], pixels.rgba[4 * 20 * 9 : 4 * 20 * 9 + 3]
    assert top[0] > 200 > 60 > top[2]
    assert bottom[2] > 200 > 60 > bottom[0]
    assert pixels.rgba[4 * 5 + 3] == 0, "upright it is five cells wide; the rest is the page"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x89PNG\r\n\x1a\n",
        b"no picture at all",
        plain_picture(RED, (40, 40))[:60],
        plain_picture(RED, (400, 400), "JPEG")[:300],
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    ],
)
def test_a_broken_file_is_refused_with_a_reason(data: bytes) -> None:
    with pytest.raises(PictureRefused, match=DAMAGED):
        decode(encoded(data), 4, 2)


@given(st.binary(max_size=200), st.integers(0, 400), st.sampled_from(["PNG", "JPEG", "GIF", "WEBP"]))
def test_whatever_is_wrong_with_a_file_is_a_refusal(noise: bytes, at: int, kind: str) -> None:
    data = plain_picture(RED, (30, 30), kind)
    try:
        pixels = decode(encoded(data[:at] + noise + data[at + len(noise) :]), 6, 3)
    except PictureRefused:
        return
    assert len(pixels.rgba) == 6 * 6 * 4


def bomb(width: int, height: int) -> bytes:
    """A PNG whose header promises more than there is."""
    data = plain_picture(RED, (1, 1))
    size = width.to_bytes(4, "big") + height.to_bytes(4, "big")
    head = b"IHDR" + size + data[24:29]
    return data[:8] + data[8:12] + head + zlib.crc32(head).to_bytes(4, "big") + data[33:]


def test_a_picture_of_too_many_pixels_is_refused_before_it_is_decoded(monkeypatch) -> None:
    data = bomb(60_000, 60_000)
    assert why_too_large(look_at("x.png", data, len(data))) == TOO_LARGE
    with pytest.raises(PictureRefused):
        decode(encoded(data), 4, 2)
    data = bomb(6_000, 6_000)
    monkeypatch.setattr(Image.Image, "load", lambda self: pytest.fail("decoded"))
    with pytest.raises(PictureRefused, match=TOO_LARGE):
        decode(encoded(data), 4, 2)


def test_a_progressive_photo_is_held_as_a_whole_and_may_not_be_as_large_as_others(monkeypatch) -> None:
    monkeypatch.setattr(picture_decoding, "MOST_PIXELS", 5000)
    assert decode(encoded(plain_picture(RED, (100, 100), "JPEG")), 4, 2).rgba
    with pytest.raises(PictureRefused, match=TOO_LARGE):
        decode(encoded(plain_picture(RED, (100, 100), "JPEG", progressive=True)), 4, 2)


def test_a_file_of_too_many_bytes_is_refused() -> None:
    data = plain_picture(RED, (4, 4))
    assert why_too_large(look_at("x.png", data, picture_decoding.MOST_FILE_BYTES + 1)) == TOO_LARGE
    assert not why_too_large(look_at("x.png", data, len(data)))


def test_pillow_is_loaded_with_the_first_picture_only() -> None:
    code = (
        "import sys, chatui.ui.app, chatui.ui.pictures.gallery, chatui.ui.pictures.picture_decoding as d\n"
        "assert d.has_decoder()\n"
        "assert not any(name.partition('.')[0] == 'PIL' for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@given(st.integers(1, 30_000), st.integers(1, 30_000), st.integers(4, 100))
def test_the_room_of_a_picture_fits_the_column_and_has_few_rows(width: int, height: int, cells: int) -> None:
    columns, rows = cells_of_picture(width, height, cells)
    assert 1 <= columns <= cells
    assert 1 <= rows <= MOST_ROWS
    assert columns <= width
    assert rows <= (height + 1) // 2 or rows == 1


def test_a_picture_keeps_its_shape_and_small_ones_stay_small() -> None:
    assert cells_of_picture(640, 480, 76) == (32, 12)
    assert cells_of_picture(16, 16, 76) == (16, 8)
    assert cells_of_picture(5000, 100, 76) == (76, 1)
    assert cells_of_picture(100, 5000, 76) == (1, 12)
    assert cells_of_picture(640, 480, 20) == (8, 3)


# --- the terminal's own pictures


def test_each_cell_of_a_row_of_placeholders_names_its_row_and_column() -> None:
    text = placeholders(1, 3)
    assert text == f"{PLACEHOLDER}\u030d\u0305{PLACEHOLDER}\u030d\u030d{PLACEHOLDER}\u030d\u030e"
    assert Segment(placeholders(11, MOST_CELLS)).cell_length == MOST_CELLS
    assert MOST_CELLS >= 100


def test_a_picture_is_sent_in_pieces_and_the_terminal_is_told_to_say_nothing() -> None:
    png = bytes(range(256)) * 40
    sent = transmission(0x123456, png, 30, 10, is_in_tmux=False)
    commands = re.findall("\x1b_G([^;]*);([^\x1b]*)\x1b\\\\", sent)
    assert "".join(f"\x1b_G{control};{data}\x1b\\" for control, data in commands) == sent
    assert commands[0][0] == "a=T,U=1,f=100,i=1193046,c=30,r=10,q=2,m=1"
    assert [control for control, _ in commands[1:]] == ["q=2,m=1"] * (len(commands) - 2) + ["q=2,m=0"]
    assert all(len(data) <= CHUNK for _, data in commands)
    assert base64.b64decode("".join(data for _, data in commands)) == png
    assert deletion(7, is_in_tmux=False) == "\x1b_Ga=d,d=I,i=7,q=2\x1b\\"


def test_through_tmux_each_piece_is_wrapped() -> None:
    sent = transmission(7, b"x" * 5000, 3, 2, is_in_tmux=True)
    pieces = re.findall("\x1bPtmux;((?:\x1b\x1b|[^\x1b])*)\x1b\\\\", sent)
    assert len(pieces) == 2
    assert all(piece.startswith("\x1b\x1b_G") and piece.endswith("\x1b\x1b\\") for piece in pieces)


def test_where_the_terminal_has_the_picture_its_number_is_the_colour_of_the_placeholders() -> None:
    box = PictureBox("x", 3, 2, (0, 0), image_part(b""))
    segments = picture_segments(Source(None, 0x123456), PictureRow(box, 1), PAGE)
    assert segments is not None
    ((text, style, _),) = segments
    assert text == placeholders(1, 3)
    assert tuple(style.color.triplet) == (0x12, 0x34, 0x56)
    assert tuple(style.bgcolor.triplet) == PAGE


def test_what_the_terminal_gets_is_a_png_that_fills_its_room() -> None:
    pixels = decode(encoded(plain_picture(RED, (640, 480))), 32, 12, is_fine=True)
    png = Image.open(io.BytesIO(pixels.png))
    assert png.size == (320, 240)
    assert png.getpixel((5, 5)) == (*RED, 255)


# --- what a terminal can


def mode(wanted: str = "auto", colours: str | None = "truecolor", **environ: str) -> PictureMode:
    environ = {"TERM": "xterm-256color", **environ}
    return picture_mode(
        PictureDisplay(wanted), environ, colour_system=colours, has_colour=True, is_unicode=True
    )


def test_half_blocks_need_256_colours() -> None:
    assert mode() is PictureMode.HALF_BLOCKS
    assert mode(colours="256") is PictureMode.HALF_BLOCKS
    assert mode(colours="standard") is PictureMode.NONE
    assert mode(colours="windows") is PictureMode.NONE
    assert mode(colours=None) is PictureMode.NONE


def test_no_colour_ascii_and_accessible_terminals_get_words() -> None:
    for has_colour, is_unicode in ((False, True), (True, False)):
        found = picture_mode(
            PictureDisplay.AUTO, {}, colour_system="truecolor", has_colour=has_colour, is_unicode=is_unicode
        )
        assert found is PictureMode.NONE
    assert mode(ACCESSIBLE="1") is PictureMode.NONE
    assert mode("off") is PictureMode.NONE


def test_terminals_that_know_placeholders_show_pictures_themselves() -> None:
    assert mode(TERM="xterm-kitty") is PictureMode.KITTY
    assert mode(TERM="xterm-ghostty") is PictureMode.KITTY
    assert mode("half-blocks", TERM="xterm-kitty") is PictureMode.HALF_BLOCKS
    assert mode(TERM="xterm-kitty", colours="256") is PictureMode.HALF_BLOCKS


def test_through_tmux_pictures_are_sent_only_when_asked_for() -> None:
    assert mode(TERM="xterm-kitty", TMUX="/tmp/tmux-0/default,1,0") is PictureMode.HALF_BLOCKS
    assert mode(TERM="tmux-256color", KITTY_WINDOW_ID="1") is PictureMode.HALF_BLOCKS
    assert mode("kitty", TERM="tmux-256color") is PictureMode.KITTY
