"""What tmux or screen, if the app runs inside, lets through: frames, the clipboard, keys."""

import re
from typing import Final

from chatui.core.diagnosis import Finding, note, ok
from chatui.wiring.doctor.check import Check
from chatui.wiring.doctor.patient import Patient
from chatui.wiring.program_output import tmux_option

SYNC_SINCE: Final = (3, 5)
"""The first tmux that says whether it passes synchronised output on."""


async def look(patient: Patient) -> list[Finding]:
    """Version and options of tmux."""
    if patient.environ.get("TMUX"):
        return _tmux(patient)
    if patient.environ.get("STY"):
        words = "GNU screen passes neither synchronised output nor the keys of newer terminals on"
        return [note("screen", words, "tmux 3.5 or newer does.")]
    return [ok("multiplexer", "neither tmux nor screen stands between")]


def _tmux(patient: Patient) -> list[Finding]:
    version = patient.output_of(("tmux", "-V")) or ""
    if not version:
        return [note("tmux", "TMUX is set, but `tmux -V` cannot be run")]
    return [
        _version(version),
        _keys(tmux_option("extended-keys", patient.output_of)),
        _clipboard(tmux_option("set-clipboard", patient.output_of)),
    ]


def _version(version: str) -> Finding:
    number = re.search(r"(\d+)\.(\d+)", version)
    if number is None or (int(number[1]), int(number[2])) >= SYNC_SINCE:
        return ok("tmux", version)
    words = f"{version}: it does not pass synchronised output on, so a frame may be seen half drawn"
    return note("tmux", words, "tmux 3.5 or newer does.")


def _keys(value: str) -> Finding:
    if value in ("on", "always"):
        return ok("keys", f"extended-keys is {value}: Shift+Enter arrives, if the terminal outside sends it")
    words = f"extended-keys is {value or 'unknown'}: Shift+Enter is not told apart from Enter"
    return note("keys", words, "In ~/.tmux.conf: set -s extended-keys on")


def _clipboard(value: str) -> Finding:
    if value == "on":
        return ok("clipboard", "set-clipboard is on: copying by OSC 52 reaches the terminal outside")
    words = f"set-clipboard is {value or 'unknown'}: tmux ignores what the app copies by OSC 52"
    return note("clipboard", words, "In ~/.tmux.conf: set -s set-clipboard on")


CHECK = Check(title="Multiplexer", order=82, look=look)
