"""Which chatui this is, and what it runs on."""

import importlib.metadata
import platform
import sqlite3
import sys

import chatui
from chatui.core.diagnosis import Finding, note, ok
from chatui.wiring.doctor.check import Check
from chatui.wiring.doctor.patient import Patient

PACKAGES = ("textual", "httpx", "httpcore", "rich")


async def look(_patient: Patient) -> list[Finding]:
    """Versions, for whoever reads the report."""
    return [
        ok("chatui", chatui.__version__),
        ok("Python", f"{platform.python_version()} ({platform.python_implementation()}, {_where()})"),
        ok("system", platform.platform()),
        ok(
            "libraries",
            ", ".join([*(_version(name) for name in PACKAGES), f"SQLite {sqlite3.sqlite_version}"]),
        ),
        *_language(),
    ]


def _where() -> str:
    return "in a virtual environment" if sys.prefix != sys.base_prefix else "not in a virtual environment"


def _version(name: str) -> str:
    try:
        return f"{name} {importlib.metadata.version(name)}"
    except importlib.metadata.PackageNotFoundError:
        return f"{name} unknown"


def _language() -> list[Finding]:
    if sys.flags.optimize:
        return [note("Python", "runs with -O, which takes out checks")]
    return []


CHECK = Check(title="Program", order=10, look=look)
