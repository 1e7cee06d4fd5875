"""Turns to JSON and back, without loss.

Invariant: `decode_turn(encode_turn(turn)) == turn` for every turn, unknown (None) kept apart from zero and
empty, and lone surrogates kept as they are. Members with their default value are left out; unknown members
are ignored, so that a later version may add some.
"""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from typing import Any, Final, TypeVar

from chatui.core.errors import Failure, FailureReason
from chatui.core.events import Usage
from chatui.core.messages import (
    AudioPart,
    Citation,
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
    ToolOutcome,
    ToolResultPart,
)
from chatui.core.turn import Choice, Phase, Timing, Turn, TurnId

Value = TypeVar("Value")
JsonObject = dict[str, Any]
"""A decoded JSON object; `Any` because it is checked member by member when a value is made of it."""

PART_TYPES: Final[dict[str, type[Part]]] = {
    "text": TextPart,
    "reasoning": ReasoningPart,
    "refusal": RefusalPart,
    "tool_call": ToolCallPart,
    "tool_activity": ToolActivityPart,
    "tool_result": ToolResultPart,
    "image": ImagePart,
    "file": FilePart,
    "audio": AudioPart,
}
_PART_NAMES: Final = {part_type: name for name, part_type in PART_TYPES.items()}


class CodecError(ValueError):
    """Stored JSON that is no turn."""


def dump(value: object) -> str | bytes:
    """Compact JSON: text, or bytes where lone surrogates make it impossible to be UTF-8 text.

    A surrogate is kept as a code point of its own and never written as an escape: two escapes side by side
    would become one character when they are read.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def parse(stored: str | bytes) -> Any:
    """The JSON value of `dump`.

    Raises:
        CodecError: it is no JSON.
    """
    if not isinstance(stored, str | bytes):  # a damaged row may hold anything
        raise CodecError("no text")
    try:
        return json.loads(stored if isinstance(stored, str) else stored.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise CodecError(f"no JSON: {error}") from error


def encode_turn(turn: Turn) -> JsonObject:
    """A turn as a JSON object."""
    return _members(turn, _TURN_ENCODERS)


def decode_turn(value: object) -> Turn:
    """The turn of a JSON object.

    Raises:
        CodecError: a member is missing or has a wrong type.
    """
    return _decoded(Turn, value)


def encode_message(message: Message) -> JsonObject:
    """A message as a JSON object."""
    return {"role": message.role.value, "parts": [encode_part(part) for part in message.parts]}


def decode_message(value: object) -> Message:
    """The message of a JSON object."""
    return _decoded(Message, value)


def encode_part(part: Part) -> JsonObject:
    """A part as a JSON object whose `type` names its kind."""
    encoded: JsonObject = {"type": _PART_NAMES[type(part)]}
    encoded.update(_members(part, _PART_ENCODERS))
    return encoded


def decode_part(value: object) -> Part:
    """The part of a JSON object."""
    part_type = PART_TYPES.get(_object(value).get("type", ""))
    if part_type is None:
        raise CodecError(f"a part of unknown type {_object(value).get('type')!r}")
    return _decoded(part_type, value)


def _plain(value: object) -> object:
    """What a wire value may be beside plain JSON: read-only mappings and tuples inside opaque state."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no JSON")


def _object(value: object) -> JsonObject:
    if not isinstance(value, dict):
        raise CodecError(f"an object was expected, not {type(value).__name__}")
    return value


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise CodecError(f"a list was expected, not {type(value).__name__}")
    return value


Encoder = Callable[[Any], object]
Decoder = Callable[[Any], object]


def _encode_dataclass(value: Any) -> JsonObject:
    return _members(value, {})


def _members(value: Any, encoders: Mapping[str, Encoder]) -> JsonObject:
    """Members that differ from their default."""
    encoded: JsonObject = {}
    for name, default in _defaults(type(value)):
        member = getattr(value, name)
        if default is not MISSING and type(member) is type(default) and member == default:
            continue
        encoder = encoders.get(name)
        encoded[name] = member if encoder is None or member is None else encoder(member)
    return encoded


_DEFAULTS: dict[type, tuple[tuple[str, object], ...]] = {}


def _defaults(of: Any) -> tuple[tuple[str, object], ...]:
    known = _DEFAULTS.get(of)
    if known is None:
        known = _DEFAULTS[of] = tuple((member.name, _default(member)) for member in fields(of))
    return known


