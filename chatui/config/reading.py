"""Tables of TOML into frozen dataclasses, with every value checked.

Invariant: a value that is wrong is left out and told (file, line, key, what is allowed); it never stops the
rest from being read. The dataclass is the only description of a table: its annotations are the types, its
metadata the limits.
"""

import math
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import Field, field, fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Final, TypeVar, Union

from chatui.config.toml_source import KeyPath, Problem, not_among
from chatui.core.values import frozen

T = TypeVar("T")
Report = Callable[[KeyPath, str], Problem]

_WRONG: Final = object()


@frozen(kw_only=True)
class Limits:
    """What a field allows beyond its type."""

    doc: str = ""
    example: object = None
    """Shown in the commented file where the default is not set."""
    allowed: tuple[str, ...] = ()
    at_least: float | None = None
    at_most: float | None = None
    is_written: bool = True
    """False: set by the program, never by a file."""
    is_allowed_in_project: bool = False
    """A project file, which may come with somebody else's repository, may set it."""


def setting(default: T, doc: str = "", **limits: object) -> T:
    """A dataclass field with its description and limits (see `Limits`)."""
    metadata = {"limits": Limits(doc=doc, **limits)}  # type: ignore[arg-type]  # names of Limits
    if isinstance(default, dict):
        return typing.cast("T", field(default_factory=dict, metadata=metadata))
    return field(default=default, metadata=metadata)


def limits_of(item: "Field[object]") -> Limits:
    """The limits of a dataclass field."""
    found = item.metadata.get("limits")
    return found if isinstance(found, Limits) else Limits()


@cache
def field_types(cls: type) -> dict[str, object]:
    """Resolved annotations of a dataclass."""
    return typing.get_type_hints(cls)


def read_values(
    cls: type, table: Mapping[str, object], path: KeyPath, report: Report, problems: list[Problem]
) -> dict[str, object]:
    """The checked values of a table as keyword arguments for `cls`; the others become problems."""
    known = {item.name: item for item in fields(cls) if limits_of(item).is_written}
    values: dict[str, object] = {}
    for name, raw in table.items():
        item = known.get(name)
        if item is None:
            problems.append(report((*path, name), unknown_name(name, sorted(known))))
            continue
        value = _checked(raw, field_types(cls)[name], limits_of(item), (*path, name), report, problems)
        if value is not _WRONG:
            values[name] = value
    return values


def unknown_name(name: str, known: list[str]) -> str:
    """What a person is told of a name that nobody knows."""
    if name.lower() in _SECRET_WORDS:
        return "does not belong in this file: name where the key is with key_env, key_command or key_file"
    return f"is not known; {not_among(name, known)}"


_SECRET_WORDS: Final = frozenset({"api_key", "apikey", "key", "token", "password", "secret"})


def read_dataclass(
    cls: type[T], table: Mapping[str, object], path: KeyPath, report: Report, problems: list[Problem]
) -> T:
    """An instance made from a table; what is missing or wrong has its default."""
    return cls(**read_values(cls, table, path, report, problems))


def parse_text(written: str, kind: object) -> object:
    """A value for a field from the text of a variable or flag; what does not fit stays text."""
    options = alternatives(kind)
    word = written.strip()
    if bool in options and word.lower() in _WORDS_FOR_FLAGS:
        return _WORDS_FOR_FLAGS[word.lower()]
    if int in options or float in options:
        for convert in (int, float):
            try:
                return convert(word)
            except ValueError:
                continue
    if any(typing.get_origin(option) is tuple for option in options):
        return [part.strip() for part in written.split(",") if part.strip()]
    return written


_WORDS_FOR_FLAGS: Final = {
    "1": True, "true": True, "yes": True, "on": True,
    "0": False, "false": False, "no": False, "off": False,
}  # fmt: skip


def check_value(
    raw: object, kind: object, limits: Limits, path: KeyPath, report: Report
) -> tuple[object, Problem | None]:
    """One value, checked: the value, or the problem with it."""
    problems: list[Problem] = []
    value = _checked(raw, kind, limits, path, report, problems)
    return (None, problems[0]) if value is _WRONG else (value, None)


def _checked(
    raw: object, kind: object, limits: Limits, path: KeyPath, report: Report, problems: list[Problem]
) -> object:
    options = alternatives(kind)
    for option in options:
        if isinstance(option, type) and is_dataclass(option):
            if isinstance(raw, dict):
                return read_dataclass(option, raw, path, report, problems)
        elif typing.get_origin(option) in _MAPPINGS:
            if isinstance(raw, dict):
                return _mapping(raw, option, path, report, problems)
        elif (value := _scalar(raw, option)) is not _WRONG:
            complaint = _outside(value, limits)
            if complaint:
                problems.append(report(path, complaint))
                return _WRONG
            return value
    problems.append(report(path, f"must be {_described(options, limits)}, not {_shown(raw)}"))
    return _WRONG


