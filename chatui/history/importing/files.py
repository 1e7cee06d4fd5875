"""Which format a file is of, and the conversations in it.

Invariant: the format is told by the content and never by the name; a file that is none of ours is refused in
words, and one broken conversation never hides the others.
"""

import json
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from chatui.core.errors import StoreError
from chatui.history.importing.chatgpt import import_chatgpt, is_chatgpt
from chatui.history.importing.chatui_json import import_chatui, is_chatui
from chatui.history.importing.claude import import_claude, is_claude
from chatui.history.importing.databases import import_database, kind_of
from chatui.history.importing.foreign_values import object_of
from chatui.history.importing.open_webui import import_open_webui, is_open_webui
from chatui.history.importing.openai import import_messages, import_sharegpt, is_messages, is_sharegpt
from chatui.history.portable import ImportReport, Portable

_SQLITE: Final = b"SQLite format 3\x00"
_ZIP: Final = b"PK\x03\x04"

Importer = Callable[[dict[str, Any], Any], Portable]
_KINDS: Final[tuple[tuple[str, Callable[[object], bool], Importer], ...]] = (
    ("ChatGPT", is_chatgpt, import_chatgpt),
    ("Claude.ai", is_claude, import_claude),
    ("Open WebUI", is_open_webui, import_open_webui),
    ("ShareGPT", is_sharegpt, import_sharegpt),
    ("OpenAI messages", lambda value: is_messages(object_of(value).get("messages")), import_messages),
)
FORMATS: Final = (
    "chatui JSON, OpenAI messages (JSON or JSON lines), ShareGPT, ChatGPT or Claude.ai export "
    "(conversations.json or the zip), Open WebUI (JSON or webui.db), llm (logs.db), elia (elia.sqlite)"
)


def read_file(path: Path, report: ImportReport) -> Iterator[Portable]:
    """The conversations of a file; what could not be read or mapped is added to the report.

    Raises:
        StoreError: the file cannot be read, or is of no known format.
    """
    try:
        with path.open("rb") as file:
            beginning = file.read(len(_SQLITE))
        if beginning == _SQLITE:
            yield from _read_database(path, report)
            return
        content = path.read_bytes()
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror or error}") from error
    yield from read_bytes(content, str(path), report)


def read_bytes(content: bytes, name: str, report: ImportReport) -> Iterator[Portable]:
    """The conversations of a file that was read already (standard input).

    Raises:
        StoreError: it is of no known format.
    """
    if content.startswith(_ZIP):
        content = _unpacked(content, name)
    if content.startswith(_SQLITE):
        raise StoreError(f"{name} is a database; name the file instead of piping it")
    found = False
    for value in _values(content, name):
        for portable in _conversations(value, report):
            found = True
            yield portable
    if not found and not report.problems:
        raise StoreError(
            f"{name} has no conversation in a format that chatui knows", f"Known are: {FORMATS}."
        )


def _values(content: bytes, name: str) -> Iterator[object]:
    """The JSON value, or the values of JSON lines."""
    text = content.decode("utf-8-sig", "surrogatepass") if _is_utf8(content) else content.decode("latin-1")
    try:
        yield json.loads(text)
        return
    except (ValueError, RecursionError) as error:
        whole = error
    lines = [line for line in text.split("\n") if line.strip()]
    values = []
    for number, line in enumerate(lines, 1):
        try:
            values.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            problem = f"line {number}: {error}" if len(values) else str(whole)
            raise StoreError(f"{name} is no JSON: {problem}", f"Known are: {FORMATS}.") from error
    if not values:
        raise StoreError(f"{name} is empty")
    yield from values


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode("utf-8-sig", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def _conversations(value: object, report: ImportReport) -> Iterator[Portable]:
    if is_chatui(value):
        report.format = "chatui"
        yield from import_chatui(object_of(value), report.problems)
        return
    if is_messages(value):
        report.format = "OpenAI messages"
        yield import_messages({"messages": value}, report.unmapped)
        return
    if isinstance(value, dict) and isinstance(value.get("conversations"), list) and not is_sharegpt(value):
        value = value["conversations"]
    for index, entry in enumerate(value if isinstance(value, list) else [value]):
        if is_messages(entry):
            entry = {"messages": entry}
        for name, fits, convert in _KINDS:
            if fits(entry):
                report.format = name
                yield convert(entry, report.unmapped)
                break
        else:
            report.problems.append(f"Entry {index + 1} is no conversation in a format that chatui knows")


def _unpacked(content: bytes, name: str) -> bytes:
    """The `conversations.json` of an export that is a zip."""
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            inside = [
                entry for entry in archive.namelist() if entry.rpartition("/")[2] == "conversations.json"
            ]
            if not inside:
                raise StoreError(f"{name} holds no conversations.json")
            return archive.read(inside[0])
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError) as error:
        raise StoreError(f"{name} cannot be unpacked: {error}") from error


def _read_database(path: Path, report: ImportReport) -> Iterator[Portable]:
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            kind = kind_of(connection)
            if not kind:
                raise StoreError(f"{path} is a database that chatui does not know", f"Known are: {FORMATS}.")
            report.format = kind
            yield from import_database(kind, connection, report.unmapped)
    except sqlite3.Error as error:
        raise StoreError(f"{path} cannot be read: {error}") from error
