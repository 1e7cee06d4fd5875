"""A conversation that is open in this window: its session, its draft, its queue, its latest update.

Invariant: what is shown is the conversation of the session while there is one, with the running turn where
it will stand; nothing here starts or stops anything (that is `ui.desk`).
"""

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chatui.core.conversation import Conversation
from chatui.core.errors import ChatuiError
from chatui.core.turn import Phase, Turn, TurnId
from chatui.engine.updates import TurnUpdate

if TYPE_CHECKING:
    from chatui.engine.session import ChatSession
    from chatui.ui.approving import Question
    from chatui.ui.writing.prompts import Prompt


@dataclass(slots=True, eq=False)
class Live:
    """One open conversation."""

    conversation: Conversation
    session: "ChatSession | None" = None
    problem: ChatuiError | None = None
    """Why there is no session."""
    update: TurnUpdate | None = None
    """The latest truth about the last turn of this session."""
    draft: str = ""
    started_s: float = 0.0
    """When the running turn began, on the monotonic clock."""
    task: "asyncio.Task[None] | None" = None
    is_stopping: bool = False
    queue: "list[Prompt]" = field(default_factory=list)
    """What is sent when the running turn is completed."""
    is_queue_held: bool = False
    """The last turn was not completed: the queue waits for the person."""
    loud: set[str] = field(default_factory=set)
    """Turns that were completed a moment ago."""
    has_unseen: bool = False
    """A turn ended while another conversation was shown."""
    open_elsewhere: str = ""
    """Where else it is open, in words after "open in": here it is only read."""
    question: "Question | None" = None
    """A call that waits for the person's yes or no."""
    editing: Turn | None = None
    """The sent prompt that is being edited: what is sent stands beside this turn."""
    _began_with: str = ""
    _placed: tuple[Turn, ...] | None = None
    _places: dict[TurnId, tuple[int, int]] = field(default_factory=dict)

    @property
    def is_busy(self) -> bool:
        """A turn is running."""
        return self.task is not None and not self.task.done()

    @property
    def is_answered(self) -> bool:
        """The last turn of this session was completed."""
        return self.update is not None and self.update.turn.phase is Phase.COMPLETED

    def now(self) -> Conversation:
        """The conversation as it stands."""
        return self.session.conversation if self.session is not None else self.conversation

    def become(self, conversation: Conversation) -> None:
        """Go on from another value of the conversation."""
        self.conversation = conversation
        self._placed = None
        if self.session is not None and not self.session.is_busy:
            self.session.move_to(conversation)

    def turns(self) -> list[Turn]:
        """Turns to show: the path with what is unfinished beside it, then the running one."""
        conversation = self.now()
        update = self.update
        if update is None:
            return list(conversation.shown())
        turn = update.turn
        if conversation.turn(turn.turn_id) is None:  # it runs, or has ended this moment
            return list(conversation.shown(turn))
        return [turn if known.turn_id == turn.turn_id else known for known in conversation.shown()]

    def first_prompt(self) -> str:
        """What the conversation began with, as far as it was ever known here."""
        turns = self.turns()
        if turns and (not self._began_with or not self.now().earlier_turns):
            self._began_with = turns[0].prompt
        return self._began_with if turns else ""

    def place(self, turn: Turn) -> tuple[int, int]:
        """Which of how many answers to the same prompt a turn is; (1, 1) for the only one."""
        conversation = self.now()
        if self._placed is not conversation.turns:
            self._placed = conversation.turns
            self._places = conversation.places()
        known = self._places.get(turn.turn_id)
        if known is not None:
            return known
        if self.is_busy and self.update is not None and self.update.turn.turn_id == turn.turn_id:
            family = [other.turn_id for other in conversation.children(turn.parent_id)]
            number = len(family) + (turn.turn_id not in family)
            return number, number
        return (1, 1)

    @property
    def unsaved_why(self) -> str:
        """Why the last turn is not in the history; empty if it is, or never should be."""
        return self.session.unsaved_why if self.session is not None else ""
