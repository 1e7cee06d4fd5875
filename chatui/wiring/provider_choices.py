"""Which providers and models can be chosen: what is known, and what servers say when they are asked."""

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from chatui.config.addressing import base_from_variable
from chatui.config.keys import has_key, missing_key_message
from chatui.config.loader import LoadedConfig
from chatui.config.model_cache import CachedModels, save_models
from chatui.config.overview import local_servers, usable_providers
from chatui.config.paths import Paths
from chatui.config.provider_spec import ProviderKind, ProviderSpec, load_provider, provider_names
from chatui.core.errors import ConfigError
from chatui.engine.ports import Clock, Transport
from chatui.wiring.options import FoundKey, LaunchOptions, ProviderChoice
from chatui.wiring.resolving import name_of_address

if TYPE_CHECKING:
    from chatui.config.resolve import Resolution

LOCAL_PROVIDER: Final = "local"


def choices(config: LoadedConfig) -> tuple[ProviderChoice, ...]:
    """All providers, the embedded model first, then those that are ready."""
    found: list[ProviderChoice] = []
    for name in provider_names(config.paths, config.settings.providers):
        try:
            spec = load_provider(name, config.paths, config.settings.providers, config.user_source)
        except ConfigError as error:
            broken = ProviderChoice(
                name=name,
                title=name,
                protocol="",
                is_ready=False,
                needs_configuration=True,
                what_is_missing=error.message,
            )
            found.append(broken)
            continue
        is_embedded = spec.kind is ProviderKind.EMBEDDED
        lacks_key = spec.needs_key and not has_key(spec, config.paths, os.environ)
        missing = "" if is_embedded else _missing(spec, config.paths, lacks_key)
        found.append(
            ProviderChoice(
                name=name,
                title=spec.title or name,
                protocol=spec.protocol,
                models=_suggested(spec),
                is_ready=not missing,
                is_local=spec.is_local and not is_embedded,
                needs_configuration=bool(missing) and not lacks_key,
                what_is_missing=missing,
            )
        )
    return tuple(
        sorted(found, key=lambda choice: (choice.name != LOCAL_PROVIDER, not choice.is_ready, choice.name))
    )


def addressed_choice(options: LaunchOptions) -> tuple[ProviderChoice, ...]:
    """The server of `--base-url`, as long as this process lives: another choice must not lose it."""
    name = name_of_address(options)
    if not name:
        return ()
    models = (options.model,) if options.model else ()
    return (ProviderChoice(name=name, title=name, protocol="", models=models, is_addressed=True),)


def _missing(spec: ProviderSpec, paths: Paths, lacks_key: bool) -> str:
    """What a provider lacks before it can be asked; empty if nothing is known to."""
    if lacks_key:
        return missing_key_message(spec, paths).message
    if not spec.base_url and not base_from_variable(spec, os.environ):
        wanted = " or ".join(spec.base_url_env) or f"base_url in {spec.origin}"
        return f"{spec.title or spec.name} needs an address: set {wanted}"
    return ""


def found_keys(config: LoadedConfig) -> tuple[FoundKey, ...]:
    """Hosted providers whose key is there, and the name of its place."""
    found: list[FoundKey] = []
    for spec in usable_providers(config, os.environ):
        variable = next((name for name in spec.key_env if os.environ.get(name)), "")
        origin = variable or ("a command" if spec.key_command else "a file")
        found.append(FoundKey(provider=spec.name, title=spec.title or spec.name, origin=origin))
    return tuple(found)


async def fetch_and_remember(
    resolution: "Resolution", paths: Paths, transport: Transport, clock: Clock
) -> tuple[str, ...]:
    """The models that a provider's server has, asked of it and kept for the next time.

    Raises:
        ChatuiError: it could not be asked.
    """
    from chatui.transport.model_list import fetch_models

    spec = resolution.spec
    if resolution.is_embedded or not spec.has_model_list:
        return _suggested(spec)
    endpoint = resolution.endpoint()
    headers = {**endpoint.protocol.headers(endpoint.api_key), **dict(endpoint.extra_headers)}
    models = await fetch_models(transport, endpoint.base_url, headers)
    cached = CachedModels(base_url=endpoint.base_url, fetched_at_epoch_s=clock.epoch_s(), models=models)
    with suppress(ConfigError):  # A list that cannot be remembered is asked for again.
        save_models(paths, spec.name, cached)
    return tuple(model.model_id for model in models)


async def servers_here(config: LoadedConfig, transport: Transport) -> dict[str, tuple[str, ...]]:
    """Providers whose servers answer on this machine, with their models."""
    from chatui.transport.model_list import look_for_local_servers

    known = local_servers(config, os.environ)
    found = await look_for_local_servers(transport, list(known.values()))
    return {
        name: tuple(model.model_id for model in found[base_url])
        for name, base_url in known.items()
        if base_url in found
    }


def _suggested(spec: ProviderSpec) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, (spec.default_model, *spec.suggested_models))))
