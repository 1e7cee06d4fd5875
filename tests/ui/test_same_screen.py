"""What happens in the middle of a stream leaves no trace: the screen is that of a fresh start; memory and
work stay bounded, as counts."""

from pathlib import Path

import pytest
from ui.acting import Acting, conversation_of, on_stage

from chatui.markdown.document import IncrementalDocument
from chatui.ui.turns import held_turns, turn_entries, turn_following
from chatui.ui.turns.held_turns import LEAST_LAID_OUT, MOST_ROWS_LAID_OUT
from chatui.ui.turns.turn_list import TurnList
from chatui.view.lines import Tone

OPEN = {
    "fence": "Before\n\n```python\n" + "".join(f"value_{n} = 'text' * {n}  # note\n" for n in range(30)),
    "table": "| name | size | notes |\n|---|--:|---|\n"
    + "".join(f"| row {n} | {n * 7} | words about the row number {n} and its size |\n" for n in range(30)),
    "list": "".join(
        f"- item {n} with words\n  - nested **item** with `code` and [a link](https://one.example)\n"
        for n in range(20)
    ),
    "quote": "".join(f"> quoted line {n} with *words*\n" for n in range(30)),
    "prose": "A paragraph without an end, " * 60,
}
MIDDLE = {"fence": 400, "table": 700, "list": 500, "quote": 300, "prose": 800}
FRAME = 60
"""Characters of a frame at 225 tokens a second."""
CHANGES = ["theme", "resize", "focus", "pane", "layout"]


def looks(stage: Acting) -> list[list[tuple[str, object]]]:
    """Every cell of the screen with its style."""
    found: list[list[tuple[str, object]]] = []
    for strip in stage.app.screen._compositor.render_strips():
        row: list[tuple[str, object]] = []
        for text, style, _ in strip:
            row.extend((character, style) for character in text)
        found.append(row)
    return found


@pytest.fixture(autouse=True)
def badges_stay_loud(monkeypatch: pytest.MonkeyPatch) -> None:
    """A completed badge goes quiet after some real seconds, which a busy machine may need between two looks."""
    monkeypatch.setattr(turn_following, "QUIET_AFTER_S", 3600.0)


async def change(stage: Acting, what: str) -> None:
    match what:
        case "theme":
            stage.app.show_theme("paper")
        case "resize":
            await stage.pilot.resize_terminal(66, 30)
        case "focus":
            await stage.press("f6")
        case "pane":
            await stage.press("f2")
        case "layout":
            await stage.press("f6", "w", "number_sign")
    await stage.settle()


@pytest.mark.parametrize("what", CHANGES)
@pytest.mark.parametrize("kind", OPEN)
async def test_a_change_in_mid_stream_leaves_the_screen_of_a_fresh_start(
    tmp_path: Path, kind: str, what: str
) -> None:
    text = OPEN[kind]
    middle = text[: MIDDLE[kind]]
    async with on_stage(tmp_path, (90, 24)) as stage:
        await stage.ask()
        for stop in range(40, len(middle), 40):
            stage.session.text(middle[:stop])
            await stage.settle()
        await change(stage, what)
        for stop in range(len(middle), len(text), 150):
            stage.session.text(text[:stop])
            await stage.settle()
        stage.session.text(text)
        await stage.settle()
        stage.chat.transcript.settle_text(stage.chat.transcript.turn(0).turn_id)
        await stage.settle()
        grown = looks(stage)
        stage.session.complete()
        await stage.settle()
        ended = looks(stage)
    async with on_stage(tmp_path, (90, 24)) as stage:
        await change(stage, what)
        stage.chat.composer.put("hello")
        await stage.chat.prompting.submit(stage.chat.composer.take())
        await stage.settle()
        stage.session.text(text)
        await stage.settle()
        stage.chat.transcript.settle_text(stage.chat.transcript.turn(0).turn_id)
        await stage.settle()
        assert looks(stage)[2:-4] == grown[2:-4]
        stage.session.complete()
        await stage.settle()
        assert looks(stage) == ended


