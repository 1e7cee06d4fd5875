"""Which providers there are to choose from: those with a key, and servers that people run themselves.

Invariant: looks only; no key is read, no command run, nothing asked over the network.
"""

from collections.abc import Mapping

from chatui.config.addressing import base_from_variable
from chatui.config.key_binding import named_variables
from chatui.config.keys import AD_HOC_KEY_VARIABLE, has_key
from chatui.config.loader import LoadedConfig
from chatui.config.provider_spec import (
    BUILT_IN_DIR,
    ProviderKind,
    ProviderSpec,
    load_provider,
    provider_names,
)
from chatui.config.toml_source import read_toml
from chatui.core.endpoint_url import normalise_base_url
from chatui.core.errors import ConfigError


def usable_providers(config: LoadedConfig, environ: Mapping[str, str]) -> tuple[ProviderSpec, ...]:
    """Hosted providers whose key is there, for first-run screen and model picker; broken ones left out."""
    found: list[ProviderSpec] = []
    for name in provider_names(config.paths, config.settings.providers):
        try:
            spec = load_provider(name, config.paths, config.settings.providers, config.user_source)
        except ConfigError:  # told by `chatui config check`
            continue
        if spec.kind is ProviderKind.HTTP and not spec.is_local and has_key(spec, config.paths, environ):
            found.append(spec)
    return tuple(found)


def local_servers(config: LoadedConfig, environ: Mapping[str, str]) -> dict[str, str]:
    """Names and addresses of servers that people run themselves, for looking around when asked to."""
    found: dict[str, str] = {}
    for name in provider_names(config.paths, config.settings.providers):
        try:
            spec = load_provider(name, config.paths, config.settings.providers, config.user_source)
        except ConfigError:  # told by `chatui config check`
            continue
        if spec.kind is ProviderKind.HTTP and spec.is_local:
            written = base_from_variable(spec, environ) or spec.base_url
            found[name] = normalise_base_url(written, version=spec.base_path)
    return found


def key_variables(config: LoadedConfig) -> frozenset[str]:
    """Variables that may hold a key, of every provider, also of one whose file is broken or overlaid."""
    found = {AD_HOC_KEY_VARIABLE}
    for name in provider_names(config.paths, config.settings.providers):
        folders = (BUILT_IN_DIR, config.paths.providers_dir)
        for table in (
            *(read_toml(folder / f"{name}.toml")[0].data for folder in folders),
            config.settings.providers.get(name),
        ):
            if isinstance(table, Mapping):
                found |= _key_variables_of(table)
    return frozenset(found)


def _key_variables_of(provider: Mapping[str, object]) -> set[str]:
    variables, headers = provider.get("key_env"), provider.get("headers")
    listed = variables if isinstance(variables, list | tuple) else [variables]
    found = {one for one in listed if isinstance(one, str)}
    if isinstance(headers, Mapping):
        found.update(*(named_variables(value) for value in headers.values() if isinstance(value, str)))
    return found
