"""How text is copied here."""

import os

from chatui.config.outside_programs import native_tool
from chatui.core.diagnosis import Finding, note, ok
from chatui.wiring.doctor.check import Check
from chatui.wiring.doctor.patient import Patient


async def look(patient: Patient) -> list[Finding]:
    """A tool of the system, or the terminal."""
    tool = native_tool(patient.environ)
    if tool is not None:
        return [ok("copying", f"by {os.path.basename(tool[0])}")]
    is_remote = bool(patient.environ.get("SSH_CONNECTION") or patient.environ.get("SSH_TTY"))
    why = "this is an SSH session" if is_remote else "no tool was found (wl-copy, xclip, xsel)"
    return [note("copying", f"by the terminal (OSC 52), which cannot be confirmed: {why}")]


CHECK = Check(title="Clipboard", order=85, look=look)
