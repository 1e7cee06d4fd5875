r"""What stands in mhchem's `\ce{...}`, the part of it that answers are written in.

Guards: every character is read as what it is in a chemical formula, or the whole is not understood. Source:
the manual of the mhchem package.
"""

import re
from typing import Final

from chatui.core.late_pattern import late_pattern
from chatui.view.maths.spacing import above, below
from chatui.view.maths.tokens import NotUnderstoodError

_ARROWS: Final = {"<=>": "⇌", "<=>>": "⇌", "<<=>": "⇌", "->": "→", "<-": "←", "<->": "↔", "=>": "⇒", "=": "="}
_LONGEST_HALF: Final = 8
_PIECE: Final = late_pattern(
    r"(?P<arrow> (?:<<=>|<=>>|<=>|<->|->|<-|=>|=) )"
    r"|(?P<plus> \+ )"
    r"|(?P<above>\^(?:\{[^{}^_]*\}|[0-9]*[+-]|[0-9]+))"
    r"|(?P<below>_(?:\{[^{}^_]*\}|[0-9a-z]))"
    r"|(?P<charge>(?<=[A-Za-z0-9)\]])[+-](?=[ )\]]|\Z))"
    r"|(?P<count>(?<=[A-Za-z)\]])[0-9]+)"
    r"|(?P<plain>[A-Za-z0-9()\[\]., ]+?(?=[A-Za-z0-9()\[\]., ^_*+<=#-]|\Z)|\*|[-=#](?=[A-Z]))"
)


def chemical(source: str, *, is_open: bool) -> str:
    """A chemical formula or equation as text.

    Args:
        source: What stands between the braces.
        is_open: Its end is still to come: what is half written there is left out.

    Raises:
        NotUnderstoodError: it holds more than that.
    """
    parts: list[str] = []
    at = 0
    while at < len(source):
        found = _PIECE.match(source, at)
        if found is None and is_open and len(source) - at < _LONGEST_HALF:
            break
        if found is None or found.end() == at:
            raise NotUnderstoodError("a chemical formula of its own kind")
        parts.append(_shown(found))
        at = found.end()
    return "".join(parts)


def _shown(found: re.Match[str]) -> str:
    text = found[0]
    match found.lastgroup:
        case "arrow":
            return f" {_ARROWS[text.strip()]} "
        case "above":
            return above(_signed(text[1:].strip("{}")))
        case "below":
            return below(text[1:].strip("{}"))
        case "charge":
            return above(_signed(text))
        case "count":
            return below(text)
        case _:
            return "·" if text == "*" else "≡" if text == "#" else text


def _signed(text: str) -> str:
    return text.replace("-", "−")
