"""What `chatui doctor` found: findings in sections, as values.

Invariant: every finding that is a problem says what to do next; nothing here is secret or private, because a
report is made to be pasted into an issue (`wiring.doctor.privacy` sees to it before a finding is told).
"""

from enum import StrEnum

from chatui.core.values import frozen


class Verdict(StrEnum):
    """How a finding is to be taken. The words are part of the `--json` interface."""

    OK = "ok"
    NOTE = "note"
    """Worth knowing; nothing is wrong, or it was not looked at."""
    PROBLEM = "problem"


@frozen
class Finding:
    """One thing that was looked at."""

    verdict: Verdict
    subject: str
    """What was looked at, in a word or two."""
    words: str
    next_step: str = ""
    """What the person can do."""


@frozen
class Section:
    """The findings of one check, under its title."""

    title: str
    findings: tuple[Finding, ...] = ()


@frozen
class Diagnosis:
    """Everything that was found."""

    sections: tuple[Section, ...] = ()

    @property
    def problem_count(self) -> int:
        """How many findings are problems."""
        return sum(
            finding.verdict is Verdict.PROBLEM for section in self.sections for finding in section.findings
        )


def ok(subject: str, words: str, next_step: str = "") -> Finding:
    """Something is as it should be."""
    return Finding(Verdict.OK, subject, words, next_step)


def note(subject: str, words: str, next_step: str = "") -> Finding:
    """Something is worth knowing."""
    return Finding(Verdict.NOTE, subject, words, next_step)


def problem(subject: str, words: str, next_step: str = "") -> Finding:
    """Something is wrong."""
    return Finding(Verdict.PROBLEM, subject, words, next_step)
