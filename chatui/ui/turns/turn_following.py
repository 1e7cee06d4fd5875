"""Brings the running turn to the screen: text as it comes, the badge a few times a second.

Invariants: text that is too long for one step is taken in several, so that keys are never late; the clock
of the badge runs only while a turn runs; the header changes with the stage of a turn, what the status counts
once a second, and neither with each frame of its text.
"""

from typing import TYPE_CHECKING

from textual.timer import Timer

from chatui.core.turn import Phase, Turn
from chatui.engine.updates import MISSING_TOOL, Stage, TurnUpdate
from chatui.ui.live import Live
from chatui.ui.presenter import badge_of
from chatui.ui.terminal.painting import paint_now
from chatui.view.badge import Badge

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen

TICK_S = 0.25
COUNT_AFTER_S = 1.0
"""How much was received is counted anew so often: the number is read, not watched."""
QUIET_AFTER_S = 4.0


class TurnFollowing:
    """Follows the conversation that is shown."""

    def __init__(self, screen: "ChatScreen") -> None:
        self._screen = screen
        self._frame = 0
        self._counted_at_s = 0.0
        self._ticker: Timer | None = None
        self._told: tuple[object, ...] = ()
        self._badge: Badge | None = None
        self._badge_of: tuple[object, ...] = ()
        self._badge_at_s = 0.0
        self._is_taking = False
        self._ticked: TurnUpdate | None = None
        """The update that was known at the last tick: the same one again means that the stream pauses."""
        self._is_settled = False
        self._missing_tools: tuple[str, ...] = ()

    def follow(self) -> None:
        """The conversation has news."""
        screen = self._screen
        live = screen.live
        update = live.update
        has_more = False
        if update is not None:
            turn = update.turn
            if turn.phase is not Phase.RECEIVING and self._told[:2] != (turn.turn_id, turn.phase):
                self._ended(live, turn)
            has_more = screen.transcript.put(turn, self._paced_badge(live, turn))
            if has_more:
                self._take_more_soon(turn)
            if update.save_error:
                screen.notice(f"This turn is not in the history: {update.save_error}")
        self._tell(live)
        # "Stopping" waits for the next clock of the screen: what follows at once is that it has stopped.
        is_stopping = update is not None and update.stage is Stage.STOPPING
        if not has_more and not is_stopping:
            paint_now(screen)

    def _ended(self, live: Live, turn: Turn) -> None:
        if self._screen.status.message.startswith("stopping"):
            self._screen.say("")
        if turn.phase is Phase.COMPLETED:
            live.loud.add(turn.turn_id)
            self._badge = None  # the clock may have struck between the end and this
            self._screen.set_timer(QUIET_AFTER_S, lambda: self._quiet(live, turn))
        self._tell_missing_tools(live)

    def _tell_missing_tools(self, live: Live) -> None:
        """A tool that is switched on and could not be offered is told, once."""
        omissions = live.update.omissions if live.update is not None else ()
        missing = tuple(omission.why for omission in omissions if omission.what == MISSING_TOOL)
        if missing and missing != self._missing_tools:
            self._screen.notice("\n".join(missing[:4]), "/known-tools shows all of them.")
        self._missing_tools = missing

    def _quiet(self, live: Live, turn: Turn) -> None:
        live.loud.discard(turn.turn_id)
        if live is self._screen.live:
            self._screen.transcript.set_badge(turn.turn_id, self._badge_now(live, turn))

    def _tell(self, live: Live) -> None:
        update = live.update
        facts: tuple[object, ...] = ()
        if update is not None:
            turn = update.turn
            facts = (turn.turn_id, turn.phase, turn.timing.first_text_ms, update.stage, live.is_busy)
        if facts and facts == self._told:
            self._screen.tell_panel()
            return
        self._told = facts
        self._counted_at_s = self._screen.app_.clock.monotonic_s()
        self._screen.tell_all()

    def clock_runs(self, is_busy: bool) -> None:
        """Run the clock of the badge, or stop it."""
        if self._ticker is None:
            self._ticker = self._screen.set_interval(TICK_S, self._tick, pause=not is_busy)
        elif is_busy:
            self._ticker.resume()
        else:
            self._ticker.pause()

    def _tick(self) -> None:
        live = self._screen.live
        if live.is_busy and live.update is not None:
            turn = live.update.turn
            self._screen.transcript.set_badge(turn.turn_id, self._paced_badge(live, turn))
            if live.update is self._ticked and not self._is_settled:
                self._is_settled = True
                self._screen.transcript.settle_text(turn.turn_id)
                self._screen.panel.settle_text()
            elif live.update is not self._ticked:
                self._ticked = live.update
                self._is_settled = False
            now_s = self._screen.app_.clock.monotonic_s()
            if now_s - self._counted_at_s >= COUNT_AFTER_S:
                self._counted_at_s = now_s
                self._screen.tell_status()

    def _badge_now(self, live: Live, turn: Turn) -> Badge:
        screen = self._screen
        return badge_of(screen.desk, live, turn, screen.signs, frame=self._frame)

    def _paced_badge(self, live: Live, turn: Turn) -> Badge:
        """The badge, its numbers no newer than a tick, so that it does not flicker with each frame."""
        screen = self._screen
        now_s = screen.app_.clock.monotonic_s()
        state = (turn.turn_id, turn.phase, screen.desk.stage(live), live.update and live.update.preparing)
        is_due = state != self._badge_of or now_s - self._badge_at_s >= TICK_S * 0.9
        if self._badge is None or is_due:
            if not screen.app_.has_reduced_motion:
                self._frame += 1
            self._badge = self._badge_now(live, turn)
            self._badge_of = state
            self._badge_at_s = now_s
        return self._badge

    def _take_more_soon(self, turn: Turn) -> None:
        if not self._is_taking:
            self._is_taking = True
            self._screen.call_later(self._take_more, turn)

    def _take_more(self, turn: Turn) -> None:
        self._is_taking = False
        if self._screen.transcript.take_more(turn.turn_id):
            self._take_more_soon(turn)
        else:
            paint_now(self._screen)
