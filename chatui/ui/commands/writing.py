"""Commands of writing: stopping, stashing, quitting, and where typing goes."""

from typing import TYPE_CHECKING

from chatui.ui.keymap import Command

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def stop(screen: "ChatScreen") -> None:
    """Esc: stop the answer, else deselect, close what lies over the text, go to the composer. Never quits."""
    if screen.transcript.selection is not None or screen.transcript.is_selecting:
        screen.transcript.leave_selecting()
        screen.tell_status()
    elif screen.transcript.leave_link():
        screen.tell_status()
    elif screen.desk.cancel(screen.live):
        screen.say("stopping…")
    elif screen.branching.leave_edit() or screen.has_notice:
        screen.notice("")
    elif screen.search.display:
        screen.search.leave()
    else:
        screen.composer.focus()


async def interrupt(screen: "ChatScreen") -> None:
    """Ctrl+C: copy a selection, stop the answer, stash the draft; on the press after that, quit."""
    if screen.transcript.selection is not None:
        screen.copy(screen.transcript.selected_text(), "the selection")
        screen.transcript.leave_selecting()
        return
    if screen.desk.cancel(screen.live):
        screen.is_quit_armed = True
        screen.say("stopping… Ctrl+C again quits")
        return
    draft = screen.composer.written
    if draft.strip():
        screen.composer.remember(screen.composer.take())
        screen.app_.drafts.stash(screen.live, draft)
        screen.is_quit_armed = True
        screen.say("Draft stashed: Up brings it back. Ctrl+C again quits.")
        return
    if screen.is_quit_armed:
        await screen.quit()
        return
    screen.is_quit_armed = True
    screen.say("Ctrl+C again quits.")


async def leave(screen: "ChatScreen") -> None:
    """Quit at once; the draft is kept."""
    await screen.quit()


def suspend(screen: "ChatScreen") -> None:
    """Leave the terminal to the shell; `fg` there comes back. Answers wait meanwhile."""
    if not screen.app_.to_shell():
        screen.say("There is no shell to go to.")


def unfold_paste(screen: "ChatScreen") -> None:
    """Show the folded paste at the caret as text that can be edited."""
    if not screen.composer.unfold_paste():
        screen.say("There is no folded paste at the caret.")


def focus_composer(screen: "ChatScreen") -> None:
    """Type."""
    screen.composer.focus()


def focus_transcript(screen: "ChatScreen") -> None:
    """Read with single keys."""
    screen.transcript.focus()


COMMANDS = (
    Command(
        name="stop",
        title="Stop the answer; prompt and text stay",
        keys=("escape",),
        group="Write",
        run=stop,
        words="cancel abort",
    ),
    Command(
        name="interrupt",
        title="Stop, stash the draft, then quit",
        keys=("ctrl+c",),
        group="Write",
        run=interrupt,
        words="cancel exit",
    ),
    Command(name="quit", title="Quit", keys=("ctrl+q",), group="Write", run=leave, words="exit leave"),
    Command(
        name="suspend",
        title="To the shell; fg comes back",
        keys=("ctrl+z",),
        group="Write",
        run=suspend,
        words="background job stop process",
    ),
    Command(
        name="unfold-paste",
        title="Unfold the paste at the caret",
        keys=("f9", "alt+p"),
        group="Write",
        run=unfold_paste,
        words="expand edit",
    ),
    Command(name="focus-composer", title="Go to the composer", group="Write", run=focus_composer),
    Command(
        name="focus-transcript",
        title="Read with single keys",
        keys=("f6",),
        group="Write",
        run=focus_transcript,
    ),
)
