"""Providers as data: one TOML file each, built in or the person's own.

Invariant: a provider is never a subclass; whatever is special about it is a field here or in `Dialect`. A
key goes only to the host of the file that names it: a file that moves a built-in provider to another host
must name its own key.
"""

import contextlib
import dataclasses
from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from pathlib import Path
from typing import Final

from chatui.config.paths import Paths
from chatui.config.reading import read_values, setting
from chatui.config.toml_source import KeyPath, Problem, TomlSource, near_match, not_among, read_toml
from chatui.core.endpoint_url import host_of
from chatui.core.errors import ConfigError
from chatui.core.late_pattern import late_pattern
from chatui.core.values import frozen
from chatui.core.wire import Dialect
from chatui.protocols import names

BUILT_IN_DIR: Final = Path(__file__).parent / "providers"
PROTOCOLS: Final = names()
_NAME: Final = late_pattern(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
"""Names become file names, so they can hold no path."""
_KEY_FIELDS: Final = frozenset({"key_env", "key_command", "key_file"})


class ProviderKind(StrEnum):
    """How a provider is reached."""

    HTTP = "http"
    EMBEDDED = "embedded"
    """The model that runs on this machine, started by chatui itself."""


class Auth(StrEnum):
    """How the key is sent."""

    PROTOCOL = "protocol"
    """As the protocol does: a bearer token, or `x-api-key` for Messages."""
    BEARER = "bearer"
    API_KEY = "api-key"
    """The header `api-key` (Azure)."""
    X_API_KEY = "x-api-key"
    NONE = "none"


@frozen(kw_only=True)
class ModelFacts:
    """What is known of a model; None is unknown. Prices are only what the person wrote."""

    context_window_tokens: int | None = setting(None, "Tokens that fit into the model's window.", at_least=1)
    max_output_tokens: int | None = setting(None, "Longest answer.", at_least=1)
    input_price_per_million: float | None = setting(None, "Price of a million input tokens.", at_least=0)
    cached_price_per_million: float | None = setting(
        None, "Price of a million cached input tokens.", at_least=0
    )
    output_price_per_million: float | None = setting(None, "Price of a million output tokens.", at_least=0)
    can_see_images: bool | None = setting(None, "Takes images.")
    can_read_pdf: bool | None = setting(None, "Takes PDF files.")


@frozen(kw_only=True)
class ProviderSpec:
    """A provider, as its file describes it."""

    name: str = setting("", "Set from the file's name.", is_written=False)
    title: str = setting("", "Name shown to people.")
    kind: ProviderKind = setting(ProviderKind.HTTP, "How it is reached.")
    protocol: str = setting("chat_completions", "Wire format.", allowed=PROTOCOLS)
    protocols: tuple[str, ...] = setting((), "Other wire formats that it also speaks.")
    base_url: str = setting("", "Address below which the endpoints are.")
    base_url_env: tuple[str, ...] = setting((), "Variables that replace the base URL.")
    base_path: str = setting("/v1", "Path added to a base URL that has none.")
    default_port: int | None = setting(
        None, "Port of an address from a variable that names none.", at_least=1, at_most=65535
    )
    auth: Auth = setting(Auth.PROTOCOL, "How the key is sent.")
    key_env: tuple[str, ...] = setting((), "Variables that may hold the key; the first that is set counts.")
    key_command: tuple[str, ...] = setting((), "Command that prints the key.")
    key_file: str = setting("", "File of mode 0600 that holds the key.")
    needs_key: bool = setting(True, "Refuse to send without a key.")
    headers: Mapping[str, str] = field(default_factory=dict)
    """More headers for each request; `${NAME}` stands for a variable."""
    default_model: str = setting("", "Model used when none is named.")
    suggested_models: tuple[str, ...] = setting((), "Models offered before the live list is known.")
    has_model_list: bool = setting(True, "GET /models answers.")
    is_model_list_closed: bool = setting(False, "A model that is not in the live list does not exist.")
    is_local: bool = setting(False, "Runs on the person's own machine.")
    stream: bool = setting(True, "Ask for a stream.")
    first_event_s: float | None = setting(None, "Limit for the first event.", at_least=0)
    gap_s: float | None = setting(None, "Limit between two arrivals.", at_least=0)
    note: str = setting("", "What a person should know, in a sentence.")
    source: str = setting("", "Public page that the file was made from.")
    dialect: Dialect = field(default_factory=Dialect)
    dialects: Mapping[str, Dialect] = field(default_factory=dict)
    """Quirks under another protocol than `protocol`."""
    models: Mapping[str, ModelFacts] = field(default_factory=dict)
    origin: str = setting("", "File that it came from.", is_written=False)

    @property
    def all_protocols(self) -> tuple[str, ...]:
        """The wire formats that may be asked of it, its own first."""
        return (self.protocol, *(name for name in self.protocols if name != self.protocol))

    def dialect_for(self, protocol: str) -> Dialect:
        """The quirks under a protocol."""
        if protocol in self.dialects:
            return self.dialects[protocol]
        return self.dialect if protocol == self.protocol else Dialect()


def built_in_names() -> tuple[str, ...]:
    """Names of the providers that come with chatui."""
    return tuple(sorted(path.stem for path in BUILT_IN_DIR.glob("*.toml")))


def provider_names(paths: Paths, inline: Mapping[str, object] | None = None) -> tuple[str, ...]:
    """Names of all providers: built in, in the person's folder, in the configuration file."""
    names = set(built_in_names()) | set(inline or {})
    with contextlib.suppress(OSError):  # the folder cannot be listed: built-in providers still work
        names.update(path.stem for path in paths.providers_dir.glob("*.toml"))
    return tuple(sorted(names))


def load_provider(
    name: str,
    paths: Paths,
    inline: Mapping[str, object] | None = None,
    inline_source: TomlSource | None = None,
) -> ProviderSpec:
    """The provider of a name: built-in file, overlaid by the person's file, then by `[providers.NAME]`.

    Raises:
        ConfigError: nobody knows the name, or a file is wrong (the first mistake is named with file, line
        and key).
    """
    names = provider_names(paths, inline)
    if name not in names or not _NAME.fullmatch(name):
        near = near_match(name, names)
        meant = f'did you mean "{near}"? ' if near else ""
        raise ConfigError(f'unknown provider "{name}"; {meant}known: {", ".join(names)}')
    spec = ProviderSpec(name=name)
    layers: list[tuple[TomlSource, Mapping[str, object], KeyPath]] = []
    for folder in (BUILT_IN_DIR, paths.providers_dir):
        source, problems = read_toml(folder / f"{name}.toml")
        _raise_first(problems)
        if source.data:
            layers.append((source, source.data, ()))
    own = (inline or {}).get(name)
    if isinstance(own, dict):
        layers.append((inline_source or TomlSource("config", "", {}), own, ("providers", name)))
    for source, table, path in layers:
        spec = _overlay(spec, source, table, path)
    return dataclasses.replace(spec, name=name, title=spec.title or name)


def check_provider(source: TomlSource, table: Mapping[str, object], path: KeyPath) -> tuple[Problem, ...]:
    """Everything that is wrong in a provider's table."""
    return tuple(_read(source, table, path)[1])


def _overlay(
    spec: ProviderSpec, source: TomlSource, table: Mapping[str, object], path: KeyPath
) -> ProviderSpec:
    values, problems = _read(source, table, path)
    _raise_first(problems)
    moved = (
        "base_url" in values and spec.base_url and host_of(str(values["base_url"])) != host_of(spec.base_url)
    )
    if moved:
        # The inherited key belongs to the other host.
        spec = dataclasses.replace(spec, key_env=(), key_command=(), key_file="", base_url_env=(), headers={})
    elif _KEY_FIELDS & values.keys():
        spec = dataclasses.replace(spec, key_env=(), key_command=(), key_file="")
    dialect = table.get("dialect")
    if isinstance(dialect, dict):
        changes = read_values(Dialect, dialect, (*path, "dialect"), source.problem, [])
        values["dialect"] = dataclasses.replace(spec.dialect, **changes)  # type: ignore[arg-type]  # checked against the fields
    if "models" in values:
        values["models"] = {**spec.models, **values["models"]}  # type: ignore[dict-item]  # checked against the fields
    return dataclasses.replace(spec, **values, origin=source.where)  # type: ignore[arg-type]  # checked against the fields


def _read(
    source: TomlSource, table: Mapping[str, object], path: KeyPath
) -> tuple[dict[str, object], list[Problem]]:
    problems: list[Problem] = []
    values = read_values(ProviderSpec, table, path, source.problem, problems)
    protocols = values.get("protocols")
    for word in protocols if isinstance(protocols, tuple) else ():
        if word not in PROTOCOLS:
            problems.append(
                source.problem((*path, "protocols"), f'"{word}" is not allowed; {not_among(word, PROTOCOLS)}')
            )
    dialects = table.get("dialects")
    for word in dialects if isinstance(dialects, dict) else ():
        if word not in PROTOCOLS:
            problems.append(
                source.problem((*path, "dialects", word), f"is no protocol; {not_among(word, PROTOCOLS)}")
            )
    return values, problems


def _raise_first(problems: "tuple[Problem, ...] | list[Problem]") -> None:
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise ConfigError(f"{problems[0]}{more}", "See `chatui config check`")
