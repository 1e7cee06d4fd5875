"""Files that go with a prompt: chips before sending, parts when sent, limits told."""

from dataclasses import replace
from pathlib import Path

import pytest
from core.test_attached_file import png
from textual import events
from ui.acting import on_stage
from ui.test_hostile_text import HOSTILE, assert_safe

from chatui.config.provider_spec import ModelFacts
from chatui.config.settings import Settings
from chatui.core.messages import FilePart, ImagePart, TextPart


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "work"
    place.mkdir()
    (place / "pic.png").write_bytes(png(640, 480))
    (place / "notes.md").write_text("# Notes\n")
    monkeypatch.chdir(place)
    return place


async def test_a_mentioned_file_is_shown_as_a_chip_and_sent_as_a_part(folder: Path, tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        stage.chat.composer.put("what is @pic.png and @notes.md?")
        await stage.settle()
        text = stage.text()
        assert "pic.png PNG 640×480" in text
        assert "notes.md text 8 B" in text
        await stage.press("enter")
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        image, file, words = stage.session.sent[0][0].parts
        assert isinstance(image, ImagePart)
        assert image.media_type == "image/png"
        assert isinstance(file, FilePart)
        assert words == TextPart("what is @pic.png and @notes.md?")
        assert "PNG 640×480" not in "\n".join(stage.screen()[-6:]), "the chips are gone"


async def test_without_its_mention_a_file_is_not_sent(folder: Path, tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        stage.chat.composer.put("@pic.png")
        await stage.settle()
        await stage.press("ctrl+u")
        await stage.settle()
        assert "640×480" not in stage.text()
        await stage.ask("ask @john at me@pic.png")
        assert stage.session.sent[0][0].parts == (TextPart("ask @john at me@pic.png"),)


async def test_what_the_model_cannot_take_is_told_first_and_sent_when_asked_again(
    folder: Path, tmp_path: Path
) -> None:
    settings = replace(Settings(), models={"smollm2": ModelFacts(can_see_images=False)})
    async with on_stage(tmp_path, (100, 24), settings=settings) as stage:
        await stage.ask("see @pic.png")
        await stage.settle()
        assert not stage.session.sent
        assert "not to see images" in stage.text()
        assert "Enter again sends" in stage.text()
        assert stage.chat.composer.text == "see @pic.png"
        await stage.press("enter")
        await stage.settle()
        assert len(stage.session.sent) == 1


async def test_a_pasted_or_dropped_path_becomes_a_mention(folder: Path, tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        stage.chat.composer.post_message(events.Paste(f"'{folder}/pic.png' "))
        await stage.settle()
        await stage.settle()
        assert stage.chat.composer.text == f"@{folder}/pic.png "
        assert "PNG 640×480" in stage.text()


async def test_a_folded_paste_names_no_files(folder: Path, tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        text = "@pic.png\n" * 100
        stage.chat.composer.post_message(events.Paste(text))
        await stage.settle()
        await stage.settle()
        await stage.press("enter")
        await stage.settle()
        assert stage.session.sent[0][0].parts == (TextPart(text),)


async def test_a_file_that_cannot_be_sent_is_said(folder: Path, tmp_path: Path) -> None:
    (folder / "odd.bin").write_bytes(b"\0\1\2")
    async with on_stage(tmp_path, (100, 24)) as stage:
        await stage.ask("see @odd.bin")
        await stage.settle()
        assert "cannot be sent" in stage.text()
        assert not stage.session.sent


async def test_files_wait_in_the_queue_too(folder: Path, tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask("first")
        await stage.ask("and @pic.png")
        await stage.settle()
        assert "+1 file" in stage.text()
        stage.session.complete()
        await stage.settle()
        assert isinstance(stage.session.sent[1][0].parts[0], ImagePart)


async def test_hostile_file_names_are_text(folder: Path, tmp_path: Path) -> None:
    async with on_stage(tmp_path, (100, 24)) as stage:
        for number, text in enumerate(HOSTILE.values()):
            name = (
                text.replace("/", "_").replace("\0", "").encode("utf-8", "ignore").decode()[:40]
                + f"{number}.txt"
            )
            try:
                (folder / name).write_text("x")
            except (OSError, ValueError):
                continue
            stage.chat.composer.put(f'@"{name}"' if '"' not in name else name)
            await stage.settle()
            assert_safe(stage)
            stage.chat.composer.take()
        await stage.press("@")
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert_safe(stage)
        for _ in range(len(HOSTILE)):
            await stage.press("down")
            assert_safe(stage)
