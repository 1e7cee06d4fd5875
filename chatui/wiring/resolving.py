"""Whom to ask: the options of the command line and a choice made since, into what a request needs.

Invariant: what the command line said of one provider (address, protocol, key) never holds for another one.
"""

import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from chatui.config.resolve import Resolution, resolve

if TYPE_CHECKING:
    from chatui.config.loader import LoadedConfig
    from chatui.config.state import AppState
    from chatui.wiring.options import LaunchOptions


def resolution_of(
    options: "LaunchOptions",
    config: "LoadedConfig",
    state: "AppState",
    *,
    provider: str | None,
    model: str | None,
    known_models: tuple[str, ...] | None,
    local_model: Callable[[], str],
    needs_key: bool,
) -> Resolution:
    """Everything that a request needs; None for provider and model takes what options or settings say.

    Raises:
        ConfigError: unknown provider, protocol or option; a missing model or key.
    """
    if provider is not None and provider == name_of_address(options):
        provider = None
    is_other = provider is not None and provider != options.provider
    wish = replace(
        options,
        provider=provider if provider is not None else options.provider,
        model=model if model is not None or is_other else options.model,
    )
    if is_other:
        wish = replace(wish, protocol=None, base_url=None, api_key_env=None)
    return resolve(
        wish,
        config,
        os.environ,
        state=state,
        known_models=known_models,
        local_model=local_model,
        needs_key=needs_key,
    )


def name_of_address(options: "LaunchOptions") -> str:
    """What the server of `--base-url` alone is called, or empty: its name is in no file."""
    if options.base_url is None or options.provider is not None:
        return ""
    from chatui.config.addressing import ad_hoc_provider
    from chatui.core.endpoint_url import normalise_base_url

    return ad_hoc_provider(normalise_base_url(options.base_url), None).name
