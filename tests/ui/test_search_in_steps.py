"""A search in a huge conversation answers keys meanwhile: counted in rows looked through in a turn of the loop."""

from pathlib import Path

import pytest
from ui.acting import conversation_of, on_stage

from chatui.ui import search_run
from chatui.ui.widgets import search_bar

CODE = "```python\n" + "".join(f"line_{number} = {number}\n" for number in range(300)) + "needle = 1\n```"


def in_small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_run, "ROWS_AT_ONCE", 1)
    monkeypatch.setattr(search_run, "ROWS_A_STEP", 1)


async def test_what_is_found_in_steps_is_what_is_found_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_small_steps(monkeypatch)
    async with on_stage(tmp_path, conversation=conversation_of(6, CODE)) as stage:
        transcript = stage.chat.transcript
        said: list[str] = []
        for step in (0, 1, 1, -1):
            transcript.look_for("needle", step, said.append)
            await stage.until(lambda: said[-1] != search_run.LOOKING)
            in_steps = (said[-1], transcript.selection)
            assert said.count(search_run.LOOKING), "it was not done at once"
            assert transcript.search("needle", 0) == in_steps[0]
            assert transcript.selection == in_steps[1]
        assert said[-1].endswith("of 6")
        transcript.look_for("nothing of it", 0, said.append)
        await stage.until(lambda: said[-1] != search_run.LOOKING)
        assert said[-1] == "not found"


async def test_no_step_looks_through_more_than_its_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_small_steps(monkeypatch)
    looked: list[int] = []
    known = search_run.SearchRun._step

    def step(run: search_run.SearchRun, rows: int) -> None:
        before = len(read)
        known(run, rows)
        looked.append(len(read) - before)

    async with on_stage(tmp_path, conversation=conversation_of(2, CODE * 8)) as stage:
        transcript = stage.chat.transcript
        read: list[int] = []
        view_type = type(transcript.turn_list.view(0))
        row_of = view_type.row

        def row(view: object, index: int) -> object:
            read.append(index)
            return row_of(view, index)  # type: ignore[arg-type]

        monkeypatch.setattr(search_run.SearchRun, "_step", step)
        said: list[str] = []
        transcript.look_for("line_299", 0, said.append)
        monkeypatch.setattr(view_type, "row", row)
        await stage.until(lambda: said[-1] != search_run.LOOKING)
        assert len(looked) > 8
        assert max(looked) < 700


async def test_a_search_that_runs_says_so_and_ends_with_esc_or_with_the_next_letter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_small_steps(monkeypatch)
    told: list[str] = []
    known = search_bar.SearchBar.tell

    def tell(bar: search_bar.SearchBar, found: str) -> None:
        told.append(found)
        known(bar, found)

    monkeypatch.setattr(search_bar.SearchBar, "tell", tell)
    async with on_stage(tmp_path, conversation=conversation_of(30, CODE)) as stage:
        transcript = stage.chat.transcript
        await stage.press("ctrl+f", "n", "e", "e")
        await stage.until(lambda: bool(told) and told[-1].endswith("of 30"))
        assert search_run.LOOKING in told
        transcript.look_for("needle", 1, stage.chat.search.tell)
        transcript.look_for("line_7", 0, stage.chat.search.tell)
        run = transcript._search_run
        assert run is not None
        assert run.is_running
        stage.chat.search.leave()
        await stage.until(lambda: not run.is_running)
        assert stage.chat.search.found == ""
        assert transcript.selection is None
