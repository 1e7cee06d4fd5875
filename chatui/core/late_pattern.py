"""Regular expressions that are compiled when they are first used.

Invariant: a late pattern does what `re.compile` of the same source does. Source: compiling one takes from a
tenth to three milliseconds on Python 3.11, and the modules that are loaded before the first paint have dozens
of which it uses none.
"""

import re
from typing import Any, cast


class _LatePattern:
    """Stands for a pattern until one of its methods is asked for."""

    def __init__(self, source: str, flags: int) -> None:
        self._given = (source, flags)

    def __getattr__(self, name: str) -> Any:
        # Kept in the instance: from the second time on this is not called.
        found = self.__dict__[name] = getattr(re.compile(*self._given), name)
        return found


def late_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` gives, later."""
    return cast("re.Pattern[str]", _LatePattern(source, flags))
