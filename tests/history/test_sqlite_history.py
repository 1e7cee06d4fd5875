import os
import sqlite3
import stat
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.plain_turns import completed, failed, receiving
from support.turn_samples import TURNS

from chatui.core.conversation import is_history
from chatui.core.errors import FailureReason, ProgrammingError, StoreBusy, StoreError
from chatui.core.messages import TextPart, ToolCallPart, ToolCallState
from chatui.core.send_plan import plan_messages
from chatui.core.turn import Choice, Phase, Turn, TurnId
from chatui.history.sqlite_history import SqliteHistory


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "history.db"


@pytest.fixture
def history(path: Path) -> Iterator[SqliteHistory]:
    opened = SqliteHistory.open(path)
    yield opened
    opened.close()


def ids(turns: tuple[Turn, ...]) -> str:
    return " ".join(turn.turn_id for turn in turns)


def grow(history: SqliteHistory, conversation_id: str, count: int) -> None:
    parent = None
    for index in range(count):
        history.commit(conversation_id, completed(f"t{index}", f"prompt {index}", parent=parent))
        parent = f"t{index}"


def test_a_completed_turn_is_there_after_reopening(path: Path) -> None:
    history = SqliteHistory.open(path)
    conversation = history.new_conversation(system="Be brief")
    history.keep(conversation)
    history.commit(conversation.conversation_id, completed("a"))
    history.close()
    again = SqliteHistory.open(path)
    loaded = again.load(again.latest() or "")
    assert loaded.path() == (completed("a"),)
    assert loaded.system == "Be brief"
    again.close()


