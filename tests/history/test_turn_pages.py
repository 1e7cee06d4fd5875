"""Pieces of a long conversation, read without reading all of it."""

import re

import pytest
from support.plain_turns import completed, failed

from chatui.core.turn import TurnId
from chatui.history import turn_pages
from chatui.history.owners import Owners
from chatui.history.sqlite_history import SqliteHistory
from chatui.history.turn_pages import TurnPages


@pytest.fixture
def pages() -> TurnPages:
    history = SqliteHistory.in_memory()
    for name, parent in (("a", None), ("b", "a"), ("c", "b"), ("x", "a"), ("d", "c"), ("e", "d")):
        history.commit("tree", completed(name, parent=parent))
    history.commit("other", completed("a"))
    history.save_unfinished("tree", failed("cut", parent="e"))
    return history.pages


def ids(*names: str) -> list[TurnId]:
    return [TurnId(name) for name in names]


def test_names_come_in_the_order_of_the_path_with_the_number_of_those_before(pages: TurnPages) -> None:
    found, earlier = pages.before("tree", TurnId("d"), 2)
    assert [(outline.turn_id, outline.parent_id) for outline in found] == [("c", "b"), ("d", "c")]
    assert all(outline.size_bytes > 50 for outline in found)
    assert earlier == 2
    found, earlier = pages.before("tree", found[0].parent_id, 9)
    assert [outline.turn_id for outline in found] == ["a", "b"]
    assert earlier == 0


def test_nothing_comes_before_the_root_and_nothing_of_what_is_unknown(pages: TurnPages) -> None:
    assert pages.before("tree", None, 9) == ((), 0)
    assert pages.before("tree", TurnId("q"), 9) == ((), 0)
    assert pages.before("gone", TurnId("a"), 9) == ((), 0)


def test_a_path_that_runs_in_a_circle_ends(pages: TurnPages) -> None:
    with pages._database.writing() as connection:
        connection.execute("UPDATE turns SET parent_id = 'd' WHERE turn_id = 'a' AND conversation = 1")
    found, _ = pages.before("tree", TurnId("d"), 99)
    assert [outline.turn_id for outline in found] == ["a", "b", "c", "d"]
    assert pages.size_bytes_before("tree", TurnId("d")) > 0


def test_turns_are_read_by_name_with_their_alternatives(pages: TurnPages) -> None:
    page = pages.read("tree", ids("b", "e", "gone", "cut"))
    assert [turn.turn_id for turn in page.turns] == ["b", "x", "e"]
    assert page.places() == {"b": (1, 2), "x": (2, 2)}
    assert page.turn(TurnId("e")) == completed("e", parent="d")
    assert pages.read("gone", ids("a")).turns == ()


def test_a_damaged_turn_stands_in_its_place(pages: TurnPages) -> None:
    with pages._database.writing() as connection:
        connection.execute("UPDATE turns SET payload = '{' WHERE turn_id = 'b'")
    page = pages.read("tree", ids("b", "c"))
    damaged = page.turn(TurnId("b"))
    assert damaged is not None
    assert damaged.failure is not None
    assert page.turn(TurnId("c")) == completed("c", parent="b")


def test_only_what_can_be_read_again_is_kept(pages: TurnPages) -> None:
    assert pages.kept("tree", ids("a", "x", "cut", "gone")) == set(ids("a", "x"))
    assert pages.kept("gone", ids("a")) == set()


def test_turns_are_asked_by_their_folded_json() -> None:
    history = SqliteHistory.in_memory()
    history.commit("tree", completed("a", answer="An ÄPFEL\nand half a pair \ud83d"))
    history.commit("tree", completed("b", parent="a", answer="nothing of that"))
    history.commit("other", completed("c", answer="äpfel"))
    assert history.pages.holding("tree", re.compile(r"äpfel\\nand")) == {"a"}
    assert history.pages.holding("tree", re.compile("pair \ud83d")) == {"a"}
    assert history.pages.holding("tree", re.compile("n"), among=ids("b", "gone")) == {"b"}
    assert history.pages.holding("tree", re.compile("n"), among=()) == set()
    assert history.pages.holding("gone", re.compile("n")) == set()


