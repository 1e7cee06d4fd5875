"""A turn as the JSON object of `chatui ask --json`, and events as the lines of `--events`.

Invariant: the object has the same members whatever happened, what is unknown is null and never zero, and
text is exactly as received: everything outside ASCII is escaped, so that it survives any pipe.
"""

import dataclasses
import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

from chatui.cli.tool_telling import results_json
from chatui.core.events import StreamEvent
from chatui.core.json_access import BadJson, parse_json
from chatui.core.made_picture import picture_of
from chatui.core.messages import (
    Part,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolCallPart,
    ToolCallState,
    ToolResultPart,
)
from chatui.core.send_plan import Omission
from chatui.core.turn import Choice, Turn

_WORD_START: Final = re.compile(r"(?<!^)(?=[A-Z])")


def turn_json(
    turn: Turn,
    conversation_id: str | None,
    steps: Sequence[Turn] = (),
    omissions: Sequence[Omission] = (),
) -> str:
    """The object of `--json`, in one line.

    Args:
        turn: The last turn.
        conversation_id: Where it is in the history; None if it is not.
        steps: Turns before it whose calls were run, in order; the results of each stand in the next one.
        omissions: What of the conversation was not sent.
    """
    failure = turn.failure
    first = turn.choices[0] if turn.choices else Choice(0)
    usage = turn.usage
    timing = turn.timing
    return dump(
        {
            "phase": turn.phase.value,
            "reason": failure.reason.value if failure else None,
            "error": failure.message if failure else None,
            "hint": failure.hint or None if failure else None,
            "http_status": failure.http_status if failure else None,
            "request_id": failure.request_id if failure else None,
            "text": _joined(first, TextPart),
            "reasoning": _joined(first, ReasoningPart),
            "refusal": _joined(first, RefusalPart),
            "pictures": _pictures(first),
            "tool_calls": _whole_calls(first),
            "broken_tool_calls": _broken_calls(first),
            "tool_steps": [
                _step(step, after) for step, after in zip(steps, (*steps[1:], turn), strict=False)
            ],
            "finish_reason": turn.finish_reason,
            "choices": [
                {
                    "index": choice.index,
                    "text": _joined(choice, TextPart),
                    "reasoning": _joined(choice, ReasoningPart),
                    "refusal": _joined(choice, RefusalPart),
                    "tool_calls": _whole_calls(choice),
                    "finish_reason": choice.finish_reason,
                }
                for choice in turn.choices
            ],
            "usage": None if usage is None else usage._asdict(),
            "model": turn.model or turn.requested_model,
            "response_id": turn.response_id,
            "provider": turn.provider,
            "protocol": turn.protocol,
            "requests": turn.requests,
            "conversation": conversation_id,
            "omissions": [
                {"turn_id": omission.turn_id, "what": omission.what, "why": omission.why}
                for omission in omissions
            ],
            "timing_ms": {
                "first_event": _rounded(timing.first_event_ms),
                "first_text": _rounded(timing.first_text_ms),
                "longest_gap": _rounded(timing.longest_gap_ms),
                "total": _rounded(timing.total_ms),
            },
        }
    )


def _step(turn: Turn, after: Turn) -> dict[str, object]:
    """What a turn before the last one called for, and what that gave."""
    first = turn.choices[0] if turn.choices else Choice(0)
    results = [part for one in after.input for part in one.parts if isinstance(part, ToolResultPart)]
    return {
        "text": _joined(first, TextPart),
        "tool_calls": _whole_calls(first),
        "broken_tool_calls": _broken_calls(first),
        "results": results_json(results),
    }


def event_json(event: StreamEvent) -> str:
    """One line of `--events`."""
    name = _WORD_START.sub("_", type(event).__name__).lower()
    return dump({"event": name, **dataclasses.asdict(event)})


def dump(values: Mapping[str, object]) -> str:
    """JSON in one ASCII line; a member that is nested without end becomes null."""
    try:
        return json.dumps(values, ensure_ascii=True, default=_plain)
    except RecursionError:
        return json.dumps({name: _shallow(value) for name, value in values.items()}, ensure_ascii=True)


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(value)


def _shallow(value: object) -> object:
    try:
        json.dumps(value, default=_plain)
    except RecursionError:
        return None
    return value


def _joined(choice: Choice, kind: type[TextPart] | type[ReasoningPart] | type[RefusalPart]) -> str:
    return "".join(part.text for part in choice.parts if isinstance(part, kind))


def _pictures(choice: Choice) -> list[dict[str, object]]:
    found = (picture_of(part) for part in choice.parts)
    return [
        {
            "media_type": image.media_type or None,
            "data_base64": image.data_base64 or None,
            "url": image.url or None,
        }
        for image in found
        if image is not None
    ]


def _whole_calls(choice: Choice) -> list[dict[str, object]]:
    return [_call(part) for part in _calls(choice.parts) if part.state is ToolCallState.WHOLE]


def _call(part: ToolCallPart) -> dict[str, object]:
    known: dict[str, object] = {"id": part.call_id or None, "name": part.name}
    if part.is_free_text:
        return {**known, "input": part.arguments_raw}
    return {**known, "arguments": _value(part.arguments_raw), "arguments_raw": part.arguments_raw}


def _broken_calls(choice: Choice) -> list[dict[str, object]]:
    return [
        {"id": part.call_id or None, "name": part.name, "raw": part.arguments_raw}
        for part in _calls(choice.parts)
        if part.state is not ToolCallState.WHOLE
    ]


def _calls(parts: tuple[Part, ...]) -> list[ToolCallPart]:
    return [part for part in parts if isinstance(part, ToolCallPart)]


def _value(raw: str) -> object:
    if not raw.strip():
        return {}
    try:
        value = parse_json(raw)
        json.dumps(value)
    except (BadJson, RecursionError):
        return None
    return value


def _rounded(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else round(milliseconds, 1)
