"""Between the first paint and the first conversation: the app can be used, and nothing is lost."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event

import pytest
from textual.events import Key, MouseDown, MouseUp

from chatui.core.errors import ConfigError
from chatui.engine.session import Endpoint
from tests.ui.acting import Acting, acted_app, conversation_of, on_stage


@asynccontextmanager
async def opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **workspace: object
) -> AsyncIterator[tuple[Acting, Event]]:
    """A painted app whose conversation is opened when the event is set."""
    app = acted_app(tmp_path, **workspace)
    may_open = Event()
    prepare = app.workspace.prepare

    def slow() -> None:
        may_open.wait(60)
        prepare()

    monkeypatch.setattr(app.workspace, "prepare", slow)
    async with app.run_test(size=(80, 24)) as pilot:
        try:
            yield Acting(app, pilot), may_open
        finally:
            may_open.set()


async def test_what_is_typed_while_the_conversation_is_being_opened_is_shown_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opening(tmp_path, monkeypatch) as (stage, may_open):
        await stage.press("h", "i")
        await stage.settle()
        assert not stage.app.begun.is_set()
        assert "hi" in stage.text()
        may_open.set()
        await stage.app.begun.wait()
        assert stage.chat.composer.written == "hi"


async def test_commands_that_come_too_early_wait_in_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opening(tmp_path, monkeypatch) as (stage, may_open):
        await stage.press("h")
        stage.app.post_message(Key("alt+m", "m"))  # as a terminal sends it: with its letter
        await stage.press("i")
        await stage.settle()
        assert stage.chat.composer.written == "h"
        may_open.set()
        await stage.app.begun.wait()
        await stage.settle()
        assert stage.chat.composer.written == "hi"
        assert not stage.app._has_mouse


async def test_a_click_on_what_can_be_done_waits_until_it_can_be_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opening(tmp_path, monkeypatch) as (stage, may_open):
        await stage.settle()
        line = next(row for row, text in enumerate(stage.screen()) if "palette" in text)
        column = stage.screen()[line].index("palette")
        for kind in (MouseDown, MouseUp):
            stage.app.post_message(
                kind(None, column, line, 0, 0, 1, shift=False, meta=False, ctrl=False)  # as the driver does
            )
        await stage.settle()
        assert stage.app.screen is stage.chat
        may_open.set()
        await stage.app.begun.wait()
        await stage.settle()
        assert "Commands" in stage.text()


async def test_parts_that_are_hidden_at_first_stand_at_their_own_place(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        assert [part.id for part in stage.chat.children] == [
            "header",
            "rule-top",
            "body",
            "search",
            "rule-bottom",
            "notice",
            "composer-row",
            "status",
        ]
        assert [part.id for part in stage.chat.query_one("#body").children] == ["transcript", "panel"]


async def test_a_key_is_asked_for_beside_the_keyboard_and_what_is_wrong_with_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = acted_app(tmp_path)
    threads: list[threading.Thread] = []

    def resolve(provider: str | None = None, model: str | None = None) -> Endpoint:
        del provider, model
        threads.append(threading.current_thread())
        raise ConfigError("The key command failed", "Look at its file.")

    monkeypatch.setattr(app.workspace, "resolve", resolve)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.begun.wait()
        stage = Acting(app, pilot)
        await stage.settle()
        assert "The key command failed" in stage.text()
    assert len(threads) == 1, "a key command may ask the person something: once is enough"
    assert threading.main_thread() not in threads


async def test_a_conversation_that_goes_on_is_in_sight_before_it_can_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opening(tmp_path, monkeypatch, conversation=conversation_of(3)) as (stage, may_open):
        while "Question 2" not in stage.text():
            await stage.settle()
        assert not stage.app.begun.is_set()
        await stage.press("h", "i")
        may_open.set()
        await stage.app.begun.wait()
        await stage.settle()
        assert stage.chat.composer.written == "hi"
        assert "Question 2" in stage.text()
        assert stage.chat.transcript.turn_count == 3


async def test_a_mistake_of_ours_while_opening_ends_the_app(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = acted_app(tmp_path)

    def broken() -> None:
        raise LookupError("a mistake")

    monkeypatch.setattr(app.workspace, "prepare", broken)
    await app.run_async(headless=True, size=(80, 24))
    assert isinstance(app.bug, LookupError)
    assert app.return_code == 1
