"""The live session of one conversation: what may be asked of it.

Invariants: one turn at a time; a turn is made in `engine.session_turns` and nowhere else; the conversation is
changed from outside only while no turn runs.
"""

from dataclasses import replace

from chatui.core.conversation import Conversation
from chatui.core.errors import ProgrammingError, StopCause
from chatui.core.messages import Message
from chatui.core.request import ToolSpec
from chatui.core.tool_calls import with_waiting_results
from chatui.core.turn import Turn
from chatui.engine.deadlines import Deadlines as Deadlines
from chatui.engine.endpoint import Endpoint as Endpoint
from chatui.engine.session_turns import SessionTurns
from chatui.engine.tool_loop import ToolLoop
from chatui.engine.updates import Stage as Stage
from chatui.engine.updates import TurnUpdate as TurnUpdate

__all__ = ["ChatSession", "Deadlines", "Endpoint", "Stage", "TurnUpdate"]


class ChatSession(SessionTurns):
    """Sends, cancels, regenerates; publishes `TurnUpdate`s; owns the conversation value.

    All methods are called on the event loop. `on_update` is called on the event loop, at most once a frame
    while text streams, at once for the first content, a change of stage or phase, and always at the end.

    Args:
        endpoint: Whom to ask.
        transport: Sends requests.
        store: Where turns go; None keeps nothing.
        clock: Time.
        conversation: Where to go on.
        on_update: Hears of the running turn. Must not raise.
        frame_s: The least time between two updates while text streams.
        on_event: Hears of every stream event, for `--events`.
        tool_loop: Runs what answers call for; None shows calls and runs nothing.
    """

    @property
    def conversation(self) -> Conversation:
        """The conversation as it stands."""
        return self._conversation

    @property
    def endpoint(self) -> Endpoint:
        """Where the next turn goes."""
        return self._endpoint

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools that go with the next turn, as far as they are known before anything is started."""
        return self._tool_loop.toolbox.known_specs if self._tool_loop is not None else ()

    @property
    def unsaved_why(self) -> str:
        """Why the last turn is not in the history, in words; empty if it is, or never should be."""
        return self._keeping.unsaved_why

    @property
    def is_busy(self) -> bool:
        """A turn is running."""
        return self._running.is_busy

    @property
    def frame_s(self) -> float:
        """The least time between two updates while text streams."""
        return self._coalescer.frame_s

    def set_frame_interval(self, frame_s: float) -> None:
        """A screen that cannot keep up asks for longer frames, one that can for shorter ones."""
        self._coalescer.set_frame(frame_s)
        self._running.retime()

    def use(self, endpoint: Endpoint) -> None:
        """Ask another model from the next turn on."""
        self._endpoint = endpoint

    def use_tools(self, tool_loop: ToolLoop | None) -> None:
        """Offer other tools from the next prompt on; where they are the same, what was allowed holds on."""
        known = self._tool_loop
        if known is None or tool_loop is None or tool_loop.toolbox is not known.toolbox:
            self._tool_loop = tool_loop

    def move_to(self, conversation: Conversation) -> None:
        """Go on from another value of the conversation (another branch, edited, reloaded).

        Raises:
            ProgrammingError: a turn is running.
        """
        if self.is_busy:
            raise ProgrammingError("the conversation cannot be changed while a turn is running")
        if self._tool_loop is not None and conversation.conversation_id != self._conversation.conversation_id:
            self._tool_loop.book.clear()
        self._conversation = conversation

    async def send(
        self,
        messages: tuple[Message, ...],
        tools: tuple[ToolSpec, ...] = (),
        *,
        sibling: Turn | None = None,
    ) -> Turn:
        """Run one turn to its end and return it. Never raises for what network, server or store do.

        Where tools are on, its calls are run and their results sent, until a turn calls for nothing.

        With `sibling` it stands beside that turn (an edited prompt), else it follows the head. If the caller
        is cancelled, the turn is cancelled and returned.
        """
        return await self._start(messages, tools, sibling=sibling)

    async def regenerate(self, turn: Turn) -> Turn:
        """Ask again for the same input: a sibling of `turn` (completed or unfinished)."""
        return await self._start(turn.input, (), sibling=turn)

    def cancel(self, cause: StopCause = StopCause.PERSON) -> None:
        """Stop the running turn now, also in silence or during a countdown. Does nothing when idle."""
        self._running.stop(cause)

    def accept(self, turn: Turn) -> Turn:
        """Take a cut answer as it is: it joins the conversation, is saved, and is sent with the next turn.

        Raises:
            ProgrammingError: a turn is running.
        """
        accepted = replace(turn, is_accepted_cut=True)
        if self.is_busy:
            raise ProgrammingError("a turn cannot be accepted while another is running")
        self._keep(accepted)
        return accepted

    def dismiss(self, turn: Turn) -> None:
        """Forget an unfinished turn."""
        self._conversation = self._conversation.without_unfinished(turn.turn_id)
        self._keeping.discard(self._conversation, turn)

    async def _start(
        self, messages: tuple[Message, ...], tools: tuple[ToolSpec, ...], sibling: Turn | None = None
    ) -> Turn:
        if self.is_busy:
            raise ProgrammingError("a turn is running already")
        async with self._running.one_at_a_time():
            parent_id = self._conversation.head if sibling is None else sibling.parent_id
            said = with_waiting_results(self._conversation, parent_id, messages)
            loop = self._tool_loop
            if loop is None:
                return await self.ask(self._base(said, parent_id), tools, None)
            base = self._base(said, parent_id)
            try:
                if not tools and not self._running.is_stop_wanted:
                    tools = await self._offered(loop, base)
                turn = await self.ask(base, tools, None)
                return await loop.follow(turn, tools, self)
            finally:
                self._running.is_going_on = False

    async def _offered(self, loop: ToolLoop, base: Turn) -> tuple[ToolSpec, ...]:
        """The tools that are offered, after what has to be started; that can be stopped like everything."""
        self._running.is_preparing = True
        if not loop.toolbox.is_ready:
            self._published(TurnUpdate(turn=base, stage=Stage.PREPARING, preparing="starting tools"))
        try:
            return await self._running.started(loop.toolbox.offered())
        finally:
            self._running.is_preparing = False
