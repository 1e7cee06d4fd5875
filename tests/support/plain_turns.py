"""Plain turns, without anything heavy: killed and competing processes start quickly with it."""

from chatui.core.errors import Failure, FailureReason
from chatui.core.events import Usage
from chatui.core.messages import TextPart, user_message
from chatui.core.turn import Choice, Phase, Turn, TurnId


def completed(name: str, prompt: str = "Hello", answer: str = "Hi.", parent: str | None = None) -> Turn:
    """A plain completed turn."""
    return Turn(
        turn_id=TurnId(name),
        parent_id=None if parent is None else TurnId(parent),
        input=(user_message(prompt),),
        provider="example",
        protocol="chat_completions",
        requested_model="model-1",
        started_at_epoch_s=1_700_000_000.0,
        phase=Phase.COMPLETED,
        choices=(Choice(0, (TextPart(answer),), "stop"),),
        usage=Usage(3, 2),
        finish_reason="stop",
        model="model-1-2026",
        requests=1,
    )


def receiving(name: str, prompt: str = "Hello", answer: str = "", parent: str | None = None) -> Turn:
    """A turn in the middle of its answer."""
    return Turn(
        turn_id=TurnId(name),
        parent_id=None if parent is None else TurnId(parent),
        input=(user_message(prompt),),
        provider="example",
        started_at_epoch_s=1_700_000_000.0,
        choices=(Choice(0, (TextPart(answer),)),) if answer else (),
    )


def failed(
    name: str,
    reason: FailureReason = FailureReason.CANCELLED,
    answer: str = "partly",
    parent: str | None = None,
) -> Turn:
    """A turn that ended without proof."""
    return Turn(
        turn_id=TurnId(name),
        parent_id=None if parent is None else TurnId(parent),
        input=(user_message("Hello"),),
        started_at_epoch_s=1_700_000_000.0,
        phase=Phase.FAILED,
        failure=Failure(reason=reason, message="You stopped the answer after 6 characters"),
        choices=(Choice(0, (TextPart(answer),)),) if answer else (),
    )
