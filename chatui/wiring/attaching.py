"""Files as parts of a prompt: looked at when they are named, read when they are sent.

Invariant: only ordinary files are read (a pipe or device would hang or never end), and never more of one than
any provider takes.
"""

import os
import re
import shlex
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from chatui.core.attached_file import HEAD_BYTES, AttachedFile, look_at
from chatui.core.attachment_limits import MOST_FILE_BYTES, problems_of, size_words
from chatui.core.errors import ConfigError
from chatui.core.messages import FilePart, ImagePart, Message, Part, Role, TextPart
from chatui.core.safe_text import safe_line
from chatui.core.values import frozen
from chatui.core.wire import FileLimits

if TYPE_CHECKING:
    from chatui.config.provider_spec import ModelFacts

_MENTION = re.compile(r"""(?:(?<=\s)|^)@(?:"([^"\n]+)"|'([^'\n]+)'|((?:\\.|[^\s"'\\])+))""", re.MULTILINE)
_ESCAPED = re.compile(r"\\(.)")
_TRAILING = ".,;:!?)]}"
MOST_MENTIONS = 50
MOST_PASTED_CHARACTERS = 32_768
"""A longer paste is no list of files."""


@frozen
class FoundFile:
    """A file that a prompt names, and what it is."""

    path: Path
    file: AttachedFile


def mentioned_paths(text: str) -> tuple[str, ...]:
    """What follows an `@` in a prompt, each once, in order; quotes and backslashes are taken off."""
    found: list[str] = []
    for match in _MENTION.finditer(text):
        double, single, bare = match.groups()
        found.append(double or single or _ESCAPED.sub(r"\1", bare))
    return tuple(dict.fromkeys(found))[:MOST_MENTIONS]


def mention_of(path: str) -> str:
    """How a path is written after an `@`."""
    if re.fullmatch(r"[^\s\"'\\]+", path):
        return f"@{path}"
    return f"@'{path}'" if '"' in path else f'@"{path}"'


def existing_file(written: str, folder: Path) -> Path | None:
    """The ordinary file that a mention means; a full stop or bracket after it does not count."""
    for candidate in dict.fromkeys((written, written.rstrip(_TRAILING))):
        if not candidate or "\x00" in candidate:
            continue
        try:
            path = (folder / Path(candidate).expanduser()).absolute()
            if path.is_file():
                return path
        except (OSError, RuntimeError, ValueError):
            # Too long a name, no home folder: it names no file.
            continue
    return None


def look_at_file(path: Path) -> AttachedFile:
    """What a file is, from its first bytes.

    Raises:
        ConfigError: it cannot be read or cannot be sent.
    """
    head, size_bytes = _read(path, HEAD_BYTES)
    return look_at(_name(path), head, size_bytes)


def files_in(text: str, folder: Path) -> tuple[list[FoundFile], list[str]]:
    """The files that a prompt mentions, and why some cannot be sent. A mention of no file is a word."""
    found: dict[Path, FoundFile] = {}
    problems: list[str] = []
    for written in mentioned_paths(text):
        path = existing_file(written, folder)
        if path is None or path in found:
            continue
        try:
            found[path] = FoundFile(path, look_at_file(path))
        except ConfigError as error:
            problems.append(error.message)
    return list(found.values()), problems


def problems_of_files(paths: Iterable[str], limits: FileLimits, facts: "ModelFacts") -> tuple[str, ...]:
    """Why a model may refuse these files.

    Raises:
        ConfigError: one of them is not there or cannot be sent.
    """
    return problems_of(
        [look_at_file(Path(path).expanduser()) for path in paths],
        limits,
        can_see_images=facts.can_see_images,
        can_read_pdf=facts.can_read_pdf,
    )


def read_part(path: Path) -> ImagePart | FilePart:
    """A file as the part of a message.

    Raises:
        ConfigError: it cannot be read, is too large or cannot be sent.
    """
    data, size_bytes = _read(path, MOST_FILE_BYTES + 1)
    if size_bytes > MOST_FILE_BYTES or len(data) > MOST_FILE_BYTES:
        raise ConfigError(
            f"{_name(path)} has {size_words(size_bytes)}, more than any provider takes "
            f"({size_words(MOST_FILE_BYTES)})"
        )
    return look_at(_name(path), data, len(data)).part(data)


def message_with_files(text: str, paths: list[Path]) -> Message:
    """A prompt with its files in front, as providers recommend.

    Raises:
        ConfigError: a file cannot be read or sent.
    """
    parts: list[Part] = [read_part(path) for path in paths]
    if text.strip() or not parts:
        parts.append(TextPart(text))
    return Message(Role.USER, tuple(parts))


def pasted_paths(text: str, folder: Path) -> tuple[str, ...]:
    """The paths of files that were pasted or dropped together: a line each, or words of one line.

    Of several each must be there, and whole: what only looks like a list of paths stays text.
    """
    alone = pasted_path(text, folder)
    if alone is not None:
        return (alone,)
    if len(text) > MOST_PASTED_CHARACTERS or "/" not in text:
        return ()
    written = [line.strip() for line in text.splitlines() if line.strip()]
    if len(written) == 1 and os.sep == "/":
        try:
            found = [_file_of(word, folder) for word in shlex.split(written[0])]
        except ValueError:  # a quote or backslash without its other half
            return ()
    else:
        found = [pasted_path(line, folder) if _is_whole(line.strip("'\"")) else None for line in written]
    paths = tuple(path for path in found if path is not None)
    return paths if 1 < len(paths) == len(found) <= MOST_MENTIONS else ()


def _is_whole(written: str) -> bool:
    """A path from the root on, as every terminal gives those that were dropped."""
    return written.startswith(("file://", "~/")) or os.path.isabs(written)


def _file_of(written: str, folder: Path) -> str | None:
    """A whole path or address of a file, without quotes, if it is there."""
    if not _is_whole(written):
        return None
    path = existing_file(_path_of_address(written), folder)
    return None if path is None else str(path)


def _path_of_address(written: str) -> str:
    """What `file://` means; everything else, and half an address, is as it is written."""
    if not written.startswith("file://"):
        return written
    try:
        return unquote(urlsplit(written).path)
    except ValueError:  # whatever a person copied
        return written


def pasted_path(text: str, folder: Path) -> str | None:
    """The path of a file that was pasted or dropped on the terminal (quoted, escaped, `file://`), or None."""
    written = text.strip()
    if not written or "\n" in written or len(written) > 4096:
        return None
    if written.startswith("file://"):
        written = _path_of_address(written)
    elif len(written) > 1 and written[0] == written[-1] and written[0] in "'\"":
        written = written[1:-1]
    elif os.sep == "/":
        written = _ESCAPED.sub(r"\1", written)
    if not ("/" in written or os.sep in written):
        return None
    path = existing_file(written, folder)
    return None if path is None else str(path)


def _name(path: Path) -> str:
    return safe_line(path.name)


def _read(path: Path, most_bytes: int) -> tuple[bytes, int]:
    name = _name(path)
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise ConfigError(f"{name} cannot be read: {error.strerror or error}") from error
    with os.fdopen(descriptor, "rb") as file:
        try:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                raise ConfigError(f"{name} is no ordinary file: it cannot be attached")
            return file.read(most_bytes), about.st_size
        except OSError as error:
            raise ConfigError(f"{name} cannot be read: {error.strerror or error}") from error
