import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.plain_turns import completed, failed

from chatui.core.errors import StoreError
from chatui.history.catalog import DELETED_KEPT_S
from chatui.history.sqlite_history import SqliteHistory


class Now:
    def __init__(self) -> None:
        self.at = 1_700_000_000.0

    def __call__(self) -> float:
        self.at += 1
        return self.at


@pytest.fixture
def now() -> Now:
    return Now()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "history.db"


@pytest.fixture
def history(path: Path, now: Now) -> Iterator[SqliteHistory]:
    opened = SqliteHistory.open(path, now)
    opened.commit("apples", completed("a1", "How do apples grow?"))
    opened.commit("pears", completed("p1", "Wie wachsen Birnen in Österreich?"))
    opened.commit("plums", completed("l1", "梅はどう育ちますか"))
    yield opened
    opened.close()


def ids(history: SqliteHistory, **how: object) -> list[str]:
    return [summary.conversation_id for summary in history.catalog.list(**how)]  # type: ignore[arg-type]


def test_the_newest_is_first_and_pinned_ones_before_it(history: SqliteHistory) -> None:
    assert ids(history) == ["plums", "pears", "apples"]
    history.commit("apples", completed("a2", parent="a1"))
    assert ids(history) == ["apples", "plums", "pears"]
    history.catalog.pin("pears")
    assert ids(history) == ["pears", "apples", "plums"]
    assert history.latest() == "apples"
    history.catalog.pin("pears", False)
    assert ids(history) == ["apples", "plums", "pears"]


def test_a_page_of_the_list_follows_another(history: SqliteHistory) -> None:
    assert ids(history, limit=2) == ["plums", "pears"]
    assert ids(history, limit=2, offset=2) == ["apples"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("apples", ["apples"]),
        ("APPL grow", ["apples"]),
        ("öster", ["pears"]),
        ("ÖSTERREICH", ["pears"]),
        ("育ち", ["plums"]),
        ("model-1", ["plums", "pears", "apples"]),
        ("example", ["plums", "pears", "apples"]),
        ("apples pears", []),
        ("%", []),
        ("", ["plums", "pears", "apples"]),
    ],
)
def test_the_filter_finds_titles_first_words_models_and_providers(
    history: SqliteHistory, query: str, expected: list[str]
) -> None:
    assert ids(history, query=query) == expected


def test_a_title_comes_from_the_first_prompt_until_a_person_gives_one(history: SqliteHistory) -> None:
    assert history.catalog.summary("apples").title == "How do apples grow?"  # type: ignore[union-attr]
    history.catalog.suggest_title("apples", "Growing apples")
    history.catalog.rename("apples", "  My\n orchard ")
    history.catalog.suggest_title("apples", "Something else")
    summary = history.catalog.summary("apples")
    assert summary is not None
    assert (summary.title, summary.is_title_chosen) == ("My orchard", True)
    assert ids(history, query="orchard") == ["apples"]
    history.catalog.rename("apples", "")
    assert history.catalog.summary("apples").title == "How do apples grow?"  # type: ignore[union-attr]


def test_renaming_to_the_same_name_changes_nothing(history: SqliteHistory) -> None:
    history.catalog.rename("apples", "Orchard")
    before = history.list()
    history.catalog.rename("apples", "Orchard")
    assert history.list() == before


def test_tags_are_words_and_can_be_filtered_by(history: SqliteHistory) -> None:
    history.catalog.tag("apples", ["#fruit", "two words"])
    assert history.catalog.summary("apples").tags == ("fruit", "two", "words")  # type: ignore[union-attr]
    assert ids(history, query="#fruit") == ["apples"]
    history.catalog.tag("apples", [])
    assert ids(history, query="#fruit") == []


def test_archived_conversations_leave_the_list_and_come_back(history: SqliteHistory) -> None:
    history.catalog.archive("plums")
    assert ids(history) == ["pears", "apples"]
    assert ids(history, is_archived=True) == ["plums"]
    assert history.latest() == "pears"
    history.catalog.archive("plums", False)
    assert ids(history) == ["plums", "pears", "apples"]


def test_a_deletion_can_be_undone_for_a_day_and_is_final_then(history: SqliteHistory, now: Now) -> None:
    history.catalog.delete("plums")
    assert ids(history) == ["pears", "apples"]
    assert ids(history, is_deleted=True) == ["plums"]
    assert history.catalog.count() == 2
    assert history.removal.purge() == 0
    history.catalog.undelete("plums")
    assert ids(history) == ["plums", "pears", "apples"]
    history.catalog.delete("plums")
    now.at += DELETED_KEPT_S + 10
    assert history.removal.purge() == 1
    with pytest.raises(StoreError):
        history.load("plums")
    assert history.search("育ち").matches == ()
    assert history.search("apples").matches