def _default(member: Field[Any]) -> object:
    return member.default_factory() if member.default_factory is not MISSING else member.default


_PART_ENCODERS: Final[dict[str, Encoder]] = {
    "opaque": dict,
    "citations": lambda citations: [_encode_dataclass(citation) for citation in citations],
}
_CHOICE_ENCODERS: Final[dict[str, Encoder]] = {
    "parts": lambda parts: [encode_part(part) for part in parts],
    "logprobs": list,
}
_TURN_ENCODERS: Final[dict[str, Encoder]] = {
    "input": lambda messages: [encode_message(message) for message in messages],
    "failure": _encode_dataclass,
    "choices": lambda choices: [_members(choice, _CHOICE_ENCODERS) for choice in choices],
    "usage": lambda usage: {name: count for name, count in usage._asdict().items() if count is not None},
    "notices": list,
    "timing": _encode_dataclass,
}


def _decode_usage(value: object) -> Usage:
    counts = {name: count for name, count in _object(value).items() if name in Usage._fields}
    if not all(count is None or isinstance(count, int) for count in counts.values()):
        raise CodecError("usage is no number")
    return Usage(**counts)


_SHARED: Final = (
    "turn_id",
    "parent_id",
    "system",
    "provider",
    "protocol",
    "requested_model",
    "model",
    "finish_reason",
)
"""Texts that many turns have: each is in memory once, however many turns are."""
_DECODERS: Final[Mapping[Any, dict[str, Decoder]]] = {
    Turn: {
        **dict.fromkeys(_SHARED, sys.intern),
        "input": lambda value: tuple(decode_message(message) for message in _list(value)),
        "phase": Phase,
        "failure": lambda value: _decoded(Failure, value),
        "choices": lambda value: tuple(_decoded(Choice, choice) for choice in _list(value)),
        "usage": _decode_usage,
        "notices": lambda value: tuple(_list(value)),
        "timing": lambda value: _decoded(Timing, value),
    },
    Choice: {
        "parts": lambda value: tuple(decode_part(part) for part in _list(value)),
        "logprobs": lambda value: tuple(_list(value)),
    },
    Message: {
        "role": Role,
        "parts": lambda value: tuple(decode_part(part) for part in _list(value)),
    },
    Failure: {"reason": FailureReason},
    TextPart: {
        "citations": lambda value: tuple(_decoded(Citation, citation) for citation in _list(value)),
        "opaque": _object,
    },
    ReasoningPart: {"opaque": _object},
    ToolCallPart: {"state": ToolCallState, "opaque": _object},
    ToolActivityPart: {"opaque": _object},
    ToolResultPart: {"outcome": ToolOutcome},
}
_PLAIN_TYPES: Final[Mapping[Any, tuple[type, ...]]] = {
    str: (str,),
    str | None: (str, type(None)),
    TurnId: (str,),
    TurnId | None: (str, type(None)),
    int: (int,),
    int | None: (int, type(None)),
    float: (int, float),
    float | None: (int, float, type(None)),
    bool: (bool,),
}
"""What JSON gives for the plain types of members."""
_MEMBERS: Final[Mapping[Any, Mapping[str, tuple[tuple[type, ...] | None, Decoder | None]]]] = {
    of: {
        member.name: (_PLAIN_TYPES.get(member.type), _DECODERS.get(of, {}).get(member.name))
        for member in fields(of)
    }
    for of in (*PART_TYPES.values(), Turn, Message, Choice, Failure, Timing, Citation)
}
"""How each member is checked and decoded."""


def _decoded(of: type[Value], value: object) -> Value:
    """A frozen value of its JSON object; unknown members are ignored."""
    known = _MEMBERS[of]
    members: JsonObject = {}
    try:
        for name, member in _object(value).items():
            if name not in known:
                continue
            types, decoder = known[name]
            if types is not None and not isinstance(member, types):
                raise CodecError(f"{of.__name__}.{name} is a {type(member).__name__}")
            members[name] = member if decoder is None or member is None else decoder(member)
        return of(**members)
    except (TypeError, ValueError, KeyError) as error:
        if isinstance(error, CodecError):
            raise
        raise CodecError(f"{of.__name__}: {error}") from error
