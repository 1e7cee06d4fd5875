"""What can be pressed now, for the status line: the keys of what the person is doing.

Invariant: a key is named only with what it does at this moment, where the focus is.
"""

from enum import Enum, auto

from chatui.ui.widgets.status import Hint
from chatui.view.glyphs import Glyphs


class Doing(Enum):
    """What the person is doing."""

    WRITING = auto()
    COMPLETING = auto()
    """Writing, while something is suggested."""
    READING = auto()
    SEARCHING = auto()
    SELECTING = auto()
    """With keys; a caret is shown."""


def hints_of(
    doing: Doing,
    signs: Glyphs,
    *,
    newline_key: str,
    has_selection: bool = False,
    is_busy: bool = False,
    is_stopping: bool = False,
) -> tuple[Hint, ...]:
    """What can be pressed now, the most useful first.

    Args:
        doing: What the person is doing.
        signs: How keys are drawn.
        newline_key: The key for a new line that arrives here.
        has_selection: Text is marked.
        is_busy: An answer is coming.
        is_stopping: It is being stopped.
    """
    control, enter = signs.control, signs.enter_key
    if doing is Doing.SEARCHING:
        return (Hint(enter, "next"), Hint(signs.up, "previous"), Hint("Esc", "leave"))
    if doing is Doing.COMPLETING:
        arrows = f"{signs.up}{signs.down}"
        return (Hint("Tab", "take"), Hint(arrows, "choose"), Hint("Esc", "close"), Hint(enter, "take or run"))
    if doing is Doing.SELECTING:
        return (
            Hint("v", "no mark" if has_selection else "mark"),
            Hint("y", "copy" if has_selection else "copy the row"),
            Hint("Esc", "no mark" if has_selection else "leave"),
            Hint("V", "rows"),
            Hint("w b", "word"),
        )
    if has_selection:
        return (Hint(f"{control}C", "copy", "interrupt"), Hint("Esc", "deselect", "stop"))
    stop = (Hint("Esc", "stopping…" if is_stopping else "stop", "stop"),) if is_busy else ()
    common = (
        Hint(f"{control}P", "palette", "palette"),
        Hint("F1", "help", "help"),
        Hint(f"{control}R", "resume", "conversations"),
        Hint(f"{control}N", "new", "new"),
    )
    if doing is Doing.READING:
        return (
            *stop,
            Hint("Tab", "write", "focus-composer"),
            Hint("[ ]", "turn"),
            Hint("{ }", "code"),
            Hint("v", "select", "select"),
            Hint(f"{control}Y", "copy code", "copy-code"),
            *common,
        )
    return (
        *stop,
        Hint(enter, "queue" if is_busy else "send"),
        Hint(newline_key, "line"),
        Hint("Tab", "read", "focus-transcript"),
        *common,
    )
