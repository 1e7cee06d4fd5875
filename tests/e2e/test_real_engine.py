"""llama.cpp's own server, all three endpoints: real bytes, right turns. Shapes are asserted, not words."""

import json
import os
import signal
from pathlib import Path

import pytest
from support.live_session import PROTOCOLS, live_session
from support.real_servers import ENGINE_GROUP, RealServer, run_engine

from chatui.core.conversation import Conversation
from chatui.core.errors import FailureReason
from chatui.core.messages import ReasoningPart, ToolCallPart, ToolCallState, ToolOutcome
from chatui.core.request import ToolSpec
from chatui.core.tool_calls import result_of, results_message, runnable_calls
from chatui.core.turn import Phase, Turn

pytestmark = [
    pytest.mark.real,
    pytest.mark.xdist_group(ENGINE_GROUP),
    pytest.mark.parametrize("protocol", PROTOCOLS),
]

WEATHER = ToolSpec(
    "get_weather",
    "Current weather of a city",
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)
FORCED = {"chat_completions": "required", "responses": "required", "anthropic_messages": {"type": "any"}}

BUDGET = {"anthropic_messages": {"thinking": {"type": "enabled", "budget_tokens": 16}}}
"""The vendor's own least budget is 1,024 tokens; the other two protocols have no word for one."""


def why(turn: Turn) -> FailureReason | None:
    return turn.failure.reason if turn.failure else None


async def test_an_answer_is_completed_with_its_usage(engine: RealServer, protocol: str) -> None:
    async with live_session(engine.base_url, protocol, engine.api_key, max_output_tokens=400) as live:
        turn = await live.ask("Capital of France? Answer in one sentence.")
    assert (turn.phase, why(turn)) == (Phase.COMPLETED, None)
    assert turn.text.strip()
    assert turn.usage is not None
    assert turn.usage.input_tokens
    assert turn.usage.output_tokens
    assert turn.requests == 1
    assert turn.timing.first_text_ms is not None
    assert turn.unknown_events == 0
    assert len(live.updates) > 2
    assert live.updates[-1].turn == turn


async def test_a_second_turn_carries_the_first(engine: RealServer, protocol: str) -> None:
    async with live_session(engine.base_url, protocol, engine.api_key, max_output_tokens=400) as live:
        first = await live.ask("Say yes.")
        second = await live.ask("Say it again.")
    assert second.phase is Phase.COMPLETED
    assert first.usage is not None
    assert second.usage is not None
    assert (second.usage.input_tokens or 0) + (second.usage.cached_tokens or 0) > (
        first.usage.input_tokens or 0
    )
    assert [turn.text for turn in live.session.conversation.path()] == [first.text, second.text]


async def test_the_token_limit_cuts_and_says_so(engine: RealServer, protocol: str) -> None:
    async with live_session(engine.base_url, protocol, engine.api_key, max_output_tokens=5) as live:
        turn = await live.ask("Count from one to fifty in words.")
    assert turn.text
    if protocol == "responses":  # llama.cpp proves completion there even at the limit; only the count tells
        assert turn.phase is Phase.COMPLETED
        assert turn.usage is not None
        assert turn.usage.output_tokens == 5
        return
    assert (turn.phase, why(turn)) == (Phase.FAILED, FailureReason.LENGTH)
    assert live.session.conversation.turns == ()


async def test_a_forced_tool_call_arrives_whole(tools_engine: RealServer, protocol: str) -> None:
    extra = {"tool_choice": FORCED[protocol]}
    async with live_session(
        tools_engine.base_url, protocol, tools_engine.api_key, extra=extra, max_output_tokens=200
    ) as live:
        turn = await live.ask("What is the weather in Paris right now? Use the tool.", WEATHER)
    assert (turn.phase, why(turn)) == (Phase.COMPLETED, None)
    (call,) = [part for part in turn.parts if isinstance(part, ToolCallPart)]
    assert call.name == "get_weather"
    assert call.call_id
    assert call.state is ToolCallState.WHOLE
    assert isinstance(json.loads(call.arguments_raw)["city"], str)


