"""A fork, another branch or a copy of a conversation with tool calls knows what the tools did."""

from dataclasses import replace
from pathlib import Path

import pytest
from support.plain_turns import completed, failed

from chatui.core.conversation import Conversation
from chatui.core.messages import (
    Message,
    Role,
    ToolCallPart,
    ToolCallState,
    ToolResultPart,
    user_message,
)
from chatui.core.tool_calls import with_waiting_results
from chatui.core.turn import Choice, Turn, TurnId
from chatui.history.sqlite_history import SqliteHistory

CALL = ToolCallPart("c1", "look", '{"at": "x"}', ToolCallState.WHOLE)
RESULTS = (Message(Role.TOOL, (ToolResultPart("c1", "look", "three files"),)),)


def calling(name: str = "call", parent: str | None = None) -> Turn:
    return replace(
        completed(name, parent=parent),
        choices=(Choice(0, (CALL,), "tool_calls"),),
        finish_reason="tool_calls",
    )


def answered(name: str = "answer", parent: str = "call") -> Turn:
    return replace(completed(name, parent=parent), input=RESULTS)


@pytest.fixture
def history() -> SqliteHistory:
    opened = SqliteHistory.in_memory()
    opened.commit("c", calling())
    opened.commit("c", answered())
    opened.commit("c", completed("later", parent="answer"))
    return opened


def sent_next(conversation: Conversation) -> list[str]:
    """What of the tools goes with the next prompt, and what has to be said of it."""
    prompt = with_waiting_results(conversation, conversation.head, (user_message("and now?"),))
    plan = conversation.plan(conversation.head, prompt)
    assert plan.omissions == ()
    return [part.text for one in plan.messages for part in one.parts if isinstance(part, ToolResultPart)]


def test_a_fork_at_a_turn_with_calls_takes_their_results_along(history: SqliteHistory) -> None:
    fork = history.fork("c", TurnId("call"))
    assert [turn.turn_id for turn in fork.path()] == ["call"]
    assert sent_next(fork) == ["three files"]
    (carrying,) = history.load(fork.conversation_id, last=5).unfinished
    assert carrying.input == RESULTS
    assert carrying.failure is not None
    assert "was not sent" in carrying.failure.message


def test_results_of_a_stopped_tool_are_taken_along_as_well() -> None:
    history = SqliteHistory.in_memory()
    history.commit("c", calling())
    history.save_unfinished("c", replace(failed("stopped", parent="call", answer=""), input=RESULTS))
    fork = history.fork("c", TurnId("call"))
    assert sent_next(fork) == ["three files"]
    assert sent_next(history.fork(fork.conversation_id, TurnId("call"))) == ["three files"], (
        "a fork of a fork"
    )


def test_a_fork_behind_the_results_or_at_a_turn_without_calls_has_nothing_beside_it(
    history: SqliteHistory,
) -> None:
    for turn_id in ("answer", "later"):
        assert history.fork("c", TurnId(turn_id)).unfinished == ()


def test_a_branch_that_ends_with_calls_knows_their_results(history: SqliteHistory) -> None:
    history.show("c", TurnId("call"))
    assert sent_next(history.load("c")) == ["three files"]
    page = history.load("c", last=1)
    assert sent_next(page) == ["three files"]
    longer = replace(page, turns=(*page.turns, completed("else")))
    assert sent_next(longer.with_end(1)) == ["three files"]


def test_a_prompt_after_calls_that_are_not_loaded_is_edited_with_their_results(
    history: SqliteHistory,
) -> None:
    history.commit("c", completed("last", parent="later"))
    page = history.load("c", last=3)
    assert [turn.turn_id for turn in page.turns] == ["answer", "later", "last"]
    edited = (user_message("something else"),)
    assert with_waiting_results(page, TurnId("call"), edited) == (*RESULTS, *edited)


def test_a_fork_with_results_is_exported_and_imported_without_loss(
    history: SqliteHistory, tmp_path: Path
) -> None:
    fork = history.fork("c", TurnId("call"))
    file = tmp_path / "fork.json"
    file.write_text(history.portables.export([fork.conversation_id], "json"))
    other = SqliteHistory.in_memory()
    other.portables.import_file(file)
    came = other.load(fork.conversation_id)
    assert came.turns == fork.turns
    assert came.unfinished == fork.unfinished
    assert sent_next(came) == ["three files"]
