"""A tree of messages, as other programs have it, to our tree of turns.

Invariants: every message is somewhere, in a turn, in an unfinished turn or in the report; branches stay
branches; broken links and rings end a branch and are named; the same input gives the same ids, so that
importing twice adds nothing.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from chatui.core.conversation import Conversation
from chatui.core.errors import Failure, FailureReason
from chatui.core.events import Usage
from chatui.core.messages import Message, Part, Role, TextPart
from chatui.core.turn import Choice, Phase, Timing, Turn, TurnId
from chatui.history.portable import Portable


@dataclass(slots=True, kw_only=True)
class Node:
    """One message of another program."""

    node_id: str
    parent_id: str | None
    role: Role
    parts: tuple[Part, ...]
    at_epoch_s: float = 0.0
    model: str = ""
    usage: Usage | None = None
    finish_reason: str | None = None
    total_ms: float | None = None
    system: str = ""
    """System text that was in force for this answer, where the program tells."""
    extra: dict[str, object] = field(default_factory=dict)
    """Members that have no place here."""


@dataclass(slots=True, kw_only=True)
class Source:
    """One conversation of another program."""

    program: str
    """In words, e.g. "ChatGPT"; it becomes the provider of its turns."""
    source_id: str
    title: str = ""
    system: str = ""
    nodes: list[Node] = field(default_factory=list)
    current: str | None = None
    """The message at which it was left; None is the last one."""
    created_at_epoch_s: float = 0.0
    updated_at_epoch_s: float = 0.0
    tags: tuple[str, ...] = ()
    is_pinned: bool = False
    is_archived: bool = False
    extra: dict[str, object] = field(default_factory=dict)


@dataclass(slots=True)
class _Place:
    """Where a branch stands after a message."""

    turn: TurnId | None
    said: tuple[Node, ...]
    """What was said since the last answer."""


def build(source: Source, unmapped: Counter[str]) -> Portable:
    """The conversation of a tree of messages."""
    source = _told_apart(source, unmapped)
    nodes = {node.node_id: node for node in source.nodes}
    children: dict[str | None, list[Node]] = {}
    for node in source.nodes:
        parent = node.parent_id if node.parent_id in nodes else None
        if node.parent_id is not None and parent is None:
            unmapped["a message whose predecessor is missing (kept as a beginning)"] += 1
        children.setdefault(parent, []).append(node)
    tree = _Tree(source)
    waiting = [(node, _Place(None, ())) for node in reversed(children.get(None, []))]
    unvisited = dict(nodes)
    while waiting or unvisited:
        if not waiting:
            unmapped["messages in a ring (kept from the first one on)"] += 1
            waiting.append((next(iter(unvisited.values())), _Place(None, ())))
        node, place = waiting.pop()
        if unvisited.pop(node.node_id, None) is None:
            continue
        after = tree.add(node, place)
        below = children.get(node.node_id, [])
        if not below:
            tree.end(after)
        waiting += [(child, after) for child in reversed(below)]
    return tree.finished()


def _told_apart(source: Source, unmapped: Counter[str]) -> Source:
    """The messages with an id each: who names one that several share means the one before."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    nodes: list[Node] = []
    for node in source.nodes:
        name, number = node.node_id, 1
        while name in taken:
            number += 1
            name = f"{node.node_id}-{number}"
        if number > 1:
            unmapped["messages that share an id (each is kept)"] += 1
        parent = node.parent_id
        nodes.append(replace(node, node_id=name, parent_id=names.get(parent, parent) if parent else None))
        taken.add(name)
        names[node.node_id] = name
    current = source.current
    return replace(source, nodes=nodes, current=names.get(current, current) if current else None)


