"""What is typed and clicked between the first paint and the first conversation.

Invariant: nothing that is typed is lost, and it comes in its order: plain text goes into the composer at
once, all else waits, and so does what comes behind it.
"""

from collections.abc import Callable

from textual.events import Event, Key, MouseEvent, MouseMove, Paste

MENU_OPENERS = "/@"
"""Characters that ask for lists, which need the conversation."""


def is_plain(event: Event) -> bool:
    """Text that means itself, whatever the conversation is. With Alt a letter is a command, not text."""
    if not isinstance(event, Key) or "+" in event.key:
        return False
    return event.is_printable and (event.character or "") not in MENU_OPENERS


class EarlyInput:
    """Keeps events until there is a conversation.

    Args:
        can_write: Whether plain text has somewhere to go already.
    """

    def __init__(self, can_write: Callable[[], bool]) -> None:
        self._can_write = can_write
        self._waiting: list[Event] = []
        self._is_over = False

    def takes(self, event: Event) -> bool:
        """Whether an event waits."""
        if self._is_over or not isinstance(event, Key | Paste | MouseEvent) or isinstance(event, MouseMove):
            return False
        if not self._waiting and is_plain(event) and self._can_write():
            return False
        self._waiting.append(event)
        return True

    def end(self) -> list[Event]:
        """Nothing waits from now on; what waited."""
        self._is_over = True
        waiting, self._waiting = self._waiting, []
        return waiting
