"""A search that may take longer than a frame: a few rows in each turn of the event loop.

Invariants: what is found at once is told at once; who goes on typing or leaves the search stops the one that
runs; turns that come before those that are searched begin it anew.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from chatui.ui.stepping import in_the_next_turn
from chatui.ui.turns.conversation_search import Looking

if TYPE_CHECKING:
    from textual.message_pump import MessagePump

ROWS_AT_ONCE: Final = 2000
"""Rows looked through before anything is told: most conversations in sight have fewer."""
ROWS_A_STEP: Final = 250
LOOKING: Final = "looking… Esc stops"


class SearchRun:
    """The search that runs, if one does.

    Args:
        pump: Whose turns of the loop are taken.
        begin: Begins the search that is asked for.
        finish: Shows what was found; returns what to say of it.
    """

    def __init__(
        self, pump: "MessagePump", begin: Callable[[], Looking], finish: Callable[[Looking], str]
    ) -> None:
        self._pump = pump
        self._begin = begin
        self._finish = finish
        self._tell: Callable[[str], None] = lambda _words: None
        self._looking: Looking | None = None
        self._is_shown = False

    @property
    def is_running(self) -> bool:
        """It is still looking."""
        return self._looking is not None

    def start(self, tell: Callable[[str], None]) -> None:
        """Begin to look; what is said of it is told now or later."""
        self._tell = tell
        self._restart()
        self._step(ROWS_AT_ONCE)
        if self.is_running:
            tell(LOOKING)

    def stop(self) -> None:
        """Look no further."""
        if self._looking is not None:
            self._looking = None
            self._tell("")

    def begin_anew(self) -> None:
        """The turns stand elsewhere now: what runs begins again."""
        if self._looking is not None:
            self._restart()
            self._soon()

    def _restart(self) -> None:
        self._looking = self._begin()
        self._is_shown = False

    def _soon(self) -> None:
        in_the_next_turn(self._pump, partial(self._go_on, self._looking))

    def _go_on(self, looking: Looking | None) -> None:
        if looking is not None and looking is self._looking:
            self._step(ROWS_A_STEP)

    def _step(self, rows: int) -> None:
        """Look through some rows; the match is gone to as soon as it is known, all are counted after that."""
        looking = self._looking
        assert looking is not None
        for looked_at in looking.steps:
            rows -= looked_at
            if rows <= 0:
                if looking.found is not None and not self._is_shown:
                    self._is_shown = True
                    self._finish(looking)
                self._soon()
                return
        self._looking = None
        if self._is_shown and looking.found is not None:
            self._tell(looking.found.words)
        else:
            self._tell(self._finish(looking))
