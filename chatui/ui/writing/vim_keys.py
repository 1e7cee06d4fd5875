"""Modal editing in the composer for those who switch it on: the everyday keys of vi.

Invariants: Enter sends and Esc stops an answer as ever; a key that means nothing here changes nothing; what
is deleted can be brought back by `u`.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import events

if TYPE_CHECKING:
    from chatui.ui.widgets.composer import Composer

_PASSED_ON = frozenset({"enter", "tab", "shift+tab", "up", "down", "left", "right", "pageup", "pagedown"})


class VimKeys:
    """Two modes: insert, in which everything is as without it, and normal.

    Args:
        composer: What is edited.
        is_busy: Whether an answer is coming: then Esc also stops it.
        told: Hears of the mode.
    """

    def __init__(
        self, composer: "Composer", is_busy: Callable[[], bool], told: Callable[[bool], None]
    ) -> None:
        self._composer = composer
        self._is_busy = is_busy
        self._told = told
        self._waiting = ""
        self.is_normal = False

    def key(self, event: events.Key) -> bool:
        """A key before the composer gets it; returns whether it was used."""
        if not self.is_normal:
            if event.key != "escape":
                return False
            self._enter_normal()
            return not self._is_busy()
        if event.key in _PASSED_ON or (event.character is None and event.key != "escape"):
            return False
        if event.key == "escape":
            self._waiting = ""
            return False
        if event.key.startswith(("ctrl+", "alt+")):
            return False
        self._take(event.character or "")
        return True

    def to_insert(self) -> None:
        """Type from now on."""
        self.is_normal = False
        self._waiting = ""
        self._told(False)

    def _enter_normal(self) -> None:
        self.is_normal = True
        self._waiting = ""
        composer = self._composer
        if composer.cursor_location[1] > 0:
            composer.action_cursor_left()
        self._told(True)

    def _take(self, character: str) -> None:
        keys = self._waiting + character
        if keys in ("d", "c", "g"):
            self._waiting = keys
            return
        self._waiting = ""
        action = self._actions().get(keys)
        if action is not None:
            action()

    def _actions(self) -> dict[str, Callable[[], object]]:
        composer = self._composer
        return {
            "h": composer.action_cursor_left,
            "l": composer.action_cursor_right,
            "j": composer.action_cursor_down,
            "k": composer.action_cursor_up,
            "w": composer.action_cursor_word_right,
            "e": composer.action_cursor_word_right,
            "b": composer.action_cursor_word_left,
            "0": self._line_start,
            "^": composer.action_cursor_line_start,
            "$": composer.action_cursor_line_end,
            "gg": lambda: composer.move_cursor((0, 0)),
            "G": lambda: composer.move_cursor(composer.document.end),
            "i": self.to_insert,
            "a": self._then_insert(composer.action_cursor_right),
            "I": self._then_insert(self._line_start),
            "A": self._then_insert(composer.action_cursor_line_end),
            "o": self._then_insert(self._line_below),
            "O": self._then_insert(self._line_above),
            "x": composer.action_delete_right,
            "X": composer.action_delete_left,
            "D": composer.action_delete_to_end_of_line,
            "C": self._then_insert(composer.action_delete_to_end_of_line),
            "dd": composer.action_delete_line,
            "cc": self._then_insert(self._empty_line),
            "S": self._then_insert(self._empty_line),
            "s": self._then_insert(composer.action_delete_right),
            "dw": composer.action_delete_word_right,
            "cw": self._then_insert(composer.action_delete_word_right),
            "d$": composer.action_delete_to_end_of_line,
            "d0": composer.action_delete_to_start_of_line,
            "u": composer.action_undo,
            "U": composer.action_redo,
        }

    def _then_insert(self, action: Callable[[], object]) -> Callable[[], None]:
        def run() -> None:
            action()
            self.to_insert()

        return run

    def _line_start(self) -> None:
        self._composer.move_cursor((self._composer.cursor_location[0], 0))

    def _line_below(self) -> None:
        composer = self._composer
        row = composer.cursor_location[0]
        end = (row, len(composer.document.get_line(row)))
        composer.insert("\n", end)
        composer.move_cursor((row + 1, 0))

    def _line_above(self) -> None:
        composer = self._composer
        row = composer.cursor_location[0]
        composer.insert("\n", (row, 0))
        composer.move_cursor((row, 0))

    def _empty_line(self) -> None:
        composer = self._composer
        row = composer.cursor_location[0]
        composer.delete((row, 0), (row, len(composer.document.get_line(row))))
