"""How full the model's window is, before and after it is too full."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from ui.acting import Acting, conversation_of, cut, on_stage

from chatui.core.context_size import turn_tokens
from chatui.core.conversation import Conversation
from chatui.core.errors import FailureReason
from chatui.history.sqlite_history import SqliteHistory


async def opened(stage: Acting, conversation: Conversation) -> SqliteHistory:
    """The conversation, saved and opened."""
    history = stage.app.acted.history
    for turn in conversation.turns:
        history.commit("saved", turn)
    stage.app.open_conversation("saved")
    await stage.settle()
    return history


async def test_what_the_server_counted_is_shown_plain_and_an_estimate_is_marked(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (120, 24)) as stage:
        await stage.ask("Hello")
        stage.session.text("word " * 400)
        stage.session.complete()
        await stage.settle()
        assert "ctx 2 %" in stage.text()
        stage.chat.composer.put("word " * 3000)
        await stage.settle()
        assert "ctx ~48 %" in stage.text()


async def test_a_prompt_that_cannot_fit_is_told_before_it_is_sent(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (120, 24)) as stage:
        await stage.ask("word " * 9000)
        assert not stage.session.sent
        assert "the model's window is 8192" in stage.text()
        await stage.press("enter")
        assert len(stage.session.sent) == 1


async def test_a_conversation_that_became_too_long_offers_ways_on(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (120, 40), conversation=conversation_of(6, "word " * 900)) as stage:
        await stage.ask("One more")
        stage.session.fail(cut(FailureReason.HTTP, "Too long.", http_status=400, is_context_too_long=True))
        await stage.settle()
        assert "o drop oldest  F fork earlier  m another model" in stage.text()
        await stage.press("tab", "o")
        now = stage.chat.live.now()
        left_out = now.left_out(now.path())
        assert 0 < left_out < 6
        assert len(stage.session.sent) == 2, "the prompt that failed is sent again"
        assert len(now.path()) == 6, "what is shown stays"
        stage.session.text("It fits.")
        stage.session.complete()
        await stage.settle()
        assert f"{left_out} not sent" in stage.chat.context.facts()
        await stage.chat.action_command("send-all")
        assert stage.chat.live.now().sent_from is None


async def test_what_was_dropped_stays_dropped_over_a_restart_and_is_shown(tmp_path: Path) -> None:
    conversation = conversation_of(6, "word " * 900)
    async with on_stage(tmp_path, (120, 40)) as stage:
        history = await opened(stage, conversation)
        await stage.press("tab", "o")
        dropped = history.load("saved").not_sent()
        assert dropped == stage.chat.live.now().not_sent()
        assert 0 < (dropped or 0) < 6
    async with on_stage(tmp_path, (120, 40), conversation=history.load("saved")) as stage:
        assert f"{dropped} not sent" in stage.chat.context.facts()
        await stage.settle()
        assert f"{dropped} not sent" in stage.text()


def threads_of(owner: object, name: str, monkeypatch: pytest.MonkeyPatch) -> list[threading.Thread]:
    """The threads in which a method is called from now on."""
    threads: list[threading.Thread] = []
    known = getattr(owner, name)

    def watched(*given: object) -> object:
        threads.append(threading.current_thread())
        return known(*given)

    monkeypatch.setattr(owner, name, watched)
    return threads


async def test_what_is_not_loaded_is_counted_beside_the_keyboard_and_told_when_it_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = tuple(replace(turn, usage=None) for turn in conversation_of(150, "word " * 60).turns)
    async with on_stage(tmp_path, (120, 40)) as stage:
        threads = threads_of(stage.app.acted.history.pages, "size_bytes_before", monkeypatch)
        await opened(stage, Conversation(conversation_id="saved", turns=turns, head=turns[-1].turn_id))
        await stage.app.workers.wait_for_complete()
        await stage.settle()
        assert len(threads) == 1
        assert threading.main_thread() not in threads
        loaded = sum(turn_tokens(turn) for turn in stage.chat.live.now().turns)
        assert stage.chat.context.size().tokens > loaded
        assert "ctx ~" in stage.text()


async def test_dropping_in_a_long_conversation_counts_what_is_not_loaded_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation = conversation_of(150, "word " * 60)
    async with on_stage(tmp_path, (120, 40)) as stage:
        history = await opened(stage, conversation)
        threads = threads_of(history.pages, "before", monkeypatch)
        await stage.press("tab", "o")
        await stage.app.workers.wait_for_complete()
        assert threads, "older turns are not in memory"
        assert threading.main_thread() not in threads, "keys are taken meanwhile"
        not_sent = history.load("saved").not_sent() or 0
        assert not_sent > 50
        assert f"The {not_sent} oldest turns are not sent any more" in stage.text()
        assert f"{not_sent} not sent" in stage.chat.context.facts()
        history.send_from("saved", "t7")
        stage.app.open_conversation("saved")
        await stage.settle()
        assert "older turns not sent" in stage.chat.context.facts()
        await stage.chat.action_command("send-all")
        assert history.load("saved").sent_from is None


async def test_what_is_dropped_in_a_second_window_is_left_out_of_its_copy_only(tmp_path: Path) -> None:
    conversation = conversation_of(6, "word " * 900)
    async with on_stage(tmp_path, (120, 40)) as stage:
        history = await opened(stage, conversation)
        stage.chat.live.open_elsewhere = "another chatui (process 7)"
        await stage.press("tab", "o")
        dropped = stage.chat.live.now().sent_from
        assert dropped is not None
        assert history.load("saved").sent_from is None
        fork = stage.app.opening._fork_of(stage.chat.live, stage.chat.live.now().head)
        assert fork.sent_from == dropped


async def test_what_cannot_be_remembered_is_told(tmp_path: Path) -> None:
    async with on_stage(tmp_path, (120, 40), conversation=conversation_of(6, "word " * 900)) as stage:
        await stage.press("tab", "o")
        assert stage.chat.live.now().not_sent(), "it holds while this window is open"
        assert "is not remembered" in stage.text()


async def test_a_fork_from_an_earlier_turn_takes_the_prompt_along(tmp_path: Path) -> None:
    conversation = conversation_of(4)
    async with on_stage(tmp_path, (120, 40)) as stage:
        for turn in conversation.turns:
            stage.app.acted.history.commit("saved", turn)
        failed = replace(
            conversation.turns[0],
            turn_id="f1",
            parent_id="t3",
            input=conversation.turns[3].input,
            failure=cut(FailureReason.LENGTH, is_context_too_long=True),
            phase="failed",
        )
        stage.app.acted.history.save_unfinished("saved", failed)
        stage.app.open_conversation("saved")
        await stage.settle()
        await stage.press("tab", "F")
        await stage.settle()
        assert "tok up to here" in stage.text()
        await stage.press("down", "down", "enter")
        await stage.settle()
        assert [turn.turn_id for turn in stage.chat.live.now().path()] == ["t0", "t1"]
        assert stage.chat.composer.written == "Question 3"
