"""The whole of a call that waits for a yes or no, as lines.

Invariants: what is shown is what will be run, whole, in the order in which it was read; nothing from outside
can look like a part of the question, because every line of it stands behind a bar; a character that takes no
place, reorders others or is a blank that is no space is written out.

Source: public reports of approval boxes that a model drew itself, and of commands that hid behind zero-width
and bidirectional characters; Unicode's Default_Ignorable_Code_Point.
"""

import json
import re
from collections.abc import Mapping
from typing import Final

from chatui.core.legal_messages import sound_text
from chatui.engine.approval import ApprovalRequest
from chatui.view.glyphs import Glyphs
from chatui.view.lines import EMPTY_LINE, Line, Run, Style, Tone
from chatui.view.plain_lines import one_line, plain_lines, runs_line

_HIDDEN: Final = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f"
    "\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Controls, what shows nothing, what reorders, and blanks that are no space."""
_LABEL: Final = Style(Tone.MUTED)


def revealed(text: str) -> tuple[str, int]:
    """Text with every hidden character written out as `<U+200B>`, and how many there were."""
    text = text.replace("\r\n", "\n")
    return _HIDDEN.subn(lambda found: f"<U+{ord(found[0]):04X}>", text)


def approval_lines(request: ApprovalRequest, width: int, signs: Glyphs) -> list[Line]:
    """All lines of the question."""
    hidden = 0

    def quoted(text: str, tone: Tone = Tone.TEXT) -> list[Line]:
        nonlocal hidden
        shown, count = revealed(text)
        hidden += count
        bar = Style(Tone.WARNING)
        return plain_lines(shown, width, Style(tone), indent=f"  {signs.column} ", indent_style=bar)

    lines = [_heading("Tool")]
    lines += quoted(request.tool)
    lines += [
        *quoted(request.source, Tone.MUTED),
        EMPTY_LINE,
        _heading("What is run"),
        *quoted(request.what_runs),
    ]
    lines += [EMPTY_LINE, _heading("Arguments" if request.arguments else "Arguments: none")]
    for name, value in request.arguments.items():
        lines += quoted(f"{name}:", Tone.MUTED)
        lines += quoted(_written(value))
    lines += [EMPTY_LINE, _heading("What the tool says of itself"), *quoted(request.description, Tone.MUTED)]
    if hidden:
        many = "1 hidden character is" if hidden == 1 else f"{hidden} hidden characters are"
        words = f"{signs.lost} {many} written out as <U+…>"
        warning = plain_lines(words, width, Style(Tone.WARNING, is_bold=True))
        lines = [*warning, EMPTY_LINE, *lines]
    return lines


def approval_title(request: ApprovalRequest, width: int) -> str:
    """The question, in one line."""
    shown, _ = revealed(request.tool)
    which = f"  ({request.number} of {request.count})" if request.count > 1 else ""
    return one_line(f"May {shown} be run?{which}", width)


def approval_source(request: ApprovalRequest) -> str:
    """The call as text to be copied."""
    call = {"tool": request.tool, "arguments": dict(request.arguments)}
    return sound_text(json.dumps(call, indent=2, ensure_ascii=False))


def _heading(words: str) -> Line:
    return runs_line((Run(words, _LABEL),))


def _written(value: object) -> str:
    """Text as it is, everything else as JSON."""
    if isinstance(value, str):
        return value or '""'
    return json.dumps(value, indent=2 if isinstance(value, Mapping | list) else None, ensure_ascii=False)
