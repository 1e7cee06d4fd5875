"""Prompts with variables: `Review this {language} code:`.

Invariant: only names in single braces are variables; other braces (code, JSON) stay as they are, and what is
filled in is never looked at again.
"""

import re
from collections.abc import Mapping
from typing import Final

_VARIABLE: Final = re.compile(r"(?<!\{)\{([a-z_][a-z0-9_]*)\}(?!\})")


def variables_in(text: str) -> tuple[str, ...]:
    """Names of the variables of a template, in order, each once."""
    return tuple(dict.fromkeys(_VARIABLE.findall(text)))


def fill(text: str, values: Mapping[str, str]) -> str:
    """The prompt with its variables filled in; a variable without a value stays as it is written."""
    return _VARIABLE.sub(lambda found: values.get(found.group(1), found.group(0)), text)
