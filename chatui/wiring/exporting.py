"""A whole conversation as a document and into a file, also one that is not in the history.

Invariant: a file that is there already is never replaced.
"""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chatui.core.conversation import Conversation
from chatui.core.errors import ConfigError

if TYPE_CHECKING:
    from chatui.wiring.workspace import Workspace

LONGEST_NAME: Final = 60
MOST_NUMBERED: Final = 100


def format_names() -> tuple[tuple[str, str], ...]:
    """The formats: name, and ending of a file."""
    from chatui.history.exporting.formats import EXPORT_FORMATS

    return tuple((entry.name, entry.ending) for entry in EXPORT_FORMATS.values())


def file_name_of(title: str, ending: str) -> str:
    """A name of a file that any system takes, made from a title."""
    words = re.findall(r"[\w-]+", title[:LONGEST_NAME], re.UNICODE)
    return f"{'-'.join(words).strip('-') or 'conversation'}.{ending}"


def free_file_name(title: str, ending: str, directory: Path) -> str:
    """A name made from a title that no file of a directory has."""
    name = file_name_of(title, ending)
    stem = name.removesuffix(f".{ending}")
    numbers = (f"{stem}-{number}.{ending}" for number in range(2, MOST_NUMBERED))
    return next((one for one in (name, *numbers) if not os.path.lexists(directory / one)), name)


def export_text(workspace: "Workspace", conversation: Conversation, name: str, *, is_saved: bool) -> str:
    """The conversation in a format; as the history holds it where it does.

    Raises:
        StoreError: it cannot be read.
    """
    from chatui.history.exporting.formats import export_document
    from chatui.history.portable import Portable

    if is_saved:
        return workspace.history.portables.export([conversation.conversation_id], name)
    return export_document([Portable(conversation=conversation)], name)


def write_new_file(path: Path, text: str) -> Path:
    """Write a file that is not there yet; returns its whole path.

    Raises:
        ConfigError: there is such a file, or it cannot be written.
    """
    whole = path.expanduser().absolute()
    try:
        descriptor = os.open(whole, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with open(descriptor, "w", encoding="utf-8", errors="surrogatepass", newline="\n") as file:
            file.write(text)
    except FileExistsError as error:
        raise ConfigError(f"{whole} is there already", "Name another file; nothing was written.") from error
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise ConfigError(f"{whole} cannot be written: {why}", "Name another file.") from error
    return whole
