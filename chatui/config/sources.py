"""What weaker and stronger sources may set: variables of the environment, and a project's file.

Invariant: a project file may come with somebody else's repository, so it can set only what is marked as
allowed: nothing that runs, that names a host, or that lets a tool run.
"""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Final

from chatui.config.paths import CONFIG_FILE_VARIABLE
from chatui.config.reading import (
    Limits,
    alternatives,
    check_value,
    field_types,
    limits_of,
    mapped_type,
    parse_text,
)
from chatui.config.settings import Settings
from chatui.config.toml_source import KeyPath, Problem, TomlSource, near_match

ENVIRONMENT: Final = "environment"
PREFIX: Final = "CHATUI_"
_OTHER_VARIABLES: Final = frozenset({"CHATUI_API_KEY", CONFIG_FILE_VARIABLE})

Table = dict[str, object]


def setting_keys(
    cls: type = Settings, path: KeyPath = ()
) -> Iterator[tuple[KeyPath, object, Limits, object]]:
    """Every single setting: path, type, limits and default; open tables (profiles, ...) are left out."""
    instance = cls()
    for item in fields(cls):
        kind = field_types(cls)[item.name]
        only = alternatives(kind)[0]
        if isinstance(only, type) and is_dataclass(only):
            yield from setting_keys(only, (*path, item.name))
        elif mapped_type(only) is None:
            yield (*path, item.name), kind, limits_of(item), getattr(instance, item.name)


def variable_of(path: KeyPath) -> str:
    """The environment variable of a setting."""
    return PREFIX + "_".join(path).upper()


def allowed_in_project(table: Table, source: TomlSource, problems: list[Problem]) -> Table:
    """The part of a checked table that a project may set; the rest becomes problems."""
    found: Table = {}
    for path, value in leaves(table):
        if _may_set(path):
            put(found, path, value)
        else:
            problems.append(
                source.problem(path, "cannot be set by a project file; put it into your own file")
            )
    return found


def _may_set(path: KeyPath) -> bool:
    cls: object = Settings
    for position, name in enumerate(path):
        if not (isinstance(cls, type) and is_dataclass(cls)):
            return False
        item = next((one for one in fields(cls) if one.name == name), None)
        if item is None:
            return False
        only = alternatives(field_types(cls)[name])[0]
        inner = mapped_type(only)
        if inner is not None:
            # `profiles.NAME.field`: the name is the project's own, the field decides.
            return len(path) > position + 2 and _field_allowed(inner, path[position + 2 :])
        if limits_of(item).is_allowed_in_project:
            return True
        cls = only
    return False


def _field_allowed(cls: object, path: KeyPath) -> bool:
    for name in path:
        if not (isinstance(cls, type) and is_dataclass(cls)):
            return False
        item = next((one for one in fields(cls) if one.name == name), None)
        if item is None:
            return False
        if limits_of(item).is_allowed_in_project:
            return True
        cls = alternatives(field_types(cls)[name])[0]
    return False


def from_environment(env: Mapping[str, str], problems: list[Problem]) -> Table:
    """What `CHATUI_*` variables set; wrong values and near misses of names become problems."""
    if not any(name.startswith(PREFIX) for name in env):
        return {}  # going through all settings takes a millisecond of the start
    found: Table = {}
    known: set[str] = set(_OTHER_VARIABLES)

    def report(path: KeyPath, message: str) -> Problem:
        return Problem(ENVIRONMENT, None, variable_of(path), message)

    for path, kind, limits, _ in setting_keys():
        variable = variable_of(path)
        known.add(variable)
        written = env.get(variable)
        if not written:  # an empty variable is an unset one
            continue
        raw = parse_text(written, kind)
        _, problem = check_value(raw, kind, limits, path, report)
        if problem is not None:
            problems.append(problem)
        else:
            put(found, path, raw)
    for variable in env:
        if variable.startswith(PREFIX) and variable not in known:
            near = near_match(variable, known)
            if near:
                problems.append(Problem(ENVIRONMENT, None, variable, f'is not known; did you mean "{near}"?'))
    return found


def leaves(table: Mapping[str, object], path: KeyPath = ()) -> Iterator[tuple[KeyPath, object]]:
    """Every value of nested tables with its path."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from leaves(value, (*path, name))
        else:
            yield (*path, name), value


def put(table: Table, path: KeyPath, value: object) -> None:
    """Set a value in nested tables, making them on the way."""
    for name in path[:-1]:
        inner = table.get(name)
        if not isinstance(inner, dict):
            inner = {}
            table[name] = inner
        table = inner
    table[path[-1]] = value
