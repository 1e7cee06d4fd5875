"""An answer of megabytes is opened at its end at once, and laid out in turns of the event loop."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from ui.acting import Acting, conversation_of, on_stage

from chatui.ui.widgets import turns_view
from chatui.view.turn_view import TurnView

HUGE = "".join(f"Paragraph {number} of **many**.\n\n" for number in range(5000)) + "The very end."

HUGE_OF_ALL = "".join(
    f"Words of **place {number}** that go on over more than one row of a narrow window, and then end.\n\n"
    f"```python\nplace = {number}\n# place {number} in a comment\n```\n\n- an item\n  - in place {number}\n\n"
    f"| of | place {number} |\n| - | - |\n| a | {'wide ' * (number % 9)} |\n\n"
    for number in range(600)
)
"""Everything that lines are made of, somewhat more than is laid out at once."""


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], None]]:
    """The steps that wait for their turn of the loop; the test takes them."""
    waiting: list[Callable[[], None]] = []
    monkeypatch.setattr(turns_view, "in_the_next_turn", lambda _pump, step: waiting.append(step))
    return waiting


def lay_out(stage: Acting, steps: list[Callable[[], None]], most: int = 1 << 30) -> int:
    taken = 0
    while steps and taken < most:
        steps.pop(0)()
        taken += 1
    return taken


def first_number(stage: Acting) -> str:
    """The first number in sight that names a place of the huge answer."""
    found = re.search(r"place (\d+)", stage.text())
    assert found is not None
    return found[1]


def rows_of(view: TurnView) -> list[str]:
    return [view.row(row)[0].text for row in range(view.height)]


def rows_at_once(stage: Acting, index: int) -> list[str]:
    """The rows of a turn that is laid out anew, all of it at once."""
    transcript = stage.chat.transcript
    view = transcript.turn_list.view(index)
    return rows_of(TurnView(view.turn, view.badge, view.width, transcript._options))


async def test_the_end_of_a_huge_answer_is_there_before_the_rest_and_keys_are_answered(
    tmp_path: Path, steps: list[Callable[[], None]]
) -> None:
    async with on_stage(tmp_path, conversation=conversation_of(2, HUGE)) as stage:
        transcript = stage.chat.transcript
        assert "The very end." in stage.text()
        assert len(steps) == 1, "one step waits, however many there will be"
        before = stage.screen()
        assert lay_out(stage, steps, 5) == 5
        await stage.type("typed meanwhile")
        assert "typed meanwhile" in stage.text()
        assert lay_out(stage, steps) >= len(HUGE) // 6000 - 6
        await stage.settle()
        assert stage.screen()[:16] == before[:16], "the end looks as it did"
        view = transcript.turn_list.view(1)
        assert not view.is_early
        texts = [view.row(row)[0].text for row in range(view.height)]
        assert sum(text.startswith("Paragraph") for text in texts) == 5000


async def test_who_reads_above_the_end_stays_there_when_the_rest_is_laid_out(
    tmp_path: Path, steps: list[Callable[[], None]]
) -> None:
    async with on_stage(tmp_path, conversation=conversation_of(1, HUGE)) as stage:
        await stage.press("pageup", "pageup")
        await stage.settle()
        top = stage.screen()[4:14]
        assert any("Paragraph 49" in row for row in top)
        lay_out(stage, steps)
        await stage.settle()
        assert stage.screen()[4:14] == top
        stage.chat.transcript.to_start()
        await stage.settle()
        assert "Paragraph 3 of many." in stage.text()


async def test_a_huge_answer_in_another_window_is_laid_out_in_steps_and_what_is_read_stays(
    tmp_path: Path, steps: list[Callable[[], None]]
) -> None:
    async with on_stage(tmp_path, conversation=conversation_of(1, HUGE_OF_ALL)) as stage:
        transcript = stage.chat.transcript
        lay_out(stage, steps)
        transcript.to_place(0, transcript.content_height() // 2)
        await stage.settle()
        read = first_number(stage)
        await stage.pilot.resize_terminal(64, 30)
        await stage.settle()
        assert len(steps) == 1, "one step waits, however many there will be"
        assert transcript.turn_list.view(0).is_early
        assert first_number(stage) == read, "what is read stays in sight as it was"
        await stage.type("typed meanwhile")
        assert "typed meanwhile" in stage.text()
        lay_out(stage, steps, 3)
        await stage.pilot.resize_terminal(70, 30)
        await stage.settle()
        assert lay_out(stage, steps) > 20
        await stage.settle()
        assert first_number(stage) == read
        assert not transcript.turn_list.view(0).is_early
        assert rows_of(transcript.turn_list.view(0)) == rows_at_once(stage, 0)


async def test_a_huge_answer_in_another_look_is_laid_out_in_steps_and_what_is_read_stays(
    tmp_path: Path, steps: list[Callable[[], None]]
) -> None:
    async with on_stage(tmp_path, conversation=conversation_of(1, HUGE_OF_ALL)) as stage:
        transcript = stage.chat.transcript
        lay_out(stage, steps)
        transcript.to_place(0, transcript.content_height() // 3)
        await stage.settle()
        read = first_number(stage)
        before = rows_of(transcript.turn_list.view(0))
        transcript.use_layout(replace(transcript.layout_options, has_line_numbers=True))
        assert rows_of(transcript.turn_list.view(0)) == before
        lay_out(stage, steps)
        await stage.settle()
        assert first_number(stage) == read
        assert rows_of(transcript.turn_list.view(0)) == rows_at_once(stage, 0) != before


async def test_a_search_finds_what_is_not_laid_out_yet(tmp_path: Path) -> None:
    async with on_stage(tmp_path, conversation=conversation_of(1, HUGE)) as stage:
        said: list[str] = []
        stage.chat.transcript.look_for("paragraph 17 of many", 0, said.append)
        await stage.until(lambda: bool(said) and said[-1] == "1 of 1")
        await stage.settle()
        assert "Paragraph 17 of many." in stage.text()
        assert stage.chat.transcript.search("paragraph 4321 of", 0) == "1 of 1", "at once, when asked so"
