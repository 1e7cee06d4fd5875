"""OpenAI Responses."""

from __future__ import annotations

import json

import pytest
from properties.streams import turn_of

from chatui.core.errors import FailureReason
from chatui.core.messages import (
    Citation,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolActivityPart,
    ToolCallPart,
    ToolCallState,
)
from chatui.core.turn import Phase, Turn
from chatui.core.wire import Dialect
from chatui.protocols.responses.stream import decoder


def turn(*events: object, is_body: bool = False) -> Turn:
    if is_body:
        return turn_of(decoder(Dialect(), is_body=True), [json.dumps(events[0]).encode()])
    data = "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()
    return turn_of(decoder(Dialect(), is_body=False), [data])


def text_delta(text: str, **place: object) -> dict:
    return {"type": "response.output_text.delta", "delta": text, **place}


def message(text: str, item_id: str = "m", **more: object) -> dict:
    return {"id": item_id, "type": "message", "content": [{"type": "output_text", "text": text}], **more}


def completed(*output: dict, status: str = "completed", **more: object) -> dict:
    return {
        "type": "response.completed",
        "response": {"id": "r", "status": status, "output": list(output), **more},
    }


DONE = completed()


def test_text_comes_from_wherever_it_stands_but_only_once() -> None:
    whole = message("Hello")
    ways = [
        [text_delta("Hel"), text_delta("lo"), DONE],
        [text_delta("Hel", item_id="m"), {"type": "response.output_item.done", "item": whole}, DONE],
        [{"type": "response.output_text.done", "item_id": "m", "text": "Hello"}, completed(whole)],
        [text_delta("Hello", item_id="m", output_index=0), completed(message("Hello", "other"))],
        [
            {"type": "response.content_part.added", "part": {"type": "output_text", "text": "Hel"}},
            text_delta("lo"),
            DONE,
        ],
        [
            {
                "type": "response.content_part.done",
                "item_id": "m",
                "part": {"type": "output_text", "text": "Hello"},
            },
            DONE,
        ],
        [completed(whole)],
        [completed(output_text="Hello")],
        [
            {"type": "response.output_item.added", "item": message("Hel")},
            text_delta("lo", item_id="m"),
            completed(whole),
        ],
        [text_delta({"text": "Hello"}), DONE],  # type: ignore[arg-type] # a gateway's own shape
    ]
    for events in ways:
        found = turn(*events)
        assert (found.text, found.phase) == ("Hello", Phase.COMPLETED), events


def test_where_the_whole_text_differs_from_its_deltas_it_counts() -> None:
    assert turn(text_delta("Helo", item_id="m"), completed(message("Hello"))).text == "Hello"


def test_an_empty_whole_takes_nothing_away() -> None:
    assert turn(text_delta("Hello", item_id="m"), completed(message(""))).text == "Hello"


def test_a_second_message_begins_a_paragraph_of_its_own() -> None:
    found = turn(
        text_delta("One.", item_id="a", output_index=0), text_delta("Two.", item_id="b", output_index=1), DONE
    )
    assert found.parts == (TextPart("One."), TextPart("\n\nTwo."))


def test_summaries_are_paragraphs_of_one_part_and_carry_the_encrypted_item() -> None:
    item = {
        "id": "rs",
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": "First"}, {"type": "summary_text", "text": "second"}],
        "encrypted_content": "QUJD",
    }
    deltas = [
        {
            "type": "response.reasoning_summary_text.delta",
            "item_id": "rs",
            "summary_index": index,
            "delta": text,
        }
        for index, text in ((0, "Fi"), (0, "rst"), (1, "second"))
    ]
    part = ReasoningPart("First\n\nsecond", is_summary=True, opaque={"item": item})
    assert turn(*deltas, {"type": "response.output_item.done", "item": item}, DONE).parts == (part,)
    assert turn(completed(item)).parts == (part,)


def test_encrypted_reasoning_without_words_is_kept_to_be_sent_back() -> None:
    item = {"id": "rs", "type": "reasoning", "summary": [], "encrypted_content": "QUJD"}
    assert turn(completed(item, message("x"))).parts[0] == ReasoningPart("", opaque={"item": item})


