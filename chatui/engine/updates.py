"""What a session publishes: the latest truth about the running turn."""

from enum import StrEnum

from chatui.core.conversation import Omission
from chatui.core.turn import Turn
from chatui.core.values import frozen


class Stage(StrEnum):
    """What the session is doing, finer than the turn's phase; for the badge."""

    IDLE = "idle"
    PREPARING = "preparing"
    """The embedded engine is starting."""
    CONNECTING = "connecting"
    WAITING = "waiting"
    """The request is sent; no event yet."""
    RECEIVING = "receiving"
    RETRYING = "retrying"
    """Counting down to another attempt."""
    STOPPING = "stopping"
    ENDED = "ended"


@frozen(kw_only=True)
class TurnUpdate:
    """The latest truth about the running turn; a newer one makes older ones worthless."""

    turn: Turn
    stage: Stage
    retry_in_s: float | None = None
    retry_why: str = ""
    preparing: str = ""
    """While preparing: how far it is, e.g. "fetching the model · 41 of 93 MB"."""
    omissions: tuple[Omission, ...] = ()
    is_saved: bool | None = None
    """After the end: whether the turn is in the history; None while it runs or for a temporary
    conversation."""
    save_error: str = ""
