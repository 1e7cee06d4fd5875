"""Profiles chosen while the app runs, and endpoints made anew after settings changed.

Invariant: a profile that cannot be used changes nothing; who answers stays who was chosen, unless the profile
names somebody else.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from chatui.core.errors import ConfigError
from chatui.engine.endpoint import Endpoint

if TYPE_CHECKING:
    from chatui.wiring.providers import Providers


def endpoint_again(providers: "Providers", endpoint: Endpoint) -> Endpoint:
    """The same provider and model under the settings as they are now.

    Raises:
        ConfigError: they cannot be used any more.
    """
    return providers.resolve(endpoint.provider, endpoint.model)


def endpoint_with_profile(providers: "Providers", name: str, endpoint: Endpoint | None) -> Endpoint:
    """Apply a profile (empty: none) to the options and give the endpoint that it makes.

    Raises:
        ConfigError: there is no such profile, or what it names cannot be used.
    """
    profiles = providers.settings.profiles
    if name and name not in profiles:
        known = ", ".join(sorted(profiles)) or "none yet"
        raise ConfigError(f"there is no profile {name!r}", f"Profiles: {known}")
    before = providers.options
    providers.options = replace(before, profile=name or None, system=None)
    profile = profiles.get(name)
    try:
        if profile is not None and (profile.provider or profile.model):
            provider = profile.provider or (endpoint.provider if endpoint is not None else None)
            return providers.resolve(provider, profile.model or None)
        return providers.resolve() if endpoint is None else endpoint_again(providers, endpoint)
    except ConfigError:
        providers.options = before
        raise
