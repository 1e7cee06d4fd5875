"""What must be seen beside the title at any width: that nothing is saved, that something is recorded or runs.

Invariant: a conversation whose last turn is not in the history never looks like one that is.
"""

from typing import TYPE_CHECKING

from chatui.ui.desk import Desk
from chatui.ui.live import Live

if TYPE_CHECKING:
    from chatui.wiring import Workspace


def marks_of(live: Live, desk: Desk, workspace: "Workspace") -> str:
    """The marks of the conversation that is shown, in words."""
    marks: list[str] = []
    conversation = live.now()
    if conversation.is_temporary:
        marks.append("temporary: nothing is saved")
    elif live.unsaved_why or workspace.history.trouble:
        marks.append("not saved")
    if live.open_elsewhere:
        marks.append("reading: open elsewhere")
    if workspace.record_directory is not None:
        marks.append("recording")
    others = [other for other in desk.lives if other is not live]
    waiting = sum(other.question is not None for other in others)
    running = sum(other.is_busy for other in others) - waiting
    unseen = [other for other in others if other.has_unseen]
    answered = sum(other.is_answered for other in unseen)
    if waiting:
        marks.append(f"{waiting} other{'s wait' if waiting > 1 else ' waits'} for your yes or no")
    if running:
        marks.append(f"{running} other{'s' if running > 1 else ''} receiving")
    if answered:
        marks.append(f"{answered} other{'s' if answered > 1 else ''} answered")
    if len(unseen) > answered:
        marks.append(f"{len(unseen) - answered} not completed")
    if waiting or running or unseen:
        marks[-1] += " (Alt+N)"
    return "  ".join(marks)


def state_of(live: Live | None, shown: Live) -> str:
    """What a conversation that is open here is doing, for its row in a list."""
    if live is None:
        return ""
    if live.question is not None:
        return "● waits for your yes or no"
    if live.is_busy:
        return "● receiving"
    if live.has_unseen:
        return "● answered" if live.is_answered else "● not completed"
    return "shown" if live is shown else ""
