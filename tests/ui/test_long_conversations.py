"""A conversation of any length: what is not looked at is not in memory, and nothing of it is missed."""

import ctypes
import gc
import subprocess
import sys
import threading
import weakref
from dataclasses import replace
from pathlib import Path

import pytest
from ui.acting import Acting, completed_turn, conversation_of, cut, on_stage

from chatui.core.conversation import Conversation
from chatui.core.errors import FailureReason, StoreError
from chatui.core.turn import Phase, Turn, TurnId
from chatui.history.turn_pages import TurnPages
from chatui.ui import memory_return, opening
from chatui.ui.lists.forking import pick_fork
from chatui.ui.turns import conversation_search, earlier_turns, held_turns, turn_entries
from chatui.ui.turns.turn_entries import LATEST_HELD, READ_AROUND
from chatui.view.sections import DocumentSection

FEW_BYTES = 60_000
FEW_TURNS = LATEST_HELD + FEW_BYTES // held_turns.TURN_BYTES + 2 * READ_AROUND
"""What may be in memory when so few bytes are held: the latest, the limit, and a page that was just read."""
MOST_LAID_OUT = 200


@pytest.fixture
def few_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_turns, "MOST_HELD_BYTES", FEW_BYTES)
    monkeypatch.setattr(turn_entries, "LET_GO_BYTES", FEW_BYTES // 4)


async def opened(stage: Acting, conversation: Conversation) -> None:
    """Save a conversation and open it."""
    for turn in conversation.turns:
        stage.app.acted.history.commit("saved", turn)
    for turn in conversation.unfinished:
        stage.app.acted.history.save_unfinished("saved", turn)
    stage.app.open_conversation("saved")
    await stage.settle()


async def to_start(stage: Acting) -> None:
    """Go to the beginning, and wait until it is there."""
    stage.chat.transcript.focus()
    await stage.press("home")
    await stage.app.workers.wait_for_complete()
    await stage.settle()


async def to_turn(stage: Acting, number: int) -> None:
    """Bring a turn to the top."""
    stage.chat.transcript.to_place(number)
    await stage.settle()
    at_hand = stage.chat.turn_at_hand()
    assert at_hand is not None
    assert at_hand.turn_id == f"t{number}"


def turns_alive() -> int:
    gc.collect()
    return sum(type(found) is Turn for found in gc.get_objects())


async def test_the_beginning_is_shown_without_holding_what_lies_between(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        before = turns_alive()
        await opened(stage, conversation_of(900))
        await to_start(stage)
        assert "Question 0" in stage.text()
        assert stage.chat.transcript.turn_count == 900
        assert turns_alive() - before <= LATEST_HELD + 2 * READ_AROUND
        assert len(stage.session.conversation.turns) == 100


async def test_turns_told_by_name_alone_get_their_size_and_what_is_read_stays_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heights: list[int] = []
    places: list[list[str]] = []
    for many in (100, 10_000):
        monkeypatch.setattr(earlier_turns, "MANY_TURNS", many)
        async with on_stage(tmp_path) as stage:
            await opened(stage, conversation_of(400))
            await to_start(stage)
            assert "Question 0" in stage.text()
            heights.append(stage.chat.transcript.content_height())
            stage.chat.transcript.moved_by_person(heights[0] // 2)
            await stage.settle()
            places.append(stage.screen())
    assert heights[0] == heights[1]
    assert places[0] == places[1]


async def test_sizes_that_cannot_be_read_take_nothing_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_pages: TurnPages, _conversation_id: str) -> dict[TurnId, int]:
        raise StoreError("The history cannot be read", "")

    monkeypatch.setattr(earlier_turns, "MANY_TURNS", 100)
    monkeypatch.setattr(TurnPages, "sizes", broken)
    async with on_stage(tmp_path) as stage:
        await opened(stage, conversation_of(400))
        await to_start(stage)
        assert "Question 0" in stage.text()
        await to_turn(stage, 150)
        assert "Question 150" in stage.text()


@pytest.mark.usefixtures("few_held")
async def test_turns_that_were_scrolled_past_are_let_go_and_read_again(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (80, 40)) as stage:
        before = turns_alive()
        await opened(stage, conversation_of(700))
        await to_start(stage)
        first = stage.screen()
        transcript = stage.chat.transcript
        numbers: set[str] = set()
        most = 0
        while not transcript.is_following:
            numbers.update(transcript.turn(index).prompt for index in transcript._window.seen())
            transcript.scroll_rows(transcript.page_rows())
            if len(numbers) % 50 < 5:
                most = max(most, turns_alive() - before)
        await stage.settle()
        assert "An answer. (699)" in stage.text()
        assert len(numbers) >= 690, "every turn came into sight"
        assert most <= FEW_TURNS + MOST_LAID_OUT < 700
        await stage.press("home")
        assert stage.screen() == first


@pytest.mark.usefixtures("few_held")
async def test_what_is_only_in_memory_is_never_let_go(tmp_path: Path) -> None:
    async with on_stage(tmp_path, conversation=conversation_of(400)) as stage:
        turns = stage.chat.transcript.turn_list
        for index in (*range(0, 400, 3), *range(0, 400, 7)):
            stage.chat.transcript.to_place(index)
        await stage.ask("and now?")
        stage.session.complete()
        await stage.settle()
        assert all(entry.turn is not None for entry in turns._entries)


async def test_an_unfinished_turn_among_those_that_are_not_loaded_stands_in_its_place(tmp_path: Path) -> None:
    failed = replace(
        completed_turn(900, "Asked first", "half an", "t19"),
        started_at_epoch_s=1.0,
        phase=Phase.FAILED,
        failure=cut(),
        finish_reason=None,
    )
    async with on_stage(tmp_path, (80, 30)) as stage:
        await opened(stage, replace(conversation_of(300), unfinished=(failed,)))
        await to_start(stage)
        ids = stage.chat.transcript.turn_list.turn_ids()
        assert ids[19:22] == ["t19", "t900", "t20"]
        assert len(ids) == 301
        stage.chat.transcript.to_place(20)
        await stage.settle()
        assert "half an" in stage.text()


async def test_a_turn_far_above_is_asked_again_and_the_old_answer_is_one_key_away(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (80, 30)) as stage:
        await opened(stage, conversation_of(500))
        await to_start(stage)
        await to_turn(stage, 3)
        await stage.press("r")
        assert len(stage.chat.live.now().turns) <= 110, "what lies between is not loaded"
        stage.session.text("Another answer.")
        stage.session.complete()
        await stage.settle()
        now = stage.chat.live.now()
        assert [turn.turn_id for turn in now.path()][:3] == ["t0", "t1", "t2"]
        assert len(now.path()) == 4
        assert "Another answer." in stage.text()
        assert "2/2" in stage.text()
        assert stage.chat.transcript.turn_count == 4


async def test_a_turn_far_above_that_is_asked_again_and_stopped_is_still_in_sight(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (80, 30)) as stage:
        await opened(stage, conversation_of(500))
        await to_start(stage)
        await to_turn(stage, 150)
        await stage.press("r")
        stage.session.text("Not all of i")
        await stage.settle()
        before = stage.chat.live.now()
        assert len(before.path_to(TurnId("t149"))) == 100
        stage.app.acted.history.save_unfinished("saved", stage.session.turn)
        stage.session.fail(cut(FailureReason.CANCELLED))
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert stage.chat.live.now().head == "t499", "what was shown is shown again"
        assert "Not all of i" in stage.text()


async def test_the_other_answer_far_above_is_switched_to(tmp_path: Path) -> None:
    other = completed_turn(1000, "Question 4", "The other one.", "t3")
    whole = conversation_of(500)
    async with on_stage(tmp_path, (80, 30)) as stage:
        await opened(stage, replace(whole, turns=(*whole.turns[:5], other, *whole.turns[5:])))
        await to_start(stage)
        await to_turn(stage, 4)
        assert "1/2" in stage.text()
        await stage.press("right")
        await stage.settle()
        assert "The other one." in stage.text()
        assert [turn.turn_id for turn in stage.chat.live.now().path()][-1] == "t1000"
        await stage.press("left")
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert "An answer. (4)" in stage.text()
        assert len(stage.chat.live.now().turns) <= 102, "what lies between is not loaded"
        assert stage.chat.live.now().head == "t499"


async def test_a_fork_from_a_turn_far_above_ends_with_it(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (80, 30)) as stage:
        await opened(stage, conversation_of(300))
        await to_start(stage)
        await to_turn(stage, 5)
        await stage.chat.action_command("fork")
        await stage.settle()
        now = stage.chat.live.now()
        assert now.conversation_id != "saved"
        assert len(now.path()) == 6
        assert not stage.chat.composer.written


async def test_after_many_turns_a_session_holds_the_end_and_its_title_stays(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (80, 30)) as stage:
        live = stage.chat.live
        conversation = replace(conversation_of(350), conversation_id=live.conversation.conversation_id)
        for turn in conversation.turns:
            stage.app.acted.history.commit(conversation.conversation_id, turn)
        live.become(conversation)
        stage.chat.show(live)
        stage.chat.tell_all()
        await stage.settle()
        assert "Question 0" in stage.screen()[0]
        before = stage.chat.transcript.turn_count
        await stage.ask("One more")
        stage.session.text("Yes.")
        stage.app.acted.history.commit(
            conversation.conversation_id, completed_turn(0, "One more", "Yes.", "t349")
        )
        stage.session.complete()
        await stage.settle()
        now = live.now()
        assert len(now.path()) == 100
        assert now.earlier_turns == 251
        assert stage.chat.transcript.turn_count == before + 1, "what is on the screen stays there"
        assert "Question 0" in stage.screen()[0]


async def test_a_turn_that_cannot_be_read_any_more_says_so_in_its_place(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (80, 30)) as stage:
        await opened(stage, conversation_of(300))
        history = stage.app.acted.history
        await stage.press("ctrl+f")
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        await stage.press("escape")
        with history._database.writing() as connection:
            connection.execute("PRAGMA defer_foreign_keys = ON")
            connection.execute("DELETE FROM turns WHERE turn_id = 't5'")
            connection.execute("UPDATE turns SET parent_id = 't4' WHERE turn_id = 't6'")
        await to_start(stage)
        stage.chat.transcript.to_place(5)
        await stage.settle()
        assert "cannot be read from the history" in stage.text()
        assert "Question 6" in stage.text()


async def test_a_path_that_runs_in_a_circle_is_shown_once(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (80, 30)) as stage:
        await opened(stage, conversation_of(500))
        with stage.app.acted.history._database.writing() as connection:
            connection.execute("UPDATE turns SET parent_id = 't300' WHERE turn_id = 't50'")
        await to_start(stage)
        await stage.press("home")
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert stage.chat.transcript.turn_count == 450
        assert "Question 50" in stage.text()


async def test_the_memory_of_a_long_request_is_given_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[str] = []
    monkeypatch.setattr(memory_return, "give_back", lambda: given.append("back"))
    monkeypatch.setattr(opening, "MANY_TURNS", 150)
    async with on_stage(tmp_path) as stage:
        await stage.ask("A short one")
        stage.session.complete()
        await stage.settle()
        assert not given
        await opened(stage, conversation_of(300))
        await stage.ask("And now?")
        assert not given
        stage.session.complete()
        await stage.settle()
        await stage.app.workers.wait_for_complete()
        assert given


# Search


async def test_a_search_counts_matches_in_turns_that_are_not_in_memory(tmp_path: Path) -> None:
    whole = conversation_of(300)
    turns = [
        completed_turn(n, turn.prompt, 'A "quoted"\nNEEDLE', turn.parent_id) if n % 100 == 7 else turn
        for n, turn in enumerate(whole.turns)
    ]
    async with on_stage(tmp_path, (80, 30)) as stage:
        await opened(stage, replace(whole, turns=tuple(turns)))
        await stage.press("ctrl+f")
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        await stage.type('"quoted" needle')
        assert "of 3" in stage.text()
        for number in (7, 107, 207):
            await stage.press("enter")
            await stage.settle()
            assert f"Question {number}" in stage.text() or stage.chat.transcript.selection is not None
        assert stage.chat.transcript.selected_text() == '"quoted" NEEDLE'


async def test_what_stands_in_very_many_turns_is_gone_to_without_laying_out_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversation_search, "MOST_COUNTED", 5)
    async with on_stage(tmp_path, (80, 30), conversation=conversation_of(300)) as stage:
        turns = stage.chat.transcript.turn_list
        await stage.press("ctrl+f")
        await stage.type("answer")
        assert "one of many" in stage.text()
        assert stage.chat.transcript.selected_text() == "answer"
        assert sum(entry.view is not None for entry in turns._entries) < 40
        at = stage.chat.transcript.selection
        await stage.press("enter")
        after = stage.chat.transcript.selection
        assert at is not None
        assert after is not None
        assert after.start != at.start


WORDS = " ".join(f"word{number} and" for number in range(30))
WRAPPED = {
    "prose": WORDS,
    "a list": f"- {WORDS}",
    "a quote": f"> {WORDS}",
    "bold": f"**{WORDS}**",
    "Chinese": "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏闰余成岁律吕调阳云腾致雨露结为霜金生丽水玉出昆冈",
    "a long word": "".join(f"x{number}" for number in range(100, 150)),
}


@pytest.mark.parametrize("text", WRAPPED.values(), ids=WRAPPED)
async def test_a_phrase_over_a_line_wrap_is_found_and_marked_on_both_lines(tmp_path: Path, text: str) -> None:
    async with on_stage(tmp_path, (60, 30), conversation=conversation_of(1, text)) as stage:
        transcript = stage.chat.transcript
        view = transcript.turn_list.view(0)
        lines = [view.row(row)[0] for row in range(view.height)]
        row = next(row for row, line in enumerate(lines) if line.is_soft_wrapped)
        tail, head = lines[row].text.rstrip()[-5:], lines[row + 1].text[lines[row + 1].content_at :][:6]
        blank = " " if " " in text else ""
        phrase = f"{tail}{blank}{head}".casefold()
        said = transcript.search(phrase, 0)
        assert said.startswith("1 of")
        assert transcript.selected_text().casefold() == phrase
        await stage.settle()
        marked = [line.text for line, shown in ((r.line, r.selected) for r in transcript._rows()) if shown]
        assert marked == [lines[row].text, lines[row + 1].text]


# What is freed


async def test_a_layout_that_is_forgotten_is_freed_at_once(tmp_path: Path) -> None:
    gc.disable()
    try:
        async with on_stage(
            tmp_path, conversation=conversation_of(60, "Words.\n\n```python\nx = 1\n```")
        ) as stage:
            turns = stage.chat.transcript.turn_list
            sections = [
                found for found in turns.view(0)._stack.sections if isinstance(found, DocumentSection)
            ]
            documents = [weakref.ref(section) for section in sections]
            del sections
            assert documents
            turns._close(0)
            assert [document() for document in documents] == [None]
    finally:
        gc.enable()


async def test_a_strip_that_is_not_cut_does_not_hold_itself(tmp_path: Path) -> None:
    async with on_stage(tmp_path, conversation=conversation_of(40)) as stage:
        for _ in range(5):
            stage.chat.transcript.scroll_rows(-3)
            await stage.settle()
        strips = [strip for _, strip in stage.chat.transcript.painter._strips.values()]
        assert len(strips) > 20
        own = [
            strip
            for strip in strips
            if any(strip in pieces for pieces in getattr(strip._divide_cache, "_cache", {}).values())
        ]
        assert len(own) <= stage.app.size.height, "only the first picture is put together by Textual's way"


async def test_who_went_on_before_the_beginning_was_read_is_not_taken_there(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (80, 30)) as stage:
        await opened(stage, conversation_of(500))
        transcript = stage.chat.transcript
        transcript.focus()
        transcript.to_start()
        transcript.to_end()
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert transcript.turn_count == 500
        assert transcript.is_following


async def test_a_beginning_that_was_wanted_elsewhere_is_not_gone_to_here(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (80, 30)) as stage:
        await opened(stage, conversation_of(500))
        transcript = stage.chat.transcript
        transcript.to_start()
        await stage.press("ctrl+n")
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        stage.app.open_conversation("saved")
        await stage.settle()
        transcript.to_place(10)
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        at_hand = stage.chat.turn_at_hand()
        assert transcript.turn_count == 400
        assert at_hand is not None
        assert at_hand.turn_id == "t410"


async def test_a_fork_of_a_long_conversation_is_made_beside_the_keyboard_and_holds_its_end_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path) as stage:
        await opened(stage, conversation_of(250))
        history = stage.app.acted.history
        threads: list[threading.Thread] = []
        known = history.fork

        def fork(*given: object) -> object:
            threads.append(threading.current_thread())
            return known(*given)  # type: ignore[arg-type]  # as it was given

        monkeypatch.setattr(history, "fork", fork)
        before = stage.chat.live
        assert stage.app.opening.fork(before.now().turns[-5])
        assert not stage.app.opening.fork(before.now().turns[-5]), "one copy at a time"
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert len(threads) == 1
        assert threading.main_thread() not in threads
        now = stage.chat.live.now()
        assert now.conversation_id != "saved"
        assert (now.head, len(now.turns), now.earlier_turns) == ("t245", 100, 146)


