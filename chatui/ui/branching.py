"""The tree of a conversation on the screen: alternatives, edited prompts, accepted cuts, forks.

Invariants: nothing is overwritten: whatever is asked again or edited stands beside what was there, one key
away; what is shown is the path that is sent.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from chatui.core.conversation import Conversation
from chatui.core.errors import ChatuiError
from chatui.core.turn import Turn, TurnId
from chatui.engine.updates import Stage
from chatui.ui.live import Live
from chatui.ui.turns.earlier_turns import FIRST_TURNS

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen

BUSY = "An answer is still coming: Esc stops it."
EDITING = "Editing a sent prompt: Enter sends it as a branch of its own, the old one stays beside it."


class Branching:
    """Keeps the transcript on the path that is shown."""

    def __init__(self, screen: "ChatScreen") -> None:
        self._screen = screen
        self._followed: tuple[TurnId, bool, int] | None = None

    def follow(self) -> None:
        """A turn began or ended: other turns may be on the path now."""
        live = self._screen.live
        update = live.update
        at = None
        if update is not None:
            at = (update.turn.turn_id, update.stage is Stage.ENDED, len(live.now().unfinished))
        if at != self._followed:
            self._followed = at
            self.show_path(update.turn.turn_id if update is not None else None)

    def show_path(self, wanted: TurnId | None = None) -> None:
        """Show the turns of the path if others are on the screen; `wanted` is what the eye is on."""
        screen = self._screen
        turns = screen.live.turns()
        ids = [turn.turn_id for turn in turns]
        shown = screen.transcript.turn_list.turn_ids()
        if screen.earlier.are_there:
            ids, shown = _from_the_same(ids, shown)
        if shown in (ids, ids[:-1]):
            return
        screen.show_turns(turns)
        place = None if wanted is None else screen.transcript.index_of(wanted)
        if place is not None and place < len(turns) - 1:
            screen.transcript.to_place(place)
        elif place is None and wanted is not None and screen.earlier.are_there:
            self._go_back(wanted)

    def _go_back(self, turn_id: TurnId) -> None:
        """To a turn of the path, or beside it, that is not known on the screen now."""
        live = self._screen.live
        try:
            missing = self._screen.app_.opening.end_with(live.now().conversation_id, turn_id)[1]
        except ChatuiError:  # it is not in the history
            return
        self._go_to(turn_id, missing)

    def reach(self, turn: Turn) -> bool:
        """Load what stands around a turn that is to be asked again, edited or gone on from."""
        live = self._screen.live
        now = live.now()
        wanted = {turn.turn_id, turn.parent_id} - {None}
        if live.is_busy or not now.earlier_turns or now.is_temporary:
            return True
        if wanted <= {known.turn_id for known in (*now.turns, *now.unfinished)}:
            return True
        try:
            pages = self._screen.app_.workspace.history.pages
            live.become(pages.with_surroundings(now, turn, FIRST_TURNS))
        except ChatuiError as error:
            self._screen.notice(error.message, error.hint)
            return False
        return True

    # Alternatives

    def switch(self, step: int, turn: Turn | None) -> None:
        """Show the next (or previous) answer to the same prompt, with all that followed it."""
        screen = self._screen
        live = screen.live
        if turn is None:
            screen.say("There is no answer yet.")
            return
        if live.is_busy:
            screen.say(BUSY)
            return
        if not self.reach(turn):
            return
        family = live.now().siblings(turn.turn_id)
        if len(family) < 2:
            screen.say("There is one answer here: r asks for another, e edits the prompt.")
            return
        at = next((index for index, other in enumerate(family) if other.turn_id == turn.turn_id), 0)
        target = family[(at + step) % len(family)]
        try:
            conversation, missing = self._path_through(live, target.turn_id)
        except ChatuiError as error:
            screen.notice(error.message, error.hint)
            return
        live.update = None
        live.become(conversation)
        turns = live.turns()
        screen.show_turns(turns)
        screen.app_.opening.rest(live)
        self._go_to(target.turn_id, missing)
        screen.tell_all()

    def _go_to(self, turn_id: TurnId, missing: int) -> None:
        """To a turn before which so many more have to be known."""
        if missing > 0:
            self._screen.run_worker(self._go_far(turn_id, missing), group="go", exclusive=True)
        else:
            self._screen.go_to_turn(turn_id)

    async def _go_far(self, turn_id: TurnId, missing: int) -> None:
        live = self._screen.live
        await self._screen.earlier.load(at_least=missing)
        if self._screen.live is live:
            self._screen.go_to_turn(turn_id)

    def _path_through(self, live: Live, turn_id: TurnId) -> tuple[Conversation, int]:
        """The end of the path that holds a turn, and how many turns are missing there to show it."""
        now = live.now()
        if now.is_temporary or live.unsaved_why or not self._is_saved(now, turn_id):
            return now.at(now.leaf_below(turn_id)), 0
        app = self._screen.app_
        page, missing = app.opening.end_with(now.conversation_id, turn_id)
        if not live.open_elsewhere:
            app.workspace.history.show(now.conversation_id, page.head)
        return replace(page, system=now.system), missing

    def _is_saved(self, conversation: Conversation, turn_id: TurnId) -> bool:
        try:
            self._screen.app_.workspace.history.branch_of(conversation.conversation_id, turn_id)
        except ChatuiError:
            return False
        return True

    # Asking again

    def ask_again(self, turn: Turn) -> None:
        """Ask again for the same input; the other answer stays beside it."""
        screen = self._screen
        if not screen.app_.opening.may_change(screen.live) or not self.reach(turn):
            return
        if not screen.desk.regenerate(screen.live, turn):
            screen.say(BUSY)
        else:
            screen.transcript.to_end()

    # Editing a sent prompt

    def edit(self, turn: Turn) -> None:
        """Bring a sent prompt back into the composer; what is sent then stands beside it."""
        screen = self._screen
        turn = screen.live.now().asked_by(turn)
        if not self.reach(turn):
            return
        draft = screen.composer.written
        if draft.strip() and draft != turn.prompt:
            screen.composer.remember(draft)
        screen.composer.put(turn.prompt)
        screen.composer.focus()
        if turn.parent_id != screen.live.now().head:
            screen.live.editing = turn
            screen.notice(EDITING, "Esc leaves: then Enter sends at the end, as ever.")

    def leave_edit(self) -> bool:
        """Send at the end again; returns whether something was being edited."""
        live = self._screen.live
        was_editing = live.editing is not None
        live.editing = None
        return was_editing

    # Unfinished turns

    def accept(self, turn: Turn) -> None:
        """Take a cut answer as it is: from now on it counts, marked as cut for ever."""
        screen = self._screen
        live = screen.live
        if live.session is None or not screen.app_.opening.may_change(live):
            return
        if live.is_busy:
            screen.say(BUSY)
            return
        if not self.reach(turn):
            return
        accepted = live.session.accept(turn)
        live.update = None
        self._show_again(live.turns(), accepted.turn_id)
        if live.unsaved_why:
            screen.notice(f"This turn is not in the history: {live.unsaved_why}")
        else:
            screen.say("Accepted: it is sent with what follows, and stays marked as cut.")

    def dismiss(self, turn: Turn) -> None:
        """Forget an unfinished turn."""
        screen = self._screen
        live = screen.live
        if live.session is None or not screen.app_.opening.may_change(live):
            return
        if all(turn.turn_id != known.turn_id for known in live.now().unfinished):
            screen.say("This answer is part of the conversation: it is not dismissed.")
            return
        live.session.dismiss(turn)
        if live.update is not None and live.update.turn.turn_id == turn.turn_id:
            live.update = None
        screen.composer.remember(turn.prompt)
        screen.transcript.drop(turn.turn_id)
        screen.refresh_welcome()
        screen.tell_all()

    def _show_again(self, turns: Sequence[Turn], wanted: TurnId) -> None:
        self._screen.show_turns(turns)
        place = next((index for index, turn in enumerate(turns) if turn.turn_id == wanted), None)
        if place is not None and place < len(turns) - 1:
            self._screen.transcript.to_place(place)
        elif place is None and self._screen.earlier.are_there:
            self._go_back(wanted)
        self._screen.tell_all()


def _from_the_same(ids: list[TurnId], shown: list[TurnId]) -> tuple[list[TurnId], list[TurnId]]:
    """Both without what only one of them knows of the beginning of the path."""
    if ids and shown and ids[0] in shown:
        return ids, shown[shown.index(ids[0]) :]
    if ids and shown and shown[0] in ids:
        return ids[ids.index(shown[0]) :], shown
    return ids, shown
