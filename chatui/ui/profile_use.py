"""Applying a profile or a system prompt to the conversation that is shown.

Invariant: it holds from the next prompt on; what was said before stays as it is, and a running turn is left
alone.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from chatui.core.errors import ConfigError

if TYPE_CHECKING:
    from chatui.ui.screens.chat import ChatScreen


def use_system(screen: "ChatScreen", system: str) -> None:
    """Give the conversation a system prompt."""
    live = screen.live
    if live.session is None:
        live.conversation = replace(live.conversation, system=system)
    elif live.is_busy:
        screen.say("An answer is still coming: Esc stops it.")
    else:
        live.session.move_to(replace(live.session.conversation, system=system))


def use_profile(screen: "ChatScreen", name: str) -> None:
    """Apply a profile: its system prompt, model and parameters. An empty name takes it off again.

    Raises:
        ConfigError: there is no such profile, or its provider or model cannot be used.
    """
    if screen.live.is_busy:
        raise ConfigError("A profile cannot be changed while an answer is coming", "Esc stops it.")
    endpoint, system = screen.app_.workspace.use_profile(name, screen.endpoint)
    screen.desk.use(screen.live, endpoint)
    use_system(screen, system)
    screen.tell_all()
    screen.refresh_welcome()
    screen.say(f"Profile {name} holds from the next prompt on." if name else "No profile is in use now.")
