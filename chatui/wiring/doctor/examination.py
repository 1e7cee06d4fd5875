"""Runs the checks one after the other and tells each section as it is found.

Invariant: a check that breaks is itself a finding and ends nothing; whatever a check says is cleaned of
secrets before it is told.
"""

from collections.abc import Callable

from chatui.core.diagnosis import Diagnosis, Finding, Section, note, problem
from chatui.wiring.doctor.check import Check, all_checks
from chatui.wiring.doctor.patient import Patient
from chatui.wiring.doctor.privacy import cleaned


async def examine(
    patient: Patient,
    tell: Callable[[Section], None] = lambda _section: None,
    is_wanted: Callable[[], bool] = lambda: True,
) -> Diagnosis:
    """Look at everything.

    Args:
        patient: What is looked at.
        tell: Hears of each section as soon as it is there.
        is_wanted: Asked before each check; False ends the examination.
    """
    sections: list[Section] = []
    for check in all_checks():
        if not is_wanted():
            break
        if check.is_asking and not (patient.is_asking and not patient.is_offline):
            continue
        findings = [cleaned(finding, patient.secrets) for finding in await _findings(check, patient)]
        section = Section(check.title, tuple(findings))
        sections.append(section)
        tell(section)
    return Diagnosis(tuple(sections))


async def _findings(check: Check, patient: Patient) -> list[Finding]:
    if check.is_network and patient.is_offline:
        return [note("skipped", "not looked at, because nothing shall be asked (--offline)")]
    try:
        return list(await check.look(patient))
    except Exception as error:  # noqa: BLE001 - one broken check must not hide what the others find
        return [
            problem(
                "this check",
                f"failed with {type(error).__name__}: a bug of chatui",
                "Please report it, with this report.",
            )
        ]
