"""Whether the editor of Ctrl+G can be found."""

import shutil

from chatui.config.outside_programs import editor_command, named_editor
from chatui.core.diagnosis import Finding, note, ok, problem
from chatui.wiring.doctor.check import Check
from chatui.wiring.doctor.patient import Patient
from chatui.wiring.doctor.privacy import shown_path


async def look(patient: Patient) -> list[Finding]:
    """`$VISUAL`, `$EDITOR`, or what there is."""
    variable, words = named_editor(patient.environ)
    if variable:
        if shutil.which(words[0]):
            return [ok("editor", f"{shown_path(words[0])}, from ${variable}")]
        return [
            problem(
                "editor",
                f"${variable} names {shown_path(words[0])}, which is not found",
                f"Correct ${variable}.",
            )
        ]
    command = editor_command(patient.environ)
    if command:
        return [ok("editor", f"{command[0]} (neither $VISUAL nor $EDITOR is set)")]
    return [note("editor", "none is found", "Set $EDITOR to write long prompts in it.")]


CHECK = Check(title="Editor", order=90, look=look)
