"""Gathers the events of one feed and merges neighbouring deltas of one part into one event.

Invariant: the order of events is the order on the wire, and merging changes no text; a read of many small
deltas costs a list append for each, not an object.
"""

from enum import Enum, auto

from chatui.core.events import (
    PartKey,
    ReasoningDelta,
    RefusalDelta,
    StreamEvent,
    TextDelta,
    ToolCallDelta,
)


class Growth(Enum):
    """What kind of part a delta grows."""

    TEXT = auto()
    REASONING = auto()
    SUMMARY = auto()
    REFUSAL = auto()
    ARGUMENTS = auto()


class EventSink:
    """Takes deltas and events, gives them back as one list."""

    def __init__(self) -> None:
        self._events: list[StreamEvent] = []
        self._key: PartKey | None = None
        self._growth = Growth.TEXT
        self._pieces: list[str] = []
        self._count = 0
        self.characters = 0
        """Characters of answer, reasoning, refusal and arguments so far: failures tell it."""

    def grow(self, growth: Growth, key: PartKey, text: str, count: int = 1) -> None:
        """Text for a part, of `count` deltas; joined to the delta before if that was of the same part."""
        if growth is not self._growth or key != self._key:
            if self._pieces:
                self._flush()
            self._growth = growth
            self._key = key
        self._pieces.append(text)
        self._count += count

    def put(self, event: StreamEvent) -> None:
        """Any other event."""
        if self._pieces:
            self._flush()
        self._events.append(event)

    def drain_pending(self) -> None:
        """Close the delta that is being merged, so that `characters` is exact."""
        if self._pieces:
            self._flush()

    def drain(self) -> list[StreamEvent]:
        """Everything since the last drain."""
        if self._pieces:
            self._flush()
        events = self._events
        self._events = []
        return events

    def _flush(self) -> None:
        key = self._key
        text = "".join(self._pieces)
        count = self._count
        self._count = 0
        self._pieces = []
        self._key = None
        if key is None:
            return
        self.characters += len(text)
        match self._growth:
            case Growth.TEXT:
                self._events.append(TextDelta(key, text, count))
            case Growth.REASONING:
                self._events.append(ReasoningDelta(key, text, count))
            case Growth.SUMMARY:
                self._events.append(ReasoningDelta(key, text, count, is_summary=True))
            case Growth.REFUSAL:
                self._events.append(RefusalDelta(key, text, count))
            case Growth.ARGUMENTS:
                self._events.append(ToolCallDelta(key, arguments=text, count=count))