_MAPPINGS: Final = (dict, Mapping, typing.get_origin(Mapping[str, object]))


def _mapping(
    raw: dict[str, object], kind: object, path: KeyPath, report: Report, problems: list[Problem]
) -> object:
    value_kind = typing.get_args(kind)[1]
    if value_kind is object:
        if not _is_json(raw):
            problems.append(report(path, "holds a date or a number that JSON does not know"))
            return _WRONG
        return raw
    found: dict[str, object] = {}
    for name, value in (flattened(raw) if value_kind is str else raw).items():
        checked = _checked(value, value_kind, Limits(), (*path, name), report, problems)
        if checked is not _WRONG:
            found[name] = checked
    return found


def read_mapping(
    raw: dict[str, object], kind: object, path: KeyPath, report: Report, problems: list[Problem]
) -> object | None:
    """A table of names that are not fixed; None if it is wrong."""
    found = _mapping(raw, kind, path, report, problems)
    return None if found is _WRONG else found


def flattened(table: Mapping[str, object], before: str = "") -> dict[str, object]:
    """Nested tables as dotted names: `a.b = 1` without quotes means the name "a.b"."""
    found: dict[str, object] = {}
    for name, value in table.items():
        if isinstance(value, dict):
            found |= flattened(value, f"{before}{name}.")
        else:
            found[before + name] = value
    return found


def _is_json(value: object) -> bool:
    match value:
        case dict():
            return all(_is_json(item) for item in value.values())
        case list():
            return all(_is_json(item) for item in value)
        case float():
            return math.isfinite(value)
        case _:
            return isinstance(value, str | int)


def _scalar(raw: object, kind: object) -> object:
    if kind is bool:
        return raw if isinstance(raw, bool) else _WRONG
    if isinstance(raw, bool):
        return _WRONG
    if kind is int:
        return raw if isinstance(raw, int) else _WRONG
    if kind is float:
        return float(raw) if isinstance(raw, int | float) and math.isfinite(raw) else _WRONG
    if kind is str:
        return raw if isinstance(raw, str) else _WRONG
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return kind(str(raw)) if raw in list(kind) else _WRONG
    if typing.get_origin(kind) is tuple:
        if isinstance(raw, str):
            raw = [raw]
        inner = typing.get_args(kind)[0]
        if isinstance(raw, list):
            items = [_scalar(item, inner) for item in raw]
            return _WRONG if _WRONG in items else tuple(items)
    return _WRONG


def _outside(value: object, limits: Limits) -> str:
    if limits.allowed and isinstance(value, str) and value not in limits.allowed:
        return f'"{value}" is not allowed; {not_among(value, limits.allowed)}'
    if isinstance(value, int | float) and not isinstance(value, bool):
        if limits.at_least is not None and value < limits.at_least:
            return f"must be at least {limits.at_least:g}, not {value:g}"
        if limits.at_most is not None and value > limits.at_most:
            return f"must be at most {limits.at_most:g}, not {value:g}"
    return ""


def mapped_type(kind: object) -> object | None:
    """The type of the values of a mapping; None for any other type."""
    return typing.get_args(kind)[1] if typing.get_origin(kind) in _MAPPINGS else None


def alternatives(kind: object) -> tuple[object, ...]:
    """The members of a union without None."""
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is Union:
        return tuple(option for option in typing.get_args(kind) if option is not type(None))
    return (kind,)


def describe_type(kind: object, limits: Limits) -> str:
    """What a value may be, in words."""
    words = _described(alternatives(kind), limits)
    bounds = [
        f"{word} {bound:g}"
        for word, bound in (("at least", limits.at_least), ("at most", limits.at_most))
        if bound is not None
    ]
    return ", ".join([words, *bounds])


def _described(options: tuple[object, ...], limits: Limits) -> str:
    names: list[str] = []
    for option in options:
        if isinstance(option, type) and issubclass(option, StrEnum):
            names.append("one of " + ", ".join(f'"{member}"' for member in option))
        elif isinstance(option, type) and is_dataclass(option):
            names.append("a table")
        elif typing.get_origin(option) is tuple:
            names.append("a list of texts")
        elif typing.get_origin(option) in _MAPPINGS:
            names.append("a table")
        else:
            names.append(_TYPE_WORDS.get(option, "a value"))
    words = " or ".join(names)
    return "one of " + ", ".join(f'"{word}"' for word in limits.allowed) if limits.allowed else words


_TYPE_WORDS: Final[dict[object, str]] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: 'a text in "quotes"',
}


def _shown(raw: object) -> str:
    match raw:
        case dict():
            return "a table"
        case list():
            return "a list"
        case bool():
            return str(raw).lower()
        case str():
            return f'"{raw[:60]}"'
        case _:
            return str(raw)[:60]
