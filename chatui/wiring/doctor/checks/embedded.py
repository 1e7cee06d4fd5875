"""Whether the embedded model can run: its engine, and its file whole."""

from chatui.core.diagnosis import Finding, Verdict, note, ok
from chatui.core.errors import ConfigError
from chatui.transport.local_model import LocalModel
from chatui.wiring.doctor.check import Check
from chatui.wiring.doctor.patient import Patient
from chatui.wiring.doctor.privacy import shown_path


async def look(patient: Patient) -> list[Finding]:
    """The engine and the model; a fault is a problem only where they are the ones that are asked."""
    server = patient.server
    is_chosen = not isinstance(server, ConfigError) and server.is_embedded
    fault = Verdict.PROBLEM if is_chosen else Verdict.NOTE
    model = LocalModel(patient.workspace.paths.data_dir)
    status = model.status()
    found = [ok("engine", f"xllamacpp {status.engine_version}")] if status.engine_version else []
    if status.problem:
        found.append(Finding(fault, "engine", status.problem, status.hint))
    if not status.is_model_present:
        if status.is_own_model:
            words = f"{shown_path(status.model_path)} is missing"
            found.append(Finding(fault, "model", words, "Name another: chatui local use FILE.gguf"))
        else:
            words = "not fetched yet: the first chat with it does that (93 MB)"
            found.append(note("model", words, "Or now: chatui local install"))
        return found
    broken = model.file_problem()
    if broken:
        found.append(Finding(fault, "model", f"{shown_path(status.model_path)}: {broken}", _AGAIN))
    else:
        size = f"{(status.size_bytes or 0) / 1_000_000:.0f} MB"
        found.append(ok("model", f"{status.model_name}, {size}, whole: {shown_path(status.model_path)}"))
    return found


_AGAIN = "Run: chatui local remove, then: chatui local install"

CHECK = Check(title="Embedded model", order=75, look=look)