@pytest.mark.parametrize("what", CHANGES)
async def test_far_above_a_stream_a_change_leaves_the_screen_of_a_fresh_start(
    tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_turns, "MOST_HELD_BYTES", 60_000)
    monkeypatch.setattr(turn_entries, "LET_GO_BYTES", 15_000)
    conversation = conversation_of(
        300, "Some words.\n\n```python\n" + "x = 'long'  # line\n" * 4 + "```\n\n" + "more " * 40
    )

    async def opened(stage: Acting) -> None:
        for turn in conversation.turns:
            stage.app.acted.history.commit("saved", turn)
        stage.app.open_conversation("saved")
        await stage.settle()
        await stage.ask()
        stage.session.text(OPEN["prose"])
        await stage.settle()

    async def to_turn(stage: Acting, number: int) -> None:
        if stage.chat.transcript.earlier_turns:
            await stage.press("ctrl+home")
            await stage.app.workers.wait_for_complete()
            await stage.settle()
        stage.chat.transcript.to_place(number, 2)
        await stage.settle()

    async with on_stage(tmp_path, (90, 24)) as stage:
        await opened(stage)
        await to_turn(stage, 40)
        stage.session.text(OPEN["prose"] + OPEN["list"])
        for number in range(0, 200, 20):  # what was laid out is let go, read and laid out again
            stage.chat.transcript.to_place(number)
        await to_turn(stage, 40)
        await change(stage, what)
        await to_turn(stage, 40)
        changed = looks(stage)
        turns = stage.chat.transcript.turn_list
        assert sum(entry.turn is not None for entry in turns._entries) < 250
    async with on_stage(tmp_path, (90, 24)) as stage:
        await change(stage, what)
        stage.chat.composer.focus()
        await opened(stage)
        stage.session.text(OPEN["prose"] + OPEN["list"])
        await to_turn(stage, 40)
        if what in ("focus", "layout"):
            await stage.press("f6")
        await stage.settle()
        # The scrollbar tells of heights that are estimates until a turn was looked at at this width.
        assert [row[:-1] for row in looks(stage)[2:-4]] == [row[:-1] for row in changed[2:-4]]


async def test_a_clock_that_strikes_with_the_end_takes_nothing_from_how_it_is_told(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask()
        stage.session.text("Hi")
        await stage.settle()
        stage.session.complete()
        stage.chat.following._tick()
        await stage.settle()
        assert stage.chat.transcript.turn_list.view(0).badge.tone is Tone.SUCCESS


async def test_no_character_is_parsed_more_than_three_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents: list[IncrementalDocument] = []
    make = IncrementalDocument.__init__

    def made(self: IncrementalDocument, *arguments: object, **more: object) -> None:
        make(self, *arguments, **more)  # type: ignore[arg-type]
        documents.append(self)

    monkeypatch.setattr(IncrementalDocument, "__init__", made)
    for text in OPEN.values():
        documents.clear()
        async with on_stage(tmp_path) as stage:
            await stage.ask()
            for stop in range(FRAME, len(text) + FRAME, FRAME):
                stage.session.text(text[:stop])
                await stage.settle()
            stage.session.complete()
            await stage.settle()
            ours = [document for document in documents if document.source == text]
            assert len(ours) == 1
            assert ours[0].characters_parsed <= 3 * len(text)


async def test_strips_are_built_once_for_each_visible_line_and_change(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask()
        transcript = stage.chat.transcript
        shown: set[int] = set()
        kept: list[object] = []
        seen: list[object] = []
        text = OPEN["list"] + "\n" + OPEN["fence"]
        for stop in range(20, len(text), 20):
            stage.session.text(text[:stop])
            await stage.settle()
            for row in transcript._painted:
                if row.line is not None and id(row.line) not in shown:
                    shown.add(id(row.line))
                    kept.append(row.line)
                    seen.append(row)
        sticky = 2  # the name line is painted on two surfaces, once for each of its badges
        assert transcript.painter.strips_made <= len(seen) + sticky * 8


async def test_nothing_is_painted_while_nothing_changes(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.ask()
        stage.session.text(OPEN["list"])
        await stage.settle()
        transcript = stage.chat.transcript
        before = transcript.rows_invalidated, transcript.painter.strips_made
        for _ in range(20):
            stage.session.text(OPEN["list"])
            await stage.settle()
        assert (transcript.rows_invalidated, transcript.painter.strips_made) == before


async def test_what_is_far_from_the_window_is_not_kept_laid_out(tmp_path: Path) -> None:
    answer = "\n\n".join(f"Paragraph {n}" for n in range(30))
    async with on_stage(tmp_path, conversation=conversation_of(120, answer)) as stage:
        turns = stage.chat.transcript.turn_list
        assert laid_out(turns) < 5, "what was never shown is not laid out"
        await stage.press("f6", "g")
        most = 0
        while not stage.chat.transcript.is_following:
            for _ in range(20):
                stage.chat.transcript.scroll_rows(stage.chat.transcript.page_rows())
            await stage.settle()
            most = max(most, laid_out(turns))
        assert most <= max(LEAST_LAID_OUT, MOST_ROWS_LAID_OUT // turns.view(0).height + 1)
        before = stage.screen()
        await stage.press("g")
        assert "Question 0" in stage.text()
        await stage.press("G")
        assert stage.screen() == before


def laid_out(turns: TurnList) -> int:
    return sum(entry.view is not None for entry in turns._entries)
