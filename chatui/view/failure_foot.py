"""The line under a failed turn: what happened, what is kept, and what the person can do now.

Invariant: every failed turn has one, each action in it is a link with the same key as in the keymap; server
words are shown as text, never as markup.
"""

from chatui.core.doctor_words import DOCTOR_IN_APP, leads_to_doctor
from chatui.core.ending import KEPT_HINT
from chatui.core.errors import FailureReason
from chatui.core.turn import Phase, Turn
from chatui.core.values import frozen
from chatui.view.badge import INTERRUPTED_CODE
from chatui.view.glyphs import Glyphs
from chatui.view.lines import EMPTY_LINE, Line, Run, Style, Tone
from chatui.view.plain_lines import one_line, plain_lines, runs_line

TURN_LINK = "chatui:turn/"
THOUGHTS_KEPT_HINT = "What arrived is kept, but there is no text to continue from: ask again."
DOCTOR = "doctor"
"""Name of the command that looks at each step."""


@frozen
class FootAction:
    """One thing that can be done with a failed turn."""

    key: str
    word: str
    name: str


RETRY = FootAction("r", "retry", "retry")
CONTINUE = FootAction("c", "continue", "continue")
EDIT = FootAction("e", "edit", "edit")
COPY = FootAction("y", "copy", "copy")
DROP = FootAction("o", "drop oldest", "drop-oldest")
FORK = FootAction("F", "fork earlier", "fork-earlier")
MODEL = FootAction("m", "another model", "model-here")
ACCEPT = FootAction("a", "accept", "accept")
DISMISS = FootAction("x", "dismiss", "dismiss")


def foot_actions(turn: Turn) -> tuple[FootAction, ...]:
    """What makes sense for this failed turn."""
    if turn.is_accepted_cut:
        return (RETRY, EDIT, COPY)
    if turn.failure is not None and turn.failure.is_context_too_long:
        kept = (ACCEPT, COPY) if turn.text else ()
        return (DROP, FORK, MODEL, RETRY, EDIT, *kept, DISMISS)
    if turn.text:
        return (RETRY, CONTINUE, ACCEPT, EDIT, COPY, DISMISS)
    return (RETRY, EDIT, DISMISS)


def foot_lines(turn: Turn, width: int, signs: Glyphs, key_hint: str = "") -> list[Line]:
    """Notices of any turn, and the foot of a failed one."""
    found: list[Line] = []
    for notice in turn.notices:
        found.extend(plain_lines(notice, width, Style(Tone.FAINT), indent=f"{signs.dot} ")[:6])
    if turn.phase is not Phase.FAILED or turn.failure is None:
        return found
    failure = turn.failure
    if turn.text:
        found.append(EMPTY_LINE)
    if failure.reason is FailureReason.CANCELLED:
        tone, message = Tone.MUTED, failure.message or "You stopped this answer."
    else:
        tone, message = Tone.TEXT, failure.message
    hint = "" if turn.is_accepted_cut else failure.hint
    if hint == KEPT_HINT and not turn.text:
        hint = THOUGHTS_KEPT_HINT
    for text, style in ((message, Style(tone)), (hint, Style(Tone.MUTED))):
        if text:
            found.extend(plain_lines(text, width, style, most=12))
    if leads_to_doctor(failure) and not turn.is_accepted_cut:
        found.append(_doctor_line(width))
    facts: list[str] = []
    is_told_in_words = failure.reason is FailureReason.CANCELLED or failure.code == INTERRUPTED_CODE
    if failure.code and failure.code not in failure.message and not is_told_in_words:
        facts.append(one_line(failure.code, 40))
    if failure.request_id:
        facts.append(f"request {one_line(failure.request_id, 60)}")
    if facts:
        found.extend(plain_lines(f" {signs.dot} ".join(facts), width, Style(Tone.FAINT)))
    found.extend(_keys(turn, key_hint, width))
    return found


def _doctor_line(width: int) -> Line:
    """Where to look when the way to the server is to blame; pressed, it looks."""
    return runs_line((Run(one_line(DOCTOR_IN_APP, width), Style(Tone.MUTED), TURN_LINK + DOCTOR),))


def _keys(turn: Turn, key_hint: str, width: int) -> list[Line]:
    lines: list[Line] = []
    runs: list[Run] = [Run(f"{key_hint}  ", Style(Tone.FAINT))] if key_hint else []
    used = len(key_hint) + 2 if key_hint else 0
    for action in foot_actions(turn):
        cells = len(action.key) + 1 + len(action.word)
        if used + cells > width and runs:
            lines.append(runs_line(tuple(runs)))
            runs, used = [], 0
        link = TURN_LINK + action.name
        runs.append(Run(action.key, Style(Tone.ACCENT, is_bold=True), link))
        runs.append(Run(f" {action.word}", Style(Tone.MUTED), link))
        runs.append(Run("  "))
        used += cells + 2
    lines.append(runs_line(tuple(runs)))
    return lines
