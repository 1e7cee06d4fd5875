"""Starts the full-screen app, or says in one line why it cannot start."""

import gc
import os
import sys
from typing import TYPE_CHECKING

from chatui.core.errors import ConfigError

if TYPE_CHECKING:
    from chatui.wiring import LaunchOptions


def launch_app(options: "LaunchOptions") -> int:
    """Run the app.

    Returns:
        The exit code.

    Raises:
        ConfigError: there is no terminal, or the options cannot be right.
    """
    missing = _missing_terminal()
    if missing:
        raise ConfigError(
            f"the app needs a terminal, and {missing}", "For scripts and pipes use: chatui ask PROMPT"
        )
    # Loading modules makes many objects and no garbage: looking for it takes a tenth of the start. The app
    # switches the collector on again once it has started.
    gc.disable()
    from chatui.wiring import open_checked

    workspace = open_checked(options, can_settle=True)
    from chatui.ui.launch import run_app

    return int(run_app(workspace))


def _missing_terminal() -> str:
    """Why the app cannot draw here; empty if it can."""
    if not sys.stdin or not sys.stdin.isatty():
        return "standard input is none"
    if not sys.stdout or not sys.stdout.isatty():
        return "standard output is none"
    if os.environ.get("TERM") == "dumb":
        return "TERM=dumb says that this one cannot draw"
    if not os.environ.get("TERM") and sys.platform != "win32":  # Windows has no such variable
        return "TERM, which says what this one can, is not set"
    return ""
