"""Writes the sample database of the current schema: run it once when a schema is released.

python tests/history/make_sample.py
"""

import sqlite3
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from support.plain_turns import completed, failed, receiving

from chatui.core.messages import Message, Role, ToolCallPart, ToolCallState, ToolResultPart
from chatui.core.turn import Choice, TurnId
from chatui.history.schema import SCHEMA_VERSION
from chatui.history.sqlite_history import SqliteHistory


def main() -> None:
    path = Path(__file__).parent / "samples" / f"v{SCHEMA_VERSION}.db"
    path.unlink(missing_ok=True)
    history = SqliteHistory.open(path, lambda: 1_700_000_000.0)
    history.commit("sample", completed("t1", "What is 中文?", "A language. \U0001f600"))
    call = ToolCallPart("c1", "look", '{"at": "x"}', ToolCallState.WHOLE)
    history.commit("sample", completed("t2b", "And a tool, edited?", parent="t1"))
    tool_turn = replace(completed("t2", "And a tool?", parent="t1"), choices=(Choice(0, (call,)),))
    history.commit("sample", tool_turn)
    history.commit("other", completed("o1", "Lone \ud83d surrogate", "\ud83d"))
    result = Message(Role.TOOL, (ToolResultPart("c1", "look", "seen"),))
    history.save_unfinished("sample", replace(failed("cut", parent="t2"), input=(result,)))
    history.save_unfinished("other", receiving("running", answer="x" * 3000))
    history.save_unfinished("other", receiving("running", answer="x" * 3000 + "y"))
    history.catalog.tag("sample", ["work"])
    history.catalog.pin("sample")
    history.send_from("sample", TurnId("t2"))
    history.drafts.save("sample", "a draft")
    history.drafts.stash("sample", "a stash")
    assert history.load("sample").siblings(TurnId("t2"))
    history.close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode = DELETE")
    path.chmod(0o644)


if __name__ == "__main__":
    main()
