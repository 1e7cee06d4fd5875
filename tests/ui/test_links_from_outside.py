"""A link from outside never runs a command of the app, whatever its target looks like."""

from pathlib import Path

import pytest
from ui.acting import conversation_of, on_stage

from chatui.core.messages import ImagePart
from chatui.view.glyphs import glyphs
from chatui.view.lines import outside_link
from chatui.view.part_lines import part_lines

TARGETS = (
    "chatui:command/quit",
    "chatui:queue/edit/abc",
    "chatui:picture/abc",
    "chatui:turn/dismiss",
    "chatui:fold",
    "chatui:use/x",
)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "source", ["[press here]({})", "![press here]({})", "| a |\n|---|\n| [press here]({}) |"]
)
async def test_an_answer_cannot_press_the_buttons_of_the_app(
    source: str, target: str, tmp_path: Path
) -> None:
    conversation = conversation_of(1, answer=source.format(target))
    async with on_stage(tmp_path, conversation=conversation) as stage:
        y = next(y for y, line in enumerate(stage.screen()) if "press here" in line)
        x = stage.screen()[y].index("press here")
        await stage.pilot.click(offset=(x + 1, y))
        await stage.settle()
        assert stage.app.is_running
        assert stage.app.screen is stage.chat
        assert f"not opened: {target}" in stage.text()


def test_neither_can_the_address_of_a_picture() -> None:
    (line,) = part_lines(ImagePart("", url=TARGETS[0]), 60, glyphs(True), is_running=False)
    assert line.text.endswith(TARGETS[0])
    assert not any(run.link.startswith("chatui:") for run in line.runs)
    assert outside_link("https://example.org") == "https://example.org"