async def test_the_list_of_turns_to_fork_from_is_read_in_pages_and_shows_any_turn(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (120, 40)) as stage:
        await opened(stage, conversation_of(250))
        pick_fork(stage.chat)
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert "Fork from" in stage.text()
        assert len(stage.chat.live.now().turns) == 100
        await stage.press(*"turn 1", "ctrl+end", "enter")
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert [turn.turn_id for turn in stage.chat.live.now().path()] == ["t0"]


PLACES = """
import ctypes, sys, threading
from chatui.ui.launch import take_memory_from_one_place
take_memory_from_one_place()
held = []
ready = threading.Barrier(5)
def fill():
    held.append(["x" * 2000 + str(number) for number in range(200)])
    ready.wait(30)
threads = [threading.Thread(target=fill) for _ in range(4)]
for thread in threads: thread.start()
ready.wait(30)
library = ctypes.CDLL(None)
file = library.fopen
file.restype = ctypes.c_void_p
stream = file(sys.argv[1].encode(), b"w")
library.malloc_info(0, ctypes.c_void_p(stream))
library.fclose(ctypes.c_void_p(stream))
"""


@pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "malloc_info"), reason="another C library"
)
def test_all_threads_take_their_memory_from_one_place(tmp_path: Path) -> None:
    told = tmp_path / "told.xml"
    subprocess.run([sys.executable, "-c", PLACES, str(told)], check=True)
    assert told.read_text(encoding="utf-8").count("<heap nr=") == 1