def test_calls_are_ready_only_when_the_response_is_complete() -> None:
    added = {"type": "function_call", "id": "fc", "call_id": "c1", "name": "go", "arguments": ""}
    events = [
        {"type": "response.output_item.added", "output_index": 0, "item": added},
        {"type": "response.function_call_arguments.delta", "item_id": "fc", "delta": '{"a":'},
        {"type": "response.function_call_arguments.delta", "item_id": "fc", "delta": "1}"},
        {"type": "response.function_call_arguments.done", "item_id": "fc", "arguments": '{"a":1}'},
    ]
    part = ToolCallPart("c1", "go", '{"a":1}', ToolCallState.WHOLE)
    assert turn(*events, DONE).parts == (part,)
    (lost,) = turn(*events).parts
    assert isinstance(lost, ToolCallPart)
    assert lost.state is ToolCallState.UNFINISHED


def test_parallel_calls_of_one_name_stay_apart_without_any_index() -> None:
    events: list[dict] = []
    for number in (1, 2):
        item = {
            "type": "function_call",
            "id": f"f{number}",
            "call_id": f"c{number}",
            "name": "go",
            "arguments": "",
        }
        events.append({"type": "response.output_item.added", "item": item})
    for number in (2, 1):
        events.append(
            {
                "type": "response.function_call_arguments.delta",
                "item_id": f"f{number}",
                "delta": f"[{number}]",
            }
        )
    found = turn(*events, DONE)
    assert [part.arguments_raw for part in found.parts if isinstance(part, ToolCallPart)] == ["[1]", "[2]"]


def test_a_call_that_its_own_item_calls_incomplete_is_not_ready() -> None:
    item = {
        "type": "function_call",
        "id": "f",
        "call_id": "c",
        "name": "go",
        "arguments": "{}",
        "status": "incomplete",
    }
    (part,) = turn(completed(item)).parts
    assert isinstance(part, ToolCallPart)
    assert part.state is ToolCallState.UNFINISHED


