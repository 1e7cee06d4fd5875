"""A conversation: a tree of turns, the path through it that is shown, and the unfinished turns beside it.

Invariant: only completed (or deliberately accepted) turns stand in the tree; unfinished ones stand beside it
and are never sent. Values are frozen: every change gives a new conversation that shares the old turns.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from chatui.core.errors import ProgrammingError
from chatui.core.messages import Message, Role
from chatui.core.turn import Phase, Turn, TurnId
from chatui.core.values import frozen

if TYPE_CHECKING:
    from chatui.core.send_plan import SendPlan


def is_history(turn: Turn) -> bool:
    """Whether a turn may stand in the tree: completed, or a cut answer that the person accepted."""
    return turn.phase is Phase.COMPLETED or (turn.phase is Phase.FAILED and turn.is_accepted_cut)


@frozen(kw_only=True)
class Conversation:
    """A frozen value; a new turn makes a new conversation value that shares the old turns."""

    conversation_id: str
    title: str = ""
    system: str = ""
    turns: tuple[Turn, ...] = ()
    """All turns of the tree in order of creation; only the loaded ones while `earlier_turns` is not zero."""
    head: TurnId | None = None
    """The last turn of the path that is shown; None is an empty conversation."""
    unfinished: tuple[Turn, ...] = ()
    """Failed or cancelled turns, kept outside the history; `parent_id` tells where they belong."""
    created_at_epoch_s: float = 0.0
    is_temporary: bool = False
    earlier_turns: int = 0
    """Turns of the path before the first loaded one; load them before anything is sent."""
    problems: tuple[str, ...] = ()
    """What could not be read back from the history, in words."""
    pieces: tuple[tuple[TurnId, int], ...] = ()
    """Where turns far from the shown end are loaded too: the first of each run, and how many precede it."""
    sent_from: TurnId | None = None
    """Turns of the path before this one are not sent any more, so that the rest fits; they stay shown."""

    def path(self) -> tuple[Turn, ...]:
        """Turns from the root (or the first loaded one) to the head. A broken parent link ends it early."""
        return self.path_to(self.head)

    def path_to(self, turn_id: TurnId | None) -> tuple[Turn, ...]:
        """Turns from the root to `turn_id`, both included; empty for None or an unknown turn."""
        by_id = {turn.turn_id: turn for turn in self.turns}
        found: list[Turn] = []
        seen: set[TurnId] = set()
        at = turn_id
        while at is not None and at in by_id and at not in seen:
            seen.add(at)
            turn = by_id[at]
            found.append(turn)
            at = turn.parent_id
        return tuple(reversed(found))

    def left_out(self, path: tuple[Turn, ...]) -> int:
        """How many turns at the beginning of a path the person chose not to send."""
        if self.sent_from is None:
            return 0
        return next((index for index, turn in enumerate(path) if turn.turn_id == self.sent_from), 0)

    def not_sent(self) -> int | None:
        """How many turns of the shown path are not sent.

        None: some, but how many is not known before the older turns are loaded.
        """
        path = self.path()
        if self.sent_from is None:
            return 0
        if any(turn.turn_id == self.sent_from for turn in path):
            return self.earlier_turns + self.left_out(path)
        return None if self.earlier_turns else 0

    def plan(
        self, parent_id: TurnId | None, new_input: tuple[Message, ...], provider: str = ""
    ) -> "SendPlan":
        """What is sent after a turn; unfinished turns that stand just before the new one are named too.

        One that says the same is not: it is what is asked again.
        """
        from chatui.core.send_plan import Omission, plan_messages

        path = self.path_to(parent_id)
        plan = plan_messages(path, new_input, provider, left_out=self.left_out(path))
        passed_over = tuple(
            Omission(turn.turn_id, "An unfinished turn", "it failed or was cancelled and was not accepted")
            for turn in self.unfinished
            if turn.parent_id == parent_id and new_input[: len(turn.input)] != turn.input
        )
        return replace(plan, omissions=passed_over + plan.omissions) if passed_over else plan

    def shown(self, running: Turn | None = None) -> tuple[Turn, ...]:
        """The path with the unfinished turns where they belong: beside their alternatives, by time.

        While a turn is running the path leads to it, so what it will replace on the screen is not shown.
        """
        path = self.path() if running is None else self.path_to(running.parent_id)
        in_path = {turn.turn_id for turn in path}
        beside: dict[TurnId | None, list[Turn]] = {}
        for turn in self.unfinished:
            if turn.turn_id not in in_path and (running is None or turn.turn_id != running.turn_id):
                beside.setdefault(turn.parent_id, []).append(turn)
        found: list[Turn] = []
        for turn in path:
            later = turn.started_at_epoch_s
            others = beside.pop(turn.parent_id, [])
            found.extend(other for other in others if other.started_at_epoch_s <= later)
            found.append(turn)
            found.extend(other for other in others if other.started_at_epoch_s > later)
        found.extend(beside.pop(path[-1].turn_id if path else self.head, []))
        if not path and self.head is not None:
            found.extend(beside.pop(None, []))
        return tuple(found) if running is None else (*found, running)

    def places(self) -> dict[TurnId, tuple[int, int]]:
        """Of each turn that has alternatives: which of them it is, from 1, and how many there are."""
        families: dict[TurnId | None, list[TurnId]] = {}
        for turn in self.turns:
            families.setdefault(turn.parent_id, []).append(turn.turn_id)
        return {
            turn_id: (number, len(family))
            for family in families.values()
            if len(family) > 1
            for number, turn_id in enumerate(family, 1)
        }

    def turn(self, turn_id: TurnId) -> Turn | None:
        """The turn of that name, in the tree or unfinished."""
        return next((turn for turn in (*self.turns, *self.unfinished) if turn.turn_id == turn_id), None)

    def asked_by(self, turn: Turn) -> Turn:
        """The turn with the person's words that led to `turn`: itself, or the one before its tool results."""
        seen = {turn.turn_id}
        while not turn.prompt and any(message.role is Role.TOOL for message in turn.input):
            before = None if turn.parent_id is None else self.turn(turn.parent_id)
            if before is None or before.turn_id in seen:
                break
            turn = before
            seen.add(turn.turn_id)
        return turn

    def children(self, turn_id: TurnId | None) -> tuple[Turn, ...]:
        """Turns that follow `turn_id`, oldest first; None gives the roots."""
        return tuple(turn for turn in self.turns if turn.parent_id == turn_id)

    def siblings(self, turn_id: TurnId) -> tuple[Turn, ...]:
        """The turn and its alternatives (regenerated answers, edited prompts), oldest first."""
        turn = self.turn(turn_id)
        return () if turn is None else self.children(turn.parent_id)

    def leaf_below(self, turn_id: TurnId) -> TurnId:
        """The newest leaf that can be reached from a turn: where its branch was left."""
        last_child: dict[TurnId | None, TurnId] = {turn.parent_id: turn.turn_id for turn in self.turns}
        at = turn_id
        seen = {at}
        while (below := last_child.get(at)) is not None and below not in seen:
            seen.add(below)
            at = below
        return at

    def with_turn(self, turn: Turn) -> "Conversation":
        """The conversation after a turn ended well: it becomes the head, its unfinished form goes.

        Raises:
            ProgrammingError: the turn is neither completed nor accepted.
        """
        if not is_history(turn):
            raise ProgrammingError(
                f"turn {turn.turn_id} is {turn.phase} and not accepted: no part of the history"
            )
        others = tuple(known for known in self.turns if known.turn_id != turn.turn_id)
        return replace(
            self,
            turns=(*others, turn),
            head=turn.turn_id,
            pieces=self._left_pieces(turn.parent_id),
            earlier_turns=self.turns_before(self.path_to(turn.parent_id))
            if turn.parent_id is not None
            else 0,
            unfinished=tuple(known for known in self.unfinished if known.turn_id != turn.turn_id),
        )

    def with_unfinished(self, turn: Turn) -> "Conversation":
        """The conversation with an unfinished turn beside it, replacing an earlier state of the same turn."""
        others = tuple(known for known in self.unfinished if known.turn_id != turn.turn_id)
        return replace(self, unfinished=(*others, turn))

    def without_unfinished(self, turn_id: TurnId) -> "Conversation":
        """The conversation after an unfinished turn was discarded."""
        return replace(self, unfinished=tuple(turn for turn in self.unfinished if turn.turn_id != turn_id))

    def at(self, head: TurnId | None) -> "Conversation":
        """The same tree, showing another path. Nothing is lost: an edit of a sent message begins here."""
        return replace(
            self,
            head=head,
            earlier_turns=self.turns_before(self.path_to(head)),
            pieces=self._left_pieces(head),
        )

    def turns_before(self, path: tuple[Turn, ...]) -> int:
        """How many turns are before the first one of a path as far as it is loaded."""
        if path and path[0].parent_id is None:
            return 0
        return dict(self.pieces).get(path[0].turn_id, self.earlier_turns) if path else self.earlier_turns

    def _left_pieces(self, head: TurnId | None) -> tuple[tuple[TurnId, int], ...]:
        """The pieces once another path is shown: what is shown now is one then."""
        path = self.path() if self.earlier_turns and head != self.head else ()
        return (*self.pieces, (path[0].turn_id, self.earlier_turns)) if path else self.pieces

    def with_piece(self, turns: tuple[Turn, ...], first: TurnId, earlier_turns: int) -> "Conversation":
        """The conversation after turns far from its shown end were loaded; so many precede the first."""
        known = {turn.turn_id for turn in self.turns}
        new = tuple(turn for turn in turns if turn.turn_id not in known)
        return replace(self, turns=(*new, *self.turns), pieces=(*self.pieces, (first, earlier_turns)))

    def with_earlier(self, older: tuple[Turn, ...], earlier_turns: int) -> "Conversation":
        """The conversation after older turns were loaded."""
        known = {turn.turn_id for turn in self.turns}
        new = tuple(turn for turn in older if turn.turn_id not in known)
        return replace(self, turns=(*new, *self.turns), earlier_turns=earlier_turns)

    def with_end(self, turns: int) -> "Conversation":
        """The conversation with no more of its path than so many last turns, and their alternatives.

        For one that is saved whole: what is left out is loaded again as earlier turns are. Where the person
        chose from which turn on is sent, all that is sent stays.
        """
        path = self.path()
        kept_path = path[max(0, len(path) - turns) :]
        if any(turn.turn_id == self.sent_from for turn in path):
            kept_path = path[min(self.left_out(path), len(path) - len(kept_path)) :]
        if len(kept_path) == len(path):
            return self
        parents = {turn.parent_id for turn in kept_path} | {self.head}  # results may stand behind the end
        return replace(
            self,
            pieces=(),
            turns=tuple(turn for turn in self.turns if turn.parent_id in parents),
            earlier_turns=self.earlier_turns + len(path) - len(kept_path),
        )
