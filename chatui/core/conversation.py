"""A conversation: a tree of turns, the path through it that is shown, and what is sent next.

Invariant: only completed (or deliberately accepted) turns stand in the tree; unfinished ones stand beside it.
"""

from dataclasses import dataclass, field

from chatui.core.messages import Message
from chatui.core.turn import Turn, TurnId


@dataclass(frozen=True, slots=True)
class Omission:
    """Something of the conversation that is not sent, and why; in words for the person."""

    turn_id: TurnId
    what: str
    why: str


@dataclass(frozen=True, slots=True)
class SendPlan:
    """What is sent next."""

    messages: tuple[Message, ...]
    omissions: tuple[Omission, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A frozen value; a new turn makes a new conversation value that shares the old turns."""

    conversation_id: str
    title: str = ""
    system: str = ""
    turns: tuple[Turn, ...] = ()
    """All turns of the tree in order of creation."""
    head: TurnId | None = None
    """The last turn of the path that is shown; None is an empty conversation."""
    unfinished: tuple[Turn, ...] = ()
    """Failed or cancelled turns, kept outside the history; `parent_id` tells where they belong."""
    created_at_epoch_s: float = 0.0
    is_temporary: bool = False

    def path(self) -> tuple[Turn, ...]:
        """Turns from the root to the head."""
        by_id = {turn.turn_id: turn for turn in self.turns}
        found: list[Turn] = []
        seen: set[TurnId] = set()
        at = self.head
        while at is not None and at in by_id and at not in seen:
            seen.add(at)
            turn = by_id[at]
            found.append(turn)
            at = turn.parent_id
        return tuple(reversed(found))


@dataclass(slots=True)
class _Unused:
    """Placeholder so that `field` stays imported until plan_messages lands."""

    value: list[int] = field(default_factory=list)


def plan_messages(path: tuple[Turn, ...], new_input: tuple[Message, ...]) -> SendPlan:
    """The messages to send after `path`, validated: no call without a result, no empty text, nothing unfinished.

    Everything that is left out or repaired is named in `omissions`.
    """
    raise NotImplementedError
