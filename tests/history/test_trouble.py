import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.plain_turns import completed, failed

from chatui.core.errors import SchemaTooNew, StoreBusy, StoreError
from chatui.core.turn import TurnId
from chatui.history.check import check
from chatui.history.repair import repair
from chatui.history.schema import APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION
from chatui.history.sqlite_history import SqliteHistory

SAMPLES = Path(__file__).parent / "samples"
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "history.db"


def filled(path: Path, turns: int = 30) -> Path:
    history = SqliteHistory.open(path)
    parent = None
    for index in range(turns):
        history.commit("c", completed(f"t{index}", f"prompt {index} " + "word " * 60, parent=parent))
        parent = f"t{index}"
    history.commit("other", completed("o"))
    history.save_unfinished("c", failed("cut", parent=parent))
    history.drafts.save("c", "a draft")
    history.close()
    return path


def goes_on_in_memory(path: Path, what: str) -> SqliteHistory:
    before = path.read_bytes()
    with pytest.raises(StoreError, match=str(path)):
        SqliteHistory.open(path)
    history = SqliteHistory.open_or_memory(path)
    assert not history.is_saving
    assert what in history.trouble
    assert str(path) in history.trouble
    with pytest.raises(StoreError, match="history"):
        history.commit("m", completed("a"))
    assert path.read_bytes() == before
    return history


def test_garbage_is_named_and_never_overwritten(path: Path) -> None:
    path.write_bytes(b"this is no database " * 500)
    history = goes_on_in_memory(path, "no database")
    assert history.load("m").path() == (completed("a"),)


def test_the_database_of_another_program_is_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE apples (id)")
    goes_on_in_memory(path, "another program")


def test_a_newer_schema_is_left_alone(path: Path) -> None:
    filled(path)
    with sqlite3.connect(path) as newer:
        newer.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    with pytest.raises(SchemaTooNew, match="newer chatui"):
        SqliteHistory.open(path)
    goes_on_in_memory(path, "newer chatui")


def test_a_truncated_file_is_named_as_damaged(path: Path) -> None:
    filled(path)
    with path.open("rb+") as file:
        file.truncate(path.stat().st_size // 2)
    goes_on_in_memory(path, "damaged")
    assert check(path).problems


def test_a_damaged_page_shows_when_it_is_read_and_the_rest_can_be_saved(path: Path) -> None:
    filled(path, 200)
    data = bytearray(path.read_bytes())
    marked = data.index(b"prompt 100 word")
    page = marked // 4096 * 4096
    data[page : page + 4096] = b"\xff" * 4096
    path.write_bytes(data)
    report = check(path)
    assert any("damaged" in problem for problem in report.problems)
    saved = repair(path)
    assert Path(saved.original).read_bytes() == data
    assert 150 < saved.turns < 201
    assert saved.problems
    history = SqliteHistory.open(path)
    assert [turn.turn_id for turn in history.load("c").unfinished] == ["cut"]
    assert history.load("other").path() == (completed("o"),)
    history.close()
    assert not [problem for problem in check(path).problems if "missing" not in problem]


def test_what_follows_a_turn_that_cannot_be_saved_follows_the_one_before_it(path: Path) -> None:
    filled(path, 5)
    with sqlite3.connect(path) as plain:
        plain.execute("UPDATE turns SET payload = 'x' WHERE turn_id IN ('t2', 't3')")
    assert repair(path).turns == 4
    history = SqliteHistory.open(path)
    assert [turn.turn_id for turn in history.load("c").path()] == ["t0", "t1", "t4"]
    assert history.load("c").problems == ()
    history.close()


def test_a_truncated_file_can_be_repaired_as_far_as_it_goes(path: Path) -> None:
    filled(path, 200)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * 3 // 4])
    before = path.read_bytes()
    try:
        saved = repair(path)
    except StoreError:
        assert path.read_bytes() == before
    else:
        assert Path(saved.original).read_bytes() == before
        assert saved.turns > 0
        SqliteHistory.open(path).close()


def test_what_cannot_be_repaired_stays_as_it_is(path: Path) -> None:
    path.write_bytes(b"no database" * 1000)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=str(path)):
        repair(path)
    assert path.read_bytes() == before
    assert not [name for name in os.listdir(path.parent) if "repairing" in name]


