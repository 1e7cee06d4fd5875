"""Commands of a turn: ask again, go on, accept, edit the prompt, forget an unfinished one, fork, switch."""

from functools import partial
from typing import TYPE_CHECKING

from chatui.core.turn import Phase, Turn
from chatui.ui.keymap import Command, Where

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def _unfinished(screen: "ChatScreen") -> Turn | None:
    turn = screen.turn_at_hand()
    if turn is None or turn.phase is not Phase.FAILED or turn.is_accepted_cut:
        screen.say("No unfinished answer here.")
        return None
    return turn


def retry(screen: "ChatScreen") -> None:
    """Ask again for the same input; the other answer stays where it is."""
    turn = screen.turn_at_hand()
    if turn is None:
        screen.say("There is no answer yet.")
    else:
        screen.branching.ask_again(turn)


def go_on(screen: "ChatScreen") -> None:
    """Keep what was received and let the model go on from there."""
    turn = _unfinished(screen)
    if turn is None:
        return
    if not turn.text:
        screen.say("Nothing was received to go on from: r asks again.")
    elif screen.app_.opening.may_change(screen.live):
        screen.go_on_from(turn)


def accept(screen: "ChatScreen") -> None:
    """Take a cut answer as it is: it counts as an answer, marked as cut for ever."""
    turn = _unfinished(screen)
    if turn is None:
        return
    if not turn.text:
        screen.say("Nothing was received to accept: r asks again.")
    else:
        screen.branching.accept(turn)


def edit(screen: "ChatScreen") -> None:
    """Bring the prompt back into the composer; what is sent then stands beside the old one."""
    turn = screen.turn_at_hand()
    if turn is None:
        screen.say("There is no prompt yet.")
    else:
        screen.branching.edit(turn)


def dismiss(screen: "ChatScreen") -> None:
    """Forget an unfinished answer."""
    turn = _unfinished(screen)
    if turn is not None:
        screen.branching.dismiss(turn)


def next_answer(screen: "ChatScreen") -> None:
    """The next answer to the same prompt."""
    screen.branching.switch(1, screen.turn_at_hand())


def previous_answer(screen: "ChatScreen") -> None:
    """The previous answer to the same prompt."""
    screen.branching.switch(-1, screen.turn_at_hand())


def fork(screen: "ChatScreen") -> None:
    """A new conversation that goes on from this turn."""
    turn = screen.turn_at_hand()
    if turn is None or turn.phase is Phase.RECEIVING:
        screen.say("There is no answer to fork from yet.")
    else:
        words = "A fork: the conversation it comes from stays as it is."
        screen.app_.opening.fork(turn, lambda: screen.say(words))


_answer = partial(Command, where=Where.TRANSCRIPT, group="Answer")

COMMANDS = (
    _answer(name="retry", title="Ask again", keys=("r",), run=retry, words="retry"),
    _answer(name="continue", title="Continue from what was received", keys=("c",), run=go_on),
    _answer(name="edit", title="Edit the prompt as a branch", keys=("e",), run=edit),
    _answer(name="dismiss", title="Dismiss an unfinished answer", keys=("x",), run=dismiss),
    _answer(
        name="accept", title="Accept a cut answer as it is", keys=("a",), run=accept, words="keep unfinished"
    ),
    _answer(
        name="next-answer",
        title="The next answer to the same prompt",
        keys=("right", "greater_than_sign"),
        run=next_answer,
        words="sibling alternative branch version",
    ),
    _answer(
        name="previous-answer",
        title="The previous answer to the same prompt",
        keys=("left", "less_than_sign"),
        run=previous_answer,
        words="sibling alternative branch version",
    ),
    _answer(
        name="fork", title="Fork: a new conversation from here", keys=("f",), run=fork, words="copy branch"
    ),
)
