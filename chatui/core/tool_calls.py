"""Which calls of a turn may be run, what their arguments are, and which results wait to be sent.

Invariant: a call is run only when its turn is completed, the protocol's own word says that the model waits
for results, and its arguments are exactly one JSON object that can be read in one way only (no member twice,
no number that JSON does not know). Everything else is shown and never run.

Source: OpenAI API reference (`finish_reason: tool_calls`; `response.completed` with function_call items),
Anthropic's guide on tool use (`stop_reason: tool_use`), RFC 8259 section 4 on names that come twice; seen
2026-11.
"""

import json
from collections.abc import Iterable
from typing import Final

from chatui.core.conversation import Conversation
from chatui.core.errors import Failure, FailureReason, ToolError
from chatui.core.finish_words import is_call_word
from chatui.core.json_access import finite, is_deeper
from chatui.core.messages import (
    Message,
    Role,
    ToolCallPart,
    ToolCallState,
    ToolOutcome,
    ToolResultPart,
)
from chatui.core.turn import Phase, Turn, TurnId

_COMPLETED_WORD: Final = {"responses": "completed"}
"""Responses has one word for every whole answer; its calls are items of their own, each ended by itself."""

MOST_DEPTH: Final = 100
"""Arguments nested more deeply cannot be judged by a person, nor written by every encoder."""

Arguments = dict[str, object]


class InvalidArguments(ToolError):
    """Arguments that no tool may be given; the message says why, for person and model."""


def calls_of(turn: Turn) -> tuple[ToolCallPart, ...]:
    """The calls of the answer that goes on (choice 0), in order, whatever became of them."""
    return tuple(part for part in turn.parts if isinstance(part, ToolCallPart))


def runnable_calls(turn: Turn, *, is_stop_proof: bool = False) -> tuple[ToolCallPart, ...]:
    """The calls that may be asked for and run: none, unless the turn proves that it wants them to be."""
    if why_not_run(turn, is_stop_proof=is_stop_proof):
        return ()
    return tuple(call for call in calls_of(turn) if call.state is ToolCallState.WHOLE)


def why_not_run(turn: Turn, *, is_stop_proof: bool = False) -> str:
    """Why the calls of a turn are not run, in words; empty if they may be, or there are none.

    With `is_stop_proof` the word `stop` asks for results too (`Dialect.is_stop_call_proof`).
    """
    calls = calls_of(turn)
    if not calls:
        return ""
    if turn.phase is not Phase.COMPLETED:
        return "the answer is not complete"
    word = (turn.finish_reason or "").lower()
    is_proof = is_call_word(word) or word == _COMPLETED_WORD.get(turn.protocol)
    if not is_proof and not (is_stop_proof and word == "stop"):
        return (
            f'the server ended the answer with "{turn.finish_reason or ""}", which does not ask for results'
        )
    ids = [call.call_id for call in calls if call.state is ToolCallState.WHOLE]
    if not ids:
        return "their arguments cannot be read"
    if not all(ids) or len(set(ids)) < len(ids):
        return "they have no ids of their own that results could refer to"
    return ""


def arguments_of(call: ToolCallPart) -> Arguments:
    """The arguments of a whole call; empty text stands for none.

    Raises:
        InvalidArguments: they are not one JSON object, or can be read in more than one way.
    """
    if call.is_free_text:
        raise InvalidArguments("This tool takes a JSON object, not free text")
    text = call.arguments_raw.strip()
    if text in ("", "null"):
        return {}
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant, parse_float=finite)
    except RecursionError:
        raise InvalidArguments("The arguments are nested too deeply") from None
    except InvalidArguments:
        raise
    except ValueError as problem:
        raise InvalidArguments(f"The arguments are no valid JSON: {problem}") from None
    if not isinstance(value, dict):
        raise InvalidArguments("The arguments are no JSON object")
    if is_deeper(value, MOST_DEPTH):
        raise InvalidArguments("The arguments are nested too deeply")
    return value


def _once(pairs: list[tuple[str, object]]) -> Arguments:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InvalidArguments("The arguments name a member twice")
    return found


def _no_constant(word: str) -> object:
    raise InvalidArguments(f"The arguments hold {word}, which is no JSON")


def result_of(call: ToolCallPart, outcome: ToolOutcome, text: str) -> ToolResultPart:
    """The one result of a call."""
    return ToolResultPart(call.call_id, call.name, text, outcome is not ToolOutcome.OK, outcome)


def results_message(results: Iterable[ToolResultPart]) -> Message:
    """Results as what is said to the model next."""
    return Message(Role.TOOL, tuple(results))


def with_waiting_results(
    conversation: Conversation, parent_id: TurnId | None, messages: tuple[Message, ...]
) -> tuple[Message, ...]:
    """What is said after a turn whose calls were run: their results come first.

    They stand in a turn behind it: in an unfinished one (stopped, failed or left by a crash) when they never
    reached the model, else in the answer to them, beside which something else is asked now. What a tool did
    is a fact that the model has to know, whatever is asked.
    """
    if parent_id is None or any(isinstance(part, ToolResultPart) for one in messages for part in one.parts):
        return messages
    parent = conversation.turn(parent_id)
    if parent is not None and not calls_of(parent):
        return messages  # else it may be one that is not loaded: results behind it are its own
    for turn in (*reversed(conversation.unfinished), *reversed(conversation.turns)):
        waiting = tuple(message for message in turn.input if message.role is Role.TOOL)
        if turn.parent_id == parent_id and waiting:
            return (*waiting, *messages)
    return messages


def with_results_of(fork: Conversation, whole: Conversation) -> Conversation:
    """A fork with what the tools did that its last turn called for, though the turn behind it stays behind.

    The results stand in an unfinished turn, as those of a stopped one do: what is sent next takes them along.
    """
    results = with_waiting_results(whole, fork.head, ())
    if fork.head is None or not results:
        return fork
    called = whole.turn(fork.head)
    carrying = Turn(
        turn_id=TurnId(f"{fork.head}-results"),
        parent_id=fork.head,
        input=results,
        system=fork.system,
        provider=called.provider if called is not None else "",
        protocol=called.protocol if called is not None else "",
        requested_model=called.requested_model if called is not None else "",
        started_at_epoch_s=called.started_at_epoch_s if called is not None else 0.0,
        phase=Phase.FAILED,
        failure=Failure(
            reason=FailureReason.CANCELLED,
            message="The fork begins here: what the tools gave was not sent in it yet",
            hint="It goes with what you send next; ask again to send it alone.",
        ),
    )
    return fork.with_unfinished(carrying)
