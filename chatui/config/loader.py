"""Files, environment and flags into one `Settings`, with where each value came from.

Invariant: nothing here fails. A wrong value is told and the next weaker source counts; a broken file is told
and left as it is. A project file may come with somebody else's repository, so it can set only what
`is_allowed_in_project`. Precedence: flag > environment > project file > user file > what the app remembers >
default.
"""

import os
from collections.abc import Mapping
from dataclasses import field, fields, is_dataclass
from enum import StrEnum
from pathlib import Path

from chatui.config.paths import Paths, find_paths, find_project_file
from chatui.config.provider_spec import check_provider
from chatui.config.reading import (
    Limits,
    Report,
    alternatives,
    check_value,
    field_types,
    flattened,
    limits_of,
    mapped_type,
    read_dataclass,
    read_mapping,
    unknown_name,
)
from chatui.config.settings import Settings
from chatui.config.sources import (
    Table,
    allowed_in_project,
    from_environment,
    leaves,
    put,
    setting_keys,
    variable_of,
)
from chatui.config.state import AppState
from chatui.config.toml_source import KeyPath, Problem, TomlSource, dotted, read_toml
from chatui.core.values import frozen


class OriginKind(StrEnum):
    """Where a value comes from, weakest first."""

    DEFAULT = "default"
    STATE = "remembered"
    USER_FILE = "user file"
    PROJECT_FILE = "project file"
    ENVIRONMENT = "environment"
    FLAG = "flag"


@frozen
class Origin:
    """Where one value was set."""

    kind: OriginKind
    where: str = ""
    line: int | None = None

    def __str__(self) -> str:
        if not self.where:
            return self.kind.value
        return self.where if self.line is None else f"{self.where}:{self.line}"


@frozen(kw_only=True)
class LoadedConfig:
    """The settings in force and how they came about."""

    settings: Settings
    paths: Paths
    origins: Mapping[str, Origin] = field(default_factory=dict)
    """By dotted key; a key that is not here has its default."""
    written: Mapping[str, object] = field(default_factory=dict, repr=False)
    """Value of each key of `origins`, as it was written."""
    problems: tuple[Problem, ...] = ()
    user_source: TomlSource
    project_file: Path | None = None
    stamps: tuple[tuple[Path, int], ...] = field(default=(), repr=False)

    def has_changed(self) -> bool:
        """Whether a file was written, made or removed since it was read (by its modification time)."""
        return any(_stamp(path) != stamp for path, stamp in self.stamps)

    def value_of(self, key: str) -> object:
        """The value of a key that some source set, as it was written."""
        return self.written.get(key)

    def origin_of(self, key: str) -> Origin:
        """Where a dotted key was set."""
        return self.origins.get(key, Origin(OriginKind.DEFAULT))


def load_config(
    paths: Paths | None = None,
    environ: Mapping[str, str] | None = None,
    *,
    flags: Mapping[str, object] | None = None,
    state: AppState | None = None,
    project_start: Path | None = None,
) -> LoadedConfig:
    """Read everything that there is. `flags` are dotted keys with values that were already checked."""
    env = os.environ if environ is None else environ
    paths = paths or find_paths(env)
    problems: list[Problem] = []
    merged: Table = {}
    origins: dict[str, Origin] = {}

    def add(table: Table, kind: OriginKind, source: TomlSource | None) -> None:
        for path, value in leaves(table):
            put(merged, path, value)
            line = source.line_of(path) if source else None
            origins[dotted(path)] = Origin(kind, source.where if source else _where(kind, path), line)

    if state and state.theme:
        add({"ui": {"theme": state.theme}}, OriginKind.STATE, None)
    project_file = find_project_file(project_start)
    user_source, broken = read_toml(paths.config_file)
    problems += broken
    add(
        clean_table(Settings, user_source.data, (), user_source.problem, problems),
        OriginKind.USER_FILE,
        user_source,
    )
    _check_inline_providers(user_source, problems)
    if project_file is not None and project_file != paths.config_file:
        source, broken = read_toml(project_file)
        problems += broken
        cleaned = clean_table(Settings, source.data, (), source.problem, problems)
        add(allowed_in_project(cleaned, source, problems), OriginKind.PROJECT_FILE, source)
    add(from_environment(env, problems), OriginKind.ENVIRONMENT, None)
    for key, value in (flags or {}).items():
        put(merged, tuple(key.split(".")), value)
        origins[key] = Origin(OriginKind.FLAG)
    settings = read_dataclass(Settings, merged, (), user_source.problem, [])
    stamps = tuple((path, _stamp(path)) for path in _watched(paths, project_file))
    return LoadedConfig(
        settings=settings,
        paths=paths,
        origins=origins,
        written={dotted(path): value for path, value in leaves(merged)},
        problems=tuple(problems),
        user_source=user_source,
        project_file=project_file,
        stamps=stamps,
    )


def clean_table(
    cls: type, table: Mapping[str, object], path: KeyPath, report: Report, problems: list[Problem]
) -> Table:
    """The part of a table that is right, as it was written; the rest becomes problems."""
    known = {item.name: item for item in fields(cls)}
    found: Table = {}
    for name, raw in table.items():
        here = (*path, name)
        item = known.get(name)
        if item is None:
            problems.append(report(here, _unknown(name, sorted(known), path)))
            continue
        kind = field_types(cls)[name]
        value = _clean(raw, kind, limits_of(item), here, report, problems)
        if value is not None:
            found[name] = value
    return found


def _clean(
    raw: object, kind: object, limits: Limits, path: KeyPath, report: Report, problems: list[Problem]
) -> object | None:
    only = alternatives(kind)[0]
    inner = mapped_type(only)
    is_table = inner is not None or (isinstance(only, type) and is_dataclass(only))
    if is_table and isinstance(raw, dict):
        if isinstance(only, type) and is_dataclass(only):
            return clean_table(only, raw, path, report, problems)
        if inner is object:
            return None if read_mapping(raw, only, path, report, problems) is None else dict(raw)
        found: Table = {}
        for name, value in (flattened(raw) if inner is str else raw).items():
            cleaned = _clean(value, inner, Limits(), (*path, name), report, problems)
            if cleaned is not None:
                found[name] = cleaned
        return found
    _, problem = check_value(raw, kind, limits, path, report)
    if problem is not None:
        problems.append(problem)
        return None
    return raw


def _unknown(name: str, known: list[str], table: KeyPath) -> str:
    elsewhere = [dotted(path) for path, _, _, _ in setting_keys() if path[-1] == name and path[:-1] != table]
    if elsewhere:
        return f'is not known here; did you mean "{elsewhere[0]}"?'
    return unknown_name(name, known)


def _check_inline_providers(source: TomlSource, problems: list[Problem]) -> None:
    providers = source.data.get("providers")
    for name, table in providers.items() if isinstance(providers, dict) else ():
        if isinstance(table, dict):
            problems += check_provider(source, table, ("providers", name))
        else:
            problems.append(source.problem(("providers", name), "must be a table"))


def _where(kind: OriginKind, path: KeyPath) -> str:
    return f"${variable_of(path)}" if kind is OriginKind.ENVIRONMENT else ""


def _watched(paths: Paths, project_file: Path | None) -> tuple[Path, ...]:
    return (paths.config_file, *((project_file,) if project_file else ()))


def _stamp(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
