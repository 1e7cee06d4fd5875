"""The answer, or its sound, written to a file, or the answer given to a command.

Invariants: exactly the source bytes; no file is replaced unasked; the command is the person's own,
split as a shell would and run without one, bounded in time and in what is shown of it.
"""

import asyncio
import base64
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from chatui.core.continuation import joined_answer
from chatui.core.messages import ImagePart
from chatui.core.safe_text import safe_block
from chatui.core.spoken_audio import SoundFile, sound_of
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
    answer = joined_answer(turn) if turn is not None else ""
    if not answer:
        screen.say("There is no answer to take.")
    return answer


def sound_at_hand(screen: "ChatScreen") -> SoundFile | None:
    """The sound of the answer at hand; says so if there is none."""
    turn = screen.turn_at_hand()
    sound = sound_of(turn) if turn is not None else None
    if sound is None:
        screen.say("No sound came with this answer.")
    return sound


def save_audio(screen: "ChatScreen", written_path: str) -> None:
    """Write the sound of the answer to a file; bare samples become a WAV file."""
    sound = sound_at_hand(screen)
    if sound is None:
        return
    note = ", with the header of a WAV file before bare samples" if sound.is_header_added else ""
    _write(screen, written_path, sound.content, f"{len(sound.content)} bytes{note}")


def save_picture(screen: "ChatScreen", image: ImagePart, written_path: str) -> None:
    """Write a picture to a file, byte for byte as it was received."""
    try:
        content = base64.b64decode(image.data_base64)
    except ValueError:
        screen.say("This picture is damaged: there is nothing to save.")
        return
    _write(screen, written_path, content, f"{len(content)} bytes")


def write_answer(screen: "ChatScreen", written_path: str) -> None:
    """Write the answer to a file; one that exists is replaced only when the person says so."""
    text = answer_at_hand(screen)
    if text:
        content = text.encode("utf-8", "surrogatepass")
        _write(screen, written_path, content, f"{len(text)} characters")


def _write(screen: "ChatScreen", written_path: str, content: bytes, size: str) -> None:
    """Write, after a question if the file exists."""
    path = Path(os.path.expanduser(written_path.strip()))

    def write() -> None:
        try:
            path.write_bytes(content)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", "") or str(error)
            screen.notice(f"{one_line(str(path), 200)} cannot be written: {reason}")
            return
        screen.say(f"Written: {one_line(str(path), 200)} ({size}).")

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