def test_the_file_and_its_companions_belong_to_their_owner_only(history: SqliteHistory, path: Path) -> None:
    history.commit("c", completed("a"))
    history.save_unfinished("c", receiving("b"))
    for file in path.parent.rglob("*"):
        assert not stat.S_IMODE(file.stat().st_mode) & 0o077, file
    history.close()
    path.chmod(0o644)
    SqliteHistory.open(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_nothing_is_left_beside_the_file_after_closing(history: SqliteHistory, path: Path) -> None:
    history.save_unfinished("c", receiving("b"))
    history.close()
    assert os.listdir(path.parent) == ["history.db"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(st.lists(TURNS, min_size=1, max_size=3, unique_by=lambda turn: turn.turn_id))
def test_everything_the_wire_told_is_kept(turns: list[Turn]) -> None:
    history = SqliteHistory.in_memory()
    kept = []
    for turn in turns:
        if not is_history(turn):
            turn = replace(turn, phase=Phase.COMPLETED)
        history.commit("c", turn)
        kept.append(turn)
    assert history.load("c").turns == tuple(kept)
    assert all("missing" in problem for problem in history.load("c").problems)


def test_a_commit_waits_for_the_disk(history: SqliteHistory) -> None:
    history.save_unfinished("c", receiving("a"))
    history.save_unfinished("c", receiving("a", answer="so"))
    with history._database.reading() as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (1,)
        history.commit("c", completed("a"))
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)


def test_only_completed_and_accepted_turns_become_history(history: SqliteHistory) -> None:
    for unfinished in (failed("a"), receiving("b")):
        with pytest.raises(ProgrammingError):
            history.commit("c", unfinished)
    history.commit("c", replace(failed("a"), is_accepted_cut=True))
    assert history.load("c").path()[0].is_accepted_cut


def test_committing_twice_stores_once(history: SqliteHistory) -> None:
    history.commit("c", completed("a"))
    history.commit("c", completed("a"))
    assert ids(history.load("c").turns) == "a"
    assert history.list()[0].turn_count == 1


def test_a_regenerated_answer_and_an_edited_prompt_stand_beside_the_old_ones(history: SqliteHistory) -> None:
    history.commit("c", completed("a"))
    history.commit("c", completed("b", parent="a"))
    history.commit("c", completed("b2", parent="a"))
    loaded = history.load("c")
    assert ids(loaded.path()) == "a b2"
    assert ids(loaded.siblings(TurnId("b2"))) == "b b2"
    history.show("c", TurnId("b"))
    assert ids(history.load("c").path()) == "a b"
    with pytest.raises(StoreError):
        history.show("c", TurnId("nobody"))


def test_a_fork_shares_the_beginning_and_leaves_the_old_conversation_alone(history: SqliteHistory) -> None:
    grow(history, "c", 4)
    fork = history.fork("c", TurnId("t1"))
    assert ids(fork.path()) == "t0 t1"
    history.commit(fork.conversation_id, completed("other", parent="t1"))
    assert ids(history.load("c").path()) == "t0 t1 t2 t3"
    assert ids(history.load(fork.conversation_id).path()) == "t0 t1 other"
    with pytest.raises(StoreError):
        history.fork("c", TurnId("nobody"))


def test_the_end_of_a_long_conversation_is_read_without_the_rest(history: SqliteHistory) -> None:
    grow(history, "c", 30)
    history.commit("c", completed("t28b", parent="t27"))
    history.show("c", TurnId("t29"))
    tail = history.load("c", last=5)
    assert ids(tail.path()) == "t25 t26 t27 t28 t29"
    assert tail.earlier_turns == 25
    assert ids(tail.siblings(TurnId("t28"))) == "t28 t28b"
    more = history.load_before(tail, 10)
    assert len(more.path()) == 15
    assert more.earlier_turns == 15
    whole = history.load_before(more)
    assert whole.path() == history.load("c").path()
    assert whole.turns == history.load("c").turns
    assert whole.earlier_turns == 0


def test_what_is_not_sent_any_more_is_remembered_with_the_conversation(path: Path) -> None:
    history = SqliteHistory.open(path)
    grow(history, "c", 6)
    history.send_from("c", TurnId("t3"))
    history.close()
    history = SqliteHistory.open(path)
    loaded = history.load("c")
    assert (loaded.sent_from, loaded.left_out(loaded.path())) == ("t3", 3)
    assert history.fork("c", TurnId("t4")).sent_from == "t3"
    assert history.fork("c", TurnId("t1")).sent_from is None, "nothing of it was left out"
    history.send_from("c", None)
    assert history.load("c").sent_from is None
    with pytest.raises(StoreError, match="nobody"):
        history.send_from("c", TurnId("nobody"))
    history.send_from("temporary-1", TurnId("t3"))
    history.close()


def test_what_is_not_sent_is_known_of_a_long_conversation_of_which_only_the_end_is_read(
    history: SqliteHistory,
) -> None:
    grow(history, "c", 30)
    history.commit("c", completed("t5b", parent="t4"))
    history.show("c", TurnId("t29"))
    history.send_from("c", TurnId("t3"))
    assert history.load("c", last=5).sent_from == "t3"
    assert history.load("c", last=5).not_sent() is None, "how many is not known before they are read"
    history.send_from("c", TurnId("t27"))
    assert history.load("c", last=5).not_sent() == 27
    history.send_from("c", TurnId("t5b"))
    assert history.load("c", last=5).not_sent() == 0, "it stands on another branch"
    assert history.load("c").sent_from == "t5b", "where it counts again when that branch is shown"
    assert history.load("c", last=1, head=TurnId("t5b")).not_sent() == 5


def test_a_page_that_reaches_the_root_has_nothing_before_it(history: SqliteHistory) -> None:
    grow(history, "c", 5)
    for last in (5, 50):
        assert history.load("c", last=last).earlier_turns == 0
    assert history.load_before(history.load("c", last=2), 3).earlier_turns == 0


def test_a_turn_whose_parent_is_missing_is_shown_with_what_follows(history: SqliteHistory) -> None:
    history.commit("c", completed("b", parent="lost"))
    history.commit("c", completed("d", parent="b"))
    loaded = history.load("c")
    assert ids(loaded.path()) == "b d"
    assert loaded.path()[0].parent_id == "lost"
    assert loaded.problems == ("The turns before turn b are missing",)
    assert history.load("c", last=50).path() == loaded.path()
    assert history.load("c", last=50).problems == loaded.problems
    assert history.load("c", last=1).problems == ()


@pytest.mark.parametrize("damaged", ["t0", "t1", "t2"])
def test_a_damaged_turn_is_named_in_its_place_and_the_others_are_shown(
    history: SqliteHistory, path: Path, damaged: str
) -> None:
    grow(history, "c", 3)
    with sqlite3.connect(path) as plain:
        plain.execute("UPDATE turns SET payload = '{broken' WHERE turn_id = ?", (damaged,))
    for loaded in (history.load("c"), history.load("c", last=50)):
        assert ids(loaded.path()) == "t0 t1 t2"
        assert f"Turn {damaged} cannot be read" in loaded.problems[0]
        (shown,) = (turn for turn in loaded.path() if turn.turn_id == damaged)
        assert shown.failure is not None
        assert "damaged" in shown.failure.message
        plan = plan_messages(loaded.path(), ())
        assert len(plan.messages) == 4
        assert plan.omissions[0].turn_id == damaged


def test_a_conversation_whose_last_turn_is_missing_shows_the_newest_one(
    history: SqliteHistory, path: Path
) -> None:
    grow(history, "c", 3)
    with sqlite3.connect(path) as plain:
        plain.execute("UPDATE conversations SET head_turn_id = 'lost'")
    for loaded in (history.load("c"), history.load("c", last=2)):
        assert loaded.path()[-1].turn_id == "t2"
        assert "lost" in loaded.problems[0]


def test_an_unknown_conversation_is_an_error_that_names_the_file(history: SqliteHistory, path: Path) -> None:
    with pytest.raises(StoreError, match=str(path)):
        history.load("nobody")


# Unfinished turns


def test_a_failed_turn_is_kept_beside_the_history_and_never_counted(history: SqliteHistory) -> None:
    history.commit("c", completed("a"))
    history.save_unfinished("c", failed("b", parent="a"))
    loaded = history.load("c")
    assert ids(loaded.path()) == "a"
    assert loaded.unfinished == (failed("b", parent="a"),)
    assert (history.list()[0].turn_count, history.list()[0].unfinished_count) == (1, 1)
    history.discard_unfinished("c", TurnId("b"))
    history.discard_unfinished("c", TurnId("b"))
    assert history.load("c").unfinished == ()
    assert history.list()[0].unfinished_count == 0


def test_a_first_turn_that_failed_can_be_found_again(history: SqliteHistory) -> None:
    history.save_unfinished("c", failed("a"))
    assert history.latest() == "c"
    assert history.list()[0].title == "Hello"
    assert history.load("c").unfinished == (failed("a"),)


def test_several_unfinished_turns_may_stand_side_by_side(history: SqliteHistory) -> None:
    history.save_unfinished("c", failed("a"))
    history.save_unfinished("c", failed("b", FailureReason.LENGTH))
    assert ids(history.load("c").unfinished) == "a b"


def test_accepting_an_unfinished_turn_makes_it_history_marked_for_ever(history: SqliteHistory) -> None:
    history.save_unfinished("c", failed("a", FailureReason.LENGTH))
    (cut,) = history.load("c").unfinished
    history.commit("c", replace(cut, is_accepted_cut=True))
    loaded = history.load("c")
    assert loaded.unfinished == ()
    assert loaded.path()[0].failure == cut.failure


def test_a_running_turn_is_not_offered_while_its_process_lives(path: Path, history: SqliteHistory) -> None:
    history.save_unfinished("c", receiving("a", answer="so far"))
    assert history.load("c").unfinished == ()
    other = SqliteHistory.open(path)
    assert other.load("c").unfinished == ()
    assert other.list()[0].unfinished_count == 1
    other.close()


def leave_as_if_killed(history: SqliteHistory) -> None:
    """The system frees a lock when its process is killed; nothing else happens then."""
    os.close(history._owners._descriptor)
    history._database.close()


def test_after_a_kill_the_prompt_and_what_was_received_come_back(path: Path) -> None:
    killed = SqliteHistory.open(path)
    killed.commit("c", completed("a"))
    killed.save_unfinished("c", receiving("b", "Why?", parent="a"))
    killed.save_unfinished("c", receiving("b", "Why?", "Because", parent="a"))
    leave_as_if_killed(killed)
    history = SqliteHistory.open(path)
    loaded = history.load("c")
    assert ids(loaded.path()) == "a"
    (back,) = loaded.unfinished
    assert (back.prompt, back.text, back.parent_id) == ("Why?", "Because", "a")
    assert back.phase is Phase.FAILED
    assert back.failure is not None
    assert back.failure.reason is FailureReason.DISCONNECT
    assert "7 characters" in back.failure.message
    history.close()
    assert SqliteHistory.open(path).load("c").unfinished == (back,)


def test_a_tool_call_that_was_streaming_at_the_kill_is_unfinished(path: Path) -> None:
    killed = SqliteHistory.open(path)
    call = ToolCallPart("1", "read", '{"pa', ToolCallState.STREAMING)
    killed.save_unfinished("c", replace(receiving("b"), choices=(Choice(0, (call,)),)))
    leave_as_if_killed(killed)
    (back,) = SqliteHistory.open(path).load("c").unfinished
    assert back.parts == (replace(call, state=ToolCallState.UNFINISHED),)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 1),
            st.sampled_from(["x" * 900, "\ud83d", "é" * 2500, "", "replaced"]),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_long_texts_that_grow_by_batches_come_back_whole(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, str]]
) -> None:
    path = tmp_path_factory.mktemp("h") / "history.db"
    killed = SqliteHistory.open(path)
    texts = ["start", "other"]
    for part, added in steps:
        texts[part] = added if added == "replaced" else texts[part] + added
        turn = replace(
            receiving("b"), choices=(Choice(0, (TextPart(texts[0]),)), Choice(1, (TextPart(texts[1]),)))
        )
        killed.save_unfinished("c", turn)
    leave_as_if_killed(killed)
    history = SqliteHistory.open(path)
    (back,) = history.load("c").unfinished
    assert [choice.parts[0].text for choice in back.choices] == texts  # type: ignore[union-attr]
    history.close()


