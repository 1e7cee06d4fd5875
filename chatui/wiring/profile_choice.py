"""Profiles chosen while the app runs, and endpoints made anew after settings changed.

Invariant: a profile that cannot be used changes nothing; who answers stays who was chosen, unless the profile
names somebody else.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from chatui.core.errors import ConfigError
from chatui.engine.endpoint import Endpoint

if TYPE_CHECKING:
    from chatui.wiring.workspace import Workspace


def endpoint_again(workspace: "Workspace", endpoint: Endpoint) -> Endpoint:
    """The same provider and model under the settings as they are now.

    Raises:
        ConfigError: they cannot be used any more.
    """
    return workspace.resolve(endpoint.provider, endpoint.model)


def endpoint_with_profile(workspace: "Workspace", name: str, endpoint: Endpoint | None) -> Endpoint:
    """Apply a profile (empty: none) to the workspace's options and give the endpoint that it makes.

    Raises:
        ConfigError: there is no such profile, or what it names cannot be used.
    """
    profiles = workspace.settings.profiles
    if name and name not in profiles:
        known = ", ".join(sorted(profiles)) or "none yet"
        raise ConfigError(f"there is no profile {name!r}", f"Profiles: {known}")
    before = workspace.options
    workspace.options = replace(before, profile=name or None, system=None)
    profile = profiles.get(name)
    try:
        if profile is not None and (profile.provider or profile.model):
            provider = profile.provider or (endpoint.provider if endpoint is not None else None)
            return workspace.resolve(provider, profile.model or None)
        return workspace.resolve() if endpoint is None else endpoint_again(workspace, endpoint)
    except ConfigError:
        workspace.options = before
        raise
