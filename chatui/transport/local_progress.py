"""How far the embedded model is before it can answer: being fetched, unpacked, started.

Invariant: where nothing is counted there is no number.
"""

from collections.abc import Callable
from enum import StrEnum

from chatui.core.values import frozen


class LocalStage(StrEnum):
    """What the embedded model is doing before it can answer."""

    FETCHING = "fetching"
    UNPACKING = "unpacking"
    STARTING = "starting"
    READY = "ready"


@frozen
class LocalProgress:
    """How far the embedded model is."""

    stage: LocalStage
    done_bytes: int = 0
    total_bytes: int = 0
    """0 where nothing is counted."""

    @property
    def text(self) -> str:
        """One short line for a person."""
        match self.stage:
            case LocalStage.FETCHING:
                return (
                    f"fetching the model · {megabytes(self.done_bytes)} of {megabytes(self.total_bytes)} MB"
                )
            case LocalStage.UNPACKING:
                return "checking the model"
            case LocalStage.STARTING:
                return "starting the model"
            case LocalStage.READY:
                return "ready"


Progress = Callable[[LocalProgress], None]


def ignore_progress(_progress: LocalProgress) -> None:
    """Nobody looks."""


def megabytes(count_bytes: int) -> int:
    """Whole decimal megabytes."""
    return round(count_bytes / 1_000_000)