async def test_the_result_of_a_call_is_taken_and_answered(
    tools_engine: RealServer, engine: RealServer, protocol: str
) -> None:
    extra = {"tool_choice": FORCED[protocol]}
    async with live_session(
        tools_engine.base_url, protocol, tools_engine.api_key, extra=extra, max_output_tokens=200
    ) as live:
        called = await live.ask("What is the weather in Paris right now? Use the tool.", WEATHER)
    (call,) = runnable_calls(called)
    result = results_message([result_of(call, ToolOutcome.OK, "18 degrees, sunny")])
    # At the first engine, whose template is made for forced calls, the tiny model breaks its own grammar.
    async with live_session(engine.base_url, protocol, engine.api_key, max_output_tokens=60) as live:
        live.session.move_to(Conversation(conversation_id="live").with_turn(called))
        turn = await live.session.send((result,))
    assert turn.requests == 1
    assert why(turn) in (None, FailureReason.LENGTH), "the server took call and result"
    assert turn.text.strip()


async def test_reasoning_is_apart_from_the_answer(reasoning_engine: RealServer, protocol: str) -> None:
    async with live_session(
        reasoning_engine.base_url,
        protocol,
        reasoning_engine.api_key,
        max_output_tokens=200,
        extra=BUDGET.get(protocol, {"thinking_budget_tokens": 16}),
    ) as live:
        turn = await live.ask("Explain what a computer network is.")
    reasoning = "".join(part.text for part in turn.parts if isinstance(part, ReasoningPart))
    assert reasoning.strip()
    assert "<think>" not in turn.text
    assert turn.text.strip()
    assert why(turn) in (None, FailureReason.LENGTH)


async def test_a_prompt_beyond_the_window_is_explained(engine: RealServer, protocol: str) -> None:
    async with live_session(engine.base_url, protocol, engine.api_key) as live:
        turn = await live.ask("word " * 4000)
    assert (turn.phase, why(turn)) == (Phase.FAILED, FailureReason.HTTP)
    assert turn.failure is not None
    assert turn.failure.http_status == 400
    assert turn.failure.is_context_too_long
    assert not turn.failure.is_retryable


async def test_a_wrong_key_is_an_http_error_that_does_not_repeat_it(
    engine: RealServer, protocol: str
) -> None:
    async with live_session(engine.base_url, protocol, "wrong-key-of-mine") as live:
        turn = await live.ask("hi")
    assert why(turn) is FailureReason.HTTP
    assert turn.failure is not None
    assert turn.failure.http_status == 401
    assert "wrong-key-of-mine" not in turn.failure.message + turn.failure.hint


async def test_an_error_inside_the_stream_is_told(tools_engine: RealServer, protocol: str) -> None:
    automatic = {"type": "auto"} if protocol == "anthropic_messages" else "auto"
    async with live_session(
        tools_engine.base_url, protocol, tools_engine.api_key, extra={"tool_choice": automatic}
    ) as live:
        turn = await live.ask("What is the weather in Paris right now? Use the tool.", WEATHER)
    assert turn.phase is Phase.FAILED
    assert why(turn) in (FailureReason.ERROR, FailureReason.LENGTH)
    assert turn.failure is not None
    assert turn.failure.message


async def test_cancel_keeps_what_came_and_frees_the_server(engine: RealServer, protocol: str) -> None:
    async with live_session(engine.base_url, protocol, engine.api_key, max_output_tokens=900) as live:
        turn = await live.ask_and(
            "Write a very long story about the sea.",
            lambda update: bool(update.turn.text),
            live.session.cancel,
        )
        assert (turn.phase, why(turn)) == (Phase.FAILED, FailureReason.CANCELLED)
        assert turn.text
        assert live.session.conversation.turns == ()
        assert live.session.conversation.unfinished[-1].text == turn.text
        again = await live.ask("Say yes.")
    assert again.phase is Phase.COMPLETED or why(again) is FailureReason.LENGTH


async def test_a_server_killed_in_mid_answer_is_a_lost_connection(model_file: Path, protocol: str) -> None:
    with run_engine(model_file) as server:
        async with live_session(server.base_url, protocol, server.api_key, max_output_tokens=900) as live:
            turn = await live.ask_and(
                "Write a very long story about the sea.",
                lambda update: bool(update.turn.text),
                lambda: os.kill(server.process_id, signal.SIGKILL),
            )
    assert (turn.phase, why(turn)) == (Phase.FAILED, FailureReason.DISCONNECT)
    assert turn.text


async def test_nobody_there_is_a_failure_to_connect(model_file: Path, protocol: str) -> None:
    with run_engine(model_file) as server:
        pass
    async with live_session(server.base_url, protocol) as live:
        turn = await live.ask("hi")
    assert why(turn) is FailureReason.CONNECT
    assert turn.failure is not None
    assert turn.failure.hint
