"""Which chunks say nothing but one delta, so that chunks like them need no full parse.

Invariant: a lesson is given only for a chunk whose other fields would change nothing if they were taken
again; the text goes the same way as from a full parse.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from chatui.core.finish_words import is_word
from chatui.core.interpreter import Lesson
from chatui.core.json_access import JsonObject, as_index, as_list, as_object
from chatui.core.line_shape import Holes, Path
from chatui.protocols.chat_completions.choice import ChoiceState
from chatui.protocols.chat_completions.said import REASONING_FIELDS

_CONSTANT_FIELDS: Final = frozenset(
    {
        "choices",
        "created",
        "id",
        "model",
        "object",
        "obfuscation",
        "provider",
        "service_tier",
        "system_fingerprint",
        "usage",
    }
)
_CONSTANT_CHOICE_FIELDS: Final = frozenset({"index", "delta", "content_filter_results"})

TakeUsage = Callable[[JsonObject], None]


def lesson_of(value: JsonObject, choice: ChoiceState, take_usage: TakeUsage) -> Lesson | None:
    """The lesson of a chunk with this one choice, or None if it says more than a delta."""
    fields = as_object(as_list(value.get("choices"))[0])
    if not (_is_constant(value, _CONSTANT_FIELDS) and _is_constant(fields, _CONSTANT_CHOICE_FIELDS)):
        return None
    delta = as_object(fields.get("delta"))
    said = [name for name, entry in delta.items() if name != "role" and entry not in (None, "", [])]
    if len(said) != 1:
        return None
    where: Path = ("choices", 0, "delta", said[0])
    if said[0] == "tool_calls":
        return _arguments_lesson(value, choice, where, take_usage)
    if not isinstance(delta[said[0]], str):
        return None
    if said[0] == "content":
        return _lesson(value, where, choice.add_contents, take_usage)
    if said[0] in REASONING_FIELDS:
        return _lesson(value, where, choice.add_reasonings, take_usage)
    return None


def _lesson(
    value: JsonObject, where: Path, take: Callable[[list[str]], None], take_usage: TakeUsage
) -> Lesson | None:
    """Beside the text only a timestamp, padding and counts may change."""
    ignored: list[Path] = []
    if isinstance(value.get("created"), int):
        ignored.append(("created",))
    if isinstance(value.get("obfuscation"), str):
        ignored.append(("obfuscation",))
    usage = value.get("usage")
    numbers = _integers(usage, ("usage",)) if isinstance(usage, dict) else ()
    if numbers is None:
        return None
    number = partial(_take_numbers, take_usage, numbers) if numbers else None
    return Lesson(Holes(where, numbers=numbers, ignored=tuple(ignored)), take, number=number)


def _arguments_lesson(
    value: JsonObject, choice: ChoiceState, where: Path, take_usage: TakeUsage
) -> Lesson | None:
    """An entry of `tool_calls` with nothing but an index and more arguments."""
    delta = as_object(as_object(as_list(value.get("choices"))[0]).get("delta"))
    entries = as_list(delta.get("tool_calls"))
    call = as_object(entries[0]) if len(entries) == 1 else {}
    function = as_object(call.get("function"))
    index = as_index(call.get("index"))
    is_plain = all(
        name in {"index", "function", "type"} or entry in (None, "") for name, entry in call.items()
    ) and all(name == "arguments" or entry in (None, "") for name, entry in function.items())
    if not is_plain or index is None or not isinstance(function.get("arguments"), str):
        return None
    place = (*where, 0, "function", "arguments")
    return _lesson(value, place, partial(choice.calls.take_arguments, index), take_usage)


def _take_numbers(take_usage: TakeUsage, paths: tuple[Path, ...], numbers: tuple[int, ...]) -> None:
    """Counts from their places, as the usage object that held them."""
    usage: JsonObject = {}
    for path, number in zip(paths, numbers, strict=True):
        holder = usage
        for step in path[1:-1]:
            inner = as_object(holder.get(str(step)))
            holder[str(step)] = inner
            holder = inner
        holder[str(path[-1])] = number
    take_usage({"usage": usage})


def _integers(value: JsonObject, path: Path) -> tuple[Path, ...] | None:
    """Paths of all counts in an object; None if it holds anything else, which might change as well."""
    found: list[Path] = []
    for name, entry in value.items():
        here = (*path, name)
        if isinstance(entry, dict):
            inner = _integers(entry, here)
            if inner is None:
                return None
            found += inner
        elif isinstance(entry, int) and not isinstance(entry, bool) and entry >= 0:
            found.append(here)
        elif entry is not None:
            return None
    return tuple(found)


def _is_constant(fields: JsonObject, allowed: frozenset[str]) -> bool:
    """Taking these fields once more would change nothing."""
    return all(
        name in allowed
        or value is None
        or (name == "finish_reason" and isinstance(value, str) and not is_word(value))
        for name, value in fields.items()
    )
