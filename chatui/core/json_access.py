"""Checked narrowing of wire JSON: nothing from outside is trusted to have the type it should have.

Invariant: these functions never raise for any JSON value; only `parse_json` raises, and only `BadJson`. A
value of the wrong type reads as absent, because a server that sends `null` where a list belongs must not
end a turn. What is nested more deeply than anybody nests is no value at all: whoever walks through a value
later may do so by recursion. Source: RFC 8259; Python's json (int limit of 4300 digits, recursion limit).
"""

from json import JSONDecodeError, JSONDecoder
from typing import Final

from chatui.core.errors import WireError

JsonObject = dict[str, object]

_LONGEST_EXACT_INTEGER: Final = 400
_WHITESPACE: Final = " \t\n\r"
_LARGEST_COUNT: Final = 10**15
"""More than there is of anything that servers count: nonsense is unknown, and never fills a line."""
DEEPEST: Final = 128
"""Levels of lists and objects in a value; servers need about ten, schemas of tools about twenty."""


class BadJson(WireError):
    """Text that should be JSON and is not."""


def _integer_or_float(digits: str) -> int | float:
    """An absurdly long integer becomes a float: such a field must not lose the text beside it."""
    return int(digits) if len(digits) <= _LONGEST_EXACT_INTEGER else float(digits)


_decode: Final = JSONDecoder().raw_decode
_decode_patiently: Final = JSONDecoder(parse_int=_integer_or_float).raw_decode


def parse_at(text: str, start: int) -> tuple[object, int]:
    """The JSON value that begins at `start`, and where it ends.

    Raises:
        BadJson: it is no JSON, or nested too deeply.
    """
    try:
        try:
            value, end = _decode(text, start)
        except JSONDecodeError:
            raise
        except ValueError:
            value, end = _decode_patiently(text, start)
    except RecursionError:
        raise BadJson("JSON nested too deeply") from None
    except ValueError as problem:
        raise BadJson(f"not JSON: {problem}") from None
    # Only a text with so many brackets can be so deep: nearly every one is spared the look.
    has_room = text.count("[", start, end) + text.count("{", start, end) > DEEPEST
    if has_room and is_deeper(value, DEEPEST):
        raise BadJson("JSON nested too deeply")
    return value, end


def parse_json(text: str) -> object:
    """The one JSON value in `text`.

    Raises:
        BadJson: it is no JSON, or more than one value.
    """
    values = parse_values(text)
    if len(values) != 1:
        raise BadJson("not one JSON value")
    return values[0]


def parse_values(text: str) -> list[object]:
    """All JSON values that stand one after the other in `text` (a proxy may have lost the line break).

    Raises:
        BadJson: some of it is no JSON.
    """
    values: list[object] = []
    size = len(text)
    at = 0
    while at < size:
        if text[at] in _WHITESPACE:
            at = size - len(text[at:].lstrip(_WHITESPACE))
            continue
        value, at = parse_at(text, at)
        values.append(value)
    return values


def as_object(value: object) -> JsonObject:
    """The object, or an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    """The list, or an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: object) -> str:
    """The string, or an empty one."""
    return value if isinstance(value, str) else ""


def as_word(value: object) -> str | None:
    """A string that says something, or None."""
    return value if isinstance(value, str) and value else None


def as_label(value: object) -> str:
    """A string or number as text: codes come as either."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return ""


def as_count(value: object) -> int | None:
    """A whole number, also written as a string or float. None is unknown, never zero."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 18:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LARGEST_COUNT:
        return None
    return int(value) if isinstance(value, int) or value.is_integer() else None


def as_index(value: object) -> int | None:
    """An index into something; None if the wire gave none."""
    return as_count(value)


def finite(digits: str) -> float:
    """A number of JSON; one that no float holds would be written as `Infinity`, which is no JSON.

    Raises:
        ValueError: it is too large.
    """
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise ValueError("a number is too large")
    return value


def _no_constant(word: str) -> object:
    raise ValueError(f"{word} is no JSON")


_decode_strictly: Final = JSONDecoder(parse_constant=_no_constant, parse_float=finite).decode


def is_object_text(text: str) -> bool:
    """Whether `text` is one JSON object, as arguments of a tool must be; empty and `null` stand for none.

    Strictly: what holds NaN, an infinite or an absurdly long number, or is nested too deeply to be written
    again, would make every later request one that no server can read.
    """
    stripped = text.strip()
    if stripped in {"", "null"}:
        return True
    if not stripped.startswith("{"):
        return False
    try:
        return not is_deeper(_decode_strictly(stripped), DEEPEST)
    except (ValueError, RecursionError):
        return False


def is_deeper(value: object, depth: int) -> bool:
    """Whether a value is nested more deeply than that; level by level, so no depth is too much to look at."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(depth):
        level = [
            inner
            for holder in level
            for inner in (holder.values() if isinstance(holder, dict) else holder)
            if isinstance(inner, dict | list)
        ]
    return bool(level)
