"""Commands of a turn: ask again, go on, edit the prompt, forget an unfinished one."""

from typing import TYPE_CHECKING

from chatui.core.turn import Phase, Turn
from chatui.ui.keymap import Command, Where

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def _failed(screen: "ChatScreen") -> Turn | None:
    turn = screen.turn_at_hand()
    if turn is None or turn.phase is not Phase.FAILED:
        screen.say("No failed answer here.")
        return None
    return turn


def retry(screen: "ChatScreen") -> None:
    """Ask again for the same input; the failed answer stays where it is."""
    turn = screen.turn_at_hand()
    if turn is None:
        screen.say("There is no answer yet.")
    elif not screen.desk.regenerate(screen.live, turn):
        screen.say("An answer is still coming: Esc stops it.")
    else:
        screen.transcript.to_end()


def go_on(screen: "ChatScreen") -> None:
    """Keep what was received and let the model go on from there."""
    turn = _failed(screen)
    if turn is None:
        return
    if not turn.text:
        screen.say("Nothing was received to go on from: r asks again.")
    else:
        screen.go_on_from(turn)


def edit(screen: "ChatScreen") -> None:
    """Bring the prompt back into the composer."""
    turn = screen.turn_at_hand()
    if turn is None:
        screen.say("There is no prompt yet.")
        return
    draft = screen.composer.written
    if draft.strip() and draft != turn.prompt:
        screen.composer.remember(draft)
    screen.composer.put(turn.prompt)
    screen.composer.focus()


def dismiss(screen: "ChatScreen") -> None:
    """Forget an unfinished answer."""
    turn = _failed(screen)
    if turn is None or screen.live.session is None:
        return
    screen.live.session.dismiss(turn)
    if screen.live.update is not None and screen.live.update.turn.turn_id == turn.turn_id:
        screen.live.update = None
    screen.transcript.drop(turn.turn_id)
    screen.tell_all()


COMMANDS = (
    Command(
        name="retry",
        title="Ask again",
        keys=("r",),
        where=Where.TRANSCRIPT,
        group="Answer",
        run=retry,
        words="retry",
    ),
    Command(
        name="continue",
        title="Continue from what was received",
        keys=("c",),
        where=Where.TRANSCRIPT,
        group="Answer",
        run=go_on,
    ),
    Command(
        name="edit", title="Edit the prompt", keys=("e",), where=Where.TRANSCRIPT, group="Answer", run=edit
    ),
    Command(
        name="dismiss",
        title="Dismiss an unfinished answer",
        keys=("x",),
        where=Where.TRANSCRIPT,
        group="Answer",
        run=dismiss,
    ),
)
