"""Streams recorded from llama.cpp and aimock replay to the right turn, also in other pieces."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from contract.playing import CUTS, PROTOCOLS, chunked, play, result_of

from chatui.core.errors import Failure, FailureReason
from chatui.core.turn import Phase, Turn
from chatui.core.wire import Dialect
from chatui.protocols import load

HERE = Path(__file__).parent / "recorded"
RECORDINGS = sorted(path for path in HERE.glob("*/*/*.json") if path.stem != "count_tokens")


def body_and_meta(path: Path) -> tuple[bytes, dict]:
    return path.with_suffix(".sse").read_bytes(), json.loads(path.read_text())


def replay(path: Path, sizes: list[int]) -> Turn:
    body, meta = body_and_meta(path)
    protocol = load(PROTOCOLS[path.parent.name])
    headers = {name.lower(): value for name, value in meta.get("headers") or []}
    is_json = headers.get("content-type", "").startswith("application/json")
    make = protocol.body_decoder if is_json else protocol.stream_decoder
    cut = CUTS["eof"] if meta.get("client_error") or "cancel" in path.stem else None
    chunks: list[bytes] = []
    at = 0
    for size in sizes:
        chunks.append(body[at : at + size])
        at += size
    chunks += chunked(body[at:], 4096)
    return play(make(Dialect()), chunks, cut)


def failure_of(path: Path) -> Failure:
    body, meta = body_and_meta(path)
    headers = {name.lower(): value for name, value in meta.get("headers") or []}
    return load(PROTOCOLS[path.parent.name]).http_failure(meta["status"], headers, body)


def is_stream(path: Path) -> bool:
    return json.loads(path.read_text()).get("status") == 200


def expected_text(path: Path) -> str:
    """The answer, read out of the recording by the simplest means there are."""
    text = ""
    for line in path.with_suffix(".sse").read_text("utf-8").split("\n"):
        if not line.startswith("data: {"):
            continue
        try:
            event = json.loads(line[6:])
        except ValueError:
            continue
        match path.parent.name:
            case "chat":
                for choice in event.get("choices") or []:
                    if choice["index"] == 0:
                        text += (choice.get("delta") or {}).get("content") or ""
            case "responses":
                if event.get("type") == "response.output_text.delta":
                    text += event["delta"]
            case _:
                if event.get("type") == "message_stop":
                    break
                text += (event.get("delta") or {}).get("text") or ""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


STREAMS = [path for path in RECORDINGS if is_stream(path)]
ERRORS = [path for path in RECORDINGS if not is_stream(path) and json.loads(path.read_text()).get("status")]


def name_of(path: Path) -> str:
    return "/".join(path.with_suffix("").parts[-3:])


@pytest.mark.parametrize("path", STREAMS, ids=name_of)
def test_a_recorded_answer_has_the_text_of_its_deltas(path: Path) -> None:
    turn = replay(path, [])
    if path.stem in {"nonstream", "n2"} or "malformed" in path.stem:
        return
    assert turn.text == expected_text(path)


@pytest.mark.parametrize("path", STREAMS, ids=name_of)
def test_a_recorded_answer_is_the_same_in_other_pieces(path: Path) -> None:
    whole = replay(path, [])
    chance = random.Random(path.stem)
    for most in (1, 5, 60, 900):
        assert replay(path, [chance.randint(1, most) for _ in range(4000)]) == whole


WHOLE = [
    "text",
    "text_usage",
    "text_system",
    "text_instructions",
    "n2",
    "logprobs",
    "tool_call",
    "tool_result_turn",
    "nonstream",
    "ping",
    "json_schema",
    "unicode_emoji",
    "return_progress",
    "stop_sequence",
    "empty_answer",
    "reasoning",
    "reasoning_model",
    "slow",
    "tools_offered_text_answer",
    "missing_max_tokens",
    "no_max_tokens",
]


@pytest.mark.parametrize("path", [path for path in STREAMS if path.stem in WHOLE], ids=name_of)
def test_an_answer_that_ended_well_is_completed_or_cut_by_its_limit(path: Path) -> None:
    turn = replay(path, [])
    body, meta = body_and_meta(path)
    has_limit = any(
        name in json.dumps(meta["request"]["body"]) for name in ("max_tokens", "max_output_tokens")
    )
    if turn.phase is Phase.FAILED:
        assert turn.failure is not None
        assert turn.failure.reason is FailureReason.LENGTH
        assert has_limit
    else:
        assert turn.phase is Phase.COMPLETED
        assert turn.parts or path.stem == "empty_answer"
    assert body


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("llamacpp/chat/error_midstream_parse", FailureReason.ERROR),
        ("llamacpp/responses/error_midstream_parse", FailureReason.ERROR),
        ("llamacpp/messages/error_midstream_parse", FailureReason.ERROR),
        ("llamacpp/chat/length", FailureReason.LENGTH),
        ("llamacpp/messages/length", FailureReason.LENGTH),
        ("llamacpp/chat/reasoning_only_length", FailureReason.LENGTH),
        ("llamacpp/chat/cancel_midstream", FailureReason.DISCONNECT),
        ("llamacpp/responses/cancel_midstream", FailureReason.DISCONNECT),
        ("llamacpp/messages/cancel_midstream", FailureReason.DISCONNECT),
        ("llamacpp/chat/server_killed_midstream", FailureReason.DISCONNECT),
        ("aimock/chat/length", FailureReason.LENGTH),
        ("aimock/responses/length", FailureReason.LENGTH),
        ("aimock/messages/length", FailureReason.LENGTH),
        ("aimock/chat/content_filter", FailureReason.CONTENT_FILTER),
        ("aimock/responses/content_filter", FailureReason.ERROR),
        ("aimock/chat/disconnect_400ms", FailureReason.DISCONNECT),
        ("aimock/responses/disconnect_400ms", FailureReason.DISCONNECT),
        ("aimock/messages/disconnect_400ms", FailureReason.DISCONNECT),
        ("aimock/chat/chaos_malformed", FailureReason.PROTOCOL),
        ("aimock/responses/chaos_malformed", FailureReason.PROTOCOL),
        ("aimock/messages/chaos_malformed", FailureReason.PROTOCOL),
    ],
)
def test_an_answer_that_did_not_end_well_says_why(name: str, reason: FailureReason) -> None:
    turn = replay(HERE / f"{name}.json", [])
    assert turn.failure is not None
    assert turn.failure.reason is reason
    assert "character" in turn.failure.message or "before any text" in turn.failure.message or not turn.text


@pytest.mark.parametrize("endpoint", PROTOCOLS)
def test_the_tool_call_of_the_real_engine_is_ready_to_run(endpoint: str) -> None:
    result = result_of(replay(HERE / "llamacpp" / endpoint / "tool_call.json", []))
    assert [(call["name"], call["arguments"]) for call in result["tool_calls"]] == [
        ("get_weather", {"city": "Paris"})
    ]


@pytest.mark.parametrize("endpoint", PROTOCOLS)
def test_the_reasoning_of_the_real_engine_is_no_part_of_the_answer(endpoint: str) -> None:
    result = result_of(replay(HERE / "llamacpp" / endpoint / "reasoning.json", []))
    assert result["reasoning"].strip()
    assert result["text"].strip()
    assert result["reasoning"].strip() not in result["text"]


@pytest.mark.parametrize("path", ERRORS, ids=name_of)
def test_a_recorded_error_response_is_told_with_its_status_and_words(path: Path) -> None:
    failure = failure_of(path)
    body, meta = body_and_meta(path)
    error = json.loads(body)["error"]
    assert failure.reason is FailureReason.HTTP
    assert failure.http_status == meta["status"]
    assert str(error["message"]) in failure.message
    assert failure.is_context_too_long == ("context" in path.stem)
