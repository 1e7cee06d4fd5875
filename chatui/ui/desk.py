"""Opens conversations, sends, stops and queues, and tells of each update; what is open is a `Live`.

Invariant: a stream belongs to its conversation, not to what is on the screen: switching away neither stops
nor loses it. At most one update of a conversation is unhandled; a newer one replaces it.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Protocol

from chatui.core.continuation import GO_ON_WORDS, can_prefill, prefilled
from chatui.core.conversation import Conversation
from chatui.core.errors import ChatuiError, StopCause
from chatui.core.messages import Message, user_message
from chatui.core.turn import Phase, Turn
from chatui.engine.updates import CallStage, Stage, TurnUpdate
from chatui.ui.live import Live

if TYPE_CHECKING:
    from chatui.engine.approval import Approver
    from chatui.engine.endpoint import Endpoint
    from chatui.engine.ports import Clock
    from chatui.engine.session import ChatSession
    from chatui.engine.tool_loop import ToolLoop
    from chatui.ui.writing.prompts import Prompt


class SessionMaker(Protocol):
    """What the desk needs of the workspace."""

    def new_conversation(self, *, is_temporary: bool = False) -> Conversation:
        """A fresh conversation."""
        ...

    def build_session(
        self,
        on_update: Callable[[TurnUpdate], None],
        conversation: Conversation | None = None,
        *,
        endpoint: "Endpoint | None" = None,
        frame_s: float = 1 / 15,
        approver: "Approver | None" = None,
    ) -> "ChatSession":
        """A live session."""
        ...

    def tool_loop(self, approver: "Approver | None") -> "ToolLoop | None":
        """The tools that are switched on now; None if none is."""
        ...


class Desk:
    """Opens conversations, sends, and tells of updates."""

    def __init__(
        self, maker: SessionMaker, clock: "Clock", on_change: Callable[[Live], None], frame_s: float = 1 / 15
    ) -> None:
        self._maker = maker
        self._clock = clock
        self._frame_s = frame_s
        self._on_change = on_change
        self._lives: dict[str, Live] = {}

    @property
    def lives(self) -> list[Live]:
        """Everything that is open."""
        return list(self._lives.values())

    def find(self, conversation_id: str) -> Live | None:
        """A conversation that is open here."""
        return self._lives.get(conversation_id)

    def close(self, live: Live) -> None:
        """Forget a conversation that is idle and not shown."""
        if not live.is_busy:
            self._lives.pop(live.conversation.conversation_id, None)

    def open(
        self,
        conversation: Conversation,
        endpoint: "Endpoint | None" = None,
        *,
        problem: ChatuiError | None = None,
    ) -> Live:
        """Open a conversation, or come back to it; `problem` is why nobody can be asked, if that is known."""
        live = self._lives.get(conversation.conversation_id)
        if live is None:
            live = self._lives[conversation.conversation_id] = Live(conversation)
        if live.session is None and problem is not None:
            live.problem = problem
        elif live.session is None:
            self._build(live, endpoint)
        return live

    def new(self, endpoint: "Endpoint | None" = None) -> Live:
        """Open a fresh conversation."""
        return self.open(self._maker.new_conversation(), endpoint)

    def _build(self, live: Live, endpoint: "Endpoint | None") -> None:
        def on_update(update: TurnUpdate) -> None:
            self._take(live, update)

        try:
            live.session = self._maker.build_session(
                on_update,
                live.conversation,
                endpoint=endpoint,
                frame_s=self._frame_s,
                approver=self._approver(live),
            )
            live.problem = None
        except ChatuiError as error:
            live.problem = error

    def _approver(self, live: Live) -> "Approver":
        from chatui.ui.approving import LiveApprover

        return LiveApprover(live, self._on_change)

    def use(self, live: Live, endpoint: "Endpoint") -> None:
        """Ask another model from the next turn on."""
        if live.session is None:
            self._build(live, endpoint)
        else:
            live.session.use(endpoint)
            live.session.use_tools(self._maker.tool_loop(self._approver(live)))

    def _take(self, live: Live, update: TurnUpdate) -> None:
        before = live.update
        if before is not None and (
            before.turn.turn_id != update.turn.turn_id or (before.calls and not update.calls)
        ):
            live.started_s = self._clock.monotonic_s()  # each request of an answer with calls is a turn
        live.update = update
        self._on_change(live)

    def send(self, live: Live, text: str) -> bool:
        """Send a prompt; False if there is no session or a turn is running."""
        return self._start(live, lambda session: session.send((user_message(text),)))

    def send_messages(self, live: Live, messages: tuple[Message, ...]) -> bool:
        """Send messages that are already built; beside the turn whose prompt is being edited, if one is."""
        sibling = live.editing
        if sibling is None:
            return self._start(live, lambda session: session.send(messages))
        if not self._start(live, lambda session: session.send(messages, sibling=sibling)):
            return False
        live.editing = None
        return True

    def regenerate(self, live: Live, turn: Turn) -> bool:
        """Ask again for the same input."""
        return self._start(live, lambda session: session.regenerate(turn))

    def go_on(self, live: Live, turn: Turn) -> bool:
        """Let the model go on from what was received of a failed turn.

        Where an answer that stands last is continued, it goes along as one, and the failed turn goes when the
        rest is there. Elsewhere it is accepted, and the model is asked in words.
        """
        session = live.session
        if session is None or live.is_busy:
            return False
        endpoint = session.endpoint
        if can_prefill(endpoint.dialect, endpoint.model, endpoint.sampling):
            return self._start(live, lambda session: _rest(session, turn))
        session.accept(turn)
        live.update = None
        return self.send(live, GO_ON_WORDS)

    def _start(self, live: Live, run: "Callable[[ChatSession], Coroutine[Any, Any, Turn]]") -> bool:
        if live.session is None:
            self._build(live, None)
        session = live.session
        if session is None or live.is_busy:
            return False
        live.started_s = self._clock.monotonic_s()
        live.is_stopping = False
        live.update = None

        async def turn() -> None:
            await run(session)

        live.task = asyncio.get_running_loop().create_task(turn())
        live.task.add_done_callback(lambda task: self._ended(live, task))
        self._on_change(live)
        return True

    def _ended(self, live: Live, task: "asyncio.Task[None]") -> None:
        live.is_stopping = False
        self._on_change(live)
        if not task.cancelled() and (bug := task.exception()) is not None:
            raise bug  # a session raises for its own mistakes only; the loop's handler ends the app

    def cancel(self, live: Live) -> bool:
        """Stop the running turn; False if none runs."""
        if live.session is None or not live.is_busy:
            return False
        live.is_stopping = True
        live.session.cancel()
        self._on_change(live)
        return True

    def unqueue(self, live: Live, index: int) -> "Prompt | None":
        """Take a waiting prompt back; None if there is none."""
        if not -len(live.queue) <= index < len(live.queue):
            return None
        prompt = live.queue.pop(index)
        live.is_queue_held = live.is_queue_held and bool(live.queue)
        return prompt

    def send_next(self, live: Live) -> bool:
        """Send what waits if the last turn is completed, hold it if it is not; True if something was sent."""
        if live.is_busy or not live.queue or live.is_queue_held or live.update is None:
            return False
        if live.update.turn.phase is not Phase.COMPLETED:
            live.is_queue_held = True
            return False
        return self.release_queue(live)

    def release_queue(self, live: Live) -> bool:
        """Send the first waiting prompt, whatever came before."""
        if live.is_busy or not live.queue:
            return False
        live.is_queue_held = False
        prompt = live.queue.pop(0)
        if self._start(live, lambda session: session.send((prompt.message,))):
            return True
        live.queue.insert(0, prompt)
        live.is_queue_held = True
        return False

    def elapsed_s(self, live: Live) -> float:
        """Seconds since the running turn began."""
        return max(0.0, self._clock.monotonic_s() - live.started_s)

    def call_elapsed_s(self, live: Live) -> float:
        """Seconds since the call that is asked for or running came so far; 0 if there is none."""
        calls = live.update.calls if live.update is not None else ()
        since_s = [call.since_s for call in calls if call.stage in (CallStage.ASKING, CallStage.RUNNING)]
        return max(0.0, self._clock.monotonic_s() - since_s[0]) if since_s else 0.0

    def stage(self, live: Live) -> Stage:
        """What the session of a conversation is doing."""
        if not live.is_busy:
            return Stage.ENDED
        if live.is_stopping:
            return Stage.STOPPING
        return live.update.stage if live.update is not None else Stage.CONNECTING

    async def aclose(self, cause: StopCause = StopCause.PERSON) -> None:
        """Stop everything that runs and wait for its last words."""
        tasks = []
        for live in self._lives.values():
            if live.session is not None and live.is_busy and live.task is not None:
                live.session.cancel(cause)
                tasks.append(live.task)
        if tasks:
            await asyncio.wait(tasks, timeout=2.0)


async def _rest(session: "ChatSession", cut: Turn) -> Turn:
    rest = await session.send(prefilled(cut), sibling=cut)
    if rest.phase is Phase.COMPLETED:
        session.dismiss(cut)  # all of it stands in the new turn, before the seam
    return rest
