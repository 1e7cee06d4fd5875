"""A session in virtual time with a scripted transport, and a store in memory."""

from dataclasses import dataclass, field, replace
from typing import Any

from support.scripted_transport import Head, ScriptedTransport, Step
from support.virtual_time import VirtualClock

from chatui.core.conversation import Conversation
from chatui.core.errors import StoreError
from chatui.core.messages import user_message
from chatui.core.turn import Turn, TurnId
from chatui.engine.session import ChatSession, Deadlines, Endpoint, Stage, TurnUpdate
from chatui.engine.tool_loop import ToolLoop
from chatui.wiring import load_protocol

KEY = "secret-key-0123456789"
PROMPT = (user_message("hi"),)


@dataclass
class MemoryStore:
    """Keeps turns; `trouble` makes it fail."""

    committed: list[Turn] = field(default_factory=list)
    unfinished: dict[TurnId, Turn] = field(default_factory=dict)
    earlier: tuple[Turn, ...] = ()
    trouble: str = ""

    def commit(self, conversation_id: str, turn: Turn) -> None:
        self._check()
        self.committed.append(turn)
        self.unfinished.pop(turn.turn_id, None)

    def save_unfinished(self, conversation_id: str, turn: Turn) -> None:
        self._check()
        self.unfinished[turn.turn_id] = turn

    def discard_unfinished(self, conversation_id: str, turn_id: TurnId) -> None:
        self._check()
        self.unfinished.pop(turn_id, None)

    def load_before(self, conversation: Conversation, count: int | None = None) -> Conversation:
        self._check()
        return conversation.with_earlier(self.earlier, 0)

    def _check(self) -> None:
        if self.trouble:
            raise StoreError(self.trouble)


class Desk:
    """One session with everything around it."""

    def __init__(
        self,
        *,
        conversation: Conversation | None = None,
        tool_loop: ToolLoop | None = None,
        **endpoint: Any,
    ) -> None:
        self.clock = VirtualClock()
        self.transport = ScriptedTransport(self.clock)
        self.store = MemoryStore()
        self.updates: list[TurnUpdate] = []
        self.times_s: list[float] = []
        values: dict[str, Any] = {
            "provider": "test",
            "protocol": load_protocol("chat_completions"),
            "base_url": "http://model.test/v1",
            "model": "m",
            "api_key": KEY,
            "deadlines": Deadlines(connect_s=10, first_event_s=60, gap_s=30),
            **endpoint,
        }
        self.session = ChatSession(
            endpoint=Endpoint(**values),
            transport=self.transport,
            store=self.store,
            clock=self.clock,
            conversation=conversation or Conversation(conversation_id="c1"),
            on_update=self._updated,
            tool_loop=tool_loop,
        )

    def _updated(self, update: TurnUpdate) -> None:
        self.updates.append(update)
        self.times_s.append(self.clock.now_s)

    def answer(self, *steps: Step) -> "Desk":
        """Script one more response; a missing head is a good event stream's."""
        has_head = any(isinstance(step, Head) for step in steps) or any(
            isinstance(step, Exception) for step in steps[:1]
        )
        self.transport.answer(*(steps if has_head else (Head(), *steps)))
        return self

    async def ask(self) -> Turn:
        """Send and let time pass until the turn has ended."""
        return await self.clock.run(self.session.send(PROMPT))

    @property
    def stages(self) -> list[Stage]:
        """Stages in the order in which they were published, without repetition."""
        found: list[Stage] = []
        for update in self.updates:
            if not found or found[-1] is not update.stage:
                found.append(update.stage)
        return found

    def limits(self, **limits: float | None) -> "Desk":
        """Change some deadlines."""
        endpoint = self.session.endpoint
        self.session.use(replace(endpoint, deadlines=replace(endpoint.deadlines, **limits)))
        return self