class _Tree:
    """The turns while messages are added."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._turns: list[Turn] = []
        self._unfinished: dict[TurnId, Turn] = {}
        self._extra: dict[str, dict[str, object]] = {}
        self._at: dict[str, TurnId | None] = {}
        self._system: list[str] = [source.system] if source.system else []

    def add(self, node: Node, place: _Place) -> _Place:
        """Add one message behind a place."""
        after = self._after(node, place)
        self._at[node.node_id] = after.turn
        return after

    def _after(self, node: Node, place: _Place) -> _Place:
        if node.role is Role.SYSTEM and place.turn is None and not place.said:
            text = "".join(part.text for part in node.parts if isinstance(part, TextPart))
            if text and text not in self._system:
                self._system.append(text)
            return place
        if node.role is not Role.ASSISTANT or not node.parts:
            return _Place(place.turn, (*place.said, node)) if node.parts or node.extra else place
        turn = self._turn(node, place)
        self._turns.append(turn)
        self._keep_extra(turn.turn_id, (*place.said, node))
        return _Place(turn.turn_id, ())

    def end(self, place: _Place) -> None:
        """A branch ends: what was said last has no answer and becomes an unfinished turn."""
        said = tuple(node for node in place.said if node.parts)
        if not said:
            if place.turn is not None:
                self._keep_extra(place.turn, place.said)
            return
        turn_id = TurnId(f"{said[-1].node_id}-unanswered")
        self._unfinished[turn_id] = Turn(
            turn_id=turn_id,
            parent_id=place.turn,
            input=_messages(said),
            provider=self._source.program,
            started_at_epoch_s=said[-1].at_epoch_s,
            phase=Phase.FAILED,
            failure=Failure(
                reason=FailureReason.DISCONNECT,
                message=f"This prompt has no answer in the conversation imported from {self._source.program}",
                hint="Send it again, edit it, or discard it.",
                code="imported",
            ),
        )
        self._keep_extra(turn_id, place.said)

    def finished(self) -> Portable:
        """Everything together."""
        source = self._source
        head = self._at.get(source.current or "", None)
        if head is None and self._turns:
            head = self._turns[-1].turn_id
        created_at = source.created_at_epoch_s or min(
            (node.at_epoch_s for node in source.nodes if node.at_epoch_s), default=0.0
        )
        updated_at = source.updated_at_epoch_s or max(
            (node.at_epoch_s for node in source.nodes), default=created_at
        )
        return Portable(
            conversation=Conversation(
                conversation_id="",
                title=source.title,
                system="\n\n".join(self._system),
                turns=tuple(self._turns),
                head=head,
                unfinished=tuple(self._unfinished.values()),
                created_at_epoch_s=created_at,
            ),
            source=source.source_id,
            updated_at_epoch_s=updated_at or created_at,
            tags=source.tags,
            is_pinned=source.is_pinned,
            is_archived=source.is_archived,
            extra=source.extra,
            turn_extra=self._extra,
        )

    def _turn(self, node: Node, place: _Place) -> Turn:
        said = tuple(said for said in place.said if said.parts)
        return Turn(
            turn_id=TurnId(node.node_id),
            parent_id=place.turn,
            input=_messages(said),
            system=node.system,
            provider=self._source.program,
            requested_model=node.model,
            model=node.model or None,
            started_at_epoch_s=(said[-1].at_epoch_s if said else 0.0) or node.at_epoch_s,
            phase=Phase.COMPLETED,
            choices=(Choice(0, node.parts, node.finish_reason),),
            usage=node.usage,
            finish_reason=node.finish_reason,
            timing=Timing(total_ms=node.total_ms),
            notices=(f"Imported from {self._source.program}",),
        )

    def _keep_extra(self, turn_id: TurnId, nodes: Sequence[Node]) -> None:
        extra = {node.node_id: dict(node.extra) for node in nodes if node.extra}
        if extra:
            self._extra[turn_id] = {**self._extra.get(turn_id, {}), **extra}


def _messages(nodes: Sequence[Node]) -> tuple[Message, ...]:
    return tuple(Message(node.role, node.parts) for node in nodes)


def last_of(nodes: Sequence[Node]) -> str | None:
    """The message that the next one follows, where a program keeps a plain list."""
    return nodes[-1].node_id if nodes else None
