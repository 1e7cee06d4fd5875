"""What a session publishes: the latest truth about the running turn."""

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from chatui.core.messages import ToolCallPart, ToolResultPart
from chatui.core.turn import Turn
from chatui.core.values import frozen

if TYPE_CHECKING:
    from chatui.core.send_plan import Omission


class Stage(StrEnum):
    """What the session is doing, finer than the turn's phase; for the badge."""

    PREPARING = "preparing"
    """The embedded engine is starting."""
    CONNECTING = "connecting"
    WAITING = "waiting"
    """The request is sent; no event yet."""
    RECEIVING = "receiving"
    RETRYING = "retrying"
    """Counting down to another attempt."""
    ASKING = "asking"
    """A call waits for the person's yes or no."""
    CALLING = "calling"
    """A tool is running."""
    STOPPING = "stopping"
    ENDED = "ended"


MISSING_TOOL: Final = "A tool"
"""What an omission names when a tool that is switched on could not be offered."""


class CallStage(StrEnum):
    """How far a call is, while the turn that brings its result has not been sent."""

    QUEUED = "queued"
    ASKING = "waiting for you"
    RUNNING = "running"
    ENDED = "ended"
    """Its result says how."""


@frozen(kw_only=True)
class CallProgress:
    """Where one call stands."""

    call: ToolCallPart
    source: str = ""
    """Where its tool comes from; empty if there is no such tool."""
    stage: CallStage = CallStage.QUEUED
    since_s: float = 0.0
    """On the monotonic clock: when this stage began."""
    elapsed_s: float = 0.0
    """How long it ran, once it has ended."""
    result: ToolResultPart | None = None


@frozen(kw_only=True)
class TurnUpdate:
    """The latest truth about the running turn; a newer one makes older ones worthless."""

    turn: Turn
    stage: Stage
    retry_in_s: float | None = None
    retry_why: str = ""
    preparing: str = ""
    """While preparing: how far it is, e.g. "fetching the model · 41 of 93 MB"."""
    omissions: "tuple[Omission, ...]" = ()
    is_saved: bool | None = None
    """After the end: whether the turn is in the history; None while it runs or for a temporary
    conversation."""
    save_error: str = ""
    calls: tuple[CallProgress, ...] = ()
    """While the calls of the turn before are asked for and run: where each of them stands."""
    why_not_run: str = ""
    """After the end of a turn with calls, where tools are on: why none of them is run; empty if they are."""
