"""Whether an answer came as a stream or in one lump, judged by when its bytes arrived.

Invariant: nothing is concluded from what is too short or too quick to tell; a lump is called one only where
all of it came at once, long after the request.
"""

from collections.abc import Sequence
from typing import Final

from chatui.core.diagnosis import Finding, note, ok, problem
from chatui.core.values import frozen

FEW_EVENTS: Final = 6
"""An answer of fewer events may well come at once."""
QUICK_MS: Final = 150.0
"""A server that is done so soon may send everything at once without anybody between."""
LUMP_PART: Final = 0.05
LUMP_EVENTS: Final = 8
"""Many events a read, all within such a part of the whole time, are a lump that took several reads."""
FEW_READS: Final = 2

_BUFFERED: Final = (
    "Something between collects the answer: a proxy (nginx: proxy_buffering off), a gateway, a virus "
    "scanner. Answers are whole, but are seen only at their end."
)


@frozen(kw_only=True)
class Arrival:
    """When things arrived, in milliseconds since the request was sent."""

    chunks_ms: Sequence[float]
    """One time for each read that gave bytes."""
    events: int
    """Stream events with content in all of them."""
    is_whole_body: bool = False
    """The server answered with a whole JSON body though a stream was asked for."""


def judge(arrival: Arrival) -> Finding:
    """What the times mean."""
    if not arrival.chunks_ms:
        return problem("arrival", "the answer had no body", "Check base URL and protocol.")
    first_ms, last_ms = arrival.chunks_ms[0], arrival.chunks_ms[-1]
    if arrival.is_whole_body:
        return note("arrival", f"one whole JSON body after {last_ms:.0f} ms: this server does not stream")
    spread_ms = last_ms - first_ms
    reads = len(arrival.chunks_ms)
    pieces = "1 piece" if reads == 1 else f"{reads} pieces over {spread_ms:.0f} ms"
    counted = f"{arrival.events} events in {pieces}"
    if arrival.events < FEW_EVENTS:
        return note("arrival", f"{counted}: too few to tell whether it streams")
    is_packed = arrival.events >= LUMP_EVENTS * reads and spread_ms <= LUMP_PART * last_ms
    if reads > FEW_READS and not is_packed:
        return ok("arrival", f"as a stream: {counted}, the first after {first_ms:.0f} ms")
    if last_ms < QUICK_MS:
        return note("arrival", f"{counted}: too quick to tell whether it streams")
    return problem("arrival", f"in one lump: {counted}, the first after {first_ms:.0f} ms", _BUFFERED)
