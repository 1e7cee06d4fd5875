"""A TOML file with its line numbers, and what is wrong in it.

Invariant: every complaint about a file names the file and, where it can be found, line and key; a file is
only read here, never written. Source: TOML 1.0.0. `tomllib` keeps no positions of keys, so `line_of` finds
them again.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import field
from pathlib import Path
from typing import Final

from chatui.core.late_pattern import late_pattern
from chatui.core.values import frozen

KeyPath = tuple[str, ...]

MAX_FILE_BYTES: Final = 4 * 1024 * 1024
_ERROR_LINE: Final = late_pattern(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")
_BARE_OR_QUOTED: Final = late_pattern(r'\s*(?:([A-Za-z0-9_-]+)|"((?:[^"\\]|\\.)*)"|\'([^\']*)\')\s*')


@frozen
class Problem:
    """One thing that is wrong in a file or variable, in words for the person."""

    where: str
    """File name, or `environment`."""
    line: int | None
    key: str
    message: str

    def __str__(self) -> str:
        place = self.where if self.line is None else f"{self.where}:{self.line}"
        return f"{place}: {self.key}: {self.message}" if self.key else f"{place}: {self.message}"


@frozen
class TomlSource:
    """A parsed file. `data` is empty when the text could not be parsed."""

    where: str
    text: str = field(repr=False)
    data: dict[str, object] = field(repr=False)

    def line_of(self, path: KeyPath) -> int | None:
        """The 1-based line where a key (or the nearest table around it) is written; None if it is nowhere."""
        places = key_lines(self.text)
        for length in range(len(path), 0, -1):
            if path[:length] in places:
                return places[path[:length]]
        return None

    def problem(self, path: KeyPath, message: str) -> Problem:
        """A complaint about a key."""
        return Problem(self.where, self.line_of(path), dotted(path), message)


def read_toml(path: Path) -> tuple[TomlSource, tuple[Problem, ...]]:
    """Read and parse a file; what is wrong with it comes back as problems, never as an exception.

    A missing file is an empty one.
    """
    where = str(path)
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            return TomlSource(where, "", {}), (Problem(where, None, "", "the file is larger than 4 MiB"),)
        raw = path.read_bytes()
    except FileNotFoundError:
        return TomlSource(where, "", {}), ()
    except OSError as error:
        return TomlSource(where, "", {}), (
            Problem(where, None, "", f"cannot be read: {error.strerror or error}"),
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return TomlSource(where, "", {}), (Problem(where, line, "", "is no UTF-8 text"),)
    return parse_toml(text, where)


def parse_toml(text: str, where: str) -> tuple[TomlSource, tuple[Problem, ...]]:
    """Parse text that was read from `where`."""
    try:
        return TomlSource(where, text, tomllib.loads(text)), ()
    except ValueError as error:  # TOMLDecodeError, or a number with more digits than Python reads
        message = str(error)
        found = _ERROR_LINE.search(message)
        line = int(found.group(1)) if found and found.group(1) else max(1, text.count("\n") + 1)
        shown = _ERROR_LINE.sub("", message)
        return TomlSource(where, text, {}), (Problem(where, line, "", f"is no valid TOML: {shown}"),)
    except RecursionError:
        return TomlSource(where, text, {}), (Problem(where, None, "", "is nested too deeply"),)


def dotted(path: KeyPath) -> str:
    """A key as it is written in TOML."""
    return ".".join(part if re.fullmatch(r"[A-Za-z0-9_-]+", part) else f'"{part}"' for part in path)


def near_match(word: str, allowed: Iterable[str]) -> str:
    """The allowed word that was probably meant; empty if none is near."""
    import difflib

    names = list(allowed)
    close = difflib.get_close_matches(word.lower(), [name.lower() for name in names], n=1, cutoff=0.7)
    return next((name for name in names if close and name.lower() == close[0]), "")


def not_among(word: str, allowed: Iterable[str]) -> str:
    """`did you mean X? allowed: A, B, C`, for the end of a message."""
    names = list(allowed)
    near = near_match(word, names)
    listed = ", ".join(names)
    return f'did you mean "{near}"? allowed: {listed}' if near else f"allowed: {listed}"


def key_lines(text: str) -> dict[KeyPath, int]:
    """Line where each key and table of a TOML text appears first; arrays of tables count as their name."""
    places: dict[KeyPath, int] = {}
    table: KeyPath = ()
    for number, line in _statements(text):
        stripped = line.strip()
        if stripped.startswith("["):
            inner = stripped.lstrip("[")
            table, _ = _key(inner)
            _note(places, table, number)
            continue
        keys, rest = _key(stripped)
        if keys and rest.startswith("="):
            _note(places, table + keys, number)
            _note_inline(places, table + keys, rest[1:].strip(), number)
    return places


def _note(places: dict[KeyPath, int], path: KeyPath, number: int) -> None:
    for length in range(1, len(path) + 1):
        places.setdefault(path[:length], number)


def _note_inline(places: dict[KeyPath, int], path: KeyPath, value: str, number: int) -> None:
    """Keys of an inline table stand on its own line."""
    if not value.startswith("{"):
        return
    for name in re.findall(r"[{,]\s*([A-Za-z0-9_-]+)\s*=", value):
        places.setdefault((*path, name), number)


def _key(text: str) -> tuple[KeyPath, str]:
    """The dotted key at the start of a text, and what follows it."""
    parts: list[str] = []
    at = 0
    while match := _BARE_OR_QUOTED.match(text, at):
        bare, double, single = match.groups()
        parts.append(bare if bare is not None else _unescaped(double) if double is not None else single)
        at = match.end()
        if text[at : at + 1] != ".":
            break
        at += 1
    return tuple(parts), text[at:]


def _unescaped(quoted: str) -> str:
    if "\\" not in quoted:
        return quoted
    try:
        return str(tomllib.loads(f'a = "{quoted}"')["a"])
    except tomllib.TOMLDecodeError:
        return quoted


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """First lines of statements: lines inside multi-line strings and arrays are left out."""
    closing = ""
    depth = 0
    for number, line in enumerate(text.split("\n"), 1):
        if not closing and depth <= 0 and line.strip() and not line.lstrip().startswith("#"):
            yield number, line
            if line.lstrip().startswith("["):
                continue
        closing, depth = _scan(line, closing, max(depth, 0))


def _scan(line: str, closing: str, depth: int) -> tuple[str, int]:
    """Follow strings and brackets through a line: the open multi-line string's mark, and the depth."""
    at = 0
    while at < len(line):
        if closing:
            if closing == '"""' and line[at] == "\\":
                at += 2
                continue
            if line.startswith(closing, at):
                at += 3
                closing = ""
                continue
            at += 1
            continue
        character = line[at]
        if character == "#":
            break
        if character in "\"'":
            if line.startswith(character * 3, at):
                closing = character * 3
                at += 3
                continue
            at = _end_of_string(line, at)
            continue
        depth += (character in "[{") - (character in "]}")
        at += 1
    return closing, depth


def _end_of_string(line: str, start: int) -> int:
    quote = line[start]
    at = start + 1
    while at < len(line) and line[at] != quote:
        at += 2 if quote == '"' and line[at] == "\\" else 1
    return at + 1
