"""Tells of a token limit that was reached and that the server kept silent about.

Invariant: only the person is told, the turn stays what its proof says; a server that names a natural end
(`stop`, `end_turn`) is believed. Source: llama.cpp, whose Responses say `completed` at the limit, without
repeating the limit.
"""

from chatui.core.events import NoticeRaised, StreamCompleted, StreamEvent, Usage, UsageReported
from chatui.core.request import ChatRequest

_SAYS_NO_WHY = frozenset({"", "completed"})


def with_limit_told(
    events: list[StreamEvent], usage: Usage | None, request: ChatRequest
) -> list[StreamEvent]:
    """The events of an end, with a notice before it if the answer is as long as was allowed.

    Args:
        events: They end a turn.
        usage: What had been counted before them.
        request: What was asked, with its limit.
    """
    end = events[-1]
    limit = request.sampling.max_output_tokens
    if not limit or not isinstance(end, StreamCompleted) or (end.finish_reason or "") not in _SAYS_NO_WHY:
        return events
    for event in events:
        if isinstance(event, UsageReported):
            usage = event.usage
    if usage is None or (usage.output_tokens or 0) < limit:
        return events
    return [
        *events[:-1],
        NoticeRaised(f"The answer used its whole limit of {limit} tokens: it may be cut."),
        end,
    ]
