"""Whether the folders can be read and written, and whether keys are read by their owner only."""

import os
import shutil
from pathlib import Path
from typing import Final

from chatui.config.checking import key_file_problems
from chatui.core.diagnosis import Finding, ok, problem
from chatui.wiring.doctor.check import Check
from chatui.wiring.doctor.patient import Patient
from chatui.wiring.doctor.privacy import shown_path

LITTLE_BYTES: Final = 50 * 1024 * 1024


async def look(patient: Patient) -> list[Finding]:
    """The folders of chatui, and files of keys."""
    config = patient.workspace.config
    paths = config.paths
    found = [
        _folder("configuration", paths.config_dir),
        _folder("data", paths.data_dir),
        _folder("state", paths.state_dir),
    ]
    found += _room(paths.data_dir)
    complaints = key_file_problems(config)
    found += [problem("key file", *_split(line)) for line in complaints]
    if not complaints and paths.keys_dir.is_dir():
        found.append(ok("key files", f"{shown_path(paths.keys_dir)}: only you can read them"))
    return found


def _folder(name: str, folder: Path) -> Finding:
    if not folder.exists():
        above = _nearest(folder)
        if os.access(above, os.W_OK | os.X_OK):
            return ok(name, f"{shown_path(folder)}: made when it is first needed")
        return problem(
            name,
            f"{shown_path(folder)} does not exist and cannot be made in {shown_path(above)}",
            f"Check who owns {shown_path(above)}.",
        )
    if not folder.is_dir():
        return problem(name, f"{shown_path(folder)} is no folder", "Move that file away.")
    if not os.access(folder, os.R_OK | os.X_OK):
        return problem(name, f"{shown_path(folder)} cannot be read", _own(folder))
    if not os.access(folder, os.W_OK):
        return problem(name, f"{shown_path(folder)} cannot be written to", _own(folder))
    return ok(name, f"{shown_path(folder)}: can be read and written")


def _own(folder: Path) -> str:
    return f"Check its owner and mode: ls -ld {shown_path(folder)}"


def _nearest(folder: Path) -> Path:
    """The folder above that exists."""
    return next((above for above in folder.parents if above.exists()), Path(folder.anchor))


def _room(folder: Path) -> list[Finding]:
    try:
        free = shutil.disk_usage(folder if folder.exists() else _nearest(folder)).free
    except OSError:
        return []
    if free < LITTLE_BYTES:
        return [
            problem("disk", f"only {free / 1_000_000:.0f} MB are free for the history", "Free some space.")
        ]
    return [ok("disk", f"{free / 1_000_000_000:.1f} GB are free for the history")]


def _split(line: str) -> tuple[str, str]:
    """A complaint and the command that ends it."""
    words, mark, command = line.partition("; run: ")
    return (words, f"Run: {command}") if mark else (line, "Check the file.")


CHECK = Check(title="Folders", order=30, look=look)
