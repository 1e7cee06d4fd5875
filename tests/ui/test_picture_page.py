"""A picture as large as the window: of the prompt that is being written, of what is in sight, by key and by click."""

from pathlib import Path

import pytest
from ui.acting import Acting, on_stage
from ui.picture_files import BLUE, GREEN, RED, image_part, plain_picture, shown
from ui.test_pictures import colourful, colours, decoded, row_at, set_to

from chatui.ui.pictures import picture_decoding
from chatui.ui.screens.picture_page import PicturePage

__all__ = ["colourful"]  # every test here needs it
SUN = plain_picture(RED, (640, 480))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "work"
    place.mkdir()
    for name, colour in (("red.png", RED), ("blue.png", BLUE)):
        (place / name).write_bytes(plain_picture(colour, (640, 480)))
    (place / "notes.md").write_text("words")
    monkeypatch.chdir(place)
    return place


def page(stage: Acting) -> PicturePage:
    assert isinstance(stage.app.screen, PicturePage)
    return stage.app.screen


async def opened(stage: Acting) -> None:
    await stage.app.workers.wait_for_complete()
    await decoded(stage)


def coloured(stage: Acting, colour: tuple[int, int, int]) -> tuple[int, int]:
    """Most columns and rows of the screen with this background."""
    counts = [sum(look[2] == colour for look in colours(stage, y)) for y in range(len(stage.screen()))]
    return max(counts), sum(count > 0 for count in counts)


async def test_a_picture_in_sight_is_shown_as_large_as_the_window(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (120, 40), conversation=shown(image_part(SUN))) as stage:
        await decoded(stage)
        small = coloured(stage, RED)
        await stage.press("alt+v")
        await opened(stage)
        large = coloured(stage, RED)
        assert small == (32, 12)
        assert large[0] > 80
        assert large[1] > 30
        assert "pic.png" in stage.text()
        assert "PNG 640×480" in stage.text()
        await stage.pilot.resize_terminal(60, 20)
        await opened(stage)
        assert coloured(stage, RED)[1] < 20
        await stage.press("escape")
        await stage.settle()
        assert stage.app.screen is stage.chat


async def test_a_click_on_a_picture_shows_it_and_n_shows_the_next_one(tmp_path: Path) -> None:
    parts = [image_part(plain_picture(c, (40, 8)), f"{n}.png") for n, c in enumerate((RED, GREEN, BLUE))]
    async with on_stage(tmp_path, (80, 40), conversation=shown(*parts)) as stage:
        await decoded(stage)
        await stage.pilot.click("#transcript", offset=(6, row_at(stage, "1.png") - 1))
        await opened(stage)
        assert "2 of 3" in stage.text()
        assert coloured(stage, GREEN)[0]
        for key, colour, name in (("n", BLUE, "2.png"), ("n", RED, "0.png"), ("p", BLUE, "2.png")):
            await stage.press(key)
            await opened(stage)
            assert coloured(stage, colour)[0]
            assert page(stage).bar.left == name
        await stage.press("y")
        assert stage.app.clipboard == "2.png"


async def test_beside_a_picture_a_click_does_nothing(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (80, 40), conversation=shown(image_part(SUN))) as stage:
        await decoded(stage)
        await stage.pilot.click("#transcript", offset=(60, row_at(stage, "pic.png") + 1))
        await opened(stage)
        assert stage.app.screen is stage.chat


async def test_the_pictures_of_the_prompt_being_written_can_be_looked_at(
    folder: Path, tmp_path: Path
) -> None:
    async with on_stage(tmp_path, (80, 24)) as stage:
        stage.chat.composer.put("see @notes.md @red.png and @blue.png ")
        await stage.settle()
        await stage.press("alt+v")
        await opened(stage)
        assert "1 of 2" in stage.text()
        assert coloured(stage, RED)[0]
        await stage.press("escape")
        await stage.settle()
        y = row_at(stage, "blue.png")
        x = stage.screen()[y].index("blue.png")
        await stage.pilot.click(offset=(x + 1, y))
        await opened(stage)
        assert page(stage).bar.left == "blue.png"
        assert coloured(stage, BLUE)[0]
        await stage.press("escape")
        assert stage.chat.composer.text == "see @notes.md @red.png and @blue.png "


async def test_where_no_picture_can_be_shown_it_is_said_why_and_what_helps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("alt+v")
        assert "No picture is in sight." in stage.text()
    async with on_stage(
        tmp_path, (100, 24), conversation=shown(image_part(SUN)), settings=set_to("off")
    ) as stage:
        await stage.press("alt+v")
        assert "ui.pictures is off" in stage.text()
    monkeypatch.setattr(picture_decoding, "has_decoder", lambda: False)
    async with on_stage(tmp_path, (100, 24), conversation=shown(image_part(SUN))) as stage:
        await stage.press("tab", "p")
        assert "pip install 'chatui[pictures]'" in stage.text()


async def test_a_broken_picture_says_so_on_its_page(tmp_path: Path) -> None:
    async with on_stage(tmp_path, conversation=shown(image_part(SUN[:100]))) as stage:
        await decoded(stage)
        await stage.press("alt+v")
        await opened(stage)
        assert "the file is damaged" in stage.text()


async def test_a_picture_is_saved_byte_for_byte_and_replaces_no_file_unasked(tmp_path: Path) -> None:
    path = tmp_path / "saved.png"
    async with on_stage(tmp_path, (100, 30), conversation=shown(image_part(SUN))) as stage:
        await stage.ask(f"/save-picture {path}")
        await stage.settle()
        assert path.read_bytes() == SUN
        assert "Written: " in stage.text()
        path.write_bytes(b"mine")
        await stage.ask(f"/save-picture {path}")
        await stage.settle()
        assert "Replace this file?" in stage.text()
        await stage.press("escape")
        assert path.read_bytes() == b"mine"


async def test_from_its_page_a_picture_is_saved_where_the_person_says(tmp_path: Path) -> None:
    path = tmp_path / "there.png"
    parts = [image_part(plain_picture(c, (40, 8)), f"{n}.png") for n, c in enumerate((RED, BLUE))]
    async with on_stage(tmp_path, (100, 40), conversation=shown(*parts)) as stage:
        await decoded(stage)
        await stage.press("alt+v", "n", "s")
        await stage.settle()
        assert "Save the picture to which file?" in stage.text()
        await stage.press(*(key_of(character) for character in str(path)), "enter")
        await stage.settle()
        assert path.read_bytes() == plain_picture(BLUE, (40, 8))
        assert page(stage).bar.left == "1.png", "the page is still there"


def key_of(character: str) -> str:
    return {"/": "slash", ".": "full_stop", "_": "underscore", "-": "minus"}.get(character, character)


async def test_without_a_picture_there_is_nothing_to_save(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("/save-picture x.png")
        await stage.settle()
        assert "There is no picture to save." in stage.text()
        assert not Path("x.png").exists()
