"""A diagnosis as lines, for the command line and for the app.

Invariant: every finding has a glyph and its word; nothing is told by colour alone; all text is made safe.
"""

import json
from collections.abc import Iterable
from typing import Final

from chatui.core.diagnosis import Diagnosis, Finding, Section, Verdict
from chatui.core.safe_text import safe_line
from chatui.view.glyphs import Glyphs
from chatui.view.lines import EMPTY_LINE, Line, Run, Style, Tone
from chatui.view.plain_lines import cell_width, one_line, plain_lines, runs_line

SUBJECT_CELLS: Final = 14
WORD_CELLS: Final = 9
NARROW_CELLS: Final = 56

_TONES: Final = {Verdict.OK: Tone.SUCCESS, Verdict.NOTE: Tone.WARNING, Verdict.PROBLEM: Tone.ERROR}


def section_lines(section: Section, width: int, signs: Glyphs) -> list[Line]:
    """A section: its title, and its findings."""
    lines = [runs_line((Run(one_line(section.title, width), Style(Tone.HEADING, is_bold=True)),))]
    for finding in section.findings:
        lines += _finding_lines(finding, width, signs)
    return [*lines, EMPTY_LINE]


def summary_line(diagnosis: Diagnosis, signs: Glyphs) -> Line:
    """How it stands, in a sentence."""
    count = diagnosis.problem_count
    if count == 0:
        return runs_line((Run(f"{signs.completed} no problem was found", Style(Tone.SUCCESS, is_bold=True)),))
    words = f"{signs.error} {count} problem{'' if count == 1 else 's'}"
    return runs_line((Run(words, Style(Tone.ERROR, is_bold=True)),))


def diagnosis_json(diagnosis: Diagnosis) -> str:
    """A diagnosis for programs and reports."""
    value = {
        "problems": diagnosis.problem_count,
        "sections": [
            {
                "title": section.title,
                "findings": [
                    {
                        "verdict": finding.verdict.value,
                        "subject": safe_line(finding.subject),
                        "words": safe_line(finding.words),
                        "next_step": safe_line(finding.next_step) or None,
                    }
                    for finding in section.findings
                ],
            }
            for section in diagnosis.sections
        ],
    }
    return json.dumps(value, indent=1)


def diagnosis_text(sections: Iterable[Section]) -> str:
    """A diagnosis as text to be pasted."""
    lines: list[str] = []
    for section in sections:
        lines.append(one_line(section.title))
        for finding in section.findings:
            lines.append(f"  {finding.verdict.value}: {one_line(f'{finding.subject}: {finding.words}')}")
            lines += [f"    {one_line(finding.next_step)}"] if finding.next_step else []
    return "".join(f"{line}\n" for line in lines)


def _finding_lines(finding: Finding, width: int, signs: Glyphs) -> list[Line]:
    glyph = {
        Verdict.OK: signs.completed,
        Verdict.NOTE: signs.hollow,
        Verdict.PROBLEM: signs.error,
    }[finding.verdict]
    is_loud = finding.verdict is not Verdict.OK
    mark = Style(_TONES[finding.verdict], is_bold=finding.verdict is Verdict.PROBLEM)
    subject = one_line(finding.subject, SUBJECT_CELLS)
    head = (
        Run(f"  {glyph} {finding.verdict.value:<{WORD_CELLS - 1}}", mark),
        Run(f"{subject}{' ' * (SUBJECT_CELLS - cell_width(subject) + 1)}", Style(Tone.MUTED)),
    )
    indent_cells = sum(cell_width(run.text) for run in head)
    words = Style(Tone.TEXT if is_loud else Tone.MUTED)
    if width < NARROW_CELLS:
        lines = [runs_line(head), *plain_lines(finding.words, width, words, indent="    ")]
        indent_cells = 4
    else:
        room = width - indent_cells
        first, *rest = plain_lines(finding.words, room, words) or [EMPTY_LINE]
        blank = Run(" " * indent_cells)
        lines = [runs_line((*head, *first.runs)), *(runs_line((blank, *line.runs)) for line in rest)]
    if finding.next_step:
        indent = " " * indent_cells
        step = f"{signs.arrow} {finding.next_step}"
        lines += plain_lines(step, width, Style(Tone.ACCENT if is_loud else Tone.FAINT), indent=indent)
    return lines
