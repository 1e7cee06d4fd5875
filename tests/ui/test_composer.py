"""The composer keeps its place, its pastes and its text."""

from pathlib import Path

import pytest
from textual import events
from ui.acting import Acting, on_stage

from chatui.ui.writing.paste_atoms import FOLD_LINES

BIG = "\n".join(f"<p>row {number}</p>" for number in range(FOLD_LINES * 20))


async def paste(stage: Acting, text: str) -> None:
    stage.chat.composer.post_message(events.Paste(text))
    await stage.settle()


async def test_a_folded_paste_is_deleted_moved_over_undone_and_sent_as_one(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.type("see ")
        await paste(stage, BIG)
        folded = stage.chat.composer.text
        assert folded.startswith("see ⟦pasted 1: 1,200 lines")
        await stage.press("backspace")
        assert stage.chat.composer.text == "see ", "one key, and nothing of the word is left"
        await stage.press("ctrl+z")
        assert stage.chat.composer.text == folded
        await stage.press("left", "x")
        assert stage.chat.composer.text == folded.replace("⟦", "x⟦"), "the caret steps over it"
        await stage.press("enter")
        assert [message.text for message in stage.session.sent[0]] == [f"see x{BIG}"], "sent by one Enter"
        assert stage.chat.composer.text == ""


async def test_two_pastes_of_the_same_text_are_two_words(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await paste(stage, BIG)
        await paste(stage, BIG)
        assert stage.chat.composer.text.count("⟦pasted") == 2
        await stage.press("backspace")
        assert stage.chat.composer.text.count("⟦pasted") == 1
        await stage.press("enter")
        assert stage.session.sent[0][0].text == BIG


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (40, 12)])
async def test_a_long_draft_takes_at_most_a_third_and_the_caret_stays_in_sight(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with on_stage(tmp_path, size) as stage:
        stage.chat.composer.put("\n".join(f"line {number}" for number in range(FOLD_LINES - 10)))
        await stage.settle()
        assert stage.chat.composer.region.height <= size[1] // 3 + 1
        assert f"line {FOLD_LINES - 11}" in stage.text()
        await stage.press("enter")
        assert stage.session.sent[0][0].text.endswith(f"line {FOLD_LINES - 11}")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_undo_takes_back_a_paste_that_was_longer_than_the_composer_and_redo_brings_it_again(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    text = "\n".join(f"line {number}" for number in range(FOLD_LINES - 10))
    async with on_stage(tmp_path, size) as stage:
        await stage.type("see ")
        await paste(stage, text)
        await stage.press("ctrl+z")
        assert stage.chat.composer.text == "see "
        await stage.press("ctrl+shift+z")
        assert stage.chat.composer.text == f"see {text}"
        await stage.press("ctrl+z", "x")
        assert stage.chat.composer.text == "see x"
