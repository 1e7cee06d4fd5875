"""Loads Textual without its command palette, which this app has of its own (`ui/lists/palette.py`).

Invariant: whoever asks for Textual's palette afterwards gets it: the stand-in is there only while `textual`
itself is loaded. Measured: the palette brings five widgets, a tenth of the start of an empty app.

Source: Textual 8.2.8: `textual.app` and `textual.theme` import names of `textual.command` when they are
loaded and use them only when a palette is opened, which `ENABLE_COMMAND_PALETTE = False` rules out.
"""

import sys
from types import ModuleType
from typing import Final

PALETTE_MODULE: Final = "textual.command"


class _StandIn(ModuleType):
    """Has a class of every name."""

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


def load_textual() -> None:
    """Load `textual.app`; nothing is done differently where somebody has loaded it already."""
    if "textual.app" in sys.modules or PALETTE_MODULE in sys.modules:
        return
    sys.modules[PALETTE_MODULE] = _StandIn(PALETTE_MODULE)
    try:
        import textual.app  # noqa: F401 - this is what it is about
    finally:
        del sys.modules[PALETTE_MODULE]
