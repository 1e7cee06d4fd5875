"""A cell of the file that holds another type than it should is told as damage, and hides nothing else."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from support.plain_turns import completed, failed

from chatui.core.errors import StoreError
from chatui.core.turn import TurnId
from chatui.history.check import check
from chatui.history.repair import repair
from chatui.history.sqlite_history import SqliteHistory

FLIPPED = (b"\xff\x00", "text", 1.5, b"t1")
TURN_COLUMNS = ("turn_id", "parent_id", "depth", "committed_at_epoch_s", "size_bytes", "extra", "payload")
CONVERSATION_COLUMNS = (
    "title",
    "is_title_chosen",
    "first_words",
    "provider",
    "model",
    "tags",
    "created_at_epoch_s",
    "updated_at_epoch_s",
    "turn_count",
    "unfinished_count",
    "size_bytes",
    "is_pinned",
    "is_archived",
    "head_turn_id",
    "forked_from",
    "source",
    "filter_text",
    "system",
    "extra",
    "sent_from_turn_id",
)
UNFINISHED_COLUMNS = ("turn_id", "owner", "is_running", "updated_at_epoch_s", "payload")
CELLS = (
    [("turns", column) for column in TURN_COLUMNS]
    + [("conversations", column) for column in CONVERSATION_COLUMNS]
    + [("unfinished", column) for column in UNFINISHED_COLUMNS]
)


def flipped(path: Path, table: str, column: str, value: object) -> SqliteHistory:
    history = SqliteHistory.open(path)
    parent = None
    for index in range(4):
        history.commit("c", completed(f"t{index}", f"prompt {index}", parent=parent))
        parent = f"t{index}"
    history.save_unfinished("c", failed("cut", parent="t3"))
    history.commit("other", completed("o", "elsewhere"))
    which = {
        "turns": "turn_id = 't1'",
        "conversations": "conversation_id = 'c'",
        "unfinished": "turn_id = 'cut'",
    }[table]
    with history._database.alone() as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE {which}", (value,))
        connection.commit()
        connection.execute("PRAGMA foreign_keys = ON")
    return history


def uses(history: SqliteHistory) -> dict[str, Callable[[], object]]:
    """Everything that reads the conversation."""
    last = TurnId("t3")
    return {
        "load": lambda: history.load("c"),
        "page": lambda: history.load("c", last=2),
        "load_before": lambda: history.load_before(history.load("c", last=1), 2),
        "whole": lambda: history.load_before(history.load("c", last=1)),
        "pages.before": lambda: history.pages.before("c", last, 10),
        "pages.read": lambda: history.pages.read("c", [TurnId("t2"), last]),
        "pages.kept": lambda: history.pages.kept("c", [TurnId("t2"), last]),
        "pages.size": lambda: history.pages.size_bytes_before("c", last),
        "branch": lambda: history.branch_of("c", TurnId("t2")),
        "branch of unfinished": lambda: history.branch_of("c", TurnId("cut")),
        "summary": lambda: history.catalog.summary("c"),
        "latest": history.latest,
        "list": lambda: history.list(query="prompt"),
        "export": lambda: [history.portables.export(["c"], name) for name in ("json", "markdown", "html")],
        "search": lambda: [history.search(words) for words in ("prompt", "Hi.", '"mpt 2"', "p")],
        "fork": lambda: history.fork("c", last),
        "show": lambda: history.show("c", last),
        "commit": lambda: history.commit("c", completed("next", parent="t3")),
        "rename": lambda: history.catalog.rename("c", "new"),
        "recover": history.recover,
    }


@pytest.mark.parametrize("value", FLIPPED, ids=repr)
@pytest.mark.parametrize(("table", "column"), CELLS)
def test_a_cell_of_another_type_hides_nothing_else(
    table: str, column: str, value: object, tmp_path: Path
) -> None:
    path = tmp_path / "history.db"
    history = flipped(path, table, column, value)
    for use in uses(history).values():
        with suppress(StoreError):
            use()
    assert "other" in [summary.conversation_id for summary in history.list()]
    assert history.load("other").path() == (completed("o", "elsewhere"),)
    assert [match.turn_id for match in history.search("elsewhere").matches] == ["o"]
    history.close()
    check(path)
    check(path, is_quick=True)
    with suppress(StoreError):
        repair(path)
    again = SqliteHistory.open(path)
    assert again.load("other").path() == (completed("o", "elsewhere"),)
    again.close()


@pytest.mark.parametrize(
    ("column", "value"),
    [("parent_id", b"\xff\x00"), ("parent_id", b"t1"), *(("depth", value) for value in FLIPPED)],
    ids=repr,
)
def test_a_turn_whose_place_is_damaged_is_told_and_all_turns_are_read(
    column: str, value: object, tmp_path: Path
) -> None:
    path = tmp_path / "history.db"
    history = flipped(path, "turns", column, value)
    names = ["t0", "t1", "t2", "t3"]
    whole = history.load("c")
    assert [turn.turn_id for turn in whole.path()] == names
    assert whole.problems == ("The place of turn t1 is damaged in the history",)
    page = history.load("c", last=1)
    assert page.earlier_turns == 3
    longer = history.load_before(page, 10)
    assert [turn.turn_id for turn in longer.path()] == names
    assert longer.earlier_turns == 0
    assert longer.problems == whole.problems
    assert [outline.turn_id for outline in history.pages.before("c", TurnId("t3"), 10)[0]] == names
    history.close()
    assert "The place of turn t1 of conversation c is damaged" in check(path).problems
