"""A copy of a long conversation is made in pieces, and is there when it is whole."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.plain_turns import completed

from chatui.core.errors import StoreError
from chatui.core.turn import Turn, TurnId
from chatui.history import forking
from chatui.history.sqlite_history import FORK_TURNS, SqliteHistory

TURNS = 12


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SqliteHistory:
    monkeypatch.setattr(forking, "COPIED_AT_ONCE", 5)
    opened = SqliteHistory.open(tmp_path / "history.db")
    for index in range(TURNS):
        opened.commit("c", completed(f"t{index}", parent=f"t{index - 1}" if index else None))
    opened.commit("c", completed("other", parent="t3"))
    return opened


def watched(history: SqliteHistory, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What others see in the list each time that turns were copied."""
    seen: list[list[str]] = []
    known = history.forking._turns.copy_in

    def copy_in(connection: sqlite3.Connection, number: int, turns: Sequence[Turn]) -> None:
        known(connection, number, turns)
        other = SqliteHistory.open_read_only(Path(history.name))
        seen.append([found.conversation_id for found in other.list()])
        other.close()

    monkeypatch.setattr(history.forking._turns, "copy_in", copy_in)
    return seen


def test_a_long_copy_is_seen_by_nobody_before_it_is_whole(
    history: SqliteHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = watched(history, monkeypatch)
    fork = history.fork("c", TurnId("t11"))
    assert seen == [["c"]] * 3
    whole = history.load(fork.conversation_id)
    assert [turn.turn_id for turn in whole.path()] == [f"t{index}" for index in range(TURNS)]
    assert len(whole.turns) == TURNS, "alternatives stay behind"
    assert fork.path() == whole.path()[-FORK_TURNS:]
    summary = history.catalog.summary(fork.conversation_id)
    original = history.catalog.summary("c")
    assert summary is not None
    assert original is not None
    assert (summary.turn_count, summary.title) == (TURNS, original.title)
    assert summary.first_words == original.first_words
    assert len(history.search("hello", conversation_id=fork.conversation_id).matches) == TURNS


def test_a_copy_that_fails_half_way_leaves_nothing(
    history: SqliteHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = history.forking._turns.copy_in
    calls: list[int] = []

    def copy_in(connection: sqlite3.Connection, number: int, turns: Sequence[Turn]) -> None:
        calls.append(number)
        if len(calls) == 2:
            raise sqlite3.OperationalError("database or disk is full")
        known(connection, number, turns)

    monkeypatch.setattr(history.forking._turns, "copy_in", copy_in)
    with pytest.raises(StoreError, match="full"):
        history.fork("c", TurnId("t11"))
    with history._database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM conversations").fetchone() == (1,)
        assert connection.execute("SELECT count(*) FROM turns").fetchone() == (TURNS + 1,)
