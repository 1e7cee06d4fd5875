"""Going on from a cut answer where the server continues one that stands last (a prefill).

Invariants: what was received stays as it was received, in the input of the new turn; the new turn's answer is
only what came after the seam. Elsewhere the cut is accepted and the model is asked in words.

Source: the vendor's pages on prefilling: it is not allowed while the model thinks, and refused by its models
that measure their own thinking.
"""

from chatui.core.messages import Message, Role, TextPart
from chatui.core.request import Sampling
from chatui.core.turn import Turn
from chatui.core.wire import Dialect


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
