"""The last look at messages before they become a request body: whatever was stored, what is sent is legal.

Invariant: no empty text, no call that is not whole, no call without a result right behind it, no result
without its call, no reasoning that nothing follows, no two calls of one id, no lone surrogate. Telling the
person what is left out is `core.conversation`'s work; this makes sure that a request can never be refused
for its history.

Source: public reports of clients whose every later request failed (a call cut by an interrupt, an empty text
block).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from chatui.core.json_access import is_object_text
from chatui.core.messages import (
    AudioPart,
    FilePart,
    ImagePart,
    Message,
    Part,
    ReasoningPart,
    RefusalPart,
    Role,
    TextPart,
    ToolActivityPart,
    ToolCallPart,
    ToolCallState,
    ToolResultPart,
)

INTERRUPTED: Final = "The call was interrupted and gave no result."


def legal_messages(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The messages as they may be sent; one message of results stands behind each message with calls."""
    results = _Results(messages)
    taken_ids: set[str] = set()
    legal: list[Message] = []
    for position, message in enumerate(messages):
        parts = _parts(message)
        answers: list[Part] = []
        for index, part in enumerate(parts):
            if isinstance(part, ToolCallPart):
                call_id = _free_id(part.call_id, taken_ids)
                answers.append(results.answer(part, position, call_id))
                parts[index] = replace(part, call_id=call_id)
        if parts:
            legal.append(Message(message.role, tuple(parts)))
        if answers:
            legal.append(Message(Role.TOOL, tuple(answers)))
    return tuple(legal)


def with_call_ids(messages: tuple[Message, ...], rename: Callable[[str, int], str]) -> tuple[Message, ...]:
    """The same messages with calls and results renamed together; `rename` gets the id and a number."""
    names: dict[str, str] = {}

    def renamed(part: Part) -> Part:
        if isinstance(part, ToolCallPart | ToolResultPart):
            if part.call_id not in names:
                names[part.call_id] = rename(part.call_id, len(names))
            return replace(part, call_id=names[part.call_id])
        return part

    return tuple(Message(message.role, tuple(map(renamed, message.parts))) for message in messages)


def sound_text(text: str) -> str:
    """Text without lone surrogates: pairs are joined, the rest becomes U+FFFD. UTF-8 cannot hold them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def has_text(text: str) -> bool:
    """Whether there is more than white space."""
    return bool(text) and not text.isspace()


@dataclass(slots=True)
class _Result:
    position: int
    part: ToolResultPart
    is_used: bool = False


class _Results:
    """All results of a conversation, by the id of their call."""

    def __init__(self, messages: tuple[Message, ...]) -> None:
        self._by_id: dict[str, list[_Result]] = {}
        for position, message in enumerate(messages):
            for part in message.parts:
                if isinstance(part, ToolResultPart):
                    self._by_id.setdefault(part.call_id, []).append(_Result(position, part))

    def answer(self, call: ToolCallPart, position: int, call_id: str) -> ToolResultPart:
        """The first unused result behind a call, or one that says that there is none."""
        for result in self._by_id.get(call.call_id, ()):
            if not result.is_used and result.position > position:
                result.is_used = True
                return replace(
                    result.part, call_id=call_id, name=call.name, text=sound_text(result.part.text)
                )
        return ToolResultPart(call_id, call.name, INTERRUPTED, is_error=True)


def _free_id(call_id: str, taken: set[str]) -> str:
    name = sound_text(call_id) or "call"
    candidate, number = name if call_id else "call_1", 1
    while candidate in taken:
        number += 1
        candidate = f"{name}_{number}"
    taken.add(candidate)
    return candidate


def _parts(message: Message) -> list[Part]:
    match message.role:
        case Role.SYSTEM:
            kept = [part for part in map(_sound, message.parts) if isinstance(part, TextPart)]
            return [part for part in kept if has_text(part.text)]
        case Role.USER:
            return [part for part in map(_sound, message.parts) if _is_input(part)]
        case Role.ASSISTANT:
            return _without_trailing_reasoning(
                [part for part in map(_sound, message.parts) if _is_output(part)]
            )
        case Role.TOOL:
            return []  # results are put behind their calls


def _sound(part: Part) -> Part:
    match part:
        case TextPart() | RefusalPart() | ReasoningPart():
            sound = sound_text(part.text)
            return part if sound is part.text else replace(part, text=sound)
        case AudioPart():
            return TextPart(sound_text(part.transcript))
        case ToolCallPart():
            return replace(part, name=sound_text(part.name), arguments_raw=sound_text(_arguments(part)))
        case FilePart() | ImagePart():
            return replace(part, name=sound_text(part.name))
        case _:
            return part


def _is_input(part: Part) -> bool:
    match part:
        case TextPart():
            return has_text(part.text)
        case ImagePart():
            return bool(part.data_base64 or part.url)
        case FilePart():
            return bool(part.data_base64)
        case _:
            return False


def _is_output(part: Part) -> bool:
    match part:
        case TextPart() | RefusalPart():
            return has_text(part.text)
        case ReasoningPart():
            return bool(part.text or part.opaque)
        case ToolCallPart():
            return part.state is ToolCallState.WHOLE and bool(part.name) and _is_whole(part)
        case ToolActivityPart():
            return bool(part.opaque)
        case _:
            return False


def _arguments(part: ToolCallPart) -> str:
    """The arguments as every server reads them: those that stand for none are an empty object."""
    if part.is_free_text:
        return part.arguments_raw
    arguments = part.arguments_raw.strip()
    return "{}" if arguments in ("", "null") else arguments


def _is_whole(part: ToolCallPart) -> bool:
    return part.is_free_text or is_object_text(part.arguments_raw)


def _without_trailing_reasoning(parts: list[Part]) -> list[Part]:
    while parts and isinstance(parts[-1], ReasoningPart):
        parts.pop()
    return parts
