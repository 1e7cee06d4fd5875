"""Which path is shown when a turn is wanted."""

import pytest
from support.plain_turns import completed, failed

from chatui.core.errors import StoreError
from chatui.history.sqlite_history import SqliteHistory


@pytest.fixture
def history() -> SqliteHistory:
    opened = SqliteHistory.in_memory()
    for name, parent in (("a", None), ("b", "a"), ("c", "b"), ("x", "a"), ("y", "x"), ("z", "x")):
        opened.commit("tree", completed(name, parent=parent))
    opened.show("tree", "c")
    return opened


def test_a_turn_on_the_shown_path_leaves_the_path_as_it_is(history: SqliteHistory) -> None:
    branch = history.branch_of("tree", "a")
    assert (branch.head, branch.turns_below) == ("c", 2)


def test_a_turn_of_another_branch_is_shown_where_that_branch_was_left(history: SqliteHistory) -> None:
    branch = history.branch_of("tree", "x")
    assert (branch.head, branch.turns_below) == ("z", 1)
    loaded = history.load("tree", last=1, head=branch.head)
    assert [turn.turn_id for turn in loaded.turns] == ["y", "z"]
    assert loaded.earlier_turns == 2
    assert history.load("tree").head == "c", "looking changes nothing"


def test_an_unknown_turn_is_named(history: SqliteHistory) -> None:
    with pytest.raises(StoreError, match="No turn 'q'"):
        history.branch_of("tree", "q")


def test_an_unfinished_turn_stands_beside_the_path_of_the_turn_before_it(history: SqliteHistory) -> None:
    history.save_unfinished("tree", failed("cut", parent="x"))
    history.save_unfinished("tree", failed("first"))
    history.save_unfinished("alone", failed("only"))
    assert history.branch_of("tree", "cut") == history.branch_of("tree", "x")
    branch = history.branch_of("tree", "first")
    assert (branch.head, branch.turns_below) == ("c", 3)
    branch = history.branch_of("alone", "only")
    assert (branch.head, branch.turns_below) == (None, 0)


@pytest.mark.parametrize("wanted", ["a", "y"])
def test_links_in_a_circle_are_followed_once(history: SqliteHistory, wanted: str) -> None:
    with history._database.writing() as connection:
        connection.execute("UPDATE turns SET parent_id = 'c' WHERE turn_id IN ('b', 'x')")
        connection.execute("UPDATE turns SET parent_id = 'z' WHERE turn_id = 'x'")
    assert history.branch_of("tree", wanted).head is not None
