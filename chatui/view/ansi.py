"""Lines to text with ANSI colours, for pipes and pagers that keep them.

Guards: the only escape sequences in the output are the colours and marks that are made here.
Source: ECMA-48 SGR.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from chatui.view.lines import Line, Style, Tone

_COLOURS: Final[dict[Tone, str]] = {
    Tone.MUTED: "90",
    Tone.FAINT: "2",
    Tone.HEADING: "36",
    Tone.CODE: "33",
    Tone.LINK: "34",
    Tone.BULLET: "36",
    Tone.QUOTE_BAR: "90",
    Tone.QUOTE: "90",
    Tone.RULE: "90",
    Tone.TABLE_RULE: "90",
    Tone.TABLE_HEADER: "36",
    Tone.CODE_LABEL: "90",
    Tone.CODE_GUTTER: "90",
    Tone.NEUTRALISED: "7",
    Tone.ACCENT: "36",
    Tone.SUCCESS: "32",
    Tone.WARNING: "33",
    Tone.ERROR: "31",
    Tone.SYNTAX_KEYWORD: "35",
    Tone.SYNTAX_NAME: "39",
    Tone.SYNTAX_STRING: "32",
    Tone.SYNTAX_NUMBER: "36",
    Tone.SYNTAX_COMMENT: "90",
    Tone.SYNTAX_OPERATOR: "39",
    Tone.SYNTAX_FUNCTION: "34",
    Tone.SYNTAX_TYPE: "33",
    Tone.DIFF_ADDED: "32",
    Tone.DIFF_REMOVED: "31",
    Tone.DIFF_HUNK: "36",
}
_RESET: Final = "\x1b[0m"


@lru_cache(maxsize=256)
def _sgr(look: Style) -> str:
    codes = [code for code in (_COLOURS.get(look.tone),) if code]
    codes += [
        code
        for code, is_on in (
            ("1", look.is_bold),
            ("3", look.is_italic),
            ("9", look.is_struck),
            ("4", look.is_underlined),
        )
        if is_on
    ]
    return f"\x1b[{';'.join(codes)}m" if codes else ""


def ansi_text(lines: Iterable[Line]) -> str:
    """The lines with colours, each with a line end; the terminal's own 16 colours, so that any theme fits."""
    out: list[str] = []
    for line in lines:
        parts: list[str] = []
        for run in line.runs:
            start = _sgr(run.style)
            parts.append(f"{start}{run.text}{_RESET}" if start else run.text)
        out.append("".join(parts).rstrip(" ") + "\n")
    return "".join(out)
