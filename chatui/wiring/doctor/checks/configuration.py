"""Whether the configuration can be used: the same complaints as `chatui config check`, with file and line."""

import os
from pathlib import Path

from chatui.config.checking import check_everything, key_file_problems
from chatui.core.diagnosis import Finding, note, ok, problem
from chatui.wiring.doctor.check import Check
from chatui.wiring.doctor.patient import Patient
from chatui.wiring.doctor.privacy import shown_path

MOST = 12


async def look(patient: Patient) -> list[Finding]:
    """Files, and what is wrong in them."""
    config = patient.workspace.config
    problems, checked = check_everything(config, patient.environ)
    elsewhere = set(key_file_problems(config))
    wrong = [line for line in problems if line not in elsewhere]
    file = config.paths.config_file
    found = [_file(file)]
    if config.project_file is not None:
        found.append(note("project file", shown_path(config.project_file)))
    found += [problem("setting", line, "chatui config edit") for line in wrong[:MOST]]
    if len(wrong) > MOST:
        found.append(problem("setting", f"and {len(wrong) - MOST} more", "chatui config check"))
    if not wrong:
        found.append(ok("settings", f"no problem in {checked} file{'' if checked == 1 else 's'}"))
    return found


def _file(file: Path) -> Finding:
    if file.is_file():
        return ok("file", shown_path(file))
    if file.is_dir():
        words = f"{shown_path(file)} is a folder: everything has its default"
        return problem("file", words, "Move it away, then: chatui config init")
    if os.path.lexists(file):
        return note("file", f"{shown_path(file)} is no regular file")
    return note(
        "file", f"{shown_path(file)} does not exist: everything has its default", "chatui config init"
    )


CHECK = Check(title="Configuration", order=20, look=look)