def test_a_batch_costs_what_is_new_and_not_what_is_there(history: SqliteHistory, path: Path) -> None:
    text = "word " * 200_000
    history.save_unfinished("c", receiving("a", answer=text))
    history.save_unfinished("c", receiving("a", answer=text + "."))
    before = path.with_name("history.db-wal").stat().st_size
    for count in range(2, 12):
        history.save_unfinished("c", receiving("a", answer=text + "." * count))
    assert path.with_name("history.db-wal").stat().st_size - before < len(text) / 2


def test_a_turn_that_completes_leaves_the_journal_in_the_same_transaction(history: SqliteHistory) -> None:
    history.save_unfinished("c", receiving("a", answer="x" * 5000))
    history.save_unfinished("c", receiving("a", answer="x" * 6000))
    history.commit("c", completed("a"))
    assert history.load("c").unfinished == ()
    assert history.list()[0].unfinished_count == 0
    with history._database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM unfinished_text").fetchone() == (0,)


# Temporary conversations, memory, trouble


def test_a_temporary_conversation_writes_nothing(history: SqliteHistory, path: Path) -> None:
    conversation = history.new_conversation(is_temporary=True)
    name = conversation.conversation_id
    before = {file: file.read_bytes() for file in path.parent.rglob("*") if file.is_file()}
    history.keep(conversation)
    history.save_unfinished(name, receiving("a", "secret words"))
    history.commit(name, completed("a", "secret words"))
    history.save_unfinished(name, failed("b"))
    history.discard_unfinished(name, TurnId("b"))
    history.drafts.save(name, "secret words")
    history.drafts.stash(name, "secret words")
    history.show(name, TurnId("a"))
    assert history.catalog.claim(name) == ""
    assert history.drafts.load(name) == "secret words"
    assert {file: file.read_bytes() for file in path.parent.rglob("*") if file.is_file()} == before


