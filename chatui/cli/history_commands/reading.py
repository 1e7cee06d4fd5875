"""The commands of `chatui history` that only read: list, show, search, export.

Invariant: nothing is written to the history, and a listing never reads a message.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from chatui.cli.history import counted, print_json, resolve
from chatui.cli.messages import tell
from chatui.core.errors import ConfigError, ExitCode, StoreError
from chatui.core.safe_text import safe_line
from chatui.history.exporting.formats import EXPORT_FORMATS, export_document, format_of
from chatui.history.exporting.lossless import encode_portable
from chatui.history.exporting.markdown import export_markdown
from chatui.history.portable import Portable
from chatui.history.sqlite_history import SqliteHistory
from chatui.history.summaries import Summary

_PAGE = 500
_EVERYTHING = 1 << 40


def list_conversations(history: SqliteHistory, arguments: argparse.Namespace) -> int:
    """Print one line, or one JSON object, for each conversation."""
    found = history.catalog.list(
        limit=arguments.limit or _EVERYTHING,
        query=" ".join(arguments.query),
        is_archived=arguments.archived,
        is_deleted=arguments.deleted,
    )
    if arguments.json:
        print_json([asdict(summary) for summary in found])
        return ExitCode.COMPLETED
    for summary in found:
        print(_line(summary))
    if not found:
        tell("no conversation matches" if arguments.query else "there is no conversation yet")
    return ExitCode.COMPLETED


def _line(summary: Summary) -> str:
    at = _local_time(summary.updated_at_epoch_s)
    turns = counted(summary.turn_count, "turn")
    marks = [
        word
        for word, is_so in (
            ("pinned", summary.is_pinned),
            ("unfinished", summary.unfinished_count),
            (f"open in {summary.open_in}", summary.open_in),
            *((f"#{tag}", True) for tag in summary.tags),
        )
        if is_so
    ]
    shown = f"{summary.conversation_id}  {at}  {turns:>10}  {summary.title or summary.first_words}"
    return safe_line(shown + (f"  [{', '.join(marks)}]" if marks else ""))


def _local_time(at_epoch_s: float) -> str:
    """A point in time as the person's clock shows it."""
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(at_epoch_s))
    except (ValueError, OverflowError, OSError):
        return "?"


def show(history: SqliteHistory, arguments: argparse.Namespace) -> int:
    """Print one conversation."""
    portable = history.portables.read(resolve(history, arguments.id))
    if arguments.json:
        print_json(encode_portable(portable))
    else:
        sys.stdout.write(export_markdown(portable))
    _tell_problems(portable)
    return ExitCode.COMPLETED


def search(history: SqliteHistory, arguments: argparse.Namespace) -> int:
    """Print the messages that were found."""
    within = None if arguments.within is None else resolve(history, arguments.within)
    query = " ".join(f'"{word}"' if " " in word else word for word in arguments.query)
    result = history.search(query, limit=arguments.limit or _EVERYTHING, conversation_id=within)
    if arguments.json:
        print_json(asdict(result))
        return ExitCode.COMPLETED
    is_bold = sys.stdout.isatty()
    for match in result.matches:
        place = match.place + (", unfinished" if match.is_unfinished else "")
        print(safe_line(f"{match.conversation_id}  {_local_time(match.at_epoch_s)}  {place}  {match.title}"))
        print(f"    {_marked(match.excerpt, match.marks, is_bold)}")
    if not result.matches:
        tell("nothing was found")
    elif result.has_more:
        tell("there is more; use -n to see it")
    if result.is_partial:
        tell("only the newest messages were read for this; older ones may match too")
    return ExitCode.COMPLETED


def _marked(excerpt: str, marks: tuple[tuple[int, int], ...], is_bold: bool) -> str:
    """The excerpt, made safe piece by piece, with the matches in bold on a terminal."""
    before, after = ("\x1b[1m", "\x1b[22m") if is_bold else ("", "")
    pieces: list[str] = []
    at = 0
    for start, end in marks:
        pieces += [safe_line(excerpt[at:start]), before, safe_line(excerpt[start:end]), after]
        at = end
    return "".join((*pieces, safe_line(excerpt[at:])))


def export(history: SqliteHistory, arguments: argparse.Namespace) -> int:
    """Write conversations in a format, to stdout, a file, or a folder with one file each."""
    output = Path(arguments.output) if arguments.output else None
    is_folder = output is not None and (output.is_dir() or arguments.output.endswith(("/", "\\")))
    name = arguments.format or ("json" if arguments.json else format_of(arguments.output or ""))
    if name not in EXPORT_FORMATS:
        raise ConfigError(f"unknown export format {name!r}", f"Known are: {', '.join(EXPORT_FORMATS)}")
    portables = _wanted(history, arguments)
    if output is not None and is_folder:
        return _export_to_folder(portables, name, output)
    wanted = list(portables)
    for portable in wanted:
        _tell_problems(portable)
    try:
        text = export_document(wanted, name)
    except StoreError as error:
        raise ConfigError(error.message, error.hint) from error
    if output is None:
        _write_raw(text)
    else:
        _write_file(output, text)
        tell(f"wrote {counted(len(wanted), 'conversation')} to {output}")
    return ExitCode.COMPLETED


def _wanted(history: SqliteHistory, arguments: argparse.Namespace) -> Iterator[Portable]:
    if not arguments.all:
        ids = [resolve(history, text) for text in arguments.id or [None]]
        yield from (history.portables.read(conversation_id) for conversation_id in ids)
        return
    if arguments.id:
        raise ConfigError("name conversations or say --all, not both")
    for is_archived in (False, True):
        offset = 0
        while page := history.catalog.list(limit=_PAGE, offset=offset, is_archived=is_archived):
            yield from (history.portables.read(summary.conversation_id) for summary in page)
            offset += _PAGE


def _export_to_folder(portables: Iterator[Portable], name: str, folder: Path) -> int:
    ending = EXPORT_FORMATS[name].ending
    count = 0
    for portable in portables:
        _tell_problems(portable)
        words = "".join(letter if letter.isalnum() else "-" for letter in portable.conversation.title.lower())
        short = "-".join(filter(None, words.split("-")))[:50]
        file_name = f"{short or 'conversation'}-{portable.conversation.conversation_id}.{ending}"
        _write_file(folder / file_name.replace("/", "-"), export_document([portable], name))
        count += 1
    tell(f"wrote {counted(count, 'file')} to {folder}")
    return ExitCode.COMPLETED


def _write_file(path: Path, text: str) -> None:
    """Write beside and move into place, so that an export is whole or not there."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}.part")
        beside.write_text(text, encoding="utf-8", errors="replace", newline="\n")
        beside.replace(path)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror or error}") from error


def _write_raw(text: str) -> None:
    """Exactly these characters, in UTF-8 whatever the terminal's encoding."""
    sys.stdout.flush()
    if hasattr(sys.stdout, "buffer"):
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()
    else:
        sys.stdout.write(text)


def _tell_problems(portable: Portable) -> None:
    for problem in portable.conversation.problems:
        tell(problem)
