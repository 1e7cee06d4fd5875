"""Going on from a cut answer where the server continues one that stands last (a prefill).

Invariants: what was received stays as it was received, in the input of the new turn; the new turn's answer is
only what came after the seam. Elsewhere the cut is accepted and the model is asked in words.

Source: the vendor's pages on prefilling: it is not allowed while the model thinks, and refused by its models
that measure their own thinking. Fences: CommonMark 0.31, section 4.5.
"""

from typing import Final

from chatui.core.late_pattern import late_pattern
from chatui.core.messages import Message, Role, TextPart
from chatui.core.request import Sampling
from chatui.core.turn import Turn
from chatui.core.values import frozen
from chatui.core.wire import Dialect

GO_ON_WORDS: Final = "Go on from exactly where your last answer was cut. Repeat nothing."
"""What the model is asked where a server does not continue an answer that stands last."""

_FENCE = late_pattern(r" {0,3}(`{3,}|~{3,})(.*)")


@frozen
class OpenFence:
    """A code block in which an answer was cut."""

    opening: str
    """What stands before the rest so that it reads as what it is: the line that opened the block."""
    joint: str
    """What stands between the last line of code before the seam and the first one after it."""

    def joined(self, before: str, after: str, rest: str) -> str:
        """The whole code of both sides; `rest` is the text after the seam, which may hold no more of it."""
        has_line = after or rest[:1] in ("\n", "\r")
        return before + (self.joint if has_line else "") + after


def can_prefill(dialect: Dialect, model: str, sampling: Sampling) -> bool:
    """Whether an answer that stands last in the request is continued."""
    is_thinking = sampling.thinking_budget_tokens is not None or sampling.reasoning_effort is not None
    return dialect.continues_answers and not is_thinking and not dialect.is_reasoning_model(model)


def prefilled(turn: Turn) -> tuple[Message, ...]:
    """The input that asks for the rest of an answer, all that was received of it before included."""
    said = turn.input
    earlier = ""
    if said and said[-1].role is Role.ASSISTANT:
        earlier, said = said[-1].text, said[:-1]
    return (*said, Message(Role.ASSISTANT, (TextPart(earlier + turn.text),)))


def is_continued(turn: Turn) -> bool:
    """Whether a turn goes on from an answer that was cut."""
    return bool(turn.input) and turn.input[-1].role is Role.ASSISTANT


def joined_answer(turn: Turn) -> str:
    """The answer as a person takes it away: what stood before the seam, then what came after it."""
    return (turn.input[-1].text if is_continued(turn) else "") + turn.answer


def open_fence(text: str) -> OpenFence | None:
    """The code block in which a text ends, if it stands in no list or quote; None if it ends outside."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    at: int | None = None
    marks = ""
    for index, line in enumerate(lines):
        fence = _FENCE.fullmatch(line)
        if fence is None:
            continue
        run, words = fence.groups()
        if at is None and (run[0] == "~" or "`" not in words):
            at, marks = index, run
        elif at is not None and run.startswith(marks) and not words.strip(" \t"):
            at = None
    if at is None:
        return None
    is_line_over = at < len(lines) - 1
    has_code_line = not lines[-1] and at < len(lines) - 2
    return OpenFence(lines[at] + "\n" * is_line_over, "\n" * has_code_line)
