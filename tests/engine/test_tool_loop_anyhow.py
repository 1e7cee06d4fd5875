"""Whatever person and tools do, and whenever it is stopped: one result for each call, and legal messages."""

import asyncio
import json
from collections.abc import Mapping

from engine.sessions import PROMPT, Desk
from hypothesis import given, settings
from hypothesis import strategies as st
from support.acted_tools import ActedTool, Person, call_chunk, loop_of
from support.called_tools import results
from support.scripted_server import DONE, ReceivedRequest, chat_chunk
from support.virtual_time import settled

from chatui.core.errors import ToolError
from chatui.core.messages import ToolOutcome, ToolResultPart, user_message
from chatui.core.tool_calls import calls_of
from chatui.engine.approval import ApprovalRequest, Decision, Verdict

ANSWER = (chat_chunk("Well."), chat_chunk({}, "stop"), DONE)
KINDS = ("ok", "fails", "denied", "hangs", "unknown", "invalid", "no JSON")


def chunk_of(kind: str, index: int) -> bytes:
    arguments = {"invalid": '{"city":1}', "no JSON": '{"city":'}.get(kind, json.dumps({"city": kind}))
    return call_chunk(arguments, "other" if kind == "unknown" else "weather", f"c{index}", index)


class Moody(Person):
    """Denies what is called denied."""

    async def decide(self, request: ApprovalRequest) -> Decision:
        await asyncio.sleep(0)
        return Decision(Verdict.DENY if request.arguments["city"] == "denied" else Verdict.ONCE)


async def act(arguments: Mapping[str, object]) -> str:
    await asyncio.sleep(0)
    if arguments["city"] == "fails":
        raise ToolError("no network")
    if arguments["city"] == "hangs":
        await asyncio.Event().wait()
    return "sunny"


@given(
    st.lists(st.sampled_from(KINDS), min_size=1, max_size=5),
    st.none() | st.integers(0, 60),
    st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_every_call_has_one_result_and_the_conversation_goes_on(
    kinds: list[str], stop_after: int | None, is_asked_again: bool
) -> None:
    async def play() -> Desk:
        tool = ActedTool(act=act, timeout_s=5)
        desk = Desk(tool_loop=loop_of(tool, person=Moody()))
        chunks = [chunk_of(kind, index) for index, kind in enumerate(kinds)]
        desk.answer(*chunks, chat_chunk({}, "tool_calls"), DONE)
        for _ in range(3):
            desk.answer(*ANSWER)
        asking = asyncio.create_task(desk.session.send(PROMPT))
        if stop_after is not None:
            for _ in range(stop_after):
                await asyncio.sleep(0)
            desk.session.cancel()
        await desk.clock.until(asking)
        turn = asking.result()
        if is_asked_again and turn.parent_id is not None:
            await desk.clock.run(desk.session.regenerate(turn))
        await desk.clock.run(desk.session.send((user_message("and now?"),)))
        await settled()
        return desk

    desk = asyncio.run(play())
    conversation = desk.session.conversation
    for turn in (*conversation.turns, *conversation.unfinished):
        given_results = [part for one in turn.input for part in one.parts if isinstance(part, ToolResultPart)]
        before = conversation.turn(turn.parent_id) if turn.parent_id is not None else None
        if given_results:
            assert before is not None
            assert [part.call_id for part in given_results] == [call.call_id for call in calls_of(before)]
            for part, kind in zip(given_results, kinds, strict=True):
                assert part.outcome in (expected(kind), ToolOutcome.INTERRUPTED)
    for request in desk.transport.requests:
        results("chat_completions", ReceivedRequest("POST", "", {}, request.body))
    assert not desk.session.is_busy


def expected(kind: str) -> ToolOutcome:
    match kind:
        case "ok":
            return ToolOutcome.OK
        case "denied":
            return ToolOutcome.DENIED
        case "invalid" | "no JSON":
            return ToolOutcome.INVALID
        case _:
            return ToolOutcome.FAILED
