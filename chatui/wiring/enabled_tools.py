"""Which tools are switched on; looked at before anything of tools is loaded.

Invariant: none is on that nobody named.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chatui.config.settings import Settings
    from chatui.wiring.options import LaunchOptions


def enabled_tools(settings: "Settings", options: "LaunchOptions") -> tuple[str, ...]:
    """Names of the tools that are switched on: by profile or configuration, and by `--tool`."""
    profile = settings.profiles.get(options.profile or settings.profile)
    configured = profile.tools if profile is not None and profile.tools else settings.tools.enabled
    return (*configured, *options.tools)
