"""What is taken of markdown-it-py: addresses, entities and labels, without loading the rest of it.

Invariant: whoever asks `markdown_it` for anything else later gets all of it, the same as ever: its package
stands in its place unread, and reads itself at the first name that is asked of it. Measured: its parser, with
the rules and linkify behind it, takes 18 ms to load, a tenth of what showing a saved conversation takes.

Source: markdown-it-py 4: `common` imports nothing of the package's own `__init__`.
"""

import importlib.util
import sys
from types import ModuleType
from typing import Final

_PACKAGE: Final = "markdown_it"
_TOLD_OF_A_PACKAGE: Final = ("__all__", "__version__")


class _Unread(ModuleType):
    """A package whose own file is read when somebody asks for a name in it."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("_") and name not in _TOLD_OF_A_PACKAGE:
            raise AttributeError(name)  # the import system asks; a part of it is a file beside it
        spec = self.__spec__
        if spec is None or spec.loader is None or self.__class__ is not _Unread:
            raise AttributeError(name)
        self.__class__ = ModuleType  # type: ignore[assignment]  # from here on it is like any other
        spec.loader.exec_module(self)
        return getattr(self, name)


def _stand_in() -> None:
    """Put the unread package in its place, unless it has been read already."""
    if _PACKAGE in sys.modules or (spec := importlib.util.find_spec(_PACKAGE)) is None:
        return
    package = importlib.util.module_from_spec(spec)
    package.__class__ = _Unread
    sys.modules[_PACKAGE] = package


_stand_in()

from markdown_it.common.normalize_url import (  # noqa: E402 - after the stand-in
    normalizeLink,
    normalizeLinkText,
    validateLink,
)
from markdown_it.common.utils import normalizeReference, unescapeAll  # noqa: E402

__all__ = ["normalizeLink", "normalizeLinkText", "normalizeReference", "unescapeAll", "validateLink"]