def test_a_conversation_that_goes_on_after_its_deletion_comes_back_whole(history: SqliteHistory) -> None:
    history.catalog.delete("plums")
    history.commit("plums", completed("l2", parent="l1"))
    assert ids(history)[0] == "plums"
    history.catalog.delete("plums")
    history.save_unfinished("plums", failed("l3", parent="l2"))
    assert ids(history)[0] == "plums"
    assert len(history.load("plums").path()) == 2


def test_nothing_is_removed_because_it_is_old(history: SqliteHistory, now: Now) -> None:
    now.at += 10 * 365 * 86400
    assert history.removal.purge() == 0
    assert len(ids(history)) == 3


def test_an_id_may_be_cut_short_while_it_is_the_only_one(history: SqliteHistory) -> None:
    assert history.catalog.resolve("a") == "apples"
    assert history.catalog.resolve("apples") == "apples"
    with pytest.raises(StoreError, match="Several"):
        history.catalog.resolve("p")
    for unknown in ("x", "", "apples2"):
        with pytest.raises(StoreError, match="No conversation"):
            history.catalog.resolve(unknown)


def test_an_unknown_conversation_is_named(history: SqliteHistory) -> None:
    changes: list[Callable[[], None]] = [
        lambda: history.catalog.rename("nobody", "x"),
        lambda: history.catalog.delete("nobody"),
        lambda: history.catalog.pin("nobody"),
        lambda: history.removal.remove("nobody"),
    ]
    for change in changes:
        with pytest.raises(StoreError, match="nobody"):
            change()


def everything_on_disk(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(path.parent.glob("history.db*")) if file.is_file())


def test_what_is_removed_leaves_no_trace(history: SqliteHistory, path: Path) -> None:
    secret = "xylophone quetzal"
    history.commit("secret", completed("s", secret, f"answer with {secret}"))
    history.drafts.save("secret", secret)
    history.drafts.stash("secret", secret)
    history.save_unfinished("secret", failed("cut", answer=secret))
    assert b"quetzal" in everything_on_disk(path)
    history.removal.remove("secret")
    assert b"quetzal" not in everything_on_disk(path)
    assert b"xylophon" not in everything_on_disk(path)
    assert ids(history) == ["plums", "pears", "apples"]
    assert history.search("apples").matches


def test_deleting_everything_leaves_nothing(history: SqliteHistory, path: Path) -> None:
    history.drafts.save("new", "quetzal draft")
    history.drafts.stash("new", "quetzal stash")
    assert history.removal.remove_all() == 3
    assert b"quetzal" not in everything_on_disk(path)
    assert b"apples" not in everything_on_disk(path)
    assert history.list() == ()
    assert history.drafts.stashed() == ()
    history.commit("again", completed("x", "apples again"))
    assert [match.conversation_id for match in history.search("apples").matches] == ["again"]


def test_removal_says_so_when_another_program_keeps_traces_alive(history: SqliteHistory, path: Path) -> None:
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM turns").fetchone()
    with pytest.raises(StoreError, match="-wal"):
        history.removal.remove_all()
    reader.close()


# Drafts


def test_a_draft_belongs_to_its_conversation_also_before_the_first_turn(
    history: SqliteHistory, path: Path
) -> None:
    history.drafts.save("new-one", "half a th\ud83dought\x00")
    history.drafts.save("apples", "other")
    history.close()
    again = SqliteHistory.open(path)
    assert again.drafts.load("new-one") == "half a th\ud83dought\x00"
    assert again.drafts.without_conversation() == ("new-one", "half a th\ud83dought\x00")
    again.drafts.save("new-one", "")
    assert again.drafts.load("new-one") == ""
    assert again.drafts.without_conversation() is None
    assert again.drafts.load("apples") == "other"
    again.close()


def test_stashed_prompts_come_back_newest_first_and_once(history: SqliteHistory) -> None:
    for text in ("one", "two", "one", "  "):
        history.drafts.stash("apples", text)
    assert [stashed.text for stashed in history.drafts.stashed()] == ["one", "two"]
    popped = history.drafts.pop()
    assert popped is not None
    assert popped.text == "one"
    assert [stashed.text for stashed in history.drafts.stashed()] == ["two"]
    history.drafts.pop()
    assert history.drafts.pop() is None


def test_after_the_clock_was_put_back_the_conversation_used_last_is_still_gone_on_with() -> None:
    now = Now()
    history = SqliteHistory.in_memory(now=now)
    now.at = 2_000_000_000.0
    history.commit("future", completed("a"))
    assert history.latest() == "future"
    now.at = 1_700_000_000.0
    assert history.latest() == "future", "it was the last one all the same"
    history.commit("today", completed("a"))
    assert history.latest() == "today"
    history.commit("future", completed("b", parent="a"))
    now.at += 60
    history.commit("today", completed("b", parent="a"))
    assert [found.conversation_id for found in history.list()] == ["today", "future"], "a wrong time heals"