def test_a_healthy_history_passes_the_check_and_survives_a_repair_unchanged(path: Path) -> None:
    filled(path)
    report = check(path)
    assert (report.problems, report.conversations, report.turns, report.unfinished) == ([], 2, 31, 1)
    before = SqliteHistory.open(path)
    kept = [before.portables.read(name) for name in ("c", "other")]
    before.close()
    saved = repair(path)
    assert saved.problems == ()
    after = SqliteHistory.open(path)
    assert [after.portables.read(name) for name in ("c", "other")] == kept
    assert after.drafts.load("c") == "a draft"
    assert after.search("prompt 17").matches
    after.close()
    assert check(path).problems == []


def test_a_history_that_is_open_elsewhere_is_not_repaired(path: Path) -> None:
    filled(path)
    history = SqliteHistory.open(path)
    history.catalog.claim("c")
    with pytest.raises(StoreBusy, match="open in another chatui"):
        repair(path)
    history.close()


def test_wrong_counts_and_lost_index_entries_are_found(path: Path) -> None:
    filled(path)
    with sqlite3.connect(path) as plain:
        plain.execute("UPDATE conversations SET turn_count = 99 WHERE conversation_id = 'other'")
        plain.execute("INSERT INTO turn_words (turn_words) VALUES ('delete-all')")
        plain.execute("UPDATE conversations SET head_turn_id = 'lost' WHERE conversation_id = 'c'")
    words = "\n".join(check(path).problems)
    assert "its summary says 99" in words
    assert "31 turns are not in the search index" in words
    assert "last turn of conversation c is missing" in words
    repair(path)
    assert check(path).problems == []


@pytest.mark.skipif(IS_ROOT, reason="root may write everywhere")
def test_a_read_only_history_can_be_read(path: Path) -> None:
    filled(path)
    path.chmod(0o400)
    path.parent.chmod(0o500)
    try:
        history = SqliteHistory.open_or_memory(path)
        assert len(history.load("c").path()) == 30
        with pytest.raises(StoreError, match="cannot be written"):
            history.commit("c", completed("x"))
        history.close()
    finally:
        path.parent.chmod(0o700)


def test_a_history_opened_for_reading_only_is_never_written_to(path: Path) -> None:
    filled(path)
    before = path.read_bytes()
    history = SqliteHistory.open_read_only(path)
    assert len(history.load("c").path()) == 30
    assert history.list()[0].unfinished_count == 1
    assert history.search("prompt 3").matches
    attempts: list[Callable[[], None]] = [
        lambda: history.commit("c", completed("x")),
        lambda: history.save_unfinished("c", failed("y")),
        lambda: history.catalog.rename("c", "x"),
        lambda: history.drafts.save("c", "x"),
        lambda: history.discard_unfinished("c", TurnId("cut")),
    ]
    for attempt in attempts:
        with pytest.raises(StoreError, match="cannot be written"):
            attempt()
    assert len(history.load("c").path()) == 1
    history.close()
    assert path.read_bytes() == before


def test_a_folder_in_place_of_the_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=str(tmp_path)):
        SqliteHistory.open(tmp_path)
    assert not SqliteHistory.open_or_memory(tmp_path).is_saving


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders here")
def test_a_pipe_in_place_of_the_file_is_named_and_not_waited_for(path: Path) -> None:
    os.mkfifo(path)
    for use in (SqliteHistory.open, SqliteHistory.open_read_only, repair):
        with pytest.raises(StoreError, match="a pipe"):
            use(path)
    assert not check(path).is_readable
    assert "a pipe" in SqliteHistory.open_or_memory(path).trouble


def test_a_file_that_another_program_holds_is_told_as_that_and_not_as_damaged(path: Path) -> None:
    filled(path, 2)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreBusy):
        check(path)
    holder.close()
    assert check(path).problems == []


def test_an_empty_file_becomes_a_history(path: Path) -> None:
    path.touch()
    history = SqliteHistory.open(path)
    history.commit("c", completed("a"))
    history.close()