@pytest.mark.parametrize(
    ("item", "activity"),
    [
        (
            {"id": "ws", "type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "rain"}},
            ("web_search", "completed", "rain", ""),
        ),
        (
            {"id": "ci", "type": "code_interpreter_call", "status": "completed", "code": "1+1", "outputs": [{"type": "logs", "logs": "2"}]},
            ("code_interpreter", "completed", "1+1", "2"),
        ),
        (
            {"id": "fs", "type": "file_search_call", "status": "completed", "queries": ["a", "b"], "results": [{"filename": "x.pdf"}]},
            ("file_search", "completed", "a\nb", "x.pdf"),
        ),
        (
            {"id": "mc", "type": "mcp_call", "server_label": "dice", "name": "roll", "arguments": "{}", "output": "4"},
            ("dice: roll", "completed", "{}", "4"),
        ),
        (
            {"id": "mc", "type": "mcp_call", "server_label": "dice", "name": "roll", "arguments": "{}", "error": "no dice"},
            ("dice: roll", "failed", "{}", "no dice"),
        ),
        (
            {"id": "ig", "type": "image_generation_call", "status": "completed", "result": "AAAA", "revised_prompt": "a cat"},
            ("image_generation", "completed", "a cat", ""),
        ),
        ({"id": "q", "type": "quantum_call", "status": "completed"}, ("quantum", "completed", "", "")),
    ],
)  # fmt: skip
def test_hosted_tools_are_activity_never_calls_for_us(
    item: dict, activity: tuple[str, str, str, str]
) -> None:
    added = {
        "type": "response.output_item.added",
        "output_index": 0,
        "item": {**item, "status": "in_progress"},
    }
    state = {"type": f"response.{item['type']}.searching", "item_id": item["id"], "output_index": 0}
    for events in ([completed(item)], [added, state, completed(item)]):
        (part,) = turn(*events).parts
        assert isinstance(part, ToolActivityPart)
        assert (part.name, part.status, part.detail, part.result) == activity


def test_code_that_is_still_being_written_is_seen() -> None:
    delta = {
        "type": "response.code_interpreter_call_code.delta",
        "item_id": "ci",
        "output_index": 0,
        "delta": "print(",
    }
    (part,) = turn(delta).parts
    assert isinstance(part, ToolActivityPart)
    assert part.detail == "print("


def test_sources_and_refusals_have_their_own_places() -> None:
    cite = {"type": "url_citation", "url": "https://example.org", "title": "T"}
    events = [
        text_delta("a", item_id="m", content_index=0),
        {
            "type": "response.output_text.annotation.added",
            "item_id": "m",
            "content_index": 0,
            "annotation": cite,
        },
        {"type": "response.refusal.delta", "item_id": "m", "content_index": 1, "delta": "No."},
        {"type": "response.refusal.done", "item_id": "m", "content_index": 1, "refusal": "No."},
        DONE,
    ]
    assert turn(*events).parts == (TextPart("a", (Citation("T", "https://example.org"),)), RefusalPart("No."))


@pytest.mark.parametrize(
    ("event", "reason", "words"),
    [
        ({"type": "error", "code": "x", "message": "flat"}, FailureReason.ERROR, "flat"),
        ({"type": "error", "error": {"message": "nested"}}, FailureReason.ERROR, "nested"),
        ({"error": {"message": "bare", "code": 500}}, FailureReason.ERROR, "bare"),
        ({"type": "response.error", "error": {"message": "named"}}, FailureReason.ERROR, "named"),
        ({"type": "response.failed", "response": {"error": {"message": "failed"}}}, FailureReason.ERROR, "failed"),
        ({"type": "response.failed", "response": None}, FailureReason.ERROR, "without saying why"),
        ({"type": "response.cancelled", "response": {}}, FailureReason.ERROR, "cancelled"),
        (completed(status="failed", error={"message": "late"}), FailureReason.ERROR, "late"),
        (completed(status="incomplete", incomplete_details={"reason": "max_output_tokens"}), FailureReason.LENGTH, "max_output_tokens"),
        ({"type": "response.incomplete", "response": {"incomplete_details": {"reason": "content_filter"}}}, FailureReason.CONTENT_FILTER, "content_filter"),
        ({"type": "response.incomplete", "response": {"incomplete_details": {"reason": "steered"}}}, FailureReason.ERROR, "steered"),
        ({"type": "response.incomplete"}, FailureReason.LENGTH, "did not say why"),
    ],
)  # fmt: skip
def test_every_other_end_says_why(event: dict, reason: FailureReason, words: str) -> None:
    found = turn(text_delta("so far"), event, DONE)
    assert found.failure is not None
    assert found.failure.reason is reason
    assert words in found.failure.message
    assert "7" in found.failure.message or "6 characters" in found.failure.message
    assert found.text == "so far"


def test_a_response_still_in_the_queue_is_not_complete() -> None:
    found = turn({"id": "r", "object": "response", "status": "queued", "output": []}, is_body=True)
    assert found.failure is not None
    assert "queued" in found.failure.message


def test_a_gap_in_the_numbers_is_told_once_and_tolerated() -> None:
    found = turn(*[text_delta("x", sequence_number=number) for number in (1, 2, 9, 20, 3, 4)], DONE)
    assert found.text == "x" * 6
    assert len(found.notices) == 1
    assert turn(*[text_delta("x", sequence_number=number) for number in range(50)], DONE).notices == ()


def test_an_answer_that_fills_its_limit_is_pointed_out() -> None:
    found = turn(completed(message("x"), max_output_tokens=8, usage={"output_tokens": 8}))
    assert found.phase is Phase.COMPLETED
    assert "limit of 8" in found.notices[0]


def test_two_responses_in_one_stream_are_two_choices() -> None:
    def created(response_id: str) -> dict:
        return {"type": "response.created", "response": {"id": response_id, "status": "in_progress"}}

    def added(item_id: str) -> dict:
        return {
            "type": "response.output_item.added",
            "item": {"id": item_id, "type": "message", "content": []},
        }

    def ended(response_id: str, whole: dict) -> dict:
        return {"type": "response.completed", "response": {"id": response_id, "output": [whole]}}

    found = turn(
        created("r1"), added("a"), created("r2"), added("b"),
        text_delta("one", item_id="a"), text_delta("two", item_id="b"), text_delta("!", item_id="a"),
        ended("r2", message("two", "b")), ended("r1", message("one!", "a")),
    )  # fmt: skip
    assert [("".join(p.text for p in c.parts if isinstance(p, TextPart))) for c in found.choices] == [
        "one!",
        "two",
    ]
    assert found.phase is Phase.COMPLETED


def test_the_wrong_protocol_is_named() -> None:
    found = turn({"choices": [{"index": 0, "delta": {"content": "x"}}]})
    assert found.failure is not None
    assert "chat_completions" in found.failure.message


def test_items_that_share_an_index_or_change_their_ids_are_told_apart_by_kind() -> None:
    def think(text: str, item_id: str) -> dict:
        return {"type": "response.reasoning_text.delta", "delta": text, "item_id": item_id, "output_index": 0}

    found = turn(
        think("a", "r1"), think("b", "r2"), text_delta("x", item_id="m1", output_index=0),
        text_delta("y", item_id="m2", output_index=0), think("c", "r3"), DONE,
    )  # fmt: skip
    assert found.parts == (ReasoningPart("abc"), TextPart("xy"))


def test_input_of_a_hosted_tool_under_a_functions_name_is_no_call() -> None:
    item = {"id": "mc", "type": "mcp_call", "name": "roll", "server_label": "s"}
    found = turn(
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.function_call_arguments.delta", "item_id": "mc", "output_index": 0, "delta": "{}"},
        {
            "type": "response.function_call_arguments.done",
            "item_id": "mc",
            "output_index": 0,
            "arguments": "{}",
        },
        DONE,
    )
    (part,) = found.parts
    assert isinstance(part, ToolActivityPart)
    assert part.detail == "{}"


def test_items_without_anything_in_them_are_passed_over() -> None:
    found = turn(
        {"type": "response.output_item.added", "output_index": 0, "item": None},
        {"type": "response.output_item.done", "output_index": 0, "item": {}},
        text_delta("a", output_index=1),
        completed({}),
    )
    assert found.parts == (TextPart("a"),)


def test_a_call_that_was_never_named_is_not_ready() -> None:
    (part,) = turn(
        {"type": "response.function_call_arguments.delta", "item_id": "f", "delta": "{}"}, DONE
    ).parts
    assert isinstance(part, ToolCallPart)
    assert part.state is ToolCallState.UNFINISHED


def test_what_was_sent_is_no_part_of_the_answer_if_a_gateway_gives_it_back() -> None:
    echo = {"id": "u", "type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}
    events = [{"type": "response.output_item.added", "item": echo}, text_delta("yes", item_id="m")]
    assert turn(*events, completed(echo, message("yes"))).text == "yes"


@pytest.mark.parametrize("status", [None, "", "half", 7, {"a": 1}])
def test_a_whole_response_that_does_not_say_completed_is_kept_but_not_called_so(status: object) -> None:
    body = {"object": "response", "id": "r", "status": status, "output": [message("Hello")]}
    found = turn(body, is_body=True)
    assert (found.phase, found.text) == (Phase.FAILED, "Hello")
    assert found.failure is not None
    assert found.failure.reason is FailureReason.PROTOCOL


def test_an_error_without_a_word_beside_an_event_is_none() -> None:
    found = turn({**text_delta("Hello"), "error": {"code": 0}}, {**DONE, "error": {"message": ""}})
    assert (found.phase, found.text) == (Phase.COMPLETED, "Hello")


def test_a_response_that_was_announced_and_asked_for_again_is_the_one_that_counts() -> None:
    created = [{"type": "response.created", "response": {"id": name}} for name in ("lost", "r")]
    found = turn(*created, text_delta("Hello"), DONE)
    assert (found.phase, found.text, len(found.choices)) == (Phase.COMPLETED, "Hello", 1)


@pytest.mark.parametrize(
    ("kind", "deltas", "member", "item"),
    [
        ("code_interpreter_call", "code_interpreter_call_code", "code", {}),
        ("mcp_call", "mcp_call_arguments", "arguments", {}),
        ("shell_call", "shell_call_command", "command", {}),
        (
            "apply_patch_call",
            "apply_patch_call_operation_diff",
            "diff",
            {"operation": {"type": "update_file", "path": "a.py", "diff": ""}},
        ),
    ],
)
def test_what_a_hosted_tool_is_asked_is_shown_however_it_is_told(
    kind: str, deltas: str, member: str, item: dict
) -> None:
    added = {"type": "response.output_item.added", "item": {"id": "t", "type": kind, **item}}
    begun = {"type": f"response.{deltas}.delta", "item_id": "t", "delta": "half"}
    done = {"type": f"response.{deltas}.done", "item_id": "t", member: "half done"}
    for events in ([added, begun, done], [added, done]):
        (part,) = turn(*events).parts
        assert isinstance(part, ToolActivityPart)
        assert part.detail == ("a.py\nhalf done" if item else "half done")
