"""What commands say of tool calls: a line on stderr for each that ended, and lines and members of JSON.

Invariant: each step of a call is told once, and a call that was not run is never told as if it were.
"""

from collections.abc import Iterator
from typing import Final

from chatui.core.messages import ToolOutcome, ToolResultPart
from chatui.engine.updates import CallProgress, CallStage, TurnUpdate

_LONGEST_RESULT: Final = 200


class ToolTeller:
    """Turns updates into what is new about calls."""

    def __init__(self) -> None:
        self._told: dict[tuple[str, int], CallStage] = {}

    def changes(self, update: TurnUpdate) -> Iterator[CallProgress]:
        """Calls that are further than when they were last told."""
        for index, progress in enumerate(update.calls):
            key = (update.turn.turn_id, index)
            if self._told.get(key, CallStage.QUEUED) is not progress.stage:
                self._told[key] = progress.stage
                yield progress

    def news_of(self, update: TurnUpdate) -> Iterator[str]:
        """A line for each call that has ended."""
        for progress in self.changes(update):
            if progress.result is not None:
                yield ended_words(progress, progress.result)


def ended_words(progress: CallProgress, result: ToolResultPart) -> str:
    """How a call ended, in one line."""
    took = f" after {progress.elapsed_s:.1f} s" if progress.elapsed_s else ""
    if result.outcome is ToolOutcome.OK:
        return f"tool {result.name}: ok{took}, {len(result.text):,} characters"
    text = result.text if len(result.text) <= _LONGEST_RESULT else f"{result.text[:_LONGEST_RESULT]}…"
    return f"tool {result.name}: failed{took}: {text}" if took else f"tool {result.name}: {text}"


def call_json(progress: CallProgress) -> dict[str, object]:
    """A call as it stands, for a line of `--events`."""
    result = progress.result
    return {
        "event": "tool_call_changed",
        "id": progress.call.call_id,
        "name": progress.call.name,
        "arguments_raw": progress.call.arguments_raw,
        "source": progress.source or None,
        "stage": progress.stage.name.lower(),
        "outcome": result.outcome.value if result is not None and result.outcome is not None else None,
        "result": result.text if result is not None else None,
        "elapsed_s": round(progress.elapsed_s, 3) if result is not None else None,
    }


def results_json(results: "list[ToolResultPart]") -> list[dict[str, object]]:
    """Results as members of `--json`."""
    return [
        {
            "id": result.call_id,
            "name": result.name,
            "outcome": result.outcome.value if result.outcome is not None else None,
            "is_error": result.is_error,
            "text": result.text,
        }
        for result in results
    ]