@pytest.mark.parametrize("payload", ["x'ff00fe'", "5", "'{'"])
def test_a_damaged_turn_keeps_no_other_from_being_found(pages: TurnPages, payload: str) -> None:
    with pages._database.writing() as connection:
        connection.execute(f"UPDATE turns SET payload = {payload} WHERE turn_id = 'b'")
    assert pages.holding("tree", re.compile("turn_id|parts")) >= set(ids("a", "c"))
    assert [turn.turn_id for turn in pages.read("tree", ids("a", "b", "c")).turns] == ids("a", "b", "c", "x")


def test_the_size_of_a_path_is_that_of_its_turns(pages: TurnPages) -> None:
    sizes = [outline.size_bytes for outline in pages.before("tree", TurnId("c"), 9)[0]]
    assert pages.size_bytes_before("tree", TurnId("c")) == sum(sizes)
    assert pages.size_bytes_before("tree", None) == 0


def test_very_many_names_are_found_in_one_look_as_they_are_in_many(
    pages: TurnPages, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_by_one = [pages.before("tree", TurnId("e"), count) for count in (2, 5, 9)]
    nothing = pages.before("tree", TurnId("nobody"), 2)
    monkeypatch.setattr(turn_pages, "MANY_TURNS", 2)
    statements: list[str] = []
    pages._database._connection.set_trace_callback(statements.append)
    assert [pages.before("tree", TurnId("e"), count) for count in (2, 5, 9)] == one_by_one
    assert len(statements) == 6, "a conversation and its links, each time"
    assert pages.before("tree", TurnId("nobody"), 2) == nothing
    with pages._database.writing() as connection:
        connection.execute("UPDATE turns SET parent_id = 'e' WHERE turn_id = 'a' AND conversation = 1")
    assert len(pages.before("tree", TurnId("e"), 9)[0]) == 5, "a circle is followed once"


def test_names_without_sizes_are_those_of_the_path_and_the_first_have_their_size(
    pages: TurnPages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_pages, "FIRST_SIZED", 2)
    path, _ = pages.before("tree", TurnId("e"), 9)
    named = pages.named("tree", TurnId("e"), 7)
    assert named is not None
    assert named[:2] == path[:2]
    assert [(outline.turn_id, outline.parent_id) for outline in named] == [
        (outline.turn_id, outline.parent_id) for outline in path
    ]
    assert {outline.size_bytes for outline in named[2:]} == {7}
    sizes = pages.sizes("tree")
    assert [sizes[outline.turn_id] for outline in path] == [outline.size_bytes for outline in path]
    assert pages.named("tree", None, 7) == ()
    assert pages.named("tree", TurnId("nobody"), 7) is None


@pytest.mark.parametrize("parent", ["'e'", "'gone'", "x'61'"])
def test_damaged_links_give_no_names_without_sizes(pages: TurnPages, parent: str) -> None:
    pages._database._connection.execute("PRAGMA foreign_keys = OFF")
    with pages._database.writing() as connection:
        connection.execute(f"UPDATE turns SET parent_id = {parent} WHERE turn_id = 'a' AND conversation = 1")
    assert pages.named("tree", TurnId("e"), 7) is None


def test_a_path_is_walked_back_through_what_is_loaded_and_then_through_pages(
    pages: TurnPages, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = SqliteHistory(pages._database, Owners(None), lambda: 1.0)
    loaded = history.load("tree", last=2)
    monkeypatch.setattr(turn_pages, "PAGE_TURNS", 2)
    assert [turn.turn_id for turn in pages.back(loaded, TurnId("e"))] == ids("e", "d", "c", "b", "a")
    assert [turn.turn_id for turn in pages.back(loaded, TurnId("x"))] == ids("x", "a")
    reads: list[str] = []
    monkeypatch.setattr(pages, "read", lambda *asked: reads.append(str(asked)))
    assert next(pages.back(loaded, TurnId("e"))).turn_id == "e"
    assert reads == []


def test_the_size_of_a_long_path_is_added_up_in_pieces_also_where_its_links_lead_in_a_circle(
    pages: TurnPages, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = pages.size_bytes_before("tree", TurnId("e"))
    monkeypatch.setattr(turn_pages, "SIZES_AT_ONCE", 2)
    assert pages.size_bytes_before("tree", TurnId("e")) == whole
    with pages._database.writing() as connection:
        connection.execute("UPDATE turns SET parent_id = 'e' WHERE turn_id = 'a' AND conversation = 1")
    assert pages.size_bytes_before("tree", TurnId("e")) == whole
