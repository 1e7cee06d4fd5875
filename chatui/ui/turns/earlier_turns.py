"""A long conversation is opened at its end; what came before is read when somebody goes there.

Invariants: memory does not hold what was never looked at: of turns before the first loaded one the transcript
gets names and sizes, their text is read in pages around what is looked at; what cannot be read is told in
its place. Turns are joined to what is shown in the order in which they stand on the path.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from chatui.core.conversation import Conversation
from chatui.core.errors import ChatuiError, Failure, FailureReason
from chatui.core.turn import Phase, Turn, TurnId
from chatui.core.turn_outline import TurnOutline
from chatui.ui.live import Live
from chatui.ui.presenter import badge_of
from chatui.ui.turns.turn_entries import FACTS_BYTES
from chatui.view.badge import Badge

if TYPE_CHECKING:
    from chatui.history.turn_pages import TurnPages
    from chatui.ui.screens.chat import ChatScreen

FIRST_TURNS = 100
"""Turns that are read when a conversation is opened."""
MORE_TURNS = 300
"""Turns whose names are read when the first one that is known comes near."""

MANY_TURNS = 1000
"""So many turns are first told by name alone: finding the size of each takes three times as long."""
FEW_TURNS = 2000
"""So many turns are rather read by name than all of a long conversation."""


class EarlierTurns:
    """The turns of the shown conversation that are not in memory; a `TurnSource` of the transcript."""

    def __init__(self, screen: "ChatScreen") -> None:
        self._screen = screen
        self._before: TurnId | None = None
        """The last turn of the path that the transcript does not know."""
        self._added = 0
        """How many turns the transcript got to know since it shows these."""
        self._known: set[TurnId] = set()
        """Turns that it knows, so that links which a damaged file has in a circle are followed once."""
        self._shown = 0
        """How often other turns were shown: what was read for the ones before is not theirs."""
        self._one_at_a_time = asyncio.Lock()
        self._searched: tuple[object, str, set[TurnId]] | None = None
        """Where was searched last, for what, and the turns that may hold it."""

    @property
    def _pages(self) -> "TurnPages":
        return self._screen.app_.workspace.history.pages

    def begin(self, turns: Sequence[Turn]) -> None:
        """These turns of the conversation are shown now."""
        self._shown += 1
        self._added = 0
        self._known = {turn.turn_id for turn in turns}
        now = self._screen.live.now()
        self._before = turns[0].parent_id if turns and now.earlier_turns else None
        self._screen.transcript.earlier_turns = now.earlier_turns if self._before else 0

    @property
    def are_there(self) -> bool:
        """The transcript knows more turns than the conversation in memory, or both not all."""
        return self._added > 0 or self._screen.live.now().earlier_turns > 0

    async def load(self, *, at_least: int = MORE_TURNS, is_all: bool = False) -> None:
        """Let the transcript know more turns before the first one that it knows."""
        async with self._one_at_a_time:
            await self._load(at_least, is_all=is_all)

    async def _load(self, at_least: int, *, is_all: bool) -> None:
        shown, before = self._shown, self._before
        now = self._screen.live.now()
        pieces: list[Sequence[TurnOutline]] = []
        earlier = 0
        count = now.earlier_turns + MORE_TURNS if is_all else max(MORE_TURNS, at_least)
        while before is not None:
            try:
                piece, before, earlier = await asyncio.to_thread(
                    self._piece, now, before, count, is_all=is_all
                )
            except ChatuiError as error:
                self._screen.notice(error.message, error.hint)
                self._screen.transcript.wait_no_more()
                return
            if shown != self._shown:
                return
            piece = [outline for outline in piece if outline.turn_id not in self._known]
            self._known.update(outline.turn_id for outline in piece)
            before = before if before not in self._known else None
            pieces.append(piece)
            if not is_all and sum(map(len, pieces)) >= at_least:
                break
        self._before = before
        self._added += sum(map(len, pieces))
        transcript = self._screen.transcript
        transcript.earlier_turns = earlier if before is not None else 0
        outlines = [outline for piece in reversed(pieces) for outline in piece]
        transcript.prepend(outlines)
        if is_all and len(outlines) >= MANY_TURNS:
            names = [outline.turn_id for outline in outlines]
            self._screen.run_worker(self._tell_sizes(now, names), group="sizes", exclusive=True)

    async def _tell_sizes(self, now: Conversation, names: Sequence[TurnId]) -> None:
        """Let the transcript know how large turns are that it was told by name, once they can be seen."""
        painted = asyncio.Event()
        self._screen.call_after_refresh(painted.set)
        await painted.wait()
        try:
            sizes = await asyncio.to_thread(self._pages.sizes, now.conversation_id)
        except ChatuiError as error:  # their places are found as well, only not as exactly
            self._screen.notice(error.message, error.hint)
            return
        self._screen.transcript.use_sizes((name, sizes[name]) for name in names if name in sizes)

    def _piece(
        self, now: Conversation, before: TurnId, count: int, *, is_all: bool
    ) -> tuple[Sequence[TurnOutline], TurnId | None, int]:
        """Some turns up to one, with what is unfinished beside them; what is before them, and how many."""
        named = self._named(now, before) if is_all and now.earlier_turns >= MANY_TURNS else None
        outlines, earlier = (named, 0) if named else self._pages.before(now.conversation_id, before, count)
        beside: dict[TurnId | None, list[Turn]] = {}
        for turn in now.unfinished:
            beside.setdefault(turn.parent_id, []).append(turn)
        above = outlines[0].parent_id if outlines else None
        if not beside:
            return outlines, above, earlier
        found: list[TurnOutline] = []
        for outline in outlines:
            others = beside.get(outline.parent_id, [])
            later = self._began_at(now, outline.turn_id) if others else 0.0
            found.extend(_outline(other) for other in others if other.started_at_epoch_s <= later)
            found.append(outline)
            found.extend(_outline(other) for other in others if other.started_at_epoch_s > later)
        return found, above, earlier

    def _named(self, now: Conversation, before: TurnId) -> Sequence[TurnOutline] | None:
        """All turns up to one by name, most as large as those in memory are, until their sizes are told."""
        usual = sum(_outline(turn).size_bytes for turn in now.turns) // max(1, len(now.turns))
        return self._pages.named(now.conversation_id, before, FACTS_BYTES + usual)

    def _began_at(self, now: Conversation, turn_id: TurnId) -> float:
        turn = self._pages.read(now.conversation_id, [turn_id]).turn(turn_id)
        return turn.started_at_epoch_s if turn is not None else 0.0

    # What the transcript reads

    def read(self, turn_ids: Sequence[TurnId]) -> Mapping[TurnId, tuple[Turn, Badge]]:
        """All of these turns; one that cannot be read says so in its place."""
        live = self._screen.live
        now = live.now()
        known = {turn.turn_id: turn for turn in (*now.turns, *now.unfinished)}
        page = self._page(now, [turn_id for turn_id in turn_ids if turn_id not in known])
        places = page.places()
        saved = {turn.turn_id: turn for turn in page.turns}
        found: dict[TurnId, tuple[Turn, Badge]] = {}
        for turn_id in turn_ids:
            turn = known.get(turn_id) or saved.get(turn_id) or _gone(turn_id)
            found[turn_id] = (turn, self._badge(live, turn, places.get(turn_id)))
        return found

    def _page(self, now: Conversation, turn_ids: Sequence[TurnId]) -> Conversation:
        if turn_ids:
            try:
                return self._pages.read(now.conversation_id, turn_ids)
            except ChatuiError as error:
                self._screen.notice(error.message, error.hint)
        return Conversation(conversation_id=now.conversation_id)

    def _badge(self, live: Live, turn: Turn, place: tuple[int, int] | None) -> Badge:
        return badge_of(self._screen.desk, live, turn, self._screen.signs, frame=0, place=place)

    def kept(self, turn_ids: Collection[TurnId]) -> Collection[TurnId]:
        """Which of these turns can be read again."""
        return kept_turns(self._screen, self._screen.live.now(), turn_ids)

    def holding(self, wanted: str) -> Collection[TurnId]:
        """Turns that may show this folded text."""
        from chatui.view.text_matches import source_pattern

        now = self._screen.live.now()
        # What is saved does not change, and what comes is in memory until many more have come.
        where = (now.conversation_id, self._screen.transcript.turn_count)
        known = self._searched if self._searched is not None and self._searched[0] == where else None
        if known is not None and known[1] == wanted:
            return known[2]
        is_longer = known is not None and wanted.startswith(known[1])  # than what was typed before
        among = known[2] if known is not None and is_longer and len(known[2]) < FEW_TURNS else None
        try:
            pattern = source_pattern(wanted, is_stored=True)
            found = self._pages.holding(now.conversation_id, pattern, among)
        except ChatuiError as error:
            self._screen.notice(error.message, error.hint)
            return ()
        found |= {turn.turn_id for turn in now.unfinished}
        self._searched = (where, wanted, found)
        return found


def kept_turns(
    screen: "ChatScreen", conversation: Conversation, turn_ids: Collection[TurnId]
) -> Collection[TurnId]:
    """Which of these turns of a conversation the history holds."""
    if conversation.is_temporary:
        return ()
    try:
        return screen.app_.workspace.history.pages.kept(conversation.conversation_id, turn_ids)
    except ChatuiError:  # nothing is let go then
        return ()


def whole(screen: "ChatScreen", conversation: Conversation) -> Conversation:
    """A conversation with all of its turns, for as long as the caller needs them; any thread may ask.

    Raises:
        StoreError: they cannot be read.
    """
    if not conversation.earlier_turns:
        return conversation
    return screen.app_.workspace.history.load_before(conversation)


def _outline(turn: Turn) -> TurnOutline:
    return TurnOutline(turn.turn_id, turn.parent_id, len(turn.prompt) + len(turn.text))


def _gone(turn_id: TurnId) -> Turn:
    return Turn(
        turn_id=turn_id,
        phase=Phase.FAILED,
        failure=Failure(
            reason=FailureReason.ERROR,
            message="This turn cannot be read from the history",
            hint="`chatui history check` tells more.",
            code="unreadable",
        ),
    )
