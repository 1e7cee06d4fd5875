"""The line under a failed turn: what happened, what is kept, and what the person can do now.

Invariant: every failed turn has one, each action in it is a link with the same key as in the keymap; server words are
shown as text, never as markup.
"""

from dataclasses import dataclass

from chatui.core.errors import FailureReason
from chatui.core.turn import Phase, Turn
from chatui.view.badge import count
from chatui.view.glyphs import Glyphs
from chatui.view.lines import EMPTY_LINE, Line, Run, Style, Tone
from chatui.view.plain_lines import one_line, plain_lines, runs_line

TURN_LINK = "chatui:turn/"


@dataclass(frozen=True, slots=True)
class FootAction:
    """One thing that can be done with a failed turn."""

    key: str
    word: str
    name: str


RETRY = FootAction("r", "retry", "retry")
CONTINUE = FootAction("c", "continue", "continue")
EDIT = FootAction("e", "edit", "edit")
COPY = FootAction("y", "copy", "copy")
DISMISS = FootAction("x", "dismiss", "dismiss")


def foot_actions(turn: Turn) -> tuple[FootAction, ...]:
    """What makes sense for this failed turn."""
    if turn.text:
        return (RETRY, CONTINUE, EDIT, COPY, DISMISS)
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
    for text, style in ((message, Style(tone)), (failure.hint, Style(Tone.MUTED))):
        if text:
            found.extend(plain_lines(text, width, style, most=12))
    facts = [f"{count(len(turn.text))} characters are kept, not sent back"] if turn.text else ["nothing was received"]
    if failure.code and failure.code not in failure.message:
        facts.append(one_line(failure.code, 40))
    if failure.request_id:
        facts.append(f"request {one_line(failure.request_id, 60)}")
    found.extend(plain_lines(f" {signs.dot} ".join(facts), width, Style(Tone.FAINT)))
    found.append(_keys(turn, key_hint))
    return found


def _keys(turn: Turn, key_hint: str) -> Line:
    runs: list[Run] = []
    if key_hint:
        runs.append(Run(f"{key_hint}  ", Style(Tone.FAINT)))
    for index, action in enumerate(foot_actions(turn)):
        if index:
            runs.append(Run("  "))
        link = TURN_LINK + action.name
        runs.append(Run(action.key, Style(Tone.ACCENT, is_bold=True), link))
        runs.append(Run(f" {action.word}", Style(Tone.MUTED), link))
    return runs_line(tuple(runs))
