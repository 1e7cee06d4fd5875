"""Which providers there are to choose from: those with a key, and servers that people run themselves.

Invariant: looks only; no key is read, no command run, nothing asked over the network.
"""

from collections.abc import Mapping

from chatui.config.addressing import base_from_variable
from chatui.config.keys import has_key
from chatui.config.loader import LoadedConfig
from chatui.config.provider_spec import ProviderKind, ProviderSpec, load_provider, provider_names
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
