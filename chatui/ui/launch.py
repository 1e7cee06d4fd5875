"""Starts the app: looks at the terminal, opens the workspace, runs.

And cleans up in every way the app can end.
"""

import asyncio
import contextlib
import locale
import os
import signal
import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from chatui.config.settings import ColourMode
from chatui.core.errors import StopCause
from chatui.engine.clock import SystemClock

if TYPE_CHECKING:
    from chatui.ui.app import ChatApp
    from chatui.wiring import Workspace


_M_ARENA_MAX = -8
"""Of mallopt(3)."""
COLOUR_SYSTEMS = {
    ColourMode.TRUE: "truecolor",
    ColourMode.COLOURS_256: "256",
    ColourMode.COLOURS_16: "standard",
}


def can_show_unicode(environ: Mapping[str, str]) -> bool:
    """Whether the terminal's encoding is UTF-8."""
    encoding = (locale.getpreferredencoding(False) or "").lower().replace("-", "")
    named = next((environ[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environ.get(name)), "")
    return encoding in ("utf8", "") and (not named or "utf" in named.lower() or sys.platform == "win32")


def run_app(workspace: "Workspace") -> int:
    """Run the app in an open workspace; returns the exit code."""
    state, settings = workspace.state, workspace.settings
    if settings.ui.colours in COLOUR_SYSTEMS:
        # Textual reads it when it is imported.
        os.environ["TEXTUAL_COLOR_SYSTEM"] = COLOUR_SYSTEMS[settings.ui.colours]
    from chatui.ui.terminal.lean_textual import load_textual

    take_memory_from_one_place()
    load_textual()
    from chatui.ui.app import ChatApp
    from chatui.ui.terminal.input_driver import driver_class

    theme = settings.ui.theme if settings.ui.theme not in ("", "auto") else state.theme
    app = ChatApp(
        workspace,
        SystemClock(),
        is_unicode=can_show_unicode(os.environ),
        theme_name=theme,
        has_colour=False if settings.ui.colours is ColourMode.NONE else None,
        has_reduced_motion=settings.ui.reduced_motion or bool(os.environ.get("ACCESSIBLE")),
        driver_class=driver_class(),
    )

    async def run() -> int:
        _leave_when_told(app)
        asyncio.get_running_loop().set_exception_handler(_bugs_end(app))
        try:
            result = await app.run_async(mouse=settings.ui.mouse)
        finally:
            await app.desk.aclose()
            await workspace.aclose()
            _stay_calm()
        if app.bug is not None:
            raise app.bug
        return result if result is not None else app.return_code or 0

    return asyncio.run(run())


def take_memory_from_one_place() -> None:
    """Let all threads share what the C library holds; call it before there are any.

    It otherwise keeps what was freed for each of them (`ui.memory_return`), and Python lets one of them run
    at a time anyway.
    """
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(AttributeError, OSError):  # musl has no such places
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


def _stay_calm() -> None:
    """A Ctrl+C between the end of the app and the end of the process is one too many, not a traceback."""
    with contextlib.suppress(NotImplementedError):
        asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _bugs_end(app: "ChatApp") -> "Callable[[asyncio.AbstractEventLoop, dict[str, Any]], None]":
    """A callback of ours that fails ends the app with one line; a traceback never reaches the screen.

    What asyncio has to say of connections that were put away in passing is of no use to anybody.
    """

    def told(_loop: asyncio.AbstractEventLoop, context: "dict[str, Any]") -> None:
        error = context.get("exception")
        if isinstance(error, Exception) and "handle" in context:
            app._handle_exception(error)  # noqa: SLF001 - Textual's name for it, overridden by us

    return told


def _leave_when_told(app: "ChatApp") -> None:
    """SIGTERM and SIGHUP (the terminal window was closed) end the app as its own quit does.

    The draft is saved, answers are stopped and kept, the terminal is restored.
    """
    loop = asyncio.get_running_loop()
    with contextlib.suppress(NotImplementedError):
        # Ctrl+C is a key while the app has the terminal. As a signal it is meant for a program that the app
        # started (an editor), or comes too late, after the terminal was given back.
        loop.add_signal_handler(signal.SIGINT, lambda: None)

    def leave(cause: StopCause) -> None:
        _ = app.run_worker(partial(app.leave, cause), exit_on_error=False)

    for name, cause in (("SIGTERM", StopCause.TOLD_TO_END), ("SIGHUP", StopCause.TERMINAL_CLOSED)):
        if number := getattr(signal, name, None):
            with contextlib.suppress(NotImplementedError):  # Windows has no such handlers
                loop.add_signal_handler(number, leave, cause)
