"""Writes the prompt in the person's own editor; the app gives the terminal away and takes it back.

Invariant: whatever the editor does, the text in the composer is the old one or the one that was saved, never
less; the file is readable by the person alone and gone afterwards.
"""

import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from chatui.config.outside_programs import editor_command
from chatui.view.plain_lines import one_line

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def edit_outside(screen: "ChatScreen") -> None:
    """Edit what is written in `$VISUAL` or `$EDITOR`."""
    command = editor_command(os.environ)
    if not command:
        screen.say("Set $VISUAL or $EDITOR to the editor that you want.")
        return
    before = screen.composer.written
    descriptor, name = tempfile.mkstemp(prefix="chatui-", suffix=".md")
    path = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(before.encode("utf-8", "surrogatepass"))
        try:
            with screen.app.suspend():
                done = subprocess.run([*command, name], check=False)  # noqa: S603 - the person's own editor
        except (OSError, ValueError, SuspendNotSupported) as error:
            reason = getattr(error, "strerror", "") or str(error)
            screen.say(f"{one_line(command[0], 60)} cannot be run: {reason}")
            return
        after = path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        screen.say(f"The text cannot be given to the editor: {error.strerror or error}")
        return
    finally:
        path.unlink(missing_ok=True)
    if done.returncode != 0:
        screen.say(f"{one_line(command[0], 60)} ended with {done.returncode}: the text is as it was.")
        return
    after = after.replace("\r\n", "\n").removesuffix("\n")
    if after != before:
        screen.composer.put(after)
    screen.composer.focus()
