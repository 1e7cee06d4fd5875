"""aimock speaks like the vendors: their error shapes, reasoning, parallel calls, ways to break off."""

import json

import pytest
from support.acted_tools import ActedTool, loop_of
from support.live_session import PROTOCOLS, live_session
from support.real_servers import AIMOCK_GROUP, RealServer

from chatui.core.errors import FailureReason
from chatui.core.messages import ReasoningPart, ToolCallPart, ToolCallState
from chatui.core.request import ToolSpec
from chatui.core.turn import Phase, Turn

pytestmark = [
    pytest.mark.real,
    pytest.mark.xdist_group(AIMOCK_GROUP),
    pytest.mark.parametrize("protocol", PROTOCOLS),
]

WEATHER = ToolSpec(
    "get_weather", "Current weather", {"type": "object", "properties": {"city": {"type": "string"}}}
)


async def ask(server: RealServer, protocol: str, prompt: str, *tools: ToolSpec) -> Turn:
    async with live_session(server.base_url, protocol, server.api_key) as live:
        return await live.ask(prompt, *tools)


async def test_text_arrives_whole_though_its_emoji_was_cut_in_two(aimock: RealServer, protocol: str) -> None:
    turn = await ask(aimock, protocol, "hello")
    assert (turn.phase, turn.failure) == (Phase.COMPLETED, None)
    assert turn.text == "Hello from the mock. Unicode: héllo 你好 👋 and `code`."
    assert turn.usage is not None
    assert (turn.usage.input_tokens, turn.usage.output_tokens) == (9, 12)


async def test_reasoning_and_answer_stay_apart(aimock: RealServer, protocol: str) -> None:
    turn = await ask(aimock, protocol, "think about it")
    assert turn.phase is Phase.COMPLETED
    assert turn.text == "17 x 23 = **391**."
    (reasoning,) = [part for part in turn.parts if isinstance(part, ReasoningPart)]
    assert reasoning.text.startswith("The user wants 17*23.")


async def test_two_parallel_calls_stay_apart(aimock: RealServer, protocol: str) -> None:
    turn = await ask(aimock, protocol, "weather please", WEATHER)
    assert turn.phase is Phase.COMPLETED
    assert turn.text == "Let me check."
    calls = [part for part in turn.parts if isinstance(part, ToolCallPart)]
    assert [json.loads(call.arguments_raw) for call in calls] == [{"city": "Paris"}, {"city": "Rome"}]
    assert {call.state for call in calls} == {ToolCallState.WHOLE}
    assert len({call.call_id for call in calls}) == 2


async def test_calls_are_run_and_their_results_lead_to_the_answer(aimock: RealServer, protocol: str) -> None:
    tool = ActedTool("get_weather")
    async with live_session(aimock.base_url, protocol, aimock.api_key, tool_loop=loop_of(tool)) as live:
        turn = await live.ask("weather please")
    assert (turn.phase, turn.text) == (Phase.COMPLETED, "It is 18 C in Paris.")
    assert tool.calls == [{"city": "Paris"}, {"city": "Rome"}]


@pytest.mark.parametrize(
    ("prompt", "status", "is_retryable", "is_context_too_long"),
    [
        ("e401", 401, False, False),
        ("e429", 429, True, False),
        ("e529", 529, True, False),
        ("e400ctx", 400, False, True),
    ],
)
async def test_errors_in_the_vendors_own_shape_are_understood(
    aimock: RealServer, protocol: str, prompt: str, status: int, is_retryable: bool, is_context_too_long: bool
) -> None:
    turn = await ask(aimock, protocol, prompt)
    assert turn.phase is Phase.FAILED
    failure = turn.failure
    assert failure is not None
    assert (failure.reason, failure.http_status) == (FailureReason.HTTP, status)
    assert (failure.is_retryable, failure.is_context_too_long) == (is_retryable, is_context_too_long)
    if status == 429:
        assert failure.retry_after_s == 2


@pytest.mark.parametrize(
    ("prompt", "reason", "text"),
    [
        ("cutoff", FailureReason.LENGTH, "This answer stops because"),
        ("filtered", FailureReason.CONTENT_FILTER, "I cannot"),
    ],
)
async def test_an_answer_that_was_stopped_is_never_called_completed(
    aimock: RealServer, protocol: str, prompt: str, reason: FailureReason, text: str
) -> None:
    turn = await ask(aimock, protocol, prompt)
    assert turn.failure is not None, turn.finish_reason
    assert turn.phase is Phase.FAILED
    if protocol != "responses":  # there the mock says `incomplete` without saying why
        assert turn.failure.reason is reason
    assert turn.text == text


@pytest.mark.parametrize("prompt", ["drop3", "die400ms"])
async def test_a_connection_that_breaks_off_keeps_what_came(
    aimock: RealServer, protocol: str, prompt: str
) -> None:
    turn = await ask(aimock, protocol, prompt)
    assert turn.failure is not None
    assert (turn.phase, turn.failure.reason) == (Phase.FAILED, FailureReason.DISCONNECT)
    assert "This stream is cut by the server after".startswith(turn.text[:20])
    assert turn.text or protocol != "chat_completions"  # the other two open with events that carry no text


@pytest.mark.parametrize("prompt", ["chaosmal", "chaosdrop", "chaosdisc"])
async def test_chaos_is_a_failure_and_never_a_crash(aimock: RealServer, protocol: str, prompt: str) -> None:
    turn = await ask(aimock, protocol, prompt)
    assert turn.phase is Phase.FAILED
    assert turn.failure is not None
    assert turn.failure.message
    assert turn.text == ""
