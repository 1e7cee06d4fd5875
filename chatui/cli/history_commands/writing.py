"""The commands of `chatui history` that change something: import, rename, delete.

Invariant: what cannot be taken back is asked for first; what was done is said, and how to undo it.
"""

import argparse
import sys
from pathlib import Path

from chatui.cli.history import confirm, counted, print_json, resolve
from chatui.cli.messages import one_line, tell
from chatui.core.errors import ConfigError, ExitCode, StoreError
from chatui.history.importing.files import read_bytes, read_file
from chatui.history.portable import ImportReport
from chatui.history.sqlite_history import SqliteHistory


def import_files(history: SqliteHistory, arguments: argparse.Namespace) -> int:
    """Bring in files. One that cannot be read does not keep the others out."""
    reports: list[tuple[str, ImportReport]] = []
    has_failed = False
    for name in arguments.source:
        report = ImportReport()
        reports.append((name, report))
        try:
            if name == "-":
                found = read_bytes(sys.stdin.buffer.read(), "standard input", report)
            else:
                found = read_file(Path(name), report)
            history.portables.add_all(found, report)
        except StoreError as error:
            has_failed = True
            report.problems.append(f"{error.message}. {error.hint}".rstrip(". "))
    if arguments.json:
        print_json([_as_json(name, report) for name, report in reports])
    else:
        for name, report in reports:
            _print_report(name, report)
    return ExitCode.HISTORY if has_failed else ExitCode.COMPLETED


def _as_json(name: str, report: ImportReport) -> dict[str, object]:
    return {
        "file": name,
        "format": report.format or None,
        "conversations": report.conversations,
        "turns": report.turns,
        "unfinished": report.unfinished,
        "known": report.known,
        "unmapped": dict(report.unmapped),
        "problems": report.problems,
    }


def _print_report(name: str, report: ImportReport) -> None:
    if report.format:
        known = f", {report.known} known already" if report.known else ""
        new = f"{counted(report.conversations, 'new conversation')}, {counted(report.turns, 'new turn')}"
        print(one_line(f"{name} ({report.format}): {new}{known}"))
    if report.unfinished:
        print(f"  {counted(report.unfinished, 'turn')} without a whole answer, kept as unfinished")
    for what, count in report.unmapped.most_common():
        print(one_line(f"  not mapped: {count} {what}"))
    for problem in report.problems:
        tell(problem)


def rename(history: SqliteHistory, arguments: argparse.Namespace) -> int:
    """Give a conversation a title."""
    conversation_id = resolve(history, arguments.id)
    history.catalog.rename(conversation_id, arguments.title)
    summary = history.catalog.summary(conversation_id)
    title = summary.title if summary else ""
    if arguments.json:
        print_json({"conversation_id": conversation_id, "title": title})
    else:
        print(one_line(f"{conversation_id}  {title}"))
    return ExitCode.COMPLETED


def archive(history: SqliteHistory, arguments: argparse.Namespace) -> int:
    """Take conversations out of the list, or bring them back."""
    ids = [resolve(history, text) for text in arguments.id]
    for conversation_id in ids:
        history.catalog.archive(conversation_id, not arguments.undo)
    verb = "unarchived" if arguments.undo else "archived"
    return _say(arguments, verb, ids, f"{len(ids)} {verb}")


def pin(history: SqliteHistory, arguments: argparse.Namespace) -> int:
    """Keep conversations at the top of the list, or no longer."""
    ids = [resolve(history, text) for text in arguments.id]
    for conversation_id in ids:
        history.catalog.pin(conversation_id, not arguments.undo)
    verb = "unpinned" if arguments.undo else "pinned"
    return _say(arguments, verb, ids, f"{len(ids)} {verb}")


def tag(history: SqliteHistory, arguments: argparse.Namespace) -> int:
    """Replace the tags of a conversation."""
    conversation_id = resolve(history, arguments.id)
    history.catalog.tag(conversation_id, arguments.tags)
    summary = history.catalog.summary(conversation_id)
    tags = summary.tags if summary else ()
    if arguments.json:
        print_json({"conversation_id": conversation_id, "tags": list(tags)})
    else:
        print(one_line(f"{conversation_id}  {' '.join(f'#{word}' for word in tags)}"))
    return ExitCode.COMPLETED


def delete(history: SqliteHistory, arguments: argparse.Namespace) -> int:
    """Delete conversations, for a while or for good, or bring them back."""
    if arguments.all:
        return _delete_all(history, arguments)
    if not arguments.id:
        raise ConfigError("name the conversations to delete, or say --all")
    ids = [resolve(history, text) for text in arguments.id]
    if arguments.undo:
        for conversation_id in ids:
            history.catalog.undelete(conversation_id)
        return _say(arguments, "restored", ids, f"{len(ids)} brought back")
    if arguments.now:
        confirm(f"Delete {counted(len(ids), 'conversation')} for good?", arguments.yes)
        for conversation_id in ids:
            history.removal.remove(conversation_id)
        return _say(arguments, "removed", ids, f"{len(ids)} deleted for good")
    for conversation_id in ids:
        history.catalog.delete(conversation_id)
    undo = f"chatui history delete --undo {' '.join(ids)}"
    return _say(arguments, "deleted", ids, f"{len(ids)} deleted; to undo within a day: {undo}")


def _delete_all(history: SqliteHistory, arguments: argparse.Namespace) -> int:
    if arguments.id or arguments.undo:
        raise ConfigError("--all stands alone")
    all_of_them = counted(history.catalog.count(), "conversation")
    confirm(f"Delete everything for good: {all_of_them}, all drafts and stashed prompts?", arguments.yes)
    count = history.removal.remove_all()
    if arguments.json:
        print_json({"removed": count})
    else:
        print(f"{counted(count, 'conversation')} deleted for good; nothing of them is left in {history.name}")
    return ExitCode.COMPLETED


def _say(arguments: argparse.Namespace, verb: str, ids: list[str], words: str) -> int:
    if arguments.json:
        print_json({verb: ids})
    else:
        print(words)
    return ExitCode.COMPLETED