FULL_DISK = """
import resource, sys
from pathlib import Path
from support.plain_turns import completed
from chatui.core.errors import StoreError
from chatui.history.sqlite_history import SqliteHistory
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
history = SqliteHistory.open(Path(sys.argv[1]))
history.commit("c", completed("a"))
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
parent = "a"
for index in range(50):
    try:
        history.commit("c", completed(f"t{index}", "x" * 20_000, parent=parent))
    except StoreError as error:
        print(error.message)
        break
    parent = f"t{index}"
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(history.save_waiting("c"))
history.close()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of file size")
def test_a_full_disk_is_named_and_the_turn_is_saved_when_there_is_space_again(path: Path) -> None:
    tests = Path(__file__).parent.parent
    assert resource.RLIM_INFINITY
    ran = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": f"{tests}{os.pathsep}{tests.parent}"},
        check=False,
    )
    message, saved = ran.stdout.strip().split("\n")
    assert str(path) in message
    assert saved == "1", ran.stderr
    assert check(path).problems == []


def test_what_could_not_be_saved_is_tried_once_more_when_the_history_is_closed(path: Path) -> None:
    history = SqliteHistory.open(path)
    history.commit("c", completed("a"))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError):
        history.commit("c", completed("b", parent="a"))
    other.execute("ROLLBACK")
    other.close()
    history.close()
    again = SqliteHistory.open(path)
    assert len(again.load("c").path()) == 2
    again.close()


# Versions


def schema_of(path: Path) -> list[tuple[str, str]]:
    with sqlite3.connect(path) as connection:
        return connection.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()


def test_every_released_schema_has_its_sample() -> None:
    assert [path.name for path in sorted(SAMPLES.glob("v*.db"))] == [
        f"v{version}.db" for version in range(1, SCHEMA_VERSION + 1)
    ]


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION + 1))
def test_a_history_of_every_released_version_is_opened_whole(
    version: int, path: Path, tmp_path: Path
) -> None:
    shutil.copy(SAMPLES / f"v{version}.db", path)
    history = SqliteHistory.open(path)
    conversation = history.load("sample")
    assert [turn.prompt for turn in conversation.path()] == ["What is 中文?", "And a tool?"]
    assert conversation.path()[0].text == "A language. \U0001f600"
    assert [turn.turn_id for turn in conversation.siblings(TurnId("t2"))] == ["t2b", "t2"]
    assert [turn.turn_id for turn in conversation.unfinished] == ["cut"]
    assert history.search("中文").matches
    assert history.drafts.load("sample") == "a draft"
    assert history.list()[0].tags == ("work",)
    history.close()
    assert check(path).problems == []
    SqliteHistory.open(tmp_path / "blank.db").close()
    assert schema_of(path) == schema_of(tmp_path / "blank.db")


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION + 1))
def test_a_history_of_every_released_version_can_be_read_without_writing_and_repaired(
    version: int, path: Path
) -> None:
    shutil.copy(SAMPLES / f"v{version}.db", path)
    history = SqliteHistory.open_read_only(path)
    turns = [turn.turn_id for turn in history.load("sample").path()]
    assert turns == ["t1", "t2"]
    assert history.portables.read("sample").tags == ("work",)
    history.close()
    assert repair(path).problems == ()
    history = SqliteHistory.open(path)
    assert [turn.turn_id for turn in history.load("sample").path()] == turns
    assert history.list()[0].is_pinned
    assert history.load("sample").sent_from == (None if version == 1 else "t2")
    history.close()


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION + 1))
def test_the_index_of_every_released_version_can_be_emptied_word_by_word(version: int, path: Path) -> None:
    shutil.copy(SAMPLES / f"v{version}.db", path)
    history = SqliteHistory.open(path)
    with history._database.alone() as connection:
        connection.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, turn_words, 'row')")
        assert connection.execute("SELECT count(*) FROM words").fetchone() > (0,)
    for summary in history.list():
        history.catalog.delete(summary.conversation_id)
    assert history.removal.purge(older_than_s=-1) == 2
    with history._database.alone() as connection:
        assert connection.execute("SELECT * FROM words").fetchall() == []
    history.close()


def test_a_migration_that_fails_leaves_the_old_schema(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(path)
    before = schema_of(path)
    broken = (*MIGRATIONS, ("CREATE TABLE more (id)", "CREATE TABLE nonsense ("))
    monkeypatch.setattr("chatui.history.schema.MIGRATIONS", broken)
    monkeypatch.setattr("chatui.history.schema.SCHEMA_VERSION", len(broken))
    with pytest.raises(StoreError, match=str(path)):
        SqliteHistory.open(path)
    monkeypatch.undo()
    assert schema_of(path) == before
    history = SqliteHistory.open(path)
    assert len(history.load("c").path()) == 30
    history.close()


def test_a_migration_is_recorded_in_its_own_transaction(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(path)
    more = (*MIGRATIONS, ("CREATE TABLE more (id)",))
    monkeypatch.setattr("chatui.history.schema.MIGRATIONS", more)
    monkeypatch.setattr("chatui.history.schema.SCHEMA_VERSION", len(more))
    SqliteHistory.open(path).close()
    with sqlite3.connect(path) as connection:
        versions = [row[0] for row in connection.execute("SELECT version FROM migrations ORDER BY version")]
        assert versions == list(range(1, len(more) + 1))
        assert connection.execute("PRAGMA user_version").fetchone() == (len(more),)
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
