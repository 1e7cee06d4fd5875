"""Whatever a server sends, the turn ends and says how; nothing is raised or called whole without proof."""

import asyncio

import pytest
from engine.sessions import Desk
from hypothesis import given, settings
from hypothesis import strategies as st
from support.scripted_transport import STALL, Head, Pause, Step

from chatui.core.errors import ConnectFailed, ConnectionLost, WireError
from chatui.core.turn import Phase, Turn
from chatui.engine.session import Stage
from chatui.wiring import load_protocol

PROTOCOLS = ("chat_completions", "responses", "anthropic_messages")
FRAGMENTS = (
    b"data: ", b"event: ", b"\n\n", b"\r", b": c\n", b"[DONE]", b"{", b"}", b"[", b"]", b'"', b":", b",",
    b'{"choices":[{"index":0,"delta":{"content":"x"}}]}', b'{"choices":[{"delta":null}]}', b'{"error":{}}',
    b"event: message_start\ndata: {}\n\n", b'data: {"type":"content_block_delta","index":0}\n\n',
    b'data: {"type":"response.output_text.delta","delta":"x"}\n\n', b'data: {"type":"response.created"}\n\n',
    b"null", b"1e999", b"\xff\xfe", b"\xed\xa0\x80", b"<html>", b"\x1f\x8b\x08",
)  # fmt: skip
CHUNKS = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.binary(max_size=30)), max_size=20)
ENDINGS = st.sampled_from(
    [(), (STALL,), (ConnectionLost("broke"),), (WireError("no HTTP"),), (Pause(1.0), b"data: {}\n\n")]
)
HEADS = st.builds(
    Head,
    st.sampled_from([200, 200, 200, 201, 204, 302, 400, 404, 429, 500, 599, 999]),
    st.sampled_from(["text/event-stream", "application/json", "text/html", "", "x/y; charset=\x00"]),
    st.dictionaries(
        st.sampled_from(["retry-after", "location", "x-request-id", "date"]),
        st.sampled_from(["1", "-1", "nan", "Wed, 21 Oct 2015 07:28:00 GMT", "x" * 50, "1e400", ""]),
    ),
)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(head=HEADS, chunks=CHUNKS, ending=ENDINGS)
@settings(max_examples=150)
def test_any_bytes_end_in_a_turn(
    protocol: str, head: Head, chunks: list[bytes], ending: tuple[Step, ...]
) -> None:
    async def ask() -> tuple[Desk, Turn]:
        desk = Desk(protocol=load_protocol(protocol))
        for _ in range(3):
            desk.transport.answer(head, *chunks, *ending)
        return desk, await desk.ask()

    desk, turn = asyncio.run(ask())
    assert turn.phase is Phase.FAILED or b"[DONE]" in b"".join(chunks)
    assert turn.phase is not Phase.FAILED or (turn.failure is not None and turn.failure.message)
    assert desk.updates[-1].stage is Stage.ENDED
    assert all(response.is_closed for response in desk.transport.responses)


@given(
    st.lists(
        st.sampled_from([ConnectFailed("a"), ConnectionLost("b"), WireError("c")]), min_size=3, max_size=3
    )
)
def test_any_trouble_before_the_head_ends_in_a_turn(errors: list[Exception]) -> None:
    async def ask() -> Turn:
        desk = Desk()
        for error in errors:
            desk.transport.answer(error)
        return await desk.ask()

    assert asyncio.run(ask()).failure is not None
