"""The Tools pane begins with the name of the call at hand, whatever the window."""

import json
from pathlib import Path

from ui.acting import Acting, call, on_stage

from chatui.core.messages import TextPart, ToolCallState

LONG = json.dumps({f"argument_{number}": number for number in range(30)})


def drawer(stage: Acting) -> str:
    """What is seen of the pane."""
    lines = stage.chat.panel.panes["tools"].lines
    rows = stage.screen()[lines.region.y : lines.region.bottom]
    return "\n".join(row[lines.region.x :] for row in rows)


async def opened(stage: Acting) -> None:
    await stage.ask("Look")
    stage.session.receive(
        TextPart("I look."), call("{}", ToolCallState.WHOLE, "first_tool"), call(LONG, name="second_tool")
    )
    await stage.settle()
    await stage.press("f3")
    await stage.settle()


async def test_the_name_of_the_last_call_is_in_sight_though_its_text_is_longer_than_the_drawer(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path, (80, 24)) as stage:
        await opened(stage)
        assert "second_tool" in drawer(stage)
        longer = LONG[:-1] + ', "last_argument": "end"}'
        stage.session.receive(
            TextPart("I look."),
            call("{}", ToolCallState.WHOLE, "first_tool"),
            call(longer, ToolCallState.WHOLE, "second_tool"),
        )
        await stage.settle()
        assert "second_tool" in drawer(stage), "it stays where it begins while it grows"
        lines = stage.chat.panel.panes["tools"].lines
        lines.to_end()
        await stage.settle()
        assert "last_argument" in drawer(stage)
        assert "second_tool" not in drawer(stage)
        lines.content_changed()
        assert "last_argument" in drawer(stage), "where the person went it stays"
        lines.to_start()
        await stage.settle()
        assert "first_tool" in drawer(stage)


async def test_calls_that_fit_are_all_in_sight(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (120, 40)) as stage:
        await stage.ask("Look")
        stage.session.receive(
            TextPart("I look."),
            call("{}", ToolCallState.WHOLE, "first_tool"),
            call("{}", ToolCallState.WHOLE, "second_tool"),
        )
        await stage.settle()
        assert "first_tool" in drawer(stage)
        assert "second_tool" in drawer(stage)