def test_what_could_not_be_saved_is_saved_with_the_next_turn(history: SqliteHistory) -> None:
    history.commit("c", completed("a"))
    with history._database.alone() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match="no space left"):
        history.commit("c", completed("b", "x" * 50_000, parent="a"))
    assert ids(history.load("c").path()) == "a b"
    with history._database.alone() as connection:
        connection.execute("PRAGMA max_page_count = 100000")
    history.commit("c", completed("d", parent="b"))
    assert history.save_waiting("c") == 0
    history.close()
    again = SqliteHistory.open(Path(history.name))
    assert ids(again.load("c").path()) == "a b d"
    again.close()


def test_a_batch_that_could_not_be_saved_is_written_whole_by_the_next(
    history: SqliteHistory, path: Path
) -> None:
    history.save_unfinished("c", receiving("a", answer="x" * 3000))
    with history._database.alone() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError):
        history.save_unfinished("c", receiving("a", answer="x" * 300_000))
    with history._database.alone() as connection:
        connection.execute("PRAGMA max_page_count = 100000")
    history.save_unfinished("c", receiving("a", answer="x" * 300_001))
    leave_as_if_killed(history)
    assert len(SqliteHistory.open(path).load("c").unfinished[0].text) == 300_001


def test_while_another_program_holds_the_file_a_save_says_so_and_is_made_up_for(
    history: SqliteHistory, path: Path
) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy, match=str(path)):
        history.commit("c", completed("a"))
    other.execute("ROLLBACK")
    other.close()
    assert history.save_waiting("c") == 1
    assert ids(history.load("c").path()) == "a"


def test_two_processes_write_one_history_side_by_side(path: Path) -> None:
    histories = [SqliteHistory.open(path) for _ in range(2)]
    errors: list[Exception] = []

    def write(history: SqliteHistory, name: str) -> None:
        try:
            for index in range(40):
                history.commit(name, completed(f"{name}{index}"))
        except StoreError as error:
            errors.append(error)

    threads = [
        threading.Thread(target=write, args=(history, name))
        for history, name in zip(histories, "ab", strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert [len(histories[0].load(name).turns) for name in "ab"] == [40, 40]


def test_a_conversation_that_is_open_elsewhere_says_so(path: Path, history: SqliteHistory) -> None:
    history.commit("c", completed("a"))
    other = SqliteHistory.open(path)
    assert history.catalog.claim("c") == ""
    assert history.catalog.claim("c") == ""
    assert "another chatui (process" in other.catalog.claim("c")
    assert "another chatui (process" in other.list()[0].open_in
    assert history.list()[0].open_in == ""
    history.catalog.release("c")
    assert other.catalog.claim("c") == ""
    leave_as_if_killed(other)
    assert history.catalog.claim("c") == ""
