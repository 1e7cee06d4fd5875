"""A session as the app has it (real transport, clock and protocols) at a server of the test's choice."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from chatui.core.conversation import Conversation
from chatui.core.messages import user_message
from chatui.core.request import Sampling, ToolSpec
from chatui.core.turn import Turn
from chatui.engine.clock import SystemClock
from chatui.engine.deadlines import Deadlines
from chatui.engine.endpoint import Endpoint
from chatui.engine.session import ChatSession
from chatui.engine.tool_loop import ToolLoop
from chatui.engine.updates import TurnUpdate
from chatui.transport.httpx_transport import HttpxTransport
from chatui.wiring import load_protocol

PROTOCOLS = ("chat_completions", "responses", "anthropic_messages")


@dataclass
class LiveSession:
    """The session and everything it published."""

    session: ChatSession
    updates: list[TurnUpdate] = field(default_factory=list)

    async def ask(self, prompt: str, *tools: ToolSpec) -> Turn:
        """One turn to its end."""
        return await self.session.send((user_message(prompt),), tools)

    async def ask_and(
        self, prompt: str, when: Callable[[TurnUpdate], bool], act: Callable[[], object]
    ) -> Turn:
        """One turn; `act` once an update fulfils `when`."""
        asking = asyncio.create_task(self.ask(prompt))
        while not asking.done():
            if any(when(update) for update in self.updates):
                act()
                break
            await asyncio.sleep(0.005)
        return await asking


@asynccontextmanager
async def live_session(
    base_url: str,
    protocol: str,
    key: str = "key",
    *,
    extra: Mapping[str, object] | None = None,
    max_output_tokens: int | None = 40,
    model: str = "real-model",
    tool_loop: ToolLoop | None = None,
) -> AsyncIterator[LiveSession]:
    """A session that closes its connections at the end."""
    transport = HttpxTransport("chatui-tests")
    live: LiveSession
    endpoint = Endpoint(
        provider="test",
        protocol=load_protocol(protocol),
        base_url=base_url,
        model=model,
        api_key=key,
        sampling=Sampling(
            max_output_tokens=max_output_tokens,
            temperature=0.0,
            seed=7,
            extra=extra or {},
        ),
        deadlines=Deadlines(connect_s=10, first_event_s=50, gap_s=50, total_s=50),
        max_retries=0,
    )
    session = ChatSession(
        endpoint=endpoint,
        transport=transport,
        store=None,
        clock=SystemClock(),
        conversation=Conversation(conversation_id="live"),
        on_update=lambda update: live.updates.append(update),
        tool_loop=tool_loop,
    )
    live = LiveSession(session)
    try:
        yield live
    finally:
        await transport.aclose()
