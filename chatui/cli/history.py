"""`chatui history`: the saved conversations, for scripts and for people.

Invariants: what a command found goes to stdout and everything else to stderr, so each can stand in a pipe; a
command that only reads creates nothing; text of a conversation is made safe unless JSON or a file was asked
for.
"""

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from chatui.core.errors import ConfigError, ExitCode, StoreError
from chatui.core.safe_text import safe_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from chatui.history.sqlite_history import SqliteHistory


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command and its own commands."""
    parser = subparsers.add_parser(
        "history",
        help="saved conversations: list, show, search, export, import, delete, ...",
        description="Saved conversations. An ID may be cut short as long as it is the only one.",
    )
    commands = parser.add_subparsers(dest="history_command", required=True, metavar="COMMAND")

    def add(name: str, words: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=words, description=words[:1].upper() + words[1:] + ".")
        command.add_argument("--json", action="store_true", help="print JSON")
        command.add_argument("--file", type=Path, metavar="FILE", help="this history instead of your own")
        return command

    listing = add("list", "list conversations, the newest first")
    listing.add_argument("query", nargs="*", help="words of title, first prompt or model, or #tag")
    listing.add_argument("-n", "--limit", type=_count, default=50, help="how many (0: all; default 50)")
    listing.add_argument("--archived", action="store_true", help="the archived ones")
    listing.add_argument("--deleted", action="store_true", help="those whose deletion can be undone")
    show = add("show", "print a conversation as Markdown, or everything about it as JSON")
    show.add_argument("id", nargs="?", metavar="ID", help="the conversation (default: the last one)")
    search = add("search", "find messages by their words")
    search.add_argument("query", nargs="+", help='all words have to occur; "..." stand side by side')
    search.add_argument("-n", "--limit", type=_count, default=20, help="how many (default 20)")
    search.add_argument("--in", dest="within", metavar="ID", help="only in this conversation")
    export = add("export", "write conversations for people or other programs")
    export.add_argument("id", nargs="*", metavar="ID", help="the conversations (default: the last one)")
    export.add_argument("--all", action="store_true", help="every conversation, archived ones included")
    export.add_argument(
        "-f",
        "--format",
        help="markdown, json (lossless), openai, openai-lines or html (default: by the ending of PATH)",
    )
    export.add_argument("-o", "--output", metavar="PATH", help="a file, or a folder/ for one file each")
    import_ = add("import", "bring in conversations of other programs, or exported ones")
    import_.add_argument("source", nargs="+", metavar="FILE", help="files; `-` reads standard input")
    rename = add("rename", "give a conversation a title")
    rename.add_argument("id", metavar="ID", help="the conversation")
    rename.add_argument("title", help="empty: the automatic title again")
    for name, words in (
        ("archive", "take conversations out of the list without deleting them"),
        ("pin", "keep conversations at the top of the list"),
    ):
        command = add(name, words)
        command.add_argument("id", nargs="+", metavar="ID", help="the conversations")
        command.add_argument("--undo", action="store_true", help="no longer")
    tag = add("tag", "replace the tags of a conversation")
    tag.add_argument("id", metavar="ID", help="the conversation")
    tag.add_argument("tags", nargs="*", help="none: no tags")
    delete = add("delete", "delete conversations; for a day it can be undone")
    delete.add_argument("id", nargs="*", metavar="ID", help="the conversations")
    delete.add_argument("--all", action="store_true", help="delete everything for good, drafts too")
    delete.add_argument("--now", action="store_true", help="for good, without a trace in the file")
    delete.add_argument("--undo", action="store_true", help="bring deleted conversations back")
    delete.add_argument("-y", "--yes", action="store_true", help="do not ask")
    add("check", "examine the whole file")
    repair = add("repair", "save what can be read of a damaged file; the original is kept")
    repair.add_argument("-y", "--yes", action="store_true", help="do not ask")
    add("path", "print where the history is")


def run(arguments: argparse.Namespace) -> int:
    """Run one of the commands.

    Returns:
        0; 2 for an unknown conversation; 7 if the history failed, or `check` found a problem.
    """
    from chatui.cli.messages import forgive_encoding

    forgive_encoding(sys.stdout)
    forgive_encoding(sys.stderr)
    path = arguments.file or _own_file()
    match arguments.history_command:
        case "path":
            return _path(path, arguments)
        case "check":
            return _check(path, arguments)
        case "repair":
            return _repair(path, arguments)
        case "import" | "rename" | "archive" | "pin" | "tag" | "delete":
            return _writing(path, arguments)
        case _:
            return _reading(path, arguments)


def _own_file() -> Path:
    from chatui.config.paths import find_paths

    return find_paths().history_file


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number


def _reading(path: Path, arguments: argparse.Namespace) -> int:
    from chatui.cli.history_commands import reading
    from chatui.history.sqlite_history import SqliteHistory

    commands: dict[str, Callable[[SqliteHistory, argparse.Namespace], int]] = {
        "list": reading.list_conversations,
        "show": reading.show,
        "search": reading.search,
        "export": reading.export,
    }
    history = _open_to_read(path)
    try:
        return commands[arguments.history_command](history, arguments)
    finally:
        history.close()


def _open_to_read(path: Path) -> "SqliteHistory":
    """The history as it is. Nothing is created; one that cannot be written to can be read all the same."""
    from chatui.history.sqlite_history import SqliteHistory

    if not path.exists():
        return SqliteHistory.in_memory()
    try:
        return SqliteHistory.open(path)
    except StoreError as error:
        try:
            return SqliteHistory.open_read_only(path)
        except StoreError:
            raise error from None


def _writing(path: Path, arguments: argparse.Namespace) -> int:
    from chatui.cli.history_commands import writing
    from chatui.history.sqlite_history import SqliteHistory

    commands: dict[str, Callable[[SqliteHistory, argparse.Namespace], int]] = {
        "import": writing.import_files,
        "rename": writing.rename,
        "archive": writing.archive,
        "pin": writing.pin,
        "tag": writing.tag,
        "delete": writing.delete,
    }
    history = SqliteHistory.open(path)
    try:
        return commands[arguments.history_command](history, arguments)
    finally:
        history.close()


def _path(path: Path, arguments: argparse.Namespace) -> int:
    from chatui.cli.messages import say

    if arguments.json:
        size = path.stat().st_size if path.exists() else None
        print_json({"path": str(path), "size_bytes": size})
    elif sys.stdout.isatty():
        say(str(path))
    else:  # a program needs the very bytes, whatever they are
        sys.stdout.flush()
        sys.stdout.buffer.write(os.fsencode(path) + b"\n")
    return ExitCode.COMPLETED


def _check(path: Path, arguments: argparse.Namespace) -> int:
    from dataclasses import asdict

    from chatui.cli.messages import one_line, say
    from chatui.history.check import check

    report = check(path)
    if arguments.json:
        print_json(asdict(report))
    else:
        if report.is_readable:
            say(
                f"{path}: {counted(report.conversations, 'conversation')}, {counted(report.turns, 'turn')}, "
                f"{report.unfinished} unfinished, schema {report.schema}"
            )
        else:
            say(f"{path}: cannot be read")
        for problem in report.problems:
            print(one_line(problem))
        if not report.problems:
            print("No problem was found.")
        else:
            print("`chatui history repair` saves what can be read and keeps the original.", file=sys.stderr)
    return ExitCode.HISTORY if report.problems else ExitCode.COMPLETED


def _repair(path: Path, arguments: argparse.Namespace) -> int:
    from dataclasses import asdict

    from chatui.cli.messages import one_line, say
    from chatui.history.repair import repair

    confirm(f"Write {path} anew from what can be read in it, and keep the original beside it?", arguments.yes)
    report = repair(path)
    if arguments.json:
        print_json(asdict(report))
        return ExitCode.COMPLETED
    saved = f"{counted(report.conversations, 'conversation')} with {counted(report.turns, 'turn')}"
    print(f"Saved {saved}.")
    say(f"The original is {report.original}")
    for problem in report.problems:
        print(one_line(problem))
    return ExitCode.COMPLETED


def confirm(question: str, is_confirmed: bool) -> None:
    """Ask before something that cannot be taken back.

    Raises:
        ConfigError: the person said no, or there is nobody to ask.
    """
    if is_confirmed:
        return
    if not sys.stdin or not sys.stdin.isatty():
        raise ConfigError("this needs your word, and standard input is no terminal", "Add --yes")
    print(f"{safe_line(question)} [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise ConfigError("nothing was changed")


def resolve(history: "SqliteHistory", text: str | None) -> str:
    """The conversation of an id, a beginning of one, or the last one for None.

    Raises:
        ConfigError: there is none, or there are several.
    """
    if text is None:
        latest = history.latest()
        if latest is None:
            raise ConfigError(f"there is no conversation yet in the history {history.name}")
        return latest
    try:
        return history.catalog.resolve(text)
    except StoreError as error:
        raise ConfigError(error.message, error.hint) from error


def counted(number: int, word: str) -> str:
    """`1 turn`, `2 turns`."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def print_json(value: object) -> None:
    """One JSON document on stdout, whatever its encoding is."""
    import json

    from chatui.core.safe_text import safe_json

    text = safe_json(json.dumps(value, ensure_ascii=False, indent=1))
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=1)
    print(text)
