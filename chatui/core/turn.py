"""A turn: one request and its response, as a state machine with one owner.

`TurnBuilder` owns the live turn and folds events into it; `Turn` is a frozen snapshot. The phase changes
only through `TRANSITIONS`. Text is gathered in lists and joined when a snapshot is taken, so a turn costs
time in proportion to its size, whatever the size of its deltas.
"""

from dataclasses import field
from enum import StrEnum
from typing import NewType

from chatui.core.errors import Failure
from chatui.core.messages import AudioPart, Message, Part, RefusalPart, Role, TextPart
from chatui.core.usage import Usage
from chatui.core.values import frozen

TurnId = NewType("TurnId", str)


class Phase(StrEnum):
    """Where a turn is."""

    RECEIVING = "receiving"
    COMPLETED = "completed"
    FAILED = "failed"


class Signal(StrEnum):
    """What an event means for the phase."""

    CONTENT = "content"
    FINISH = "finish"
    FAIL = "fail"


class Outcome(StrEnum):
    """What a transition does beside naming the next phase."""

    APPLY = "apply"
    IGNORE = "ignore"
    FORBID = "forbid"


TRANSITIONS: dict[tuple[Phase, Signal], tuple[Phase, Outcome]] = {
    (Phase.RECEIVING, Signal.CONTENT): (Phase.RECEIVING, Outcome.APPLY),
    (Phase.RECEIVING, Signal.FINISH): (Phase.COMPLETED, Outcome.APPLY),
    (Phase.RECEIVING, Signal.FAIL): (Phase.FAILED, Outcome.APPLY),
    (Phase.COMPLETED, Signal.CONTENT): (Phase.COMPLETED, Outcome.FORBID),
    (Phase.COMPLETED, Signal.FINISH): (Phase.COMPLETED, Outcome.FORBID),
    (Phase.COMPLETED, Signal.FAIL): (Phase.COMPLETED, Outcome.IGNORE),
    (Phase.FAILED, Signal.CONTENT): (Phase.FAILED, Outcome.FORBID),
    (Phase.FAILED, Signal.FINISH): (Phase.FAILED, Outcome.FORBID),
    (Phase.FAILED, Signal.FAIL): (Phase.FAILED, Outcome.IGNORE),
}


@frozen
class Choice:
    """One of n alternatives, parts in the order in which they began."""

    index: int
    parts: tuple[Part, ...] = ()
    finish_reason: str | None = None
    logprobs: tuple[object, ...] = ()


@frozen(kw_only=True)
class Timing:
    """Measured by the engine, in milliseconds from sending the request; None is not reached."""

    first_event_ms: float | None = None
    first_text_ms: float | None = None
    longest_gap_ms: float | None = None
    total_ms: float | None = None


@frozen(kw_only=True)
class Turn:
    """A request and what came back, frozen."""

    turn_id: TurnId
    parent_id: TurnId | None = None
    """The turn that this one follows; None at the root of the conversation."""
    input: tuple[Message, ...] = ()
    """What the person (or a tool) said in this turn."""
    system: str = ""
    provider: str = ""
    protocol: str = ""
    requested_model: str = ""
    started_at_epoch_s: float = 0.0
    phase: Phase = Phase.RECEIVING
    failure: Failure | None = None
    choices: tuple[Choice, ...] = ()
    """Ordered by index."""
    usage: Usage | None = None
    finish_reason: str | None = None
    """The protocol's own word for choice 0."""
    response_id: str | None = None
    model: str | None = None
    service_tier: str | None = None
    system_fingerprint: str | None = None
    notices: tuple[str, ...] = ()
    unknown_events: int = 0
    delta_count: int = 0
    """Content deltas on the wire so far: an estimate of tokens while usage is unknown."""
    timing: Timing = field(default_factory=Timing)
    requests: int = 0
    """HTTP requests made, retries included."""
    is_accepted_cut: bool = False
    """A failed answer that the person deliberately accepted as it is."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """Parts of choice 0 (or of the first choice there is)."""
        return self.choices[0].parts if self.choices else ()

    @property
    def text(self) -> str:
        """Answer text of choice 0."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))

    @property
    def answer(self) -> str:
        """What a person reads as the answer: text, refusal and spoken words, each a paragraph of its own."""
        said: list[str] = []
        last: type[Part] | None = None
        for part in self.parts:
            if isinstance(part, TextPart | RefusalPart | AudioPart):
                words = part.transcript if isinstance(part, AudioPart) else part.text
                said += ["\n\n", words] if words and last not in (None, type(part)) else [words]
                last = type(part) if words else last
        return "".join(said)

    @property
    def prompt(self) -> str:
        """The text of the input, without answers that stand in it."""
        return "\n".join(message.text for message in self.input if message.role is not Role.ASSISTANT)
