"""Whether the history can be read, is whole, and is free to be written to."""

from chatui.core.diagnosis import Finding, note, ok, problem
from chatui.core.errors import StoreError
from chatui.history.busy import is_being_written
from chatui.history.check import check
from chatui.history.file_opening import refuse_what_is_no_file
from chatui.wiring.doctor.check import Check
from chatui.wiring.doctor.patient import Patient
from chatui.wiring.doctor.privacy import shown_path

MOST = 5


async def look(patient: Patient) -> list[Finding]:
    """SQLite's own check, sizes and counts; no title and no text."""
    path = patient.workspace.paths.history_file
    if not path.exists():
        return [note("history", f"{shown_path(path)} does not exist: the first conversation makes it")]
    try:
        refuse_what_is_no_file(path)
        size_bytes = path.stat().st_size
        report = check(path, is_quick=True)
    except (OSError, StoreError) as error:
        words = error.message if isinstance(error, StoreError) else str(error.strerror or error)
        step = error.hint if isinstance(error, StoreError) else ""
        return [problem("history", f"{shown_path(path)}: {words}", step or "Check its owner and mode.")]
    repair = "`chatui history check` tells more; `chatui history repair` saves what can be read."
    found = [problem("history", words, repair) for words in report.problems[:MOST]]
    if not report.is_readable:
        return found
    counts = (
        f"{report.conversations} conversations, {report.turns} turns, {report.unfinished} unfinished, "
        f"{size_bytes / 1_000_000:.1f} MB, schema {report.schema}"
    )
    found.append(ok("history", f"{shown_path(path)}: {counts}"))
    if not report.problems:
        found.append(ok("integrity", "whole (quick check, foreign keys, counts)"))
        if is_being_written(path):
            words = "another program holds the lock on writing at this moment"
            found.append(note("lock", words, "Run this again; if it stays so, close the other program."))
        else:
            found.append(ok("lock", "free"))
    return found


CHECK = Check(title="History", order=70, look=look)
