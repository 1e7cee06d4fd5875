"""The answer written to a file, or given to a command.

Invariants: exactly the source bytes; no file is replaced unasked; the command is the person's own,
split as a shell would and run without one, bounded in time and in what is shown of it.
"""

import asyncio
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from chatui.core.safe_text import safe_block
from chatui.ui.screens.question import Question
from chatui.view.plain_lines import one_line

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen

LONGEST_RUN_S = 30.0
MOST_SHOWN_CHARACTERS = 20_000


def answer_at_hand(screen: "ChatScreen") -> str:
    """The source of what is selected, else of the answer at hand; says so if there is none."""
    if screen.transcript.selection is not None:
        return screen.transcript.selected_text()
    turn = screen.turn_at_hand()
    if turn is None or not turn.text:
        screen.say("There is no answer to take.")
        return ""
    return turn.text


def write_answer(screen: "ChatScreen", written_path: str) -> None:
    """Write the answer to a file; one that exists is replaced only when the person says so."""
    text = answer_at_hand(screen)
    if not text:
        return
    path = Path(os.path.expanduser(written_path.strip()))

    def write() -> None:
        try:
            path.write_bytes(text.encode("utf-8", "surrogatepass"))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", "") or str(error)
            screen.notice(f"{one_line(str(path), 200)} cannot be written: {reason}")
            return
        screen.say(f"Written: {one_line(str(path), 200)} ({len(text)} characters).")

    def answered(choice: str | None) -> None:
        if choice == "replace":
            write()

    if not os.path.lexists(path):
        write()
        return
    screen.app_.ask(
        Question(
            "Replace this file?",
            (str(path),),
            (("replace", "replace it"),),
            screen.app_.styles_of_theme,
            screen.signs,
        ),
        answered,
    )


async def pipe_answer(screen: "ChatScreen", command: str) -> None:
    """Give the answer to a command on its standard input and show what it says."""
    text = answer_at_hand(screen)
    if not text:
        return
    try:
        words = shlex.split(command)
    except ValueError as error:
        screen.say(f"This is no command: {error}")
        return
    if not words:
        return
    _ = screen.run_worker(_run(screen, words, text), group="pipe", exit_on_error=False)
    screen.say(f"Given to {one_line(words[0], 60)}…")


async def _run(screen: "ChatScreen", words: list[str], text: str) -> None:
    name = one_line(words[0], 60)
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
    except (OSError, ValueError) as error:
        screen.notice(f"{name} cannot be run: {getattr(error, 'strerror', '') or error}")
        return
    try:
        said, _ = await asyncio.wait_for(
            process.communicate(text.encode("utf-8", "surrogatepass")), LONGEST_RUN_S
        )
    except TimeoutError:
        process.kill()
        await process.wait()
        screen.notice(f"{name} took longer than {LONGEST_RUN_S:.0f} s and was ended.")
        return
    output = safe_block(said.decode("utf-8", "replace")[:MOST_SHOWN_CHARACTERS]).strip()
    if process.returncode == 0:
        screen.notice(output, f"{name} took it." if output else "")
        screen.say(f"{name} took {len(text)} characters.")
    else:
        screen.notice(output or "It said nothing.", f"{name} failed with exit code {process.returncode}.")
